"""What the games are: positions, legal moves, notation; slow and obvious."""
