"""Entries of Huddleston and Shurman, Transfinite Chomp."""
