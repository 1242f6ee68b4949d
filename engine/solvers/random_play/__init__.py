"""Three-row Chomp against chance, in double precision: both players random, or one perfect.

After P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim. What is known in
closed form stands in `engine.theory.random_play`; small games of any kind are solved exactly by
`engine.solvers.folds`.
"""
