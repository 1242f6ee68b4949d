"""Precompute jobs: plan, estimate and run them; write their tables through schema."""
