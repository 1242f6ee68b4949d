"""A graph of moves given by a caller: checked, and numbered so that children come first."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.graph import Graph
from position_oracle.schema.errors import InvalidPositionError

Ints = NDArray[np.int64]

_SHOWN: Final = 12
"""Maximum number of nodes of a cycle that are named."""


def graph_of(
    nodes: int, moves: NDArray[np.integer], won: NDArray[np.bool_], name: Callable[[int], str] = str
) -> tuple[Graph[int], Ints]:
    """Make the graph of given moves.

    Args:
        nodes: the number of nodes.
        moves: integers (m, 2), the nodes that each move leads from and to, 0 .. nodes - 1.
        won: bool (nodes,): whether the player to move has won there if no move is left.
        name: returns the name of a node for errors.

    Returns:
        The graph, which numbers children before parents, and int64 (nodes,), the number of each
        node in it.

    Raises:
        InvalidPositionError: play may be endless; the message names a cycle.
    """
    source, target = moves[:, 0].astype(np.int64), moves[:, 1].astype(np.int64)
    order = _children_first(nodes, source, target)
    if len(order) < nodes:
        raise InvalidPositionError(f"play need not end: {_cycle(order, source, target, name)}")
    number = np.empty(nodes, np.int64)
    number[order] = np.arange(nodes)
    parent = number[source]
    by_parent = np.argsort(parent, kind="stable")
    first = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(parent, minlength=nodes), out=first[1:])
    graph = Graph(
        dict(zip(range(nodes), number.tolist(), strict=True)),
        first,
        number[target[by_parent]].astype(np.int32),
        np.zeros(nodes, np.bool_),
        won[order] & (np.diff(first) == 0),
    )
    return graph, number


def _children_first(nodes: int, source: Ints, target: Ints) -> Ints:
    """Return the nodes from which play always ends, each after all its children."""
    first = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(target, minlength=nodes), out=first[1:])
    parents: list[int] = source[np.argsort(target, kind="stable")].tolist()
    begins: list[int] = first.tolist()
    open_moves: list[int] = np.bincount(source, minlength=nodes).tolist()
    order = [node for node in range(nodes) if not open_moves[node]]
    for node in watched(order, every=4096):  # grows as it is read
        for parent in parents[begins[node] : begins[node + 1]]:
            open_moves[parent] -= 1
            if not open_moves[parent]:
                order.append(parent)
    return np.array(order, np.int64)


def _cycle(ended: Ints, source: Ints, target: Ints, name: Callable[[int], str]) -> str:
    """Describe a cycle among the nodes from which play may be endless."""
    ends = np.zeros(int(source.max()) + 1 + len(ended), np.bool_)
    ends[ended] = True
    onward: dict[int, int] = {}
    goes_on = ~ends[target]
    for node, child in zip(source[goes_on].tolist(), target[goes_on].tolist(), strict=True):
        onward.setdefault(node, child)
    node, path = min(onward), dict[int, None]()
    while node not in path:
        path[node] = None
        node = onward[node]
    nodes = list(path)
    cycle = [name(each)[:40] for each in (*nodes[nodes.index(node) :], node)]
    if len(cycle) > _SHOWN:
        cycle = [*cycle[: _SHOWN - 2], "...", cycle[-2], cycle[-1]]
    return " -> ".join(cycle)
