"""Mathematics and precompute: games, solvers, theory and jobs."""

from engine.compile_cache import use_compile_cache

use_compile_cache()
