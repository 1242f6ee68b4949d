"""Solvers: fast computation of tables; arrays in, arrays out."""
