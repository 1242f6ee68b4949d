"""Solvers: tables computed fast, arrays in, arrays out."""
