"""The last source of every family: the graph of all positions that play can come to, and folds.

It answers every question about every finite game that is small enough: outcome, winning moves,
Grundy values, remoteness, chances, lengths of games. What a family knows better stands before it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from math import isqrt, nan
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from position_oracle.engine.budget import Cost, Plan, current, largest, watched
from position_oracle.engine.games.moves import is_over
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.tree import Tree, has_rows, is_of_words, tree_of
from position_oracle.engine.theory.random_play import Model, Perfect
from position_oracle.oracle.answers import Answer, Certainty, Method, Turns, WinProbability
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.chance.answers import (
    exactly,
    lasting,
    simulated,
    simulated_turns,
    unknown,
)
from position_oracle.oracle.families.rows import Spending
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    MAX_MOVES,
    MAX_POSITIONS,
    NOT_ALL,
    ROW_MOVES,
    ROW_POSITIONS,
    TOO_LARGE,
    Floats,
    Kind,
    Source,
    first_found,
    weight,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.folds import Exact
    from position_oracle.engine.solvers.graph import Graph
    from position_oracle.engine.solvers.simulate import Simulation
    from position_oracle.oracle.families.base import Prober
    from position_oracle.oracle.families.rows import DifferentRows

T = TypeVar("T")

MAX_BOUND: Final = 3_000_000
"""Most positions that may be met, by the bound of the game, for a search to be tried."""

WORD_POSITIONS: Final = 2**19
WORD_MOVES: Final = 10_000_000
"""The same where positions are machine words, whose moves are found by arrays."""

PLAIN_MOVES: Final = 2**16
"""Most moves, by the bound, that are listed without compiled code."""

FEW_MOVES: Final = 2_000
"""Most moves that are counted for the cost of a position of a game without a bound."""

WORDS: Final = Cost(1.0, 256 << 20)
"""What such a graph takes at most."""

MAX_EXACT: Final = 2**20
"""Most moves of a graph whose chances are computed in whole numbers: some tenths of a second."""

EXACT_SECONDS: Final = 0.3
"""What the exact chances of one graph take at most."""

FLOAT_SECONDS: Final = 0.1
"""What chances in double precision take at most."""

SEARCHED_TURNS: Final = Cost(0.8, 64 << 20)
"""What the mean and the distribution of turns take of one graph; or a simulation."""

GROUPED: Final = 8192
"""Rows of a batch that are put into groups at a time, some milliseconds' work."""

_ROW: Final = 1e-4
"""What a row takes beside the graphs."""

MAX_STEPS: Final = 2**26
"""Most turns times moves of a graph whose distribution of turns is computed: half a second."""

REASON: Final = "search of all positions that play can come to"

_MOVE_SECONDS: Final = 1.4e-6
_POSITION_SECONDS: Final = 4e-6
_MOVE_BYTES: Final = 16
_POSITION_BYTES: Final = 400
_ROW_MOVE_SECONDS: Final = 1e-8
_ROW_SECONDS: Final = 1e-7
_ROW_MOVE_BYTES: Final = 8
_ROW_BYTES: Final = 64


@dataclass(frozen=True, eq=False)
class Searched:
    """The graph of a position, and folds over it, each made when it is first needed.

    Attributes:
        tree: the moves of the game.
        graph: the positions that play can come to.
        left_out: how many passes of the game are left out, an even number.
    """

    tree: Tree[Any]
    graph: "Graph[Any]"
    left_out: int
    _cache: Cache
    _key: Position

    def wins(self) -> Any:
        """See `folds.wins`."""
        from position_oracle.engine.solvers import folds

        return self._found("wins", lambda: folds.wins(self.graph))

    def grundy(self) -> Any:
        """See `folds.grundy`."""
        from position_oracle.engine.solvers import folds

        return self._found("grundy", lambda: folds.grundy(self.graph))

    def remoteness(self) -> Any:
        """See `folds.remoteness`."""
        from position_oracle.engine.solvers import folds

        return self._found("remoteness", lambda: folds.remoteness(self.graph))

    def chances(self, model: Model) -> "Chances":
        """The chance of the player to move, exact where the numbers are not too long."""
        return self._found(f"chances {model.text}", lambda: _chances(self.graph, model), _bytes_of)

    def mean_turns(self) -> Fraction | float:
        """The expected length of a game at random, exact where the numbers are not too long."""
        return self._found("mean turns", lambda: _mean_turns(self.graph), lambda _: 4096)

    def distribution(self) -> tuple[float, ...] | None:
        """The chance of each length of a game at random; None where that takes too long."""
        from position_oracle.engine.solvers import folds

        def make() -> tuple[float, ...] | None:
            if int(folds.longest(self.graph)[-1]) * self.graph.moves > MAX_STEPS:
                return None
            return tuple(folds.turn_distribution(self.graph).tolist())

        return self._found("distribution", make, lambda made: 32 * len(made or ()) + 64)

    def number(self, position: Position) -> int | None:
        """The number of a position; None where play cannot come to it."""
        if self.left_out:
            passes = position.game.passes
            left = passes - self.left_out if passes >= self.left_out else passes % 2
            position = replace(position, game=position.game.with_passes(left))
        return self.graph.number.get(self.tree.node(position))

    def _found(self, what: str, make: Callable[[], T], size: Callable[[T], int] | None = None) -> T:
        return self._cache.find(
            f"search {what}", self._key, make, size or (lambda _: 4 * self.graph.positions)
        )


@lru_cache(maxsize=1024)
def graph_cost(position: Position) -> Cost | None:
    """What making the graph of a position and a fold takes at most; None where it is not tried."""
    try:
        tree = tree_of(position)
        node = tree.node(position)
        bound = tree.bound(node)
        if bound > _most(tree):
            return None
        if is_of_words(tree):
            return WORDS
        if not bound or not tree.has_bound:
            bound = _counted(tree, node)
        # From a position with so many moves, play comes to as many positions, and to the limit.
        most = isqrt(ROW_MOVES if has_rows(tree) else MAX_MOVES) + 1
        counted = sum(1 for _ in islice(tree.options(node), most))
    except ResourceLimitError:
        return None
    if has_rows(tree) and bound * counted > PLAIN_MOVES:
        moves = min(bound * counted, ROW_MOVES)
        return Cost(
            0.005 + _ROW_MOVE_SECONDS * moves + _ROW_SECONDS * bound,
            int(_ROW_MOVE_BYTES * moves + _ROW_BYTES * bound),
        )
    positions = min(bound or MAX_POSITIONS, MAX_POSITIONS)  # 0: nothing bounds them
    moves = min(positions * counted, MAX_MOVES)
    seconds = 2e-4 + _POSITION_SECONDS * positions + _MOVE_SECONDS * moves * weight(position)
    return Cost(seconds, int(_POSITION_BYTES * positions + _MOVE_BYTES * moves))


def _counted(tree: Tree[Any], node: Any) -> int:
    """How many positions play comes to in a game without a bound; 0 where there are many."""
    seen, left, moves = {node}, [node], 0
    while left:
        for option in tree.options(left.pop()):
            moves += 1
            if moves > FEW_MOVES:
                return 0
            if option not in seen:
                seen.add(option)
                left.append(option)
    return len(seen)


class GraphSource(Source):
    """Graphs of small positions of any family, kept in a cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """The outcome and all winning moves; unknown where there are too many positions."""
        cost = graph_cost(position)
        if cost is None:
            return None
        return Plan(cost, lambda: self._answer(position, with_moves=with_moves), is_sure=False)

    def plan_last(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """The same where no other source follows, whatever the size of the position."""
        plan = self.plan(position, with_moves=with_moves)
        return (
            Plan(LOOK_UP, lambda: _too_large(position))
            if plan is None
            else Plan(plan.cost, plan.run)
        )

    def plan_values(self, kind: Kind, position: Position) -> Plan[Values | None] | None:
        """Grundy values, of normal play without declared positions; or remoteness."""
        game = position.game
        cost = graph_cost(position)
        if cost is None or (kind == "grundy" and (game.misere or game.is_variant)):
            return None
        return Plan(cost, lambda: self._values(kind, position), is_sure=False)

    def plan_chance(
        self, position: Position, model: Model, *, exact: bool = False
    ) -> Plan[WinProbability | None] | None:
        """How likely the player to move is to win.

        Args:
            position: the position.
            model: how both players choose their moves.
            exact: whether only an exact chance is wanted.
        """
        cost, is_small = graph_cost(position), _is_small(position)
        if cost is None or (exact and not is_small):
            return None
        folding = Cost(EXACT_SECONDS) if is_small else Cost(FLOAT_SECONDS)
        run = partial(self._win_probability, position, model, exact=exact)
        return Plan(cost + folding, run, is_sure=False)

    def plan_turns_with(self, position: Position, known: Plan[Turns | None]) -> Plan[Turns]:
        """How long a game at random lasts: a known mean, if any, with the distribution."""
        cost = graph_cost(position)

        def run() -> Turns:
            found = known.run()
            if found is None:
                return self._turns(position)
            return found if cost is None else self._with_distribution(found)

        total = known.cost
        if cost is not None or not known.is_sure:
            total += (cost or Cost()) + SEARCHED_TURNS
        return Plan(total, run)

    def plan_positions(self, rows: "DifferentRows", model: Model) -> Plan[Floats]:
        """Win probabilities of different rows of one game; NaN where one is too large.

        One graph serves many: that of a position that all others are inside of. What all rows take
        follows from a sample.
        """
        sample = [rows.position(number) for number in watched(rows.sample)]
        groups = list(self._groups(sample))
        seconds, memory = 0.0, (1 << 20) * bool(groups)
        for hull, _ in groups:
            made = _cost_of_chances(hull)
            seconds += made.seconds
            memory = min(memory + made.memory_bytes, 1 << 30)
        if rows.count > len(sample):  # graphs of more rows, as far as rows need one each
            seconds *= 1 + len(groups) * rows.count / len(sample) ** 2
        cost = Cost(seconds + _ROW * rows.count, memory + 500 * rows.count)

        def run() -> Floats:
            found = np.full(rows.count, nan)
            spending = Spending(cost)
            for start in range(0, rows.count, GROUPED):
                numbers = range(start, min(start + GROUPED, rows.count))
                positions = [rows.position(number) for number in watched(numbers)]
                chances: dict[Position, float] = {}
                for hull, group in self._groups(positions):
                    spending.spend(_cost_of_chances(hull))
                    chances |= self._inside(hull, group, model)
                found[numbers] = [chances.get(position, nan) for position in positions]
            return found

        return Plan(cost, run)

    def searched(self, position: Position, *, few_passes: bool) -> Searched:
        """The graph of a position, made now if it is not kept.

        Args:
            position: the position.
            few_passes: whether pairs of passes may be left out, since two more change neither
                outcomes nor Grundy values (docs/nim-passes.md, theorems 1 and 2).

        Raises:
            ResourceLimitError: it is too large; also known the next time.
        """
        passes = position.game.passes
        left_out = passes - (2 - passes % 2) if few_passes and passes > 2 else 0
        if left_out:
            position = replace(position, game=position.game.with_passes(passes - left_out))

        def make() -> Searched | None:
            from position_oracle.engine.solvers.graph import build

            try:
                tree = tree_of(position)
                node = tree.node(position)
                positions, moves = _limits(tree)
                graph = build(
                    tree, node, max_positions=positions, max_moves=moves, max_bound=_most(tree)
                )
            except ResourceLimitError:
                return None
            return Searched(tree, graph, left_out, self._cache, position)

        found = self._cache.find(
            "search",
            (position, left_out),
            make,
            lambda made: 64 if made is None else made.graph.nbytes,
        )
        if found is None:
            raise ResourceLimitError(TOO_LARGE)
        return found

    def _answer(self, position: Position, *, with_moves: bool) -> Answer:
        try:
            searched = self.searched(position, few_passes=True)
        except ResourceLimitError:
            return _too_large(position)
        wins = searched.wins()
        outcome = Outcome.N if wins[-1] else Outcome.P
        moves: tuple[Move, ...] | None = () if with_moves else None
        if with_moves and outcome is Outcome.N:

            def wanted(child: Position) -> bool:
                number = searched.number(child)
                return number is not None and not wins[number]

            moves = tuple(legal_moves(position, wanted))
        return Answer(position, outcome, Certainty.EXACT_SEARCH, REASON, moves)

    def _values(self, kind: Kind, position: Position) -> Values | None:
        counts_plies = kind == "remoteness"
        few_passes = position.game.is_plain or not counts_plies
        try:
            searched = self.searched(position, few_passes=few_passes)
        except ResourceLimitError:
            return None
        fold = searched.remoteness if counts_plies else searched.grundy

        def value(of: Position) -> int | None:
            number = searched.number(of)
            if number is None or searched.graph.gives_up[number]:
                return None
            found = int(fold()[number])
            if counts_plies and found > 1:
                # docs/nim-passes.md, theorem 3: two passes more are two plies more, but not next
                # to the end.
                found += min(searched.left_out, of.game.passes - of.game.passes % 2)
            return found

        return Values(value, Certainty.EXACT_SEARCH, REASON)

    def _win_probability(
        self, position: Position, model: Model, *, exact: bool
    ) -> WinProbability | None:
        from position_oracle.engine.solvers import folds

        try:
            searched = self.searched(position, few_passes=False)
        except ResourceLimitError:
            return None
        if exact and searched.graph.moves > MAX_EXACT:
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
        reason = "recursion over all positions that play can come to"
        known = Certainty.EXACT_SEARCH
        if not isinstance(chance, float):
            return exactly(position, model, chance, known, Method.EXACT, reason, best)
        return WinProbability(
            position=position,
            model=model.text,
            value=min(max(chance, 0.0), 1.0),
            exact=None,
            error_bound=bound,
            certainty=known,
            method=Method.FLOATING_POINT,
            reason=f"{reason}, in double precision",
            best_moves=best,
        )

    def estimated(self, position: Position, model: Model) -> WinProbability:
        """The chance of a position that is too large, both at random, from simulated games."""
        if model.perfect is not Perfect.NOBODY:
            return unknown(position, model, TOO_LARGE)
        try:
            return simulated(position, model, _simulated(position))
        except ResourceLimitError as error:
            return unknown(position, model, f"{TOO_LARGE}; it is not estimated: {error}")

    def _turns(self, position: Position) -> Turns:
        try:
            searched = self.searched(position, few_passes=False)
        except ResourceLimitError:
            return estimated_turns(position)
        mean, reason = searched.mean_turns(), REASON
        method = Method.EXACT
        if isinstance(mean, float):
            method, reason = Method.FLOATING_POINT, f"{REASON}, in double precision"
        found = lasting(position, mean, Certainty.EXACT_SEARCH, method, reason)
        return replace(found, distribution=searched.distribution())

    def _with_distribution(self, known: Turns) -> Turns:
        try:
            distribution = self.searched(known.position, few_passes=False).distribution()
        except ResourceLimitError:
            return known
        if distribution is None:
            return known
        reason = f"{known.reason}; distribution: {REASON}"
        return replace(known, distribution=distribution, reason=reason)

    def _groups(self, positions: list[Position]) -> Iterator[tuple[Position, list[Position]]]:
        """Positions to be searched, each with those of the given ones that are inside it."""
        groups = [sorted(set(positions), key=lambda position: position.coordinates)]
        while groups:
            current().check()
            group = groups.pop()
            if not group:
                continue
            rules = rules_of(group[0].game.family)
            if len(group) == 1:
                if graph_cost(group[0]) is not None:
                    yield group[0], group
            elif (hull := rules.hull(group)) is not None and _is_small(hull):
                yield hull, group
            else:
                middle = len(group) // 2
                groups += [group[middle:], group[:middle]]

    def _inside(self, hull: Position, group: list[Position], model: Model) -> dict[Position, float]:
        try:
            searched = self.searched(hull, few_passes=False)
        except ResourceLimitError:
            return {}
        chances, found = searched.chances(model), {}
        for position in watched(group):
            number = searched.number(position)
            if number is not None:
                found[position] = float(chances.of_mover(number))
            elif position != hull:  # play from the hull does not come to it
                found |= self._inside(position, [position], model)
        return found


def _cost_of_chances(position: Position) -> Cost:
    """What the chances inside a position take that is searched."""
    return (graph_cost(position) or Cost()) + Cost(EXACT_SECONDS)


def _is_small(position: Position) -> bool:
    """Whether exact chances are tried."""
    moves = 1 + rules_of(position.game.family).amount(position)
    try:
        tree = tree_of(position)
        return tree.bound(tree.node(position)) * moves <= 2 * MAX_EXACT
    except ResourceLimitError:
        return False


def _too_large(position: Position) -> Answer:
    return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, TOO_LARGE)


def estimated_turns(position: Position) -> Turns:
    """The mean number of turns from simulated games."""
    try:
        return simulated_turns(position, _simulated(position))
    except ResourceLimitError as error:
        reason = f"{TOO_LARGE}; it is not estimated: {error}"
    return Turns(position, None, None, None, Certainty.UNKNOWN, Method.UNKNOWN, reason)


def _simulated(position: Position) -> "Simulation":
    from position_oracle.engine.solvers.simulate import simulate

    tree = tree_of(position)
    return simulate(tree, tree.node(position), weight=weight(position))


def _most(tree: Tree[Any]) -> float:
    """The greatest bound for which a search is tried."""
    if has_rows(tree):
        return ROW_POSITIONS
    return MAX_POSITIONS if tree.bound_is_exact else MAX_BOUND


def _limits(tree: Tree[Any]) -> tuple[int, int]:
    """The most positions and moves of a graph; sets of at most 64 cookies are found by arrays."""
    if has_rows(tree):
        return ROW_POSITIONS, ROW_MOVES
    return (WORD_POSITIONS, WORD_MOVES) if is_of_words(tree) else (MAX_POSITIONS, MAX_MOVES)


@dataclass(frozen=True, slots=True)
class Chances:
    """Chances of all positions of a graph in one model.

    Attributes:
        model: how both players choose their moves.
        first: both random: the chance of the player to move. Else the chance that the perfect
            player, to move, loses.
        second: the chance that the other, to move, wins; None where both move at random.
    """

    model: Model
    first: "Exact | Sequence[float]"
    second: "Exact | Sequence[float] | None" = None

    @property
    def is_exact(self) -> bool:
        """Whether the chances are whole multiples of a unit."""
        return not isinstance(self.first, list)

    def of_mover(self, number: int) -> Fraction | float:
        """The chance that the player to move wins at a position."""
        if self.second is None:
            return self.first[number]
        return 1 - self.first[number] if self.model.mover_chooses else self.second[number]

    def of_actions(self, graph: "Graph[Any]") -> list[Any]:
        """The chance of the other after each action of a perfect player at the last position."""
        assert self.second is not None  # noqa: S101 - asked only where one player is perfect
        second = self.second
        return [second[child] for child in graph.children(graph.positions - 1)]


def _chances(graph: "Graph[Any]", model: Model) -> Chances:
    from position_oracle.engine.solvers import folds

    random = model.perfect is Perfect.NOBODY
    if graph.moves <= MAX_EXACT:
        try:
            if random:
                return Chances(model, folds.exact_random_chance(graph))
            loss_and_risk = folds.exact_perfect_chances(graph, model.epsilon)
            return Chances(model, *loss_and_risk)
        except ResourceLimitError:
            pass
    if random:
        return Chances(model, folds.random_chance(graph).tolist())
    loss, risk = folds.perfect_chances(graph, float(model.epsilon))
    return Chances(model, loss.tolist(), risk.tolist())


def _mean_turns(graph: "Graph[Any]") -> Fraction | float:
    from position_oracle.engine.solvers import folds

    if graph.moves <= MAX_EXACT:
        with suppress(ResourceLimitError):
            return folds.exact_expected_turns(graph)[-1]
    return float(folds.expected_turns(graph)[-1])


def _bytes_of(chances: Chances) -> int:
    both = 1 if chances.second is None else 2
    if isinstance(chances.first, list):
        return 32 * len(chances.first) * both
    exact = cast("Exact", chances.first)
    return (32 + exact.unit.bit_length() // 8) * len(exact.values) * both


def _moves_by(position: Position, searched: Searched, wanted: list[bool]) -> tuple[Move, ...]:
    """The moves of the actions that are wanted, in the order of the rules."""
    children = searched.graph.children(searched.graph.positions - 1)
    numbers = {child for child, is_wanted in zip(children, wanted, strict=True) if is_wanted}
    return tuple(legal_moves(position, lambda child: searched.number(child) in numbers))


class EvenPasses(Source):
    """Positions with an even number of passes, from those without: docs/nim-passes.md, theorem 1.

    Two more passes change no outcome in any game in which the end allows no pass. Whether the pass
    wins, too, is the outcome with an odd number of passes.
    """

    def __init__(self, prober: "Prober") -> None:
        self._prober = prober

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the same position without passes, and for the moves that with one pass less."""
        game, rules = position.game, self._prober.rules
        if not game.passes or game.passes % 2:
            return None
        plain = self._prober.plan(
            Position(game.with_passes(0), position.value), with_moves=with_moves
        )
        passed = None
        if with_moves and not is_over(position):
            passed = self._prober.plan(position.passed(), with_moves=False)

        def run() -> Answer:
            found = plain.run()
            if not found.outcome:
                return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, found.reason)
            reason = f"{found.reason}; an even number of passes changes no outcome"
            moves = found.winning_moves
            if moves is not None:
                children = (rules.position(game, move.child.coordinates) for move in moves)
                regular = tuple(map(Move, dict.fromkeys(children)))
                by_pass = Outcome.N
                if passed is not None and found.outcome is Outcome.N:
                    by_pass = passed.run().outcome
                if by_pass is Outcome.P:
                    regular = (*regular, Move(position.passed(), is_pass=True))
                elif by_pass is Outcome.UNKNOWN:
                    reason += f"; {NOT_ALL}"
                moves = regular if regular or by_pass else None
            return Answer(position, found.outcome, found.certainty, reason, moves)

        cost = plain.cost if passed is None else largest(plain.cost, passed.cost)
        return Plan(cost, run, is_sure=plain.is_sure and (passed is None or passed.is_sure))

    def plan_values(self, kind: Kind, position: Position) -> Plan[Values | None] | None:
        """The Grundy value is that without passes (theorem 2), where the graph does not tell it.

        The values after a pass are left out: an odd number of passes follows from no other.
        """
        game = position.game
        is_plain = not game.misere and not game.is_variant
        if kind != "grundy" or not is_plain or not game.passes or game.passes % 2:
            return None
        plain = self._prober.plan_values(kind, Position(game.with_passes(0), position.value))

        def run() -> Values | None:
            found = plain.run()
            if found is None:
                return None

            def grundy(of: Position) -> int | None:
                if of.game.passes % 2:
                    return None
                return found.at(Position(of.game.with_passes(0), of.value))

            reason = f"{found.reason}; an even number of passes changes no Grundy value"
            return Values(grundy, found.certainty, reason)

        by_graph = self._prober.graph.plan_values(kind, position)
        return first_found((by_graph, Plan(plain.cost, run, is_sure=plain.is_sure)))
