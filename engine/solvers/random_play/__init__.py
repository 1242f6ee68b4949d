"""Three-row Chomp with random moves, in double precision: both players random, or one perfect.

After P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim.
`engine.theory.random_play` has the closed forms; `engine.solvers.folds` solves small games of any
kind exactly.
"""
