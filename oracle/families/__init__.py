"""What the oracle knows of each family of games, by its name; see `engine.games.registry`."""
