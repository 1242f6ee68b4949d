"""Parts shared by the families of heap games: tables of three heaps, searches, theorems, values."""
