"""The Oracle: it reads questions, selects probers, and answers, without transport or SQL.

>>> oracle = Oracle()                    # of theorems and searches; Oracle.open: with tables
>>> print(oracle.best_move("nim:[3,5,7]"))
nim:[2,5,7]
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.listed import ListedRules
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.actions import chances_with_actions, with_actions
from position_oracle.oracle.analysis import Analysis, plan_analysis
from position_oracle.oracle.answers import (
    AnalyzedMove,
    Answer,
    Build,
    GameInfo,
    Tables,
    Turns,
    WinProbability,
)
from position_oracle.oracle.batches import plan_moves, plan_numbers
from position_oracle.oracle.best_move import plan_best_move
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.listed import listed_prober_of, search_prober_of
from position_oracle.oracle.families.resources import Resources, StoredTable
from position_oracle.oracle.families.sources import KINDS, LOOK_UP, Moves, Outcomes
from position_oracle.oracle.line import BestLine, plan_best_line
from position_oracle.oracle.lists import plan_list
from position_oracle.schema.answerer import (
    DEFAULT_CANDIDATES,
    DEFAULT_MOVES,
    MAX_OPENINGS,
    MAX_SERIES,
    NO_RESULTS,
    ValueKind,
    described,
)
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import (
    InvalidPositionError,
    PositionOracleError,
    ResourceLimitError,
    UnknownAnswerError,
)
from position_oracle.schema.estimates import Column, Estimates, Opening
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.graphs import SolvedGraph
from position_oracle.schema.lines import DEFAULT_PLIES
from position_oracle.schema.numbers import shown, whole
from position_oracle.schema.positions import PositionLike, argument_text, position_text

_ESTIMATED: Final = "chomp3"
"""The game with estimates."""

_ACTIONS: Final = Cost(8e-5)
"""Cost of making the actions of the winning moves, besides the cost of finding the moves."""


def prober_of(name: str) -> type[Prober]:
    """Return the class of the prober of a family.

    Raises:
        UnknownGameError: there is no such family.
    """
    rules = rules_of(name)
    if isinstance(rules, ListedRules):
        return listed_prober_of(name)
    prober: type[Prober] = import_module(f"position_oracle.oracle.families.{name}").PROBER
    return prober


@described
class Oracle:
    """Answers questions about positions in this process; an `Answerer`, as `OracleClient` is.

    It never changes, and is safe to use from many threads. Wherever a question takes the text of a
    position, a game or a model, it also takes a `Position`, a `GameSpec` or a `Model`. Errors are
    those of `schema.errors`: NotationError, InvalidPositionError and UnknownGameError for texts,
    and UnknownAnswerError for a question that has no answer in the game.

    The prober of a family is made at the first question about the family, so that a question loads
    only what it needs.
    """

    def __init__(self, tables: Iterable[StoredTable] = (), cache: Cache | None = None) -> None:
        """Make an oracle.

        Args:
            tables: stored tables; theorems and searches need none.
            cache: the cache of results computed on demand.
        """
        tables = tuple(tables)
        self._resources = Resources(tables, self.prober, cache or Cache())
        self._tables = tables
        self._probers: dict[str, Prober] = {}
        self._lock = RLock()  # for making probers, which is quick

    @classmethod
    def open(cls, db: Path | str) -> "Oracle":
        """Open an oracle with the tables of a table file.

        Args:
            db: a folder of table files, whose current file is found by its pointer, or one file.

        Raises:
            TableFileError: the file does not exist, or cannot be used.
        """
        from position_oracle.oracle.loading import load_tables

        return cls(load_tables(Path(db)))

    @property
    def builds(self) -> tuple[Build, ...]:
        """The builds of the stored tables."""
        return tuple(table.build for table in self._tables)

    @property
    def layouts(self) -> tuple[str, ...]:
        """Game, kind and array types of each stored table; kernels are compiled for them."""
        return tuple(
            f"{table.build.game} {table.build.kind} "
            + " ".join(f"{name}={array.dtype.str}" for name, array in table.arrays.items())
            for table in self._tables
        )

    @property
    def cache_bytes(self) -> int:
        """Bytes of cached results."""
        return self._resources.cache.nbytes

    def warm_up(self, *, if_cold: bool = False) -> None:
        """Ask questions that need a search, so that no caller waits for kernels to compile.

        Compilation takes seconds once for each state of the sources; later calls are fast.

        Args:
            if_cold: whether to do nothing if an earlier process has compiled all kernels.
        """
        from position_oracle.oracle.warming import is_compiled, warm_up

        if not (if_cold and is_compiled(self)):
            warm_up(self)

    def tables(self) -> Tables:
        """See `Answerer.tables`."""
        return self._identity

    @cached_property
    def _identity(self) -> Tables:
        return Tables.of(table.build for table in self._tables)

    def games(self) -> tuple[GameInfo, ...]:
        """See `Answerer.games`."""
        return self._games

    def _plan_games(self) -> Plan[tuple[GameInfo, ...]]:
        return Plan(LOOK_UP, self.games)

    @cached_property
    def _games(self) -> tuple[GameInfo, ...]:
        from position_oracle.oracle.catalog import catalog

        return catalog(self.prober)

    def plan(self, question: str, /, *arguments: Any) -> Plan[Any]:
        """Plan a question: its cost, and the function that answers it.

        Planning takes microseconds for a position and for a row of a batch. It neither searches nor
        loads anything. The same question to the same tables has the same plan.

        Args:
            question: the name of a method of `Answerer`; `analyze` takes the arguments of
                `analyze_page`.
            arguments: its arguments.

        Raises:
            PositionOracleError: the question is refused whatever its cost.
        """
        plan: Callable[..., Plan[Any]] | None = getattr(self, f"_plan_{question}", None)
        if plan is None:
            raise UnknownAnswerError(f"no question {question!r}; see Answerer")
        return plan(*arguments)

    def outcome(self, position: PositionLike) -> Answer:
        """See `Answerer.outcome`."""
        return self._plan_outcome(position).run()

    def _plan_outcome(
        self, position: PositionLike, sums: Callable[[], Prober] | None = None
    ) -> Plan[Answer]:
        position = _read(position)
        is_sum = sums is not None and position.game.family == "sum"
        prober = sums() if sums and is_sum else self.prober(position.game)
        plan = prober.plan(position, with_moves=False)
        return Plan(plan.cost, lambda: plan.run().from_tables(self._identity))

    def winning_moves(self, position: PositionLike) -> Answer:
        """See `Answerer.winning_moves`."""
        return self._plan_winning_moves(position).run()

    def _plan_winning_moves(self, position: PositionLike) -> Plan[Answer]:
        position = _read(position)
        plan = self.prober(position.game).plan(position, with_moves=True)
        cost = plan.cost + _ACTIONS
        return Plan(cost, lambda: with_actions(plan.run(), self._identity))

    def analyze(self, position: PositionLike, *, moves: bool = True) -> Analysis:
        """See `Answerer.analyze`."""
        return self.analyze_page(position, moves=moves)

    def analyze_page(
        self,
        position: PositionLike,
        *,
        moves: bool = True,
        first: int = 0,
        most: int | None = None,
    ) -> Analysis:
        """Return an analysis with one page of the moves.

        Args:
            position: a position or its text.
            moves: whether to list moves. If there are more than `MAX_LISTED_MOVES`, the winning
                moves come first, then the others in the order of the rules.
            first: the index of the first move: `Analysis.following` of the page before.
            most: the maximum number of moves of a page; None for `MAX_LISTED_MOVES`.
        """
        return self._plan_analyze(position, moves, first, most).run()

    def _plan_analyze(
        self,
        position: PositionLike,
        moves: bool = True,
        first: int = 0,
        most: int | None = None,
    ) -> Plan[Analysis]:
        position, first = _read(position), whole(first, "first")
        if not 0 <= first < 2**63:
            raise InvalidPositionError(f"first = {first}; allowed are 0 to 2^63 - 1")
        most = None if most is None else whole(most, "most")
        prober = self.prober(position.game)
        plan = plan_analysis(prober, position, with_moves=moves, first=first, most=most)

        def run() -> Analysis:
            found = plan.run()
            return replace(found, answer=found.answer.from_tables(self._identity))

        return Plan(plan.cost, run)

    def moves(
        self, position: PositionLike, *, most: int = DEFAULT_MOVES
    ) -> tuple[AnalyzedMove, ...]:
        """See `Answerer.moves`."""
        most = whole(most, "most")
        if most < 1:
            raise InvalidPositionError(f"most = {most}; allowed is 1 or more")
        position, found, first = _read(position), list[AnalyzedMove](), 0
        while True:
            page = self.analyze_page(position, first=first, most=most - len(found))
            found += page.moves or ()
            if page.following is None or len(found) >= most:
                return tuple(found[:most])
            first = page.following

    def best_move(self, position: PositionLike) -> Move | None:
        """See `Answerer.best_move`."""
        return self._plan_best_move(position).run()

    def _plan_best_move(self, position: PositionLike) -> Plan[Move | None]:
        position = _read(position)
        return plan_best_move(self.prober(position.game), position)

    def best_line(self, position: PositionLike, plies: int = DEFAULT_PLIES) -> BestLine:
        """See `Answerer.best_line`."""
        return self._plan_best_line(position, plies).run()

    def _plan_best_line(self, position: PositionLike, plies: int = DEFAULT_PLIES) -> Plan[BestLine]:
        position, plies = _read(position), whole(plies, "plies")
        plan = plan_best_line(self.prober(position.game), position, plies)

        def run() -> BestLine:
            found = plan.run()
            answer = replace(found.answer, winning_moves=None, tables=self._identity)
            return replace(found, answer=answer)

        return Plan(plan.cost, run)

    def outcomes(self, game: GameSpec | str, positions: npt.ArrayLike) -> Outcomes:
        """See `Answerer.outcomes`."""
        return self._plan_outcomes(game, positions).run()

    def _plan_outcomes(self, game: GameSpec | str, positions: npt.ArrayLike) -> Plan[Outcomes]:
        spec = _read_game(game)
        prober = self.prober(spec)

        def outcomes(rows: npt.NDArray[np.integer]) -> Plan[Outcomes]:
            plan = prober.plan_rows(spec, rows, with_moves=False)
            return Plan(plan.cost, lambda: plan.run()[0])

        return plan_numbers(positions, outcomes, np.uint8)

    def winning_move_batch(
        self, game: GameSpec | str, positions: npt.ArrayLike
    ) -> tuple[Outcomes, Moves]:
        """See `Answerer.winning_move_batch`."""
        return self._plan_winning_move_batch(game, positions).run()

    def _plan_winning_move_batch(
        self, game: GameSpec | str, positions: npt.ArrayLike
    ) -> Plan[tuple[Outcomes, Moves]]:
        game = _read_game(game)
        return plan_moves(self.prober(game), game, positions)

    def values(
        self, game: GameSpec | str, positions: npt.ArrayLike, kind: ValueKind = "grundy"
    ) -> npt.NDArray[np.int64]:
        """See `Answerer.values`."""
        return self._plan_values(game, positions, kind).run()

    def _plan_values(
        self, game: GameSpec | str, positions: npt.ArrayLike, kind: ValueKind = "grundy"
    ) -> Plan[npt.NDArray[np.int64]]:
        spec = _read_game(game)
        prober = self.prober(spec)
        if argument_text(kind, "kind") not in KINDS:
            raise InvalidPositionError(f"kind {shown(kind)}; allowed are {' and '.join(KINDS)}")
        return plan_numbers(
            positions, lambda rows: prober.plan_value_rows(kind, spec, rows), np.int64
        )

    def series(self, game: GameSpec | str, first: int, last: int) -> npt.NDArray[np.int64]:
        """See `Answerer.series`."""
        return self._plan_series(game, first, last).run()

    def _plan_series(
        self, game: GameSpec | str, first: int, last: int
    ) -> Plan[npt.NDArray[np.int64]]:
        first, last = whole(first, "first"), whole(last, "last")
        if not 0 <= first <= last < 2**31:
            raise InvalidPositionError(f"heaps {first} to {last}; allowed are 0 to 2^31 - 1")
        if last - first >= MAX_SERIES:
            raise ResourceLimitError(
                f"{last - first + 1:,} values; the limit of a series is {MAX_SERIES:,}"
            )
        return self._plan_values(game, np.arange(first, last + 1)[:, np.newaxis])

    def answers(
        self, positions: Sequence[PositionLike]
    ) -> tuple[Answer | PositionOracleError, ...]:
        """See `Answerer.answers`."""
        return self._plan_answers(positions).run()

    def _plan_answers(
        self, positions: Sequence[PositionLike]
    ) -> Plan[tuple[Answer | PositionOracleError, ...]]:
        @cache
        def sums() -> Prober:
            from position_oracle.oracle.families.sum import SumProber

            return SumProber(self._resources, of_list=True)

        return plan_list(partial(self._plan_outcome, sums=sums), positions)

    def solve_graph(
        self,
        moves: npt.ArrayLike,
        *,
        nodes: int | None = None,
        results: Mapping[int, Outcome] = NO_RESULTS,
        misere: bool = False,
    ) -> SolvedGraph:
        """See `Answerer.solve_graph`."""
        return self._plan_solve_graph(moves, nodes, results, misere=misere).run()

    def _plan_solve_graph(
        self,
        moves: npt.ArrayLike,
        nodes: int | None = None,
        results: Mapping[int, Outcome] = NO_RESULTS,
        misere: bool = False,
    ) -> Plan[SolvedGraph]:
        from position_oracle.oracle.given import plan_solve_graph

        return plan_solve_graph(moves, nodes, results, misere=misere)

    def win_probability(self, position: PositionLike, model: Model | str) -> WinProbability:
        """See `Answerer.win_probability`."""
        return self._plan_win_probability(position, model).run()

    def _plan_win_probability(
        self, position: PositionLike, model: Model | str
    ) -> Plan[WinProbability]:
        position, model = _read(position), _read_model(model)
        plan = self.prober(position.game).plan_chance(position, model)

        def run() -> WinProbability:
            return replace(chances_with_actions(plan.run()), tables=self._identity)

        return Plan(plan.cost, run)

    def win_probabilities(
        self, game: GameSpec | str, positions: npt.ArrayLike, model: Model | str
    ) -> npt.NDArray[np.float64]:
        """See `Answerer.win_probabilities`."""
        return self._plan_win_probabilities(game, positions, model).run()

    def _plan_win_probabilities(
        self, game: GameSpec | str, positions: npt.ArrayLike, model: Model | str
    ) -> Plan[npt.NDArray[np.float64]]:
        spec, chances = _read_game(game), _read_model(model)
        prober = self.prober(spec)
        return plan_numbers(
            positions, lambda rows: prober.plan_chances(spec, rows, chances), np.float64
        )

    def win_probability_error(self, model: Model | str) -> float:
        """Bound the error of the results of `win_probabilities` for a model."""
        from position_oracle.oracle.families.chance.tables import ChanceTables

        return ChanceTables(self._resources).error_bound(_read_model(model))

    def turns(self, position: PositionLike) -> Turns:
        """See `Answerer.turns`."""
        return self._plan_turns(position).run()

    def _plan_turns(self, position: PositionLike) -> Plan[Turns]:
        position = _read(position)
        plan = self.prober(position.game).plan_turns(position)
        return Plan(plan.cost, lambda: replace(plan.run(), tables=self._identity))

    def instant_winners(
        self,
        game: GameSpec | str,
        x: int,
        size_y: int,
        size_z: int,
        *,
        first_y: int = 0,
        first_z: int = 0,
    ) -> npt.NDArray[np.uint8]:
        """See `Answerer.instant_winners`."""
        return self._plan_instant_winners(game, x, size_y, size_z, first_y, first_z).run()

    def _plan_instant_winners(
        self,
        game: GameSpec | str,
        x: int,
        size_y: int,
        size_z: int,
        first_y: int = 0,
        first_z: int = 0,
    ) -> Plan[npt.NDArray[np.uint8]]:
        game = _read_game(game)
        size = whole(size_y, "size_y"), whole(size_z, "size_z")
        first = whole(first_y, "first_y"), whole(first_z, "first_z")
        return self.prober(game).plan_instant_winners(game, whole(x, "x"), size, first)

    def losers(
        self, game: GameSpec | str, x: int, size_y: int, *, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """See `Answerer.losers`."""
        return self._plan_losers(game, x, size_y, first_y).run()

    def _plan_losers(
        self, game: GameSpec | str, x: int, size_y: int, first_y: int = 0
    ) -> Plan[npt.NDArray[np.int32]]:
        game = _read_game(game)
        numbers = whole(x, "x"), whole(size_y, "size_y"), whole(first_y, "first_y")
        return self.prober(game).plan_losers(game, *numbers)

    def geometry(self, game: GameSpec | str) -> Geometry:
        """See `Answerer.geometry`."""
        return self._plan_geometry(game).run()

    def _plan_geometry(self, game: GameSpec | str) -> Plan[Geometry]:
        game = _read_game(game)
        plan = self.prober(game).plan_geometry(game)
        return Plan(plan.cost, lambda: replace(plan.run(), tables=self._identity))

    def estimate_column(self, x: int, y: int, *, most: int = DEFAULT_CANDIDATES) -> Estimates:
        """See `Answerer.estimate_column`."""
        return self._plan_estimate_column(x, y, most).run()

    def _plan_estimate_column(
        self, x: int, y: int, most: int = DEFAULT_CANDIDATES, game: GameSpec | str = _ESTIMATED
    ) -> Plan[Estimates]:
        return self._plan_estimates(game, Column(whole(x, "x"), whole(y, "y")), most)

    def estimate_opening(self, n: int, *, most: int = MAX_OPENINGS) -> Estimates:
        """See `Answerer.estimate_opening`."""
        return self._plan_estimate_opening(n, most).run()

    def _plan_estimate_opening(
        self, n: int, most: int = MAX_OPENINGS, game: GameSpec | str = _ESTIMATED
    ) -> Plan[Estimates]:
        return self._plan_estimates(game, Opening(whole(n, "n")), most)

    def _plan_estimates(
        self, game: GameSpec | str, question: Column | Opening, most: int
    ) -> Plan[Estimates]:
        game, most = _read_game(game), whole(most, "most")
        plan = self.prober(game).plan_estimates(game, question, most)
        return Plan(plan.cost, lambda: replace(plan.run(), tables=self._identity))

    def prober(self, game: GameSpec | str) -> Prober:
        """Return the prober of a game or family, made at its first use.

        If the prober of the family does not know the game, the result is a prober that only
        searches.
        """
        if isinstance(game, str):
            return self._made(game, lambda: prober_of(game))
        found = self.prober(game.family)
        if found.knows(game):
            return found
        return self._made(f"{game.family} by search", lambda: search_prober_of(game.family))

    def _made(self, name: str, kind: Callable[[], type[Prober]]) -> Prober:
        found = self._probers.get(name)
        if found is None:
            with self._lock:
                found = self._probers.get(name)
                if found is None:
                    found = self._probers[name] = kind()(self._resources)
        return found


def _read(position: PositionLike) -> Position:
    return position if isinstance(position, Position) else parse(position_text(position))


def _read_game(game: GameSpec | str) -> GameSpec:
    return game if isinstance(game, GameSpec) else parse_game(argument_text(game, "game"))


def _read_model(model: Model | str) -> Model:
    return model if isinstance(model, Model) else Model.parse(argument_text(model, "model"))
