"""The last source of every family: the graph of all reachable positions, and its folds.

It answers every question about every finite game that is small enough: outcome, winning moves,
Grundy values, remoteness, chances, lengths of games. The better sources of a family come before it.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games.moves import is_endless
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.answers import Answer, Certainty, Method, Turns, WinProbability
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.chance.answers import (
    approximately,
    exactly,
    lasting,
    simulated,
    simulated_turns,
    unknown,
)
from position_oracle.oracle.families.graph_costs import (
    MAX_EXACT,
    graph_size,
    is_small,
    limits,
    most_by_bound,
)
from position_oracle.oracle.families.grouped import Look
from position_oracle.oracle.families.searched import Searched
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    TOO_LARGE,
    Source,
    in_time,
    weight,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.simulate import Simulation

T = TypeVar("T")

SIMULATING: Final = Cost(0.8, 64 << 20)
"""Maximum cost of simulated games; it limits their number."""

SEARCHED: Final = 1.0
"""A search for chances or turns of at most this cost begins whatever the deadline is, because it
mostly takes a small part of the cost. A simulation takes all of its own."""

REASON: Final = "search of all positions that play can reach"


class GraphSource(Source):
    """Source with graphs of small positions of any family, kept in a cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the outcome and all winning moves; unknown if there are too many positions."""
        size = graph_size(_with_few_passes(position))
        if size is None:
            return None
        run = partial(self._answer, position, with_moves=with_moves)
        return Plan(size.making, run, is_sure=size.is_certain)

    def plan_last(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan the outcome if no other source follows, whatever the size of the position."""
        plan = self.plan(position, with_moves=with_moves)
        return (
            Plan(LOOK_UP, lambda: _too_large(position))
            if plan is None
            else Plan(plan.cost, plan.run)
        )

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan Grundy values (of normal play without declared positions) or remoteness."""
        game = position.game
        if kind == "grundy" and (game.misere or game.is_variant):
            return None
        size = graph_size(_with_few_passes(position) if _few_do(kind, game) else position)
        if size is None:
            return None
        run = partial(self._values, kind, position)
        return Plan(size.making, run, is_sure=size.is_certain)

    def plan_chance(
        self, position: Position, model: Model, *, exact: bool = False
    ) -> Plan[WinProbability | None] | None:
        """Plan the probability that the player to move wins.

        Args:
            position: the position.
            model: the way in which each player chooses moves.
            exact: whether only an exact chance is acceptable.
        """
        size = graph_size(position)
        if size is None or (exact and not is_small(position)):
            return None
        run = partial(self._win_probability, position, model, exact=exact)
        return in_time(Plan(size.chances, run, is_sure=False), lambda _: None, SEARCHED)

    def plan_turns_with(self, position: Position, known: Plan[Turns | None]) -> Plan[Turns]:
        """Plan the turns of a random game: a known mean, if any, with the distribution."""
        size, estimated = graph_size(position), plan_estimated_turns(position)

        def run() -> Turns:
            found = known.run()
            if size is None or size.turns.seconds > max(SEARCHED, current().seconds):
                return found or estimated.run()
            if found is None:
                return self._turns(position) or estimated.run()
            return self._with_distribution(found)

        total = known.cost
        if size is not None:
            total += size.turns
        elif not known.is_sure:
            total += estimated.cost
        return Plan(total, run)

    def plan_around(
        self, model: Model, position: Position, surely: bool
    ) -> Plan[Look[float] | None] | None:
        """Plan chances of a position and all that play reaches; see `grouped.Around`."""
        size = graph_size(position)
        if size is None or (surely and not is_small(position)):
            return None

        def run() -> Look[float] | None:
            searched = self.searched(position, few_passes=False)
            if searched is None:
                return None
            chances = searched.chances(model)

            def look(inside: Position) -> float | None:
                number = searched.number(inside)
                return None if number is None else float(chances.of_mover(number))

            return look

        return Plan(size.chances, run)

    def searched(self, position: Position, *, few_passes: bool) -> Searched | None:
        """Return the graph of a position, made now if it is not cached; None if it is too large.

        Args:
            position: the position.
            few_passes: whether pairs of passes may be left out, because they change neither
                outcomes nor Grundy values (docs/nim-passes.md, theorems 1 and 2).
        """
        passes = position.game.passes
        if few_passes:
            position = _with_few_passes(position)
        left_out = passes - position.game.passes

        def make() -> Searched | None:
            from position_oracle.engine.solvers.graph import build

            try:
                tree = tree_of(position)
                node = tree.node(position)
                positions, moves = limits(tree)
                most = most_by_bound(tree)
                graph = build(tree, node, max_positions=positions, max_moves=moves, max_bound=most)
            except ResourceLimitError:
                return None
            return Searched(tree, graph, left_out, self._cache, position)

        return self._cache.find(
            "search",
            (position, left_out),
            make,
            lambda made: 64 if made is None else made.graph.nbytes,
        )

    def _answer(self, position: Position, *, with_moves: bool) -> Answer:
        searched = self.searched(position, few_passes=True)
        if searched is None:
            return _too_large(position)
        wins = searched.fold("wins")
        outcome = Outcome.N if wins[-1] else Outcome.P
        moves: tuple[Move, ...] | None = () if with_moves else None
        if with_moves and outcome is Outcome.N:

            def wanted(child: Position) -> bool:
                number = searched.number(child)
                return number is not None and not wins[number]

            moves = tuple(legal_moves(position, wanted))
        return Answer(position, outcome, Certainty.EXACT_SEARCH, REASON, moves)

    def _values(self, kind: ValueKind, position: Position) -> Values | None:
        counts_plies, few_passes = kind == "remoteness", _few_do(kind, position.game)
        searched = self.searched(position, few_passes=few_passes)
        if searched is None:
            return None

        def value(of: Position) -> int | None:
            number = searched.number(of)
            if number is None or searched.graph.gives_up[number]:
                return None
            found = int(searched.fold(kind)[number])
            if counts_plies and found > 1:
                # docs/nim-passes.md, theorem 3: two more passes add two plies, except next to the
                # end.
                found += min(searched.left_out, of.game.passes - of.game.passes % 2)
            return found

        return Values(value, Certainty.EXACT_SEARCH, REASON)

    def _win_probability(
        self, position: Position, model: Model, *, exact: bool
    ) -> WinProbability | None:
        from position_oracle.engine.solvers import folds

        searched = self.searched(position, few_passes=False)
        if searched is None or (exact and searched.graph.moves > MAX_EXACT):
            return None
        found = searched.chances(model)
        if exact and not found.is_exact:
            return None
        number = searched.graph.positions - 1
        bound = 0.0 if found.is_exact else folds.error_bound(searched.graph)
        best = None
        if model.mover_chooses:
            others = found.of_actions(searched.graph)
            most = min(others, default=0)
            most = most if found.is_exact else most + 2 * bound
            best = _moves_by(position, searched, [each <= most for each in others])
        chance = found.of_mover(number)
        reason = "recursion over all positions that play can reach"
        known = Certainty.EXACT_SEARCH
        if not isinstance(chance, float):
            return exactly(position, model, chance, known, Method.EXACT, reason, best)
        value, method = min(max(chance, 0.0), 1.0), Method.FLOATING_POINT
        reason += ", in double precision"
        return approximately(position, model, value, bound, known, method, reason, best)

    def plan_estimated(self, position: Position, model: Model) -> Plan[WinProbability]:
        """Plan the chance of a position that is too large from simulated random games."""
        if model.perfect is not Perfect.NOBODY:
            return Plan(LOOK_UP, lambda: unknown(position, model, TOO_LARGE))

        def run() -> WinProbability:
            try:
                return simulated(position, model, _simulated(position))
            except ResourceLimitError as error:
                return unknown(position, model, f"{TOO_LARGE}; it is not estimated: {error}")

        return in_time(Plan(_cost_of_simulation(position), run), partial(unknown, position, model))

    def _turns(self, position: Position) -> Turns | None:
        searched = self.searched(position, few_passes=False)
        if searched is None:
            return None
        mean, reason = searched.mean_turns(), REASON
        method = Method.EXACT
        if isinstance(mean, float):
            method, reason = Method.FLOATING_POINT, f"{REASON}, in double precision"
        found = lasting(position, mean, Certainty.EXACT_SEARCH, method, reason)
        return replace(found, distribution=searched.distribution())

    def _with_distribution(self, known: Turns) -> Turns:
        searched = self.searched(known.position, few_passes=False)
        distribution = None if searched is None else searched.distribution()
        if distribution is None:
            return known
        reason = f"{known.reason}; distribution: {REASON}"
        return replace(known, distribution=distribution, reason=reason)


def _with_few_passes(position: Position) -> Position:
    """Return the position with one or two passes instead of more; two more change no outcome."""
    passes = position.game.passes
    if passes <= 2:
        return position
    return Position(position.game.with_passes(2 - passes % 2), position.value)


def _few_do(kind: ValueKind, game: GameSpec) -> bool:
    """Return whether few passes give the values with many; for remoteness in plain games only."""
    return kind == "grundy" or game.is_plain


def _too_large(position: Position) -> Answer:
    return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, TOO_LARGE)


def plan_estimated_turns(position: Position) -> Plan[Turns]:
    """Plan the mean number of turns from simulated games."""

    def unknown_turns(reason: str) -> Turns:
        return Turns(position, None, None, None, Certainty.UNKNOWN, Method.UNKNOWN, reason)

    def run() -> Turns:
        try:
            return simulated_turns(position, _simulated(position))
        except ResourceLimitError as error:
            return unknown_turns(f"{TOO_LARGE}; it is not estimated: {error}")

    return in_time(Plan(_cost_of_simulation(position), run), unknown_turns)


def _cost_of_simulation(position: Position) -> Cost:
    """Return the cost of simulated games; that of a look-up if there are infinitely many moves."""
    return LOOK_UP if is_endless(position) else SIMULATING


def _simulated(position: Position) -> "Simulation":
    from position_oracle.engine.solvers.simulate import simulate

    tree = tree_of(position)
    return simulate(tree, tree.node(position), weight=weight(position))


def _moves_by(position: Position, searched: Searched, wanted: list[bool]) -> tuple[Move, ...]:
    """Return the moves of selected actions, in the order of the rules."""
    children = searched.graph.children(searched.graph.positions - 1)
    numbers = {child for child, is_wanted in zip(children, wanted, strict=True) if is_wanted}
    return tuple(legal_moves(position, lambda child: searched.number(child) in numbers))
