"""The Oracle: parse, choose the prober, answer. No transport and no SQL.

>>> oracle = Oracle.open(Path("data"))             # doctest: +SKIP
>>> oracle.winning_moves(parse("chomp3:[1000,0,0]"))   # doctest: +SKIP
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games.notation import parse
from engine.games.position import Position
from engine.games.spec import GameSpec
from engine.theory.random_play import Model
from oracle.analysis import Analysis, analyze
from oracle.answers import Answer, GameInfo, WinProbability
from oracle.probers.base import Coordinates, Moves, Outcomes, Prober
from oracle.probers.chance import ChanceProber
from oracle.probers.sums import SumProber
from oracle.probers.values import Values
from schema.errors import UnknownGameError


class Oracle:
    """Answers questions about positions; immutable, and safe to use from many threads."""

    def __init__(
        self,
        probers: Iterable[Prober],
        chance: ChanceProber | None = None,
        values: Values | None = None,
    ) -> None:
        """Make an oracle.

        Args:
            probers: one a family.
            chance: answers games against chance; by default without stored tables.
            values: looks up Grundy values and remoteness; by default without stored tables.
        """
        self._values = values or Values()
        self._probers = {prober.family: prober for prober in (*probers, SumProber(self._values))}
        self._chance = chance or ChanceProber()

    @classmethod
    def open(cls, db: Path) -> "Oracle":
        """Load everything that answering needs out of a table file.

        Args:
            db: a folder of table files, whose current file is found by its pointer, or one file.

        Raises:
            TableFileError: there is no such file, or it cannot be used.
        """
        from oracle.loading import load_all
        from oracle.loading.values import load_values

        return cls(*load_all(db), load_values(db))

    def warm_up(self) -> None:
        """Ask questions that take a search, so that nobody waits for their kernels to compile.

        That takes seconds once for each state of the sources, and moments afterwards.
        """
        for text in _SEARCHED:
            self.analyze(text)
        self.win_probability("chomp3:[1,1,1]", "perfect-vs-random")

    def games(self) -> tuple[GameInfo, ...]:
        """Every game that can be answered, how far, and from which build."""
        infos = (info for prober in self._probers.values() for info in prober.games())
        with_chance = (self._chance.add_question(info) for info in infos)
        return (*with_chance, *self._values.games())

    def outcome(self, position: Position | str) -> Answer:
        """Who wins.

        Args:
            position: a position or its text.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        position = _read(position)
        return self._prober(position.game).outcome(position)

    def winning_moves(self, position: Position | str) -> Answer:
        """Who wins, and every move that wins.

        Args:
            position: a position or its text.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        position = _read(position)
        return self._prober(position.game).winning_moves(position)

    def analyze(self, position: Position | str, *, moves: bool = True) -> Analysis:
        """Outcome, winning moves, Grundy value, remoteness, and all moves best first.

        Args:
            position: a position or its text.
            moves: whether to list all moves; of a position with more than
                `oracle.analysis.MAX_MOVES` only the winning ones are listed.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        return analyze(self.winning_moves(position), self._values, with_moves=moves)

    def outcomes(self, game: GameSpec, coordinates: Coordinates) -> Outcomes:
        """Outcomes of many positions of one game; see `Prober.outcomes`."""
        return self._prober(game).outcomes(game, coordinates)

    def winning_move_batch(
        self, game: GameSpec, coordinates: Coordinates
    ) -> tuple[Outcomes, Moves]:
        """A winning move for each of many positions; see `Prober.winning_move_batch`."""
        return self._prober(game).winning_move_batch(game, coordinates)

    def win_probability(self, position: Position | str, model: Model | str) -> WinProbability:
        """How likely the player to move is to win, where one player or both play at random.

        Args:
            position: a position or its text.
            model: how both players choose their moves, or its text, e.g. `perfect-vs-random`.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position, or
                no model.
            UnknownAnswerError: games against chance are not answered for this game.
        """
        return self._chance.ask(_read(position), _read_model(model), self.winning_moves)

    def win_probabilities(
        self, game: GameSpec, coordinates: Coordinates, model: Model | str
    ) -> npt.NDArray[np.float64]:
        """Win probabilities of many positions; see `ChanceProber.ask_many`."""
        return self._chance.ask_many(game, coordinates, _read_model(model), self.outcomes)

    def win_probability_error(self, model: Model | str) -> float:
        """Bound on the error of what `win_probabilities` gives for a model."""
        return self._chance.error_bound(_read_model(model))

    def instant_winners(
        self, game: GameSpec, x: int, size_y: int, size_z: int
    ) -> npt.NDArray[np.uint8]:
        """A window of the instant-winner sheet W_x; see `Prober.instant_winners`."""
        return self._prober(game).instant_winners(game, x, size_y, size_z)

    def _prober(self, game: GameSpec) -> Prober:
        if game.family not in self._probers:
            known = ", ".join(self._probers)
            raise UnknownGameError(f"no prober answers {game.family}; answered are {known}")
        return self._probers[game.family]


def _read(position: Position | str) -> Position:
    return parse(position) if isinstance(position, str) else position


def _read_model(model: Model | str) -> Model:
    return Model.parse(model) if isinstance(model, str) else model


_SEARCHED: Final = (
    "chomp3:[1,1,1;1]",
    "chomp:2/2/2/2",
    "nim:[2,3,4;1]",
    "nim:[1,1,2,2;1]",
    "wythoff:[2,3]",
    "wythoff{rule=pairs}:[1,2,3]",
)
"""One question for each kind of search."""
