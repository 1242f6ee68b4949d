"""Games played at random: the theorems of Devlin & Trifonova on Chomp and Nim."""
