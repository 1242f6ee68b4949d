"""Any small game of heaps by search, compared with the rules and golden cases."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.heap_search import estimate_search, heap_moves
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.tables import solve
from position_oracle.schema.errors import InvalidPositionError
from tests.reference.heaps_naive import NaiveHeaps

GOLDEN = Path(__file__).parents[2] / "golden"


EQUAL_FROM = {"pairs": (2,), "all": (3,), "both": (2, 3)}


def nim(
    heaps: int,
    *,
    passes: int = 0,
    declared: tuple[tuple[int, ...], ...] = (),
    misere: bool = False,
) -> GameSpec:
    return GameSpec("nim", heaps, passes=passes, declared=declared, misere=misere)


def wythoff3(rule: str, passes: int = 0) -> GameSpec:
    return GameSpec("wythoff", options=(("rule", rule),), passes=passes)


@dataclass(frozen=True)
class Solved:
    """The folds of all positions, as arrays by passes left and rank."""

    moves: Ranked

    def rank(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.moves.shape.ranks(heaps.reshape(-1, heaps.shape[-1])).reshape(heaps.shape[:-1])

    @cached_property
    def outcome_n(self) -> NDArray[np.bool_]:
        return solve(self.moves, "wins").values.T

    @cached_property
    def grundy(self) -> NDArray[np.integer[Any]]:
        return solve(self.moves, "grundy").values.T

    @cached_property
    def remoteness(self) -> NDArray[np.integer[Any]]:
        return solve(self.moves, "remoteness").values.T.astype(np.int64)


@cache
def solved(game: GameSpec, limits: tuple[int, ...]) -> Solved:
    return Solved(heap_moves(game, limits))


def cases(name: str, prefix: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"{name}.jsonl").open() as lines:
        found = [case for case in map(json.loads, lines) if case["game"].startswith(prefix)]
    assert found
    return found


def check(table: Solved, case: dict[str, Any]) -> None:
    passes = case.get("passes", 0)
    rank = table.rank(np.array(case["position"]))
    assert table.outcome_n[passes, rank] == (case["outcome"] == "N"), case
    if "grundy" in case:
        assert table.grundy[passes, rank] == case["grundy"], case
    if "remoteness" in case:
        assert table.remoteness[passes, rank] == case["remoteness"], case


# ---------------------------------------------------------------- golden cases and facts


def test_golden_nim_with_passes() -> None:
    limit = {2: 20, 3: 10, 4: 5}
    for case in cases("03_nim_pass", "nim"):
        heaps = case["heaps"]
        check(solved(nim(heaps, passes=3), (limit[heaps],) * heaps), case)


def test_golden_generic_nim() -> None:
    for case in cases("04_generic_nim3", "nim3"):
        declared = tuple(map(tuple, case["variant"]))
        check(solved(nim(3, declared=declared), (15, 15, 15)), case)


@pytest.mark.parametrize(
    ("name", "rule"),
    [("wythoff3_pairs", "pairs"), ("wythoff3_triple", "all"), ("wythoff3_pairs_triple", "both")],
)
def test_golden_wythoff_with_three_heaps(name: str, rule: str) -> None:
    for case in cases("05_wythoff3", name):
        if case["game"] == name:
            check(solved(wythoff3(rule), (12, 12, 12)), case)


def test_golden_wythoff_with_two_heaps() -> None:
    for case in cases("05_grundy_wythoff2", "wythoff2"):
        check(solved(GameSpec("wythoff", 2), (45, 45)), case)


def test_golden_remoteness_of_nim() -> None:
    for case in cases("06_remoteness_nim3", "nim3"):
        check(solved(nim(3), (12, 12, 12)), case)


def test_published_grundy_values_with_a_pass() -> None:
    facts = json.loads((GOLDEN / "facts.json").read_text())["nim_with_a_pass"]
    one = solved(nim(1, passes=1), (8,))
    two = solved(nim(2, passes=1), (8, 8))
    assert one.grundy[1].tolist() == facts["grundy_one_heap_0_to_8"]
    box = np.argwhere(np.ones((9, 9)))
    rows = two.grundy[1, two.rank(box)].reshape(9, 9)
    assert rows[1:4].tolist() == facts["grundy_two_heaps_rows_1_to_3"]


# ---------------------------------------------------------------- the rules


@st.composite
def games(draw: st.DrawFn) -> tuple[GameSpec, tuple[int, ...]]:
    heaps = draw(st.integers(1, 4))
    tallest = {1: 12, 2: 7, 3: 4, 4: 2}[heaps]
    limits = draw(st.tuples(*[st.integers(0, tallest)] * heaps))
    declared = set(draw(st.lists(st.tuples(*[st.integers(0, tallest)] * heaps), max_size=3)))
    if draw(st.booleans()):
        declared = {p for position in declared for p in permutations(position)}
    family = "wythoff" if heaps in {2, 3} and draw(st.booleans()) else "nim"
    ruled = family == "wythoff" and heaps == 3
    game = GameSpec(
        family,
        heaps,
        options=(("rule", draw(st.sampled_from(sorted(EQUAL_FROM)))),) if ruled else (),
        passes=draw(st.integers(0, 2)),
        declared=tuple(declared),
        misere=draw(st.booleans()),
    )
    return game, limits


@settings(deadline=None, max_examples=80)
@given(games())
def test_tables_follow_the_rules(drawn: tuple[GameSpec, tuple[int, ...]]) -> None:
    game, limits = drawn
    equal_from = EQUAL_FROM[game.rule] if game.rule else (2,) * (game.family == "wythoff")
    naive = NaiveHeaps(equal_from, frozenset(game.declared), game.misere)
    table = Solved(heap_moves(game, limits))
    for position in product(*(range(limit + 1) for limit in limits)):
        rank = table.rank(np.array(position))
        for passes in range(game.passes + 1):
            assert table.outcome_n[passes, rank] == naive.is_n(position, passes)
            assert table.remoteness[passes, rank] == naive.remoteness(position, passes)
            if game.is_plain:
                assert table.grundy[passes, rank] == naive.grundy(position, passes)


def test_five_heaps_of_nim_are_bouton() -> None:
    table = solved(nim(5), (7, 7, 7, 7, 7))
    heaps = np.random.default_rng(1).integers(0, 8, (2000, 5))
    expected = np.bitwise_xor.reduce(heaps, axis=1)
    assert (table.grundy[0, table.rank(heaps)] == expected).all()


def test_alike_heaps_are_kept_once() -> None:
    table = solved(nim(3), (6, 6, 6))
    assert table.outcome_n.shape == (1, comb(7 + 2, 3))
    box = np.array(list(product(range(7), repeat=3)))
    ranks = table.rank(box)
    assert set(ranks.tolist()) == set(range(comb(7 + 2, 3)))
    assert (table.rank(box[:, ::-1]) == ranks).all()


def test_unlike_limits_hold_every_order_of_heaps() -> None:
    table = solved(nim(3), (2, 30, 7))
    assert table.moves.shape.lengths == (30, 7, 2)
    assert table.rank(np.array([30, 2, 7])) == table.outcome_n.shape[1] - 1


# ---------------------------------------------------------------- what the tables show


@pytest.mark.parametrize("game", [nim(3, passes=5), wythoff3("pairs", passes=5)])
def test_two_more_passes_keep_values_and_add_two_plies(game: GameSpec) -> None:
    table = solved(game, (9, 9, 9))
    for passes in range(4):
        assert (table.grundy[passes] == table.grundy[passes + 2]).all()
        plies = table.remoteness[passes]
        assert (table.remoteness[passes + 2] == np.where(plies < 2, plies, plies + 2)).all()


def test_two_more_passes_add_two_plies_to_misere_nim() -> None:
    table = solved(nim(3, passes=5, misere=True), (8, 8, 8))
    for passes in range(4):
        assert (table.outcome_n[passes] == table.outcome_n[passes + 2]).all()
        longer = table.remoteness[passes + 2] - table.remoteness[passes]
        assert np.flatnonzero(longer != 2).tolist() == [0]
        assert longer[0] == 0


# ---------------------------------------------------------------- refusals and stops


@pytest.mark.parametrize(
    ("game", "limits"),
    [
        (nim(5), (2**63 - 1,) * 5),
        (nim(1), (2**63 - 1,)),
        (nim(3), (0, 0, 10**15)),
        (nim(2, passes=64), (10**5, 10**5)),
        (nim(3, declared=((1, 2, 3),)), (900, 900, 900)),
    ],
)
def test_searches_that_are_too_large_are_refused_before_they_start(
    game: GameSpec, limits: tuple[int, ...]
) -> None:
    assert estimate_search(game, limits)[0] > 20_000_000


def test_the_cost_counts_every_number_of_passes() -> None:
    assert estimate_search(nim(3, passes=1), (10, 10, 10))[0] == 2 * comb(13, 3)


def test_small_games_need_no_compiled_code() -> None:
    program = (
        "import sys; from position_oracle.engine.games.spec import GameSpec;"
        "from position_oracle.engine.solvers.heap_search import heap_moves;"
        "from position_oracle.engine.solvers.tables import solve;"
        "moves = heap_moves(GameSpec('nim', 3, passes=1), (5, 6, 7));"
        "assert all(solve(moves, kind).values.any() for kind in ('wins', 'grundy', 'remoteness'));"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidPositionError, match="6 heaps"):
        heap_moves(nim(6), (1,) * 6)
