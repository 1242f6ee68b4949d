"""Play our perfect bot against OpenSpiel's random bot, at Kayles and at OpenSpiel's Nim.

python examples/adapters/openspiel_match.py
"""

from typing import Any

import pyspiel

from position_oracle import Oracle, bots
from position_oracle.clients.adapters.openspiel import OracleBot, load

GAMES = 20


def main() -> None:
    """Play games of each kind, and print how many the perfect bot won as first player."""
    perfect = OracleBot(bots.PerfectBot(Oracle()))
    nim = pyspiel.load_game("nim", {"pile_sizes": "3;5;7", "is_misere": False})
    for name, game in (("chomp:4/4/4", load("chomp:4/4/4")), ("OpenSpiel's nim 3 5 7", nim)):
        won = sum(play(game, perfect, seed) > 0 for seed in range(GAMES))
        print(f"{name}: the perfect bot won {won} of {GAMES}")


def play(game: Any, perfect: OracleBot, seed: int) -> float:
    """Return the result of the perfect bot, which moves first."""
    players = [perfect, pyspiel.make_uniform_random_bot(1, seed)]
    return float(pyspiel.evaluate_bots(game.new_initial_state(), players, seed)[0])


if __name__ == "__main__":
    main()
