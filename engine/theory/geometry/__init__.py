"""The shape of loser sheets: lines, slopes, densities, scatter, openings, ladders, sensitivity.

Pure functions over arrays. `summary` says what is kept of a sheet, `fits` turns that into
constants with errors; docs/geometry.md has the definitions and what was measured.
"""
