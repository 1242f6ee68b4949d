"""Checks of stored results, one subject a module; they share no code with the solvers."""
