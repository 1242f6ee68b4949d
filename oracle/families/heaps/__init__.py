"""Shared parts of heap games: tables of three heaps, searches, theorems, values."""
