"""Mathematics and precompute: games, solvers, theory and jobs."""
