"""The games: positions, legal moves, notation; slow and obvious."""
