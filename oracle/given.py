"""Answers about every node of a finite game that a caller gives as a graph."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.given import GivenGame
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.given import graph_of
from position_oracle.engine.solvers.graph import Graph
from position_oracle.oracle.families.chance.answers import short_enough
from position_oracle.schema.answers import Outcome
from position_oracle.schema.arrays import checked_positions
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError
from position_oracle.schema.graphs import (
    MAX_GRAPH_MOVES,
    MAX_NODES,
    SolvedGraph,
    checked_results,
)
from position_oracle.schema.numbers import whole

MAX_EXACT: Final = 100_000
"""Maximum number of moves of a graph whose chances are also given as fractions."""

_NODE_SECONDS: Final = 3e-6
_MOVE_SECONDS: Final = 1.5e-6
_NODE_BYTES: Final = 400
_MOVE_BYTES: Final = 100


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """The answers about one node.

    Attributes:
        name: the name of the node.
        outcome: the outcome if nobody errs.
        winning_moves: the nodes after winning moves, each once.
        grundy: the Grundy value; None in misere play and if the graph has results.
        remoteness: plies to the end if the winner hurries and the loser delays.
        random: the chance of the player to move if both move at random.
        perfect: the chance of the player to move, who never errs, if the other player moves at
            random.
        exact: `random` as a fraction; None if the fraction is too long.
    """

    name: str
    outcome: Outcome
    winning_moves: tuple[str, ...]
    grundy: int | None
    remoteness: int
    random: float
    perfect: float
    exact: Fraction | None

    def as_json(self) -> dict[str, object]:
        """Return the facts as JSON values with stable keys."""
        return {
            "node": self.name,
            "outcome": self.outcome.name,
            "winning_moves": list(self.winning_moves),
            "grundy": self.grundy,
            "remoteness": self.remoteness,
            "random": self.random,
            "random_exact": None if self.exact is None else str(self.exact),
            "perfect_vs_random": self.perfect,
        }


def plan_solve_graph(
    moves: npt.ArrayLike, nodes: int | None, results: Mapping[int, Outcome], *, misere: bool
) -> Plan[SolvedGraph]:
    """Plan outcomes, values and chances of all nodes; see `Answerer.solve_graph`.

    Raises:
        ArrayTypeError: the moves are not an array of integers.
        InvalidPositionError: the moves are not pairs, a node is missing, or a node with moves has a
            result. Running the plan raises it for a cycle.
        ResourceLimitError: there are too many nodes or moves.
    """
    given = _checked(moves, nodes, results, misere=misere)
    seconds = 1e-3 + _NODE_SECONDS * given.nodes + _MOVE_SECONDS * len(given.moves)
    memory = _NODE_BYTES * given.nodes + _MOVE_BYTES * len(given.moves)

    def run() -> SolvedGraph:
        return _solved(given, *graph_of(given.nodes, given.moves, given.won))

    return Plan(Cost(seconds, memory), run)


def solve(game: GivenGame) -> Iterator[NodeFacts]:
    """Return the facts of every node, in the given order.

    Raises:
        InvalidPositionError: play may be endless.
        ResourceLimitError: there are too many nodes or moves.
    """
    moves = np.array(game.moves, np.int64).reshape(-1, 2)
    given = _checked(moves, len(game.names), game.results, misere=game.misere)
    graph, number = graph_of(given.nodes, given.moves, given.won, game.names.__getitem__)
    solved = _solved(given, graph, number)
    exact = None
    if graph.moves <= MAX_EXACT:
        with suppress(ResourceLimitError):  # numbers that are too long
            exact = folds.exact_random_chance(graph)
    node_of = np.argsort(number)
    for node, name in enumerate(game.names):
        children = dict.fromkeys(node_of[graph.children(int(number[node]))].tolist())
        yield NodeFacts(
            name=name,
            outcome=Outcome(solved.outcomes[node]),
            winning_moves=tuple(
                game.names[each] for each in children if solved.outcomes[each] == Outcome.P
            ),
            grundy=None if solved.grundy is None else int(solved.grundy[node]),
            remoteness=int(solved.remoteness[node]),
            random=float(solved.random[node]),
            perfect=float(solved.perfect[node]),
            exact=None if exact is None else short_enough(exact[int(number[node])]),
        )


@dataclass(frozen=True, eq=False)
class _Given:
    """A given graph, checked except for cycles.

    Attributes:
        nodes: the number of nodes.
        moves: integers (m, 2): from, to.
        won: bool (nodes,): whether the player to move has won there if no move is left.
        has_values: whether nodes have Grundy values.
    """

    nodes: int
    moves: npt.NDArray[np.integer]
    won: npt.NDArray[np.bool_]
    has_values: bool


def _checked(
    moves: npt.ArrayLike, nodes: int | None, results: Mapping[int, Outcome], *, misere: bool
) -> _Given:
    pairs = checked_positions(moves, "moves")
    if pairs.size and pairs.shape[1] != 2:
        raise InvalidPositionError(f"moves have shape {pairs.shape}; allowed is (m, 2): from, to")
    pairs = pairs.reshape(-1, 2)
    count = int(pairs.max(initial=-1)) + 1 if nodes is None else whole(nodes, "nodes")
    _check_sizes(count, len(pairs))
    wrong = ((pairs < 0) | (pairs >= count)).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidPositionError(
            f"move {row} is {pairs[row].tolist()}; nodes are numbered 0 to {count - 1}"
        )
    won = _won(pairs, count, results, misere=bool(misere))
    return _Given(count, pairs, won, has_values=not misere and not results)


def _solved(given: _Given, graph: Graph[int], number: npt.NDArray[np.int64]) -> SolvedGraph:
    loss, _ = folds.perfect_chances(graph, 1.0)
    outcomes = np.where(folds.wins(graph), np.uint8(Outcome.N), np.uint8(Outcome.P))
    return SolvedGraph(
        outcomes=outcomes[number],
        remoteness=folds.remoteness(graph)[number].astype(np.int32),
        random=folds.random_chance(graph)[number],
        perfect=1.0 - loss[number],
        grundy=folds.grundy(graph)[number].astype(np.int32) if given.has_values else None,
        error_bound=folds.error_bound(graph),
    )


def _check_sizes(nodes: int, moves: int) -> None:
    if nodes < 1:
        raise InvalidPositionError("there is no node")
    if nodes > MAX_NODES:
        raise ResourceLimitError(f"{nodes:,} nodes; at most {MAX_NODES:,} are solved")
    if moves > MAX_GRAPH_MOVES:
        raise ResourceLimitError(f"{moves:,} moves; at most {MAX_GRAPH_MOVES:,} are solved")


def _won(
    pairs: npt.NDArray[np.integer], count: int, results: Mapping[int, Outcome], *, misere: bool
) -> npt.NDArray[np.bool_]:
    """Return whether the player to move has won at each node if no move is left there."""
    won = np.full(count, misere, np.bool_)
    has_moves = np.bincount(pairs[:, 0], minlength=count) > 0
    for node, outcome in checked_results(results).items():
        if not 0 <= node < count or has_moves[node]:
            what = "has moves" if 0 <= node < count else "is not there"
            raise InvalidPositionError(f"a result is given of node {node}, which {what}")
        won[node] = outcome is Outcome.N
    return won
