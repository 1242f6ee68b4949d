"""The last source of every family: the graph of all positions that play can come to, and folds.

It answers every question about every finite game that is small enough: outcome, winning moves,
Grundy values, remoteness, chances. What a family knows better stands before it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from position_oracle.engine.budget import Price, watched
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.tree import PosetTree, Tree, tree_of
from position_oracle.engine.theory.random_play import Model, Perfect
from position_oracle.oracle.answers import Answer, Certainty, Method, WinProbability
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.chance.answers import exactly
from position_oracle.oracle.families.values import Value, ValueTable
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.graph import Graph
    from position_oracle.oracle.families.base import Prober

T = TypeVar("T")

MAX_BOUND: Final = 3_000_000
"""Most positions that may be met, by the bound of the game, for a search to be tried."""

MAX_POSITIONS: Final = 300_000
"""Most positions of a graph that is made when asked for."""

MAX_MOVES: Final = 2_500_000
"""Most moves of it: some seconds."""

MAX_BITES: Final = 10_000_000
"""Most moves of it where they are made by arrays, as on boards of at most 64 cookies: a second."""

REASON: Final = "search of all positions that play can come to"

_MOVE_SECONDS: Final = 2e-6
_POSITION_SECONDS: Final = 5e-6
_MOVE_BYTES: Final = 16
_POSITION_BYTES: Final = 400
_COUNTED: Final = 100
"""Moves of the position asked about that are counted for the price of a search."""

TOO_LARGE: Final = (
    f"no theorem or table decides it, and a search when asked for goes to {MAX_POSITIONS:,}"
    f" positions and {MAX_MOVES:,} moves; a search of all smaller positions would decide it"
)


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

        return self._found("remoteness", lambda: folds.remoteness(self.graph, self.wins()))

    def exact_chances(self, model: Model) -> tuple[Fraction, list[Fraction]] | None:
        """The chance of the player to move, and that of each action; None where it is too long."""
        from position_oracle.engine.solvers import folds

        if self.graph.moves > folds.MAX_EXACT:
            return None

        def fold() -> tuple[Fraction, list[Fraction]] | None:
            children = self.graph.children(self.graph.positions - 1)
            if model.perfect is Perfect.NOBODY:
                found = folds.exact_random_chance(self.graph)
                if found is None:
                    return None
                return found[-1], [1 - found[child] for child in children]
            both = folds.exact_perfect_chances(self.graph, model.epsilon)
            if both is None:
                return None
            loss, risk = both
            if model.mover_chooses:
                return 1 - loss[-1], [1 - risk[child] for child in children]
            return risk[-1], [loss[child] for child in children]

        return self._found(f"exact {model.text}", fold, lambda _: 4096)

    def chances(self, model: Model) -> tuple[float, list[float]]:
        """The same in double precision; the error is at most `folds.error_bound`."""
        from position_oracle.engine.solvers import folds

        def fold() -> tuple[float, list[float]]:
            children = self.graph.children(self.graph.positions - 1)
            if model.perfect is Perfect.NOBODY:
                both = folds.random_chance(self.graph)
                return float(both[-1]), [1 - float(both[child]) for child in children]
            loss, risk = folds.perfect_chances(self.graph, float(model.epsilon))
            if model.mover_chooses:
                return 1 - float(loss[-1]), [1 - float(risk[child]) for child in children]
            return float(risk[-1]), [float(loss[child]) for child in children]

        return self._found(f"chances {model.text}", fold, lambda _: 4096)

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


class Searches:
    """Searches of small positions of any family, kept in a cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def fits(self, position: Position) -> bool:
        """Whether a position is small enough to be tried."""
        try:
            tree = tree_of(position)
        except ResourceLimitError:
            return False
        return tree.bound(tree.node(position)) <= MAX_BOUND

    def price(self, position: Position) -> Price:
        """What a search takes at most; nothing where it is not tried."""
        try:
            tree = tree_of(position)
        except ResourceLimitError:
            return Price(1e-5)
        node = tree.node(position)
        bound = tree.bound(node)
        if bound > MAX_BOUND:
            return Price(1e-5)
        counted = sum(1 for _ in islice(watched(tree.options(node)), MAX_MOVES))
        positions = min(bound or MAX_POSITIONS, MAX_POSITIONS)  # 0: the game has no bound
        moves = min(positions * counted, MAX_MOVES)
        seconds = 2e-4 + _POSITION_SECONDS * positions + _MOVE_SECONDS * moves
        return Price(seconds, int(_POSITION_BYTES * positions + _MOVE_BYTES * moves))

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
            from position_oracle.engine.solvers.graph import WORD_BITS, build

            try:
                tree = tree_of(position)
                node = tree.node(position)
                if tree.bound(node) > MAX_BOUND:
                    return None
                is_array = isinstance(tree, PosetTree) and len(tree.kept) <= WORD_BITS
                most = MAX_BITES if is_array else MAX_MOVES
                graph = build(tree, node, max_positions=MAX_POSITIONS, max_moves=most)
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

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """The outcome and all winning moves; unknown where there are too many positions."""
        try:
            searched = self.searched(position, few_passes=True)
        except ResourceLimitError:
            return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, TOO_LARGE)
        wins = searched.wins()
        outcome = Outcome.N if wins[-1] else Outcome.P
        moves: tuple[Move, ...] | None = () if with_moves else None
        if with_moves and outcome is Outcome.N:
            moves = tuple(
                move
                for move in watched(rules_of(position.game.family).moves(position))
                if (child := searched.number(move.child)) is not None and not wins[child]
            )
        return Answer(position, outcome, Certainty.EXACT_SEARCH, REASON, moves)

    def values(self, position: Position) -> ValueTable:
        """Grundy values of a position and of its children, in normal play, and remoteness."""
        return ValueTable(
            self.grundy(position), self.remoteness(position), Certainty.EXACT_SEARCH, REASON
        )

    def grundy(self, position: Position) -> Value | None:
        """Looks up Grundy values; None where the position is too large, or has none."""
        game = position.game
        if game.misere or game.is_variant:
            return None
        return self._look_up(position, Searched.grundy, few_passes=True)

    def remoteness(self, position: Position) -> Value | None:
        """Looks up remoteness; None where the position is too large."""
        is_plain = position.game.is_plain
        return self._look_up(position, Searched.remoteness, few_passes=is_plain)

    def _look_up(
        self, position: Position, fold: Callable[[Searched], Any], *, few_passes: bool
    ) -> Value | None:
        try:
            searched = self.searched(position, few_passes=few_passes)
        except ResourceLimitError:
            return None
        counts_plies = fold is Searched.remoteness

        def value(of: Position) -> int | None:
            number = searched.number(of)
            if number is None or searched.graph.gives_up[number]:
                return None
            found = int(fold(searched)[number])
            if counts_plies and found > 1:
                # docs/nim-passes.md, theorem 3: two passes more are two plies more, but not next
                # to the end.
                found += min(searched.left_out, of.game.passes - of.game.passes % 2)
            return found

        return value

    def win_probability(self, position: Position, model: Model) -> WinProbability | None:
        """How likely the player to move is to win; None where the position is too large."""
        from position_oracle.engine.solvers import folds

        try:
            searched = self.searched(position, few_passes=False)
        except ResourceLimitError:
            return None
        exact = searched.exact_chances(model)
        reason = "recursion over all positions that play can come to"
        if exact is not None:
            chance, children = exact
            best = None
            if model.mover_chooses:
                best = _moves_by(position, searched, [each == chance for each in children])
            return exactly(
                position, model, chance, Certainty.EXACT_SEARCH, Method.EXACT, reason, best
            )
        value, others = searched.chances(model)
        bound = folds.error_bound(searched.graph)
        best = None
        if model.mover_chooses:
            best = _moves_by(position, searched, [each >= value - 2 * bound for each in others])
        return WinProbability(
            position=position,
            model=model.text,
            value=min(max(value, 0.0), 1.0),
            exact=None,
            error_bound=bound,
            certainty=Certainty.EXACT_SEARCH,
            method=Method.FLOATING_POINT,
            reason=f"{reason}, in double precision",
            best_moves=best,
        )


def _moves_by(position: Position, searched: Searched, wanted: list[bool]) -> tuple[Move, ...]:
    """The moves of the actions that are wanted, in the order of the rules."""
    children = searched.graph.children(searched.graph.positions - 1)
    numbers = {child for child, is_wanted in zip(children, wanted, strict=True) if is_wanted}
    moves = watched(rules_of(position.game.family).moves(position))
    return tuple(move for move in moves if searched.number(move.child) in numbers)


def answer_even_passes(prober: "Prober", position: Position, *, with_moves: bool) -> Answer:
    """The answer with an even number of passes, from that without: docs/nim-passes.md, theorem 1.

    Two more passes change no outcome in any game in which the end allows no pass. Whether the pass
    wins, too, is the outcome with an odd number of passes.
    """
    game = position.game
    plain = Position(game.with_passes(0), position.coordinates)
    found = prober.answer(plain, with_moves=with_moves)
    if not found.outcome:
        return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, found.reason)
    reason = f"{found.reason}; an even number of passes changes no outcome"
    moves = None
    if found.winning_moves is not None:
        regular = [
            Move(prober.rules.position(game, move.child.coordinates))
            for move in found.winning_moves
        ]
        regular = list(dict.fromkeys(regular))
        passed = Outcome.N
        if found.outcome is Outcome.N and not prober.rules.ends_at(position):
            passed = prober.answer(position.passed(), with_moves=False).outcome
        if passed is Outcome.P:
            regular.append(Move(position.passed(), is_pass=True))
        if passed is Outcome.UNKNOWN:
            reason += "; whether the pass wins, too, is not known"
        else:
            moves = tuple(regular)
    return Answer(position, found.outcome, found.certainty, reason, moves)
