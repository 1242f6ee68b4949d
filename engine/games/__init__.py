"""The games: positions, legal moves and notation, in slow and simple code."""
