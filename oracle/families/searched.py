"""The graph of a position and its folds, kept in the cache."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from position_oracle.engine.games.position import Position
from position_oracle.engine.games.tree import Tree
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.graph_costs import MAX_EXACT, MAX_STEPS
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.folds import Exact
    from position_oracle.engine.solvers.graph import Graph

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Searched:
    """The graph of a position and its folds, each computed when it is first needed.

    Attributes:
        tree: the moves of the game.
        graph: the positions that play can reach.
        left_out: the number of passes of the game that are left out, an even number.
    """

    tree: Tree[Any]
    graph: "Graph[Any]"
    left_out: int
    _cache: Cache
    _key: Position

    def fold(self, kind: Literal["wins"] | ValueKind) -> Any:
        """Return whether the player to move wins, or Grundy values, or remoteness: see `folds`."""
        from position_oracle.engine.solvers import folds

        made = {"wins": folds.wins, "grundy": folds.grundy, "remoteness": folds.remoteness}
        return self._found(kind, lambda: made[kind](self.graph))

    def chances(self, model: Model) -> "GraphChances":
        """Return the chance of the player to move, exact if the integers are not too long."""
        return self._found(f"chances {model.text}", lambda: _chances(self.graph, model), _bytes_of)

    def mean_turns(self) -> Fraction | float:
        """Return the expected length of a random game, exact if the integers are not too long."""
        return self._found("mean turns", lambda: _mean_turns(self.graph), lambda _: 4096)

    def distribution(self) -> tuple[float, ...] | None:
        """Return the chance of each length of a random game; None if that takes too long."""
        from position_oracle.engine.solvers import folds

        def make() -> tuple[float, ...] | None:
            if int(folds.longest(self.graph)[-1]) * self.graph.moves > MAX_STEPS:
                return None
            return tuple(folds.turn_distribution(self.graph).tolist())

        return self._found("distribution", make, lambda made: 32 * len(made or ()) + 64)

    def number(self, position: Position) -> int | None:
        """Return the number of a position; None if play cannot reach it."""
        if self.left_out:
            passes = position.game.passes
            left = passes - self.left_out if passes >= self.left_out else passes % 2
            position = replace(position, game=position.game.with_passes(left))
        return self.graph.number.get(self.tree.node(position))

    def _found(self, what: str, make: Callable[[], T], size: Callable[[T], int] | None = None) -> T:
        return self._cache.find(
            f"search {what}", self._key, make, size or (lambda _: 4 * self.graph.positions)
        )


@dataclass(frozen=True, slots=True)
class GraphChances:
    """Chances of all positions of a graph in one model.

    Attributes:
        model: the way in which each player chooses moves.
        first: with two random players, the chance of the player to move; otherwise the chance that
            the perfect player, to move, loses.
        second: the chance that the other player, to move, wins; None with two random players.
    """

    model: Model
    first: "Exact | Sequence[float]"
    second: "Exact | Sequence[float] | None" = None

    @property
    def is_exact(self) -> bool:
        """Whether the chances are whole multiples of a unit."""
        return not isinstance(self.first, list)

    def of_mover(self, number: int) -> Fraction | float:
        """Return the chance that the player to move wins at a position."""
        if self.second is None:
            return self.first[number]
        return 1 - self.first[number] if self.model.mover_chooses else self.second[number]

    def of_actions(self, graph: "Graph[Any]") -> list[Any]:
        """Return the other player's chance after each action of a perfect player."""
        assert self.second is not None  # noqa: S101 - asked only where one player is perfect
        second = self.second
        return [second[child] for child in graph.children(graph.positions - 1)]


def _chances(graph: "Graph[Any]", model: Model) -> GraphChances:
    from position_oracle.engine.solvers import folds

    random = model.perfect is Perfect.NOBODY
    if graph.moves <= MAX_EXACT:
        try:
            if random:
                return GraphChances(model, folds.exact_random_chance(graph))
            loss_and_risk = folds.exact_perfect_chances(graph, model.epsilon)
            return GraphChances(model, *loss_and_risk)
        except ResourceLimitError:
            pass
    if random:
        return GraphChances(model, folds.random_chance(graph).tolist())
    loss, risk = folds.perfect_chances(graph, float(model.epsilon))
    return GraphChances(model, loss.tolist(), risk.tolist())


def _mean_turns(graph: "Graph[Any]") -> Fraction | float:
    from position_oracle.engine.solvers import folds

    if graph.moves <= MAX_EXACT:
        with suppress(ResourceLimitError):
            return folds.exact_expected_turns(graph)[-1]
    return float(folds.expected_turns(graph)[-1])


def _bytes_of(chances: GraphChances) -> int:
    both = 1 if chances.second is None else 2
    if isinstance(chances.first, list):
        return 32 * len(chances.first) * both
    exact = cast("Exact", chances.first)
    return (32 + exact.unit.bit_length() // 8) * len(exact.values) * both
