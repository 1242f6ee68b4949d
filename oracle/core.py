"""The Oracle: parse, choose the prober, answer. No transport and no SQL.

>>> oracle = Oracle.open(Path("data"))             # doctest: +SKIP
>>> oracle.winning_moves("chomp3:[1000,0,0]")      # doctest: +SKIP
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import RLock

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Price
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.listed import ListedRules
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import families, rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import Model
from position_oracle.oracle.actions import chances_with_actions, with_actions
from position_oracle.oracle.analysis import Analysis, analyze
from position_oracle.oracle.answers import Answer, Build, GameInfo, Tables, WinProbability
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.base import (
    Coordinates,
    Family,
    Moves,
    Outcomes,
    Prober,
    Shelf,
    StoredTable,
)
from position_oracle.oracle.families.listed import family_of_listed
from position_oracle.oracle.line import BestLine, best_line
from position_oracle.oracle.prices import price_of
from position_oracle.schema.estimates import Column, Estimates, Opening
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.lines import DEFAULT_PLIES


def family_of(name: str) -> Family:
    """What the oracle knows of a family.

    Raises:
        UnknownGameError: no such family.
    """
    rules = rules_of(name)
    if isinstance(rules, ListedRules):
        return family_of_listed(name)
    family: Family = import_module(f"position_oracle.oracle.families.{name}").FAMILY
    return family


class Oracle:
    """Answers questions about positions; immutable, and safe to use from many threads.

    Probers are made when their family is first asked about, so that a question touches only what
    it needs.
    """

    def __init__(self, tables: Iterable[StoredTable] = (), cache: Cache | None = None) -> None:
        """Make an oracle.

        Args:
            tables: stored tables to answer from; theorems and searches need none.
            cache: where what is computed when asked is kept.
        """
        tables = tuple(tables)
        self._shelf = Shelf(tables, self.prober, cache or Cache())
        self._tables = tables
        self._probers: dict[str, Prober] = {}
        self._lock = RLock()  # of making probers, which takes no solving

    @classmethod
    def open(cls, db: Path) -> "Oracle":
        """Load everything that answering needs out of a table file.

        Args:
            db: a folder of table files, whose current file is found by its pointer, or one file.

        Raises:
            TableFileError: there is no such file, or it cannot be used.
        """
        from position_oracle.oracle.loading import load_tables

        return cls(load_tables(db))

    @property
    def builds(self) -> tuple[Build, ...]:
        """Where the stored tables come from."""
        return tuple(table.build for table in self._tables)

    @property
    def layouts(self) -> tuple[str, ...]:
        """Game, kind and types of the arrays of each stored table: what kernels are made for."""
        return tuple(
            f"{table.build.game} {table.build.kind} "
            + " ".join(f"{name}={array.dtype.str}" for name, array in table.arrays.items())
            for table in self._tables
        )

    @property
    def cache_bytes(self) -> int:
        """Memory of what was computed when asked for, and is kept."""
        return self._shelf.cache.nbytes

    def warm_up(self, *, usual: bool = False) -> None:
        """Ask questions that take a search, so that nobody waits for their kernels to compile.

        That takes seconds once for each state of the sources, and moments afterwards.

        Args:
            usual: only what is asked most, where all kernels have been compiled before.
        """
        from position_oracle.oracle.warming import warm_up, warm_up_usual

        (warm_up_usual if usual else warm_up)(self)

    @cached_property
    def tables(self) -> Tables:
        """The identity of the stored tables, which every answer names."""
        return Tables.of(table.build for table in self._tables)

    def games(self) -> tuple[GameInfo, ...]:
        """Every game that can be answered, how far, and from which build."""
        return self._games

    @cached_property
    def _games(self) -> tuple[GameInfo, ...]:
        return tuple(info for name in families() for info in self.prober(name).games())

    def outcome(self, position: Position | str) -> Answer:
        """Who wins.

        Args:
            position: a position or its text.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        position = _read(position)
        found = self.prober(position.game.family).answer(position, with_moves=False)
        return found.from_tables(self.tables)

    def winning_moves(self, position: Position | str) -> Answer:
        """Who wins, and every move that wins.

        Args:
            position: a position or its text.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        position = _read(position)
        found = self.prober(position.game.family).answer(position, with_moves=True)
        return with_actions(found).from_tables(self.tables)

    def analyze(
        self,
        position: Position | str,
        *,
        moves: bool = True,
        first: int = 0,
        most: int | None = None,
    ) -> Analysis:
        """Outcome, winning moves, Grundy value, remoteness, and all moves best first.

        Args:
            position: a position or its text.
            moves: whether to list all moves; of a position with more than
                `oracle.analysis.MAX_MOVES` only the winning ones are listed.
            first: where in the list to begin: `Analysis.following` of the page before.
            most: the most moves of a page; None for `MAX_MOVES`.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        position = _read(position)
        prober = self.prober(position.game.family)
        found = analyze(prober, position, with_moves=moves, first=first, most=most)
        return replace(found, answer=found.answer.from_tables(self.tables))

    def best_line(self, position: Position | str, plies: int = DEFAULT_PLIES) -> BestLine:
        """How the game goes on if the winner hurries and the loser delays, ply by ply.

        Args:
            position: a position or its text.
            plies: the most moves of the line, up to `schema.lines.MAX_PLIES`.

        Raises:
            NotationError, InvalidPositionError, UnknownGameError: the text is no position.
        """
        position = _read(position)
        found = best_line(self.prober(position.game.family), position, plies)
        return replace(found, answer=replace(found.answer, winning_moves=None, tables=self.tables))

    def outcomes(self, game: GameSpec | str, coordinates: Coordinates) -> Outcomes:
        """Outcomes of many positions of one game; see `Prober.outcomes`."""
        game = _read_game(game)
        return self.prober(game.family).outcomes(game, coordinates)

    def winning_move_batch(
        self, game: GameSpec | str, coordinates: Coordinates
    ) -> tuple[Outcomes, Moves]:
        """A winning move for each of many positions; see `Prober.winning_move_batch`."""
        game = _read_game(game)
        return self.prober(game.family).winning_move_batch(game, coordinates)

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
        position = _read(position)
        prober = self.prober(position.game.family)
        found = prober.win_probability(position, _read_model(model))
        return replace(chances_with_actions(found), tables=self.tables)

    def win_probabilities(
        self, game: GameSpec | str, coordinates: Coordinates, model: Model | str
    ) -> npt.NDArray[np.float64]:
        """Win probabilities of many positions; see `Prober.win_probabilities`."""
        game = _read_game(game)
        return self.prober(game.family).win_probabilities(game, coordinates, _read_model(model))

    def win_probability_error(self, model: Model | str) -> float:
        """Bound on the error of what `win_probabilities` gives for a model."""
        from position_oracle.oracle.families.chance import error_bound

        return error_bound(self._shelf, _read_model(model))

    def instant_winners(
        self,
        game: GameSpec | str,
        x: int,
        size_y: int,
        size_z: int,
        first_y: int = 0,
        first_z: int = 0,
    ) -> npt.NDArray[np.uint8]:
        """A window of the instant-winner sheet W_x; see `Prober.instant_winners`."""
        game = _read_game(game)
        prober = self.prober(game.family)
        return prober.instant_winners(game, x, size_y, size_z, first_y, first_z)

    def losers(
        self, game: GameSpec | str, x: int, size_y: int, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """Part of the loser sheet L_x; see `Prober.losers`."""
        game = _read_game(game)
        return self.prober(game.family).losers(game, x, size_y, first_y)

    def geometry(self, game: GameSpec) -> Geometry:
        """What the loser sheets of a game look like; see `Prober.geometry`."""
        return replace(self.prober(game.family).geometry(game), tables=self.tables)

    def estimates(self, question: Column | Opening, most: int = 8) -> Estimates:
        """Chances of a column or an opening of three-row Chomp; see `Prober.estimates`."""
        return replace(self.prober("chomp3").estimates(question, most), tables=self.tables)

    def price(self, question: str, /, *arguments: object) -> Price:
        """What a question takes, known before any work on it; see `oracle.prices`."""
        return price_of(self.prober, question, *arguments)

    def prober(self, family: str) -> Prober:
        """The prober of a family, made when it is first asked for."""
        found = self._probers.get(family)
        if found is None:
            with self._lock:
                found = self._probers.get(family)
                if found is None:
                    found = self._probers[family] = family_of(family).prober(self._shelf)
        return found


def _read(position: Position | str) -> Position:
    return parse(position) if isinstance(position, str) else position


def _read_game(game: GameSpec | str) -> GameSpec:
    return parse_game(game) if isinstance(game, str) else game


def _read_model(model: Model | str) -> Model:
    return Model.parse(model) if isinstance(model, str) else model
