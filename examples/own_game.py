"""Define Turning Turtles, a game of your own: oracle --rules examples/own_game.py ask turtles:HTHH.

Turn a coin from heads to tails and, if you like, one to its left. A player who cannot move loses.
"""

from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.listed import Actions, ListedRules
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action, HeapChange


class Turtles(ListedRules):
    family, form, example = "turtles", "turtles:HTHH", "HTHH"
    about = "rows of coins"

    def parse(self, body: str, game: GameSpec) -> tuple[Coordinates, int]:
        text, passes = split_passes(body)
        return tuple("TH".find(coin) for coin in text), passes  # 1 for heads, 0 for tails

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        return "".join("TH"[coin] for coin in coordinates) + format_passes(game.passes)

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        if not coordinates or len(coordinates) > 64 or set(coordinates) - {0, 1}:
            raise InvalidPositionError(f"{self.form}: a row of 1 to 64 coins, H or T")

    def actions(self, coordinates: Coordinates, game: GameSpec) -> Actions:
        for last in (place for place, coin in enumerate(coordinates) if coin):
            for turned in [(last,), *((first, last) for first in range(last))]:
                left = tuple(coin ^ (place in turned) for place, coin in enumerate(coordinates))
                changes = tuple(HeapChange(place + 1, 1) for place in turned)
                words = "turn " + " and ".join(str(place + 1) for place in turned)
                yield Action(taking=changes, words=words), left


RULES = Turtles()
