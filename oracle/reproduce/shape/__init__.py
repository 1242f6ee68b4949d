"""Measures of the shape of three-row Chomp that reports, scripts and docs/geometry.md use."""
