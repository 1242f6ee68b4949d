"""Every search ends soon after its caller has gone."""

import time
from collections.abc import Callable
from itertools import repeat

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.games import notation
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import (
    heap_sheets,
    tables,
    three_row_values,
)
from position_oracle.engine.solvers.boards.census import take_census
from position_oracle.engine.solvers.boards.outcomes import solve_shape
from position_oracle.engine.solvers.frontier import solve as solve_frontier
from position_oracle.engine.solvers.graph import build
from position_oracle.engine.solvers.heap_games import instant_winners as heap_instant_winners
from position_oracle.engine.solvers.heap_search import heap_moves
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.solvers.random_play.simulate import simulate_chomp
from position_oracle.engine.solvers.random_play.three_row import solve_random
from position_oracle.engine.solvers.random_play.three_row_chances import solve_chances
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import box
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.perturbation import Perturbation
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite.finite import FiniteSearch
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.oracle.reproduce.random_games import TurnDistribution, chance, chomp, nim
from position_oracle.schema.errors import StoppedError
from position_oracle.schema.sheets import LoserSheets
from tests.clock import ends_soon

ALLOWED_SECONDS = 0.1
"""Work has to end within 50 ms. Shared caches may delay it."""

NOISE = Perturbation.parse("normal(8)", 1)
WYTHOFF = GameSpec("wythoff", options=(("rule", "both"),), passes=1)
MANY = 10**12

Search = Callable[[], object]


def constant_sheets(count: int) -> LoserSheets:
    """Return sheets that have only the tail z = x, which is enough for a window."""
    none = np.zeros(count + 1, np.int64)
    x = np.arange(count, dtype=np.int32)
    offset = np.arange(count + 1, dtype=np.int64)
    return LoserSheets(0, none, x[:0], np.ones(count, np.int32), offset, x)


def searched(text: str) -> int:
    """Search all positions that can follow from a position, and return their number."""
    position = notation.parse(text)
    tree = tree_of(position)
    limits = {"max_positions": MANY, "max_moves": 2**28, "max_bound": float("inf")}
    return build(tree, tree.node(position), **limits).positions  # type: ignore[arg-type]


def search_cube(side: int) -> bool:
    """Return whether a cube is P, from the search of finite positions."""
    search = FiniteSearch(OrdinalPosition.union([(side,) * 3]))
    return search.is_p(search.whole)


BOTH = ((0, 1), (0, 2), (1, 2), (0, 1, 2))

# Each small search compiles the kernels that the long one beside it runs.
SEARCHES: dict[str, tuple[Search, Search]] = {
    "sheets": (lambda: solve(9), lambda: solve(30_000)),
    "sheets with passes": (
        lambda: solve_game(parse_game("chomp3{passes=1}"), 9),
        lambda: solve_game(parse_game("chomp3{passes=1}"), 30_000),
    ),
    "sheets with noise": (
        lambda: solve_game(parse_game("chomp3{noise=normal(8),seed=1}"), 9, 9),
        lambda: solve_game(parse_game("chomp3{noise=normal(8),seed=1}"), 3_000, 30_000),
    ),
    "instant winners": (
        lambda: instant_winners(constant_sheets(9), 9, 4, 1),
        lambda: instant_winners(constant_sheets(9_000), 9_000, 1 << 22, 1),
    ),
    "boards": (lambda: solve_shape(box(3, 3)), lambda: solve_shape(box(16, 16, limit=MANY))),
    "census of boards": (
        lambda: take_census(solve_shape(box(3, 3))),
        lambda: list(map(take_census, repeat(solve_shape(box(9, 9))))),
    ),
    "boards, Grundy values": (
        lambda: tables.solve(Ranked(box(6, 7)), "grundy"),
        lambda: tables.solve(Ranked(box(13, 13)), "grundy"),
    ),
    "boards, remoteness": (
        lambda: tables.solve(Ranked(box(6, 7)), "remoteness"),
        lambda: tables.solve(Ranked(box(13, 13)), "remoteness"),
    ),
    "Grundy values of three rows": (
        lambda: three_row_values.solve("grundy", 5),
        lambda: three_row_values.solve("grundy", 1_000),
    ),
    "remoteness of three rows": (
        lambda: three_row_values.solve("remoteness", 5),
        lambda: three_row_values.solve("remoteness", 1_200),
    ),
    "heaps": (
        lambda: tables.solve(heap_moves(GameSpec("nim", 4), (12,) * 4), "wins"),
        lambda: tables.solve(heap_moves(GameSpec("nim", 4), (100,) * 4), "remoteness"),
    ),
    "heaps, equal numbers from several": (
        lambda: tables.solve(heap_moves(WYTHOFF, (20,) * 3), "grundy"),
        lambda: tables.solve(heap_moves(WYTHOFF, (300,) * 3), "grundy"),
    ),
    "nim with a pass": (
        lambda: heap_sheets.solve((), 9, 9, 1),
        lambda: heap_sheets.solve((), 9_000, 9_000, 1),
    ),
    "nim with noise": (
        lambda: heap_sheets.solve((), 9, 9, 0, columns=NOISE.columns),
        lambda: heap_sheets.solve((), 9_000, 9_000, 0, columns=NOISE.columns),
    ),
    "nim without passes": (
        lambda: heap_sheets.solve((), 9, 9, 0),
        lambda: heap_sheets.solve((), 12_000, 12_000, 0),
    ),
    "wythoff, Grundy values": (
        lambda: heap_sheets.solve(heap_sheets.WYTHOFF, 9, 9),
        lambda: heap_sheets.solve(heap_sheets.WYTHOFF, 9_000, 9_000),
    ),
    "wythoff, sheets": (
        lambda: heap_sheets.solve(BOTH, 9, 9),
        lambda: heap_sheets.solve(BOTH, 7_000, 7_000),
    ),
    "instant winners of heaps": (
        lambda: heap_instant_winners(
            parse_game("nim{heaps=3}"), np.zeros((9, 9), np.int32), 9, 9, 9
        ),
        lambda: heap_instant_winners(
            parse_game("nim{heaps=3}"), np.zeros((9_000, 9_000), np.int32), 9_000, 9_000, 9_000
        ),
    ),
    "graph": (
        lambda: searched("chomp:3/2"),
        lambda: searched("chomp:" + "/".join(["12"] * 12)),
    ),
    "frontier": (lambda: solve_frontier(9), lambda: solve_frontier(400)),
    "frontier, side-tops": (lambda: solve_frontier(9, 9), lambda: solve_frontier(300, 300)),
    "random play of three rows": (
        lambda: solve_random(9),
        lambda: solve_random(1_000),
    ),
    "fallible play of three rows": (
        lambda: solve_chances(9),
        lambda: solve_chances(800),
    ),
    "simulation": (
        lambda: simulate_chomp((9,), 1, 9),
        lambda: simulate_chomp((10**6,) * 9, 1, 3_000_000),
    ),
    "random play, exactly": (
        lambda: chance(chomp([3, 3])),
        lambda: list(map(chance, repeat(chomp([9] * 9)))),
    ),
    "turns, exactly": (
        lambda: TurnDistribution.of(chomp([3, 3])),
        lambda: TurnDistribution.of(chomp([500])),
    ),
    "random nim, exactly": (
        lambda: chance(nim([3, 3])),
        lambda: list(map(chance, repeat(nim([12] * 7)))),
    ),
    "transfinite, finite search": (
        lambda: search_cube(2),
        lambda: list(map(search_cube, repeat(3))),
    ),
    "three-row sheets by the reference": (lambda: loser_sheets(3), lambda: loser_sheets(2_000)),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_ends_soon_after_its_caller_has_gone(name: str) -> None:
    small, long = SEARCHES[name]
    small()
    assert ends_soon(ALLOWED_SECONDS, long)


def test_a_search_past_its_deadline_does_not_begin() -> None:
    with pytest.raises(StoppedError), Budget(deadline=time.monotonic()).active():
        solve(1_000)
