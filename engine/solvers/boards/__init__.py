"""Chomp boards of any shape: outcomes of all boards inside a box or inside one board."""
