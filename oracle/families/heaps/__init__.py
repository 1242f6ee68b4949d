"""What the families of heap games share: tables of three heaps, searches, theorems, values."""
