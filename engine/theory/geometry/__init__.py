"""The shape of loser sheets: lines, slopes, densities, scatter, openings, ladders, sensitivity.

Pure functions over arrays. `summary` defines the sums that describe a sheet, and `fits` computes
constants with errors from them; docs/geometry.md has the definitions and the measurements.
"""
