"""The answers of the oracle, one module for each family; see `engine.games.registry`."""
