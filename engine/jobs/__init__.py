"""Plan, estimate and run precompute jobs; write their tables through schema."""
