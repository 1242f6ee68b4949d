"""Values and chances of all positions up to a limit, of any family, from one graph.

    chomp3      40           every board of three rows with a first row a = x + y + z <= 40
    chomp       7x8          every board inside a box of 7 rows and 8 columns
    others      30x30        every position with heaps up to these; one number stands for all, of
                             two heaps where the game does not say how many

The table also has positions beyond the limit that play reaches, such as those with more heaps after
a split. Heaps ascend if their order does not matter.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice, product
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from position_oracle.engine.budget import current, watched
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import TakingRules
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.jobs.job import Block, Job
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.schema import tables
from position_oracle.schema.errors import InvalidPositionError, NotationError, ResourceLimitError
from position_oracle.schema.numbers import shown

if TYPE_CHECKING:
    from position_oracle.engine.solvers.graph import Graph

KIND: Final = "values"
TABLE: Final = tables.position_value.name

MAX_POSITIONS: Final = 1 << 20
"""Maximum number of positions of a table, compared with the bound that is known before the work."""
MAX_MOVES: Final = 1 << 26
"""Maximum number of moves of the graph of a table."""

_USUAL_POSITIONS: Final = 30_000
_USUAL_MOVES: Final = 4_000_000
"""Maximum number of moves of a build without a limit: some seconds of work."""
_BLOCK_ROWS: Final = 1 << 16
_ROW_BYTES: Final = 50
_POSITION_BYTES: Final = 900
_MOVE_BYTES: Final = 12

_FORMS: Final = {"chomp3": (1, "the longest row, e.g. 40"), "chomp": (2, "a box, e.g. 7x8")}

Place = tuple[Coordinates, int]
"""A stored position: coordinates and passes left."""


def position_value_jobs(family: str) -> tuple[Job, ...]:
    """Return the job that fills the table `position_value`, if a family has it."""
    from position_oracle.engine.jobs.position_values_checks import value_checks

    rules = rules_of(family)
    is_of_heaps = rules.typed_form == "heaps" or isinstance(rules, TakingRules)
    if family not in _FORMS and not is_of_heaps:
        return ()
    job = Job(
        family=family,
        kind=KIND,
        tables=(TABLE,),
        usual_limit=usual_limit,
        read_limit=_read_limit,
        estimate=_estimate,
        blocks=_blocks,
        checks=value_checks,
        check_row_bytes=1_200,
    )
    return (job,)


def top_of(game: GameSpec, limit: str) -> Position:
    """Return the largest position up to a limit.

    Raises:
        NotationError: the limit has no such position.
    """
    sides = sides_of(game, limit)
    coordinates = sides
    if game.family == "chomp3":
        coordinates = (sides[0], 0, 0)
    elif game.family == "chomp":
        coordinates = (sides[1],) * sides[0]
    try:
        return rules_of(game.family).position(game, coordinates)
    except InvalidPositionError as error:
        raise NotationError(f"limit {shown(limit)} of {game.text}: {error}") from error


def sides_of(game: GameSpec, limit: str) -> tuple[int, ...]:
    """Return the numbers of a limit, as many as a game needs.

    Raises:
        NotationError: the limit has another number of numbers.
    """
    rules = rules_of(game.family)
    most = rules.counts.stop - 1 if isinstance(rules, TakingRules) else 2
    usual = game.heaps or min(2, most)
    count, form = _FORMS.get(game.family, (usual, "the largest heaps, e.g. 30x30"))
    parts = len(limit.split("x"))
    if parts > 1 and not game.heaps and game.family not in _FORMS:
        count = parts
    return sides_within(game, limit, count, form, 0, MAX_POSITIONS)


def usual_limit(game: GameSpec) -> str:
    """Return the largest limit of equal numbers with some ten thousand positions."""

    def is_too_large(side: int) -> bool:
        try:
            positions, moves = size_of(top_of(game, str(side)), _USUAL_POSITIONS)
        except (NotationError, ResourceLimitError):  # beyond the largest position of the family
            return True
        return positions > _USUAL_POSITIONS or moves > _USUAL_MOVES

    sides = range(1, _USUAL_POSITIONS + 1)
    return str(sides[bisect_left(sides, True, lo=1, key=is_too_large) - 1])


def size_of(top: Position, most: int = MAX_POSITIONS) -> tuple[float, float]:
    """Return an upper bound of the positions, and about the number of moves, that play reaches.

    Moves are counted only for up to `most` positions; of more, one move for each is assumed.
    """
    tree = tree_of(top)
    node = tree.node(top)
    positions = tree.bound(node)
    if positions > most:
        return positions, positions
    options = sum(1 for _ in islice(watched(tree.options(node)), MAX_MOVES))
    return positions, positions * options / 2


def _read_limit(game: GameSpec, limit: str) -> str:
    top = top_of(game, limit)
    positions, moves = size_of(top)
    for found, most, what in (
        (positions, MAX_POSITIONS, "positions"),
        (moves, MAX_MOVES, "moves"),
    ):
        if found > most:
            raise ResourceLimitError(
                f"limit {limit} of {game.text}: up to {found:,.0f} {what}; the limit is {most:,}"
            )
    return "x".join(map(str, sides_of(game, limit)))


def _estimate(game: GameSpec, limit: str) -> ResourceEstimate:
    positions, moves = map(int, size_of(top_of(game, limit)))
    return ResourceEstimate(
        rows=positions,
        seconds=2.0 + 350e-9 * moves + 10e-6 * positions,
        memory_bytes=(300 << 20) + _POSITION_BYTES * positions + _MOVE_BYTES * moves,
        disk_bytes=EMPTY_FILE_BYTES + _ROW_BYTES * positions,
    )


def _blocks(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    report = reporter.part("solve")
    report(0, 1)
    rows = rows_of(game, limit)
    report(1, 1)
    writing = reporter.part("write")
    for first in range(0, len(rows), _BLOCK_ROWS):
        current().check()
        yield {TABLE: rows.slice(first, _BLOCK_ROWS)}
        writing(min(first + _BLOCK_ROWS, len(rows)), len(rows))


def place_of(node: Hashable, game: GameSpec) -> Place:
    """Return the stored form of the node of a position."""
    return cast("Place", node if game.passes else (node, 0))


def rows_of(game: GameSpec, limit: str) -> pa.Table:
    """Return the rows of all positions, sorted by coordinates and passes left.

    Only normal play without declared positions has Grundy values. The empty board of Chomp, to
    which a move loses by rule, has no Grundy value and no remoteness.

    Raises:
        ResourceLimitError: there are too many positions.
    """
    graph = graph_of(game, limit)
    ordered = sorted((*place_of(node, game), number) for node, number in graph.number.items())
    numbers = np.fromiter((number for *_, number in ordered), np.int64, len(ordered))
    lengths = [len(coordinates) for coordinates, *_ in ordered]
    flat = chain.from_iterable(coordinates for coordinates, *_ in ordered)
    columns = {name: values[numbers] for name, values in folded(graph).items()}
    lost = graph.gives_up[numbers]
    rows: Mapping[str, Any] = {
        **columns,
        "passes": np.fromiter((passes for _, passes, _ in ordered), np.int32, len(ordered)),
        "coordinates": pa.ListArray.from_arrays(
            np.cumsum([0, *lengths], dtype=np.int32), np.fromiter(flat, np.int32, sum(lengths))
        ),
        "grundy": pa.array(columns["grundy"], mask=lost | (not game.is_plain)),
        "remoteness": pa.array(columns["remoteness"], mask=lost),
    }
    schema = tables.arrow_schema(tables.position_value)
    return pa.table({name: rows[name] for name in schema.names}, schema=schema)


def graph_of(game: GameSpec, limit: str) -> "Graph[Any]":
    """Return the graph of all positions up to a limit.

    Raises:
        ResourceLimitError: there are too many positions.
    """
    from position_oracle.engine.solvers.graph import build

    top, rules = top_of(game, limit), rules_of(game.family)
    tree, inside = tree_of(top), []
    if game.family not in _FORMS:  # play from the largest board reaches all others
        for numbers in product(*(range(side + 1) for side in sides_of(game, limit))):
            with suppress(InvalidPositionError):
                inside.append(tree.node(rules.position(game, numbers)))
    return build(
        tree,
        tree.node(top),
        *dict.fromkeys(inside),
        max_positions=2 * MAX_POSITIONS,
        max_moves=2 * MAX_MOVES,
        max_bound=inf,
    )


def folded(graph: "Graph[Any]") -> dict[str, NDArray[Any]]:
    """Return the number columns, indexed by the numbers of positions in the graph."""
    from position_oracle.engine.solvers import folds

    perfect_loses, random_wins = folds.perfect_chances(graph, 1.0)
    return {
        "wins": folds.wins(graph),
        "grundy": folds.grundy(graph).astype(np.int32),
        "remoteness": folds.remoteness(graph).astype(np.int32),
        "p_mover": folds.random_chance(graph),
        "perfect_loses": perfect_loses,
        "random_wins": random_wins,
        "turns": folds.expected_turns(graph),
    }
