"""Win probabilities in games in which one player or both play at random.

The first source that knows a position answers: a closed form, the outcome if a perfect player
decides the game, exact recursion, a table in double precision, and last simulated games. Sources:
Devlin & Trifonova, Random Chomp and Nim (docs/random-play.md).
"""
