"""The base class of probers. A *prober* answers all questions about one family of games.

The name comes from chess tablebases, in which to probe is to look up a position. A prober has a
list of sources (theorems, tables, searches). For each question it takes the plan of the first
source that has one, that is, its cost and the function that computes the answer. Probers depend
on neither the transport nor SQL. They are immutable, so threads may share them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, cast

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games.moves import is_endless, moves
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.answers import (
    Answer,
    Certainty,
    Turns,
    WinProbability,
)
from position_oracle.oracle.families.coverage import Covered
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.grouped import Look, plan_grouped
from position_oracle.oracle.families.resources import Loader, Resources
from position_oracle.oracle.families.rows import DifferentRows, SingleRows
from position_oracle.oracle.families.sources import (
    KINDS,
    LOOK_UP,
    NOT_ALL,
    Floats,
    Found,
    Ints,
    KnownRows,
    RowIndices,
    Rows,
    Source,
    count_moves,
    first_answer,
    first_found,
    no_sheets,
    unknown,
    weight,
)
from position_oracle.oracle.families.values import Values, ValueTable
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.arrays import NO_MOVE
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError
from position_oracle.schema.estimates import Column, Estimates, Opening
from position_oracle.schema.geometry import Geometry

if TYPE_CHECKING:
    from position_oracle.oracle.families.search import GraphSource
    from position_oracle.oracle.families.stored_positions import StoredPositions

MAX_LOOKED_UP: Final = 200
"""If no source decides a position, the positions after at most this many moves are looked up."""

_LOOK_SECONDS: Final = 3e-5

BOUNDING: Final = Cost(0.8, 64 << 20)
"""Maximum cost of computing bounds on the win probability against a player who errs."""


class Prober(ABC):
    """Answers questions about one family, by its sources or else by a search.

    The search computes the graph of all positions that play can reach (`engine.solvers.graph`).

    Attributes:
        loaders: for each kind of stored table, the function that makes its arrays.
        resources: stored tables, the cache, and the probers of other families.
        rules: the rules of the family.
    """

    family: ClassVar[str]
    loaders: ClassVar[Mapping[str, Loader]] = MappingProxyType({})

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.rules: Rules = rules_of(self.family)

    def knows(self, game: GameSpec) -> bool:
        """Return whether the family has sources for a game; other games are only searched."""
        return not game.is_variant and not (game.misere and self.rules.has_poison)

    @abstractmethod
    def games(self) -> tuple[Covered, ...]:
        """Return the games and the range of answered positions of each, without stored values."""

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The sources of a family that has the same ones for every game."""
        return ()

    def sources(self, game: GameSpec) -> Sequence[Source]:
        """Return the sources of a game in order, without the graph source, which comes last."""
        return self.common_sources

    def max_singles(self, game: GameSpec) -> int | None:
        """Return how many different rows of a batch may be planned one by one.

        None means any number. If a batch has more different rows, only array operations answer
        it, and the other rows stay unknown.
        """
        return None

    @cached_property
    def stored(self) -> "tuple[StoredPositions, ...]":
        """Return the stored tables that contain every position up to a limit."""
        if not self.resources.tables(self.family, "values"):
            return ()  # avoids importing pyarrow for small questions
        from position_oracle.oracle.families.stored_positions import stored_positions

        return stored_positions(self.resources, self.family)

    def known(self, game: GameSpec) -> Sequence[Source]:
        """Return all sources except the graph source."""
        return (*self.sources(game), *self.stored)

    @cached_property
    def graph(self) -> "GraphSource":
        """Return the graph source, which is the last one."""
        from position_oracle.oracle.families.search import GraphSource

        return GraphSource(self.resources.cache)

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Return a plan that finds the outcome of a position, and all winning moves if asked."""
        sources = (*self.known(position.game), self.graph)
        plans = (source.plan(position, with_moves=with_moves) for source in sources)
        plan = first_answer(position, plans, with_moves=with_moves)
        if plan.is_sure:
            return plan

        def run() -> Answer:
            found = plan.run()
            return found if found.outcome else self._by_one_move(found, with_moves=with_moves)

        looked = 0 if is_endless(position) else count_moves(position, MAX_LOOKED_UP)
        looking = Cost(looked * _LOOK_SECONDS * weight(position))
        return Plan(plan.cost + looking, run, is_sure=False)

    def look_up(self, position: Position) -> Answer:
        """Return the outcome if a theorem or table gives it without computation; else unknown."""
        plan = self.plan_look_up(position)
        if plan.cost.seconds > LOOK_UP.seconds:
            return unknown(position, "it is not looked up")
        return plan.run()

    def plan_look_up(self, position: Position) -> Plan[Answer]:
        """Return a plan for the outcome, made only from sources that answer without work."""
        plans = (source.plan_look_up(position) for source in self.known(position.game))
        return first_answer(position, plans, with_moves=False)

    def _by_one_move(self, found: Answer, *, with_moves: bool) -> Answer:
        """Return N if one of the first legal moves leads to a known P-position; else unknown."""
        position = found.position
        if is_endless(position):
            return found
        for move in islice(moves(position), MAX_LOOKED_UP):
            current().check()
            child = self.look_up(move.child)
            if child.outcome is Outcome.P:
                return Answer(
                    position,
                    Outcome.N,
                    child.certainty,
                    f"a move to {move.child.brief} wins: {child.reason}; {NOT_ALL}",
                    (move,) if with_moves else None,
                    transfinite=found.transfinite,
                )
        return found

    def plan_known(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan the outcome by all sources except the graph: theorems, tables and kernels."""
        plans = (s.plan(position, with_moves=with_moves) for s in self.known(position.game))
        return first_answer(position, plans, with_moves=with_moves)

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """Return the outcome of a position: make a plan and run it."""
        return self.plan(position, with_moves=with_moves).run()

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None]:
        """Plan Grundy values, or remoteness, of a position and its children."""
        sources = (*self.known(position.game), self.graph)
        return first_found(source.plan_values(kind, position) for source in sources)

    def values(self, position: Position) -> ValueTable:
        """Return Grundy values and remoteness of a position and its children."""
        return ValueTable(*(self.plan_values(kind, position).run() for kind in KINDS))

    def plan_chance(self, position: Position, model: Model) -> Plan[WinProbability]:
        """Plan the probability that the player to move wins if one or both players move at random.

        A theorem, the outcome or an exact number comes before a table or a simulation.
        """
        sources = self.known(position.game)
        known = first_found(
            (
                *(source.plan_known_chance(position, model) for source in sources),
                self._plan_decided(position, model),
            )
        )
        if known.is_sure:
            return cast("Plan[WinProbability]", known)
        exact = self.graph.plan_chance(position, model, exact=True)
        computed = first_found(source.plan_chance(position, model) for source in sources)
        searched = self.graph.plan_chance(position, model)
        estimated = self._plan_estimated(position, model)

        def run() -> WinProbability:
            found = known.run()
            if found is not None and (found.best_moves is not None or not model.mover_chooses):
                return found
            if exact is not None and (other := exact.run()) is not None:
                return other if found is None else replace(found, best_moves=other.best_moves)
            other = computed.run()
            if other is None or other.value is None or other.certainty is Certainty.ESTIMATE:
                other = (None if searched is None else searched.run()) or other
            if other is None or other.value is None:
                other = self._told(other, estimated.run())
            return other if found is None or other.best_moves is not None else found

        last = exact or searched or estimated
        return Plan(known.cost + computed.cost + last.cost, run)

    @staticmethod
    def _told(unknown: WinProbability | None, estimate: WinProbability) -> WinProbability:
        """Return an estimate, with the source's advice on how to get the exact value."""
        if unknown is None:
            return estimate
        if estimate.value is None:
            return unknown
        return replace(estimate, reason=f"{estimate.reason}; not exact: {unknown.reason}")

    def _plan_estimated(self, position: Position, model: Model) -> Plan[WinProbability]:
        """Plan an estimate: simulations if both players move at random, else bounds."""
        last = self.graph.plan_estimated(position, model)
        if model.perfect is Perfect.NOBODY:
            return last

        def known(of: Position) -> Plan[Answer]:
            return self.plan_known(of, with_moves=True)

        def run() -> WinProbability:
            from position_oracle.oracle.families.chance.bounds import bounded

            with suppress(ResourceLimitError):  # too many moves to scan
                return bounded(position, model, known) or last.run()
            return last.run()

        return Plan(last.cost + BOUNDING, run)

    def _plan_decided(self, position: Position, model: Model) -> Plan[WinProbability | None] | None:
        """Plan the probability that follows from the outcome alone.

        A perfect player who can force a win wins with probability 1.
        """
        if model.perfect is Perfect.NOBODY:
            return None
        plan = self.plan_known(position, with_moves=True)

        def run() -> WinProbability | None:
            from position_oracle.oracle.families.chance.answers import decided

            return decided(plan.run(), model)

        return Plan(plan.cost, run, is_sure=False)

    def plan_turns(self, position: Position) -> Plan[Turns]:
        """Plan the number of turns of a game if both players move at random.

        A theorem gives the mean if there is one. Otherwise the graph gives mean and distribution,
        and simulated games estimate the mean of larger positions.
        """
        known = first_found(source.plan_turns(position) for source in self.known(position.game))
        return self.graph.plan_turns_with(position, known)

    def checked(self, game: GameSpec, coordinates: Rows) -> tuple[GameSpec, Rows]:
        """Convert the rows of a batch to the form that sources take, and return their game.

        Raises:
            InvalidPositionError: a row is not a position; the message names the row.
        """
        return game, coordinates

    def plan_rows(self, game: GameSpec, coordinates: Rows, *, with_moves: bool) -> Plan[Found]:
        """Plan outcomes of many positions of one game, and perhaps the first winning move of each.

        Args:
            game: the game, with the passes left in it.
            coordinates: integers (n, k) up to 2^31 - 1.
            with_moves: whether to find moves.

        Returns:
            A plan for the outcomes, uint8 (n,), and the children int32 (n, k), `NO_MOVE` or
            `PASS_ONLY`; the children are None without `with_moves`.

        Raises:
            InvalidPositionError: a row is not a position, or too large for its children to fit
                int32; the message names the row.
        """
        of_sources, rows = self.checked(game, coordinates)
        parts, left = self._parts(of_sources, rows, with_moves=with_moves)
        is_open = np.zeros(len(rows), np.bool_)
        is_open[left] = True
        for lines, plan in parts:
            is_open[lines] = not plan.is_sure
        if len(parts) == 1 and not is_open.any():
            return parts[0][1]
        cost = sum((plan.cost for _, plan in parts), Cost())
        singles = None
        if is_open.any():
            again = len(left) > 0
            singles = SingleRows(self, game, rows, is_open, with_moves=with_moves, again=again)
            cost += singles.cost

        def run() -> Found:
            found = _filled(parts, len(rows), rows.shape[1], with_moves=with_moves)
            if singles is not None:
                singles.fill(*found)
            return found

        return Plan(cost, run)

    def plan_known_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Return which rows the sources answer by arrays, bool (n,), and a plan for these rows."""
        parts, left = self._parts(game, rows, with_moves=with_moves)
        known = np.ones(len(rows), np.bool_)
        known[left] = False
        place = np.cumsum(known) - 1
        placed = [(place[lines], plan) for lines, plan in parts]
        count, width = int(known.sum()), rows.shape[1]
        cost = sum((plan.cost for _, plan in parts), Cost())
        is_sure = all(plan.is_sure for _, plan in parts)
        run = partial(_filled, placed, count, width, with_moves=with_moves)
        return known, Plan(cost, run, is_sure=is_sure)

    def _parts(
        self, game: GameSpec, rows: Rows, *, with_moves: bool
    ) -> tuple[list[tuple[RowIndices, Plan[Found]]], RowIndices]:
        """Return plans of sources with their rows, and the rows without a source."""
        parts: list[tuple[RowIndices, Plan[Found]]] = []
        left = np.arange(len(rows))
        for source in self.sources(game):
            if not len(left):
                break
            current().check()
            found = source.plan_rows(game, rows[left], with_moves=with_moves)
            if found is not None and found[0].any():
                known, plan = found
                parts.append((left[known], plan))
                left = left[~known]
        return parts, left

    def plan_chances(self, game: GameSpec, coordinates: Rows, model: Model) -> Plan[Floats]:
        """Plan win probabilities of many positions, float64 (n,); NaN if unknown.

        Raises:
            InvalidPositionError: a row is not a position; the message names the row.
        """
        of_sources, rows = self.checked(game, coordinates)
        parts: list[tuple[RowIndices, Plan[Floats]]] = []
        left = np.arange(len(rows))
        for source in self.sources(of_sources):
            found = source.plan_chances(of_sources, rows[left], model) if len(left) else None
            if found is not None:
                known, plan = found
                parts.append((left[known], plan))
                left = left[~known]
        decide = None
        if parts and len(left) and model.perfect is not Perfect.NOBODY:
            decide = self.plan_rows(game, rows[left], with_moves=False)
        different = DifferentRows(self, game, rows, left)
        place, rest = (
            different.place,
            plan_grouped(different, partial(self.graph.plan_around, model), np.nan),
        )

        def run() -> Floats:
            chances = np.full(len(rows), np.nan)
            for lines, plan in parts:
                chances[lines] = plan.run()
            if decide is None:
                chances[left] = rest.run()[place]
                return chances
            decides = Outcome.N if model.mover_chooses else Outcome.P
            is_decided = decide.run()[0] == decides
            chances[left[is_decided]] = float(model.mover_chooses)
            if not is_decided.all():
                chances[left[~is_decided]] = rest.run()[place[~is_decided]]
            return chances

        cost = rest.cost if decide is None else rest.cost + decide.cost
        return Plan(sum((plan.cost for _, plan in parts), cost), run)

    def plan_value_rows(self, kind: ValueKind, game: GameSpec, coordinates: Rows) -> Plan[Ints]:
        """Plan Grundy values, or remoteness, of many positions of one game.

        Args:
            kind: `grundy` or `remoteness`.
            game: the game, with the passes left in it.
            coordinates: integers (n, k) up to 2^31 - 1.

        Returns:
            A plan for int64 (n,), -1 if a value is unknown or does not exist.

        Raises:
            InvalidPositionError: a row is not a position; the message names the row.
        """
        of_sources, rows = self.checked(game, coordinates)
        for source in self.sources(of_sources):
            plan = source.plan_value_rows(kind, of_sources, rows)
            if plan is not None:
                return plan
        different = DifferentRows(self, game, rows, np.arange(len(rows)))
        found = plan_grouped(different, partial(self._plan_around, kind), -1)

        def run() -> Ints:
            values: Ints = found.run()[different.place]
            return values

        return Plan(found.cost, run)

    def _plan_around(
        self, kind: ValueKind, position: Position, surely: bool
    ) -> Plan[Look[int] | None] | None:
        """Plan the values of a position and all that play reaches; see `grouped.Around`."""
        plans = [source.plan_values(kind, position) for source in self.sources(position.game)]
        searched = self.graph.plan_values(kind, position)
        if searched is not None and surely:
            size = graph_size(position)
            searched = searched if size is not None and size.is_bounded else None
        plans.append(searched)
        if not any(plans):
            return None
        plan = first_found(plans)

        def run() -> Look[int] | None:
            table = plan.run()
            if table is None:
                return None
            values = ValueTable(**{kind: table})
            return lambda inside: getattr(values.at(inside), kind)

        return Plan(plan.cost, run)

    def plan_instant_winners(
        self, game: GameSpec, x: int, size: tuple[int, int], first: tuple[int, int]
    ) -> Plan[npt.NDArray[np.uint8]]:
        """Plan a window of the instant-winner sheet W_x; see `engine.solvers.instant_winners`.

        Args:
            game: the game.
            x: the number of the sheet.
            size: the number of y, and the number of z.
            first: y and z at which the window begins.

        Returns:
            A plan for uint8, shape `size`, of `Origin` flags.

        Raises:
            InvalidPositionError: x, a size or a first coordinate is negative.
            ResourceLimitError: the window is too large.
            UnknownAnswerError: the game has no sheets, or the sheets are not known that far.
        """
        raise no_sheets(game)

    def plan_losers(
        self, game: GameSpec, x: int, size_y: int, first_y: int
    ) -> Plan[npt.NDArray[np.int32]]:
        """Plan a part of the loser sheet L_x.

        Returns:
            A plan for int32 (size_y,): the z of the P-position [x, y, z] for y = first_y, first_y +
            1, ..., or -1 if there is none.

        Raises:
            InvalidPositionError: x, the size or first_y is negative.
            ResourceLimitError: there are too many columns.
            UnknownAnswerError: the game has no sheets, or the sheets are not known that far.
        """
        raise no_sheets(game)

    def plan_geometry(self, game: GameSpec) -> Plan[Geometry]:
        """Plan the shape of the loser sheets of a game, if it is stored or proved.

        Raises:
            UnknownAnswerError: the shape is not known; the message names a build that measures it.
        """
        raise no_sheets(game)

    def plan_estimates(
        self, game: GameSpec, question: Column | Opening, most: int
    ) -> Plan[Estimates]:
        """Plan estimates of undecided columns and openings, `most` candidates at most.

        Raises:
            InvalidPositionError: a number is out of range.
            UnknownAnswerError: the game has no estimates.
        """
        raise UnknownAnswerError(f"there are no estimates of {game}, only of chomp3")

    def warm_up(self) -> None:  # noqa: B027 - many families have nothing to wait for
        """Ask typical first questions, so that kernels are compiled or loaded."""


def _filled(
    parts: list[tuple[RowIndices, Plan[Found]]], count: int, width: int, *, with_moves: bool
) -> Found:
    """Merge the answers of plans, each with its rows of a batch; other rows are unknown."""
    outcomes = np.zeros(count, np.uint8)
    children = np.full((count, width), NO_MOVE, np.int32) if with_moves else None
    for lines, plan in parts:
        current().check()
        outcomes[lines], found = plan.run()
        if children is not None and found is not None:
            children[lines] = found
    return outcomes, children
