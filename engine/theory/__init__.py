"""Closed forms and theorems as pure functions."""
