"""Random play: the theorems of Devlin & Trifonova on Chomp and Nim."""
