"""Kayles on a graph: remove a vertex and its neighbours. The player who cannot move loses.

T. J. Schaefer, On the complexity of some two-person perfect-information games, Journal of Computer
and System Sciences 16 (1978), calls it Node Kayles and proves it hard. The rest of a graph is a
graph, whose connected parts form a sum: Grundy values are computed part by part. On a path of n
vertices it is Dawson's Chess with n pawns, the octal game 0.137.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, reduce
from itertools import combinations, pairwise
from operator import xor
from typing import Final

from position_oracle.engine.budget import current, watched
from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.listed import Actions, ListedRules, Theorem, Theorems
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import Tree, plain_tree
from position_oracle.engine.theory.bounds import product
from position_oracle.engine.theory.mex import mex
from position_oracle.schema.errors import InvalidPositionError, NotationError, ResourceLimitError
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action
from position_oracle.schema.numbers import read_int, shown

MAX_VERTICES: Final = 256
MAX_LABEL: Final = 999_999
MAX_WORK: Final = 1_000_000
"""Maximum sum of squared vertex numbers of the connected parts whose values are computed."""

WORK_SECONDS: Final = 5e-6

MAX_TRIED: Final = 2_500
"""Maximum of that sum when estimating the cost: about two milliseconds."""

MAX_COUNTED: Final = 1_000
"""Maximum number of parts of a graph that are visited to count its independent sets: 1 ms."""

Edges = list[tuple[int, int]]


_NAMED: Final = re.compile(r"(?P<name>[a-z]+)\((?P<sizes>[0-9]{1,6}(?:[x,][0-9]{1,6})?)\)")
_PART: Final = re.compile(r"[0-9]{1,6}(?:\s*-\s*[0-9]{1,6})*")


class NodeKayles(ListedRules):
    """Rules of Kayles on a graph.

    Coordinates are the edges in ascending order, two vertices each; a vertex without edges is an
    entry with that vertex twice.
    """

    family = "nodekayles"
    introductions = (
        Introduction(
            title="Kayles on a graph",
            start="nodekayles:1-2-3-4-5-6-7-1",
            rules="Take a point of the graph. It and its neighbours go.",
            loses="no point is left for you",
            note="On large graphs nobody knows a fast way to say who wins.",
        ),
    )
    form = "nodekayles:1-2,2-3,3-1,5, nodekayles:path(9), cycle(8), star(5), complete(4), grid(3x4)"
    example = "path(9)"
    about = "graphs of at most 256 vertices with few different connected parts"
    typed_moves = (("2", "take vertex 2 and its neighbours"),)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position: edges in order, each once; a single vertex has no edges."""
        if len(coordinates) % 2 or not all(0 <= each <= MAX_LABEL for each in coordinates):
            raise InvalidPositionError(f"{self.form}: two vertices an edge, 0 to {MAX_LABEL:,}")
        pairs = [coordinates[i : i + 2] for i in range(0, len(coordinates), 2)]
        return super().position(game, _canonical((min(pair), max(pair)) for pair in pairs))

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Refuse a graph with too many vertices."""
        if len(set(coordinates)) > MAX_VERTICES:
            raise InvalidPositionError(
                f"nodekayles: {len(set(coordinates))} vertices; allowed are at most {MAX_VERTICES}"
            )

    def parse(self, body: str, game: GameSpec) -> tuple[Coordinates, int]:
        """Read edges, paths `1-2-3` and vertices, separated by commas; or a named graph."""
        text, passes = split_passes(body.strip())
        if match := _NAMED.fullmatch(text):
            return _flat(_named(match["name"], match["sizes"])), passes
        edges: Edges = []
        for part in text.split(",") if text.strip() != "0" else ():
            if not _PART.fullmatch(part.strip()):
                raise NotationError(
                    f"{shown(part)} in {shown(body)} is not an edge; write {self.form}"
                )
            vertices = [int(each) for each in part.split("-")]
            edges += pairwise(vertices) if len(vertices) > 1 else [(vertices[0], vertices[0])]
            if any(u == v for u, v in pairwise(vertices)):
                raise InvalidPositionError(f"nodekayles: {shown(part)} joins a vertex to itself")
        return _flat(edges), passes

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        """Write the edges, and the vertices without edges."""
        pairs = _pairs(coordinates)
        text = ",".join(f"{u}-{v}" if u != v else f"{u}" for u, v in pairs) or "0"
        return text + format_passes(game.passes)

    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """Yield every vertex in ascending order."""
        return ((vertex, _without(value, vertex)) for vertex in sorted(set(value)))

    def action(self, position: Position, called: int) -> Action:
        """Return the action that takes a vertex."""
        return Action(cell=called, words=f"take vertex {called}")

    def count(self, value: Coordinates, game: GameSpec, most: int) -> int:
        """Count the vertices."""
        return min(most, len(set(value)))

    def amount(self, position: Position) -> int:
        """Return the number of vertices."""
        return len(set(position.value))

    def tree(self, position: Position, *, misere: bool) -> Tree[int]:
        """Return the tree by the vertices left, one bit for each.

        The vertices taken form an independent set. The number of independent sets is counted if the
        graph is small, else bounded by cliques.
        """
        vertices, closed = _closed(position.value)

        def node(value: Coordinates) -> int:
            left = set(value)
            return sum(1 << i for i, vertex in enumerate(vertices) if vertex in left)

        def moves(left: int) -> Iterator[tuple[int, int]]:
            return ((bit, left & ~closed[bit]) for bit in _bits(left))

        def bound(left: int) -> float:
            return _independent_sets(closed, left)

        return plain_tree(moves, bound, misere=misere, node=node)

    def seconds(self, position: Position) -> float:
        """Bound the time by the squared vertex numbers of the connected parts; 0 in misere play."""
        return 0.0 if position.game.misere else WORK_SECONDS * _work(position.value)

    def theorem(self, position: Position) -> Theorem | None:
        """Return the nim-sum of the Grundy values of the connected parts."""
        return self.theorems(position)(position)

    def theorems(self, position: Position) -> Theorems:
        """Apply `theorem` to many positions; the value of each connected part is computed once."""
        known: dict[tuple[int, ...], int] = {}

        def theorem(position: Position) -> Theorem | None:
            if position.game.misere:
                return None
            try:
                value = reduce(xor, (_worth(part, known) for part in _parts(position)), 0)
            except ResourceLimitError:
                return None
            reason = "the nim-sum of the values of the connected parts, each searched"
            return Theorem(not value, reason, value, is_searched=True)

        return theorem


GraphPart = tuple[int, ...]
"""A connected graph: for each vertex a bit set of the vertex and its neighbours."""


def _parts(position: Position) -> Iterator[GraphPart]:
    """Return the connected parts of a position."""
    vertices, closed = _closed(position.value)
    return _connected(closed, (1 << len(vertices)) - 1)


def _closed(coordinates: Coordinates) -> tuple[list[int], list[int]]:
    """Return the vertices, ascending, and for each a bit set of the vertex and its neighbours."""
    vertices = sorted(set(coordinates))
    number = {vertex: i for i, vertex in enumerate(vertices)}
    closed = [1 << i for i in range(len(vertices))]
    for u, v in _pairs(coordinates):
        closed[number[u]] |= 1 << number[v]
        closed[number[v]] |= 1 << number[u]
    return vertices, closed


def _independent_sets(closed: list[int], left: int) -> float:
    """Return an upper bound of the number of independent sets; exact for small graphs."""
    counts = {0: 1}

    def count(rest: int) -> int:
        if rest not in counts:
            low = rest & -rest
            found = count(rest & ~low) + count(rest & ~closed[low.bit_length() - 1])
            if len(counts) == MAX_COUNTED:
                raise ResourceLimitError("too many parts to count")
            counts[rest] = found
        return counts[rest]

    with suppress(ResourceLimitError):
        return float(count(left))
    return product(clique.bit_count() + 1 for clique in _cliques(closed, left))


def _cliques(closed: list[int], left: int) -> Iterator[int]:
    """Partition the vertices into cliques greedily."""
    while left:
        clique, fitting = 0, left
        while fitting:
            low = fitting & -fitting
            clique |= low
            fitting &= closed[low.bit_length() - 1] & ~low
        left &= ~clique
        yield clique


def _connected(closed: list[int] | GraphPart, left: int) -> Iterator[GraphPart]:
    """Return the connected parts of a graph, with new vertex numbers.

    The numbers increase with the distance from a vertex of least degree, so that all paths of one
    length become the same part.
    """
    while left:
        part = sum(1 << bit for bit in _outwards(closed, left, left & -left))
        left ^= part
        ends = min(_bits(part), key=lambda bit: (closed[bit] & part).bit_count())
        order = _outwards(closed, part, 1 << ends)
        place = {bit: 1 << i for i, bit in enumerate(order)}
        yield tuple(sum(place[each] for each in _bits(closed[bit] & part)) for bit in order)


def _outwards(closed: list[int] | GraphPart, left: int, start: int) -> list[int]:
    """Return the vertices that can be reached inside a set, in order of distance."""
    order, seen = [start.bit_length() - 1], start
    for bit in order:
        new = closed[bit] & left & ~seen
        if new:
            seen |= new
            order += _bits(new)
    return order


@lru_cache(maxsize=1024)
def _work(coordinates: Coordinates) -> float:
    """Bound the sum of squared vertex numbers of all connected parts that play reaches.

    The sum is exact for small graphs. Paths and cycles reach only shorter paths. Other graphs reach
    at most one part for each set of vertices taken.
    """
    known: dict[GraphPart, int] = {}
    vertices, closed = _closed(coordinates)
    everything = (1 << len(vertices)) - 1
    with suppress(ResourceLimitError):
        for part in _connected(closed, everything):
            _worth(part, known, MAX_TRIED)
        return _squares(known)
    is_thin = max(map(int.bit_count, closed)) <= 3
    parts = len(vertices) if is_thin else _independent_sets(closed, everything)
    return min(parts * len(vertices) ** 2, MAX_WORK)


def _squares(parts: Iterable[GraphPart]) -> int:
    return sum(len(part) ** 2 for part in parts)


def _worth(part: GraphPart, known: dict[GraphPart, int], most: int = MAX_WORK) -> int:
    """Return the Grundy value of a connected part.

    Raises:
        ResourceLimitError: the sum of squared vertex numbers of all known parts exceeds `most`.
    """
    work = _squares(known)

    def worth(part: GraphPart) -> int:
        nonlocal work
        if part not in known:
            current().check()
            work += len(part) ** 2
            if work > most:
                raise ResourceLimitError(f"{len(known):,} connected parts and more")
            everything = (1 << len(part)) - 1
            left = watched({everything & ~gone for gone in part})
            values = (reduce(xor, map(worth, _connected(part, each)), 0) for each in left)
            known[part] = mex(values)
        return known[part]

    return worth(part)


def _bits(word: int) -> Iterator[int]:
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low


def _without(coordinates: Coordinates, vertex: int) -> Coordinates:
    """Return the graph without a vertex and its neighbours."""
    pairs = _pairs(coordinates)
    gone = {vertex} | {each for pair in pairs if vertex in pair for each in pair}
    edges = [(u, v) for u, v in pairs if u not in gone and v not in gone]
    return _canonical([*edges, *((v, v) for v in set(coordinates) - gone)])


def _canonical(edges: "Iterator[tuple[int, int]] | Edges") -> Coordinates:
    """Return the edges in ascending order, with the single vertices among them."""
    found = {(min(edge), max(edge)) for edge in edges}
    joined = {vertex for u, v in found if u != v for vertex in (u, v)}
    return _flat(sorted((u, v) for u, v in found if u != v or u not in joined))


def _pairs(coordinates: Coordinates) -> Edges:
    return list(zip(coordinates[::2], coordinates[1::2], strict=True))


def _flat(edges: Edges) -> Coordinates:
    return tuple(vertex for edge in edges for vertex in edge)


def _grid(rows: int, columns: int) -> Edges:
    last = rows * columns
    across = [(i, i + 1) for i in range(1, last) if i % columns]
    up = [(i, i + columns) for i in range(1, last - columns + 1)]
    return [(1, 1), *across, *up]


_GRAPHS: Final[dict[str, Callable[[int], Edges]]] = {
    "path": lambda n: [(1, 1), *pairwise(range(1, n + 1))],
    "cycle": lambda n: [(1, 1), *pairwise([*range(1, n + 1), 1])] if n > 1 else [(1, 1)],
    "star": lambda n: [(1, 1), *((1, leaf) for leaf in range(2, n + 2))],
    "complete": lambda n: [(1, 1), *combinations(range(1, n + 1), 2)],
}
"""Graphs by their names: paths, cycles and complete graphs of n vertices, stars of n leaves."""


_MAX_COMPLETE: Final = 64
"""Maximum number of vertices of a complete graph, which has very many edges."""


def _named(name: str, sizes: str) -> Edges:
    most = _MAX_COMPLETE if name == "complete" else MAX_VERTICES
    numbers = [read_int(each, 1, most, name) for each in re.split("[x,]", sizes)]
    if name == "grid" and len(numbers) == 2:
        if (vertices := numbers[0] * numbers[1]) > MAX_VERTICES:
            raise NotationError(
                f"nodekayles: grid({sizes}) has {vertices} vertices; allowed are {MAX_VERTICES}"
            )
        return _grid(*numbers)
    if name not in _GRAPHS or len(numbers) != 1:
        raise NotationError(f"nodekayles: no graph {name}({sizes}); write {NodeKayles.form}")
    return _GRAPHS[name](numbers[0])


RULES: Final = NodeKayles()
