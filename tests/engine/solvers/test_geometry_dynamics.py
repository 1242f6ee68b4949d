"""Changes of the rules (declared positions, passes), and how they change sheets."""

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.geometry.dynamics import (
    Fate,
    change_of,
    density,
    distance,
    moved,
    moved_shares,
)
from position_oracle.oracle.cli.comparison import best_shift
from position_oracle.oracle.reproduce.operators import overlap, supermex_window
from position_oracle.schema.sheets import CUT, STOPS, LoserSheets

SHEETS = 401
LINE_END, ALPHA = 2**0.5 - 1, 2**-0.5


def solved(game: str, count: int = SHEETS) -> LoserSheets:
    return solve_game(parse_game(game), count)


@pytest.fixture(scope="module")
def plain() -> LoserSheets:
    return solved("chomp3")


def test_declaring_an_n_position_is_inert(plain: LoserSheets) -> None:
    """Proved: the position was N already, so nothing changes."""
    assert plain.z_at(50, 3) != 30
    change = change_of(plain, solved("chomp3{declared=[50,3,30]}"))
    assert (change.fate, change.sheet) == (Fate.INERT, -1)
    assert not change.shares.any()


def test_declaring_1_1_0_closes_the_game(plain: LoserSheets) -> None:
    change = change_of(plain, solved("chomp3{declared=[1,1,0]}"))
    assert (change.fate, change.sheet) == (Fate.CLOSED, 2)


def test_declaring_0_1_1_shifts_the_game_by_one(plain: LoserSheets) -> None:
    change = change_of(plain, solved("chomp3{declared=[0,1,1]}"))
    assert (change.fate, change.shift) == (Fate.SHIFTED, 1)
    shifted = solved("chomp3{declared=[0,1,1]}")
    assert best_shift(plain, shifted, 300) == (1, 0)


def test_other_positions_heal_or_make_another_game(plain: LoserSheets) -> None:
    """A change heals within some sheets, or makes a game independent of the game before."""
    fates = set()
    for y in range(0, 36, 3):
        z = plain.z_at(100, y)
        change = change_of(plain, solved(f"chomp3{{declared=[100,{y},{z}]}}"))
        assert not change.shares[:100].any()
        fates.add(change.fate)
        if change.fate is Fate.HEALED:
            assert change.sheet < 200
            assert change.half_moved_at() is None
        else:
            assert change.sheet == 100
            half = change.half_moved_at()
            assert half is not None
            assert max(change.shares[:half]) < 0.5 <= change.shares[half]
            assert 106 <= half < 250
            assert np.mean(change.shares[300:]) == pytest.approx(0.706, abs=0.08)
    assert fates == {Fate.HEALED, Fate.INDEPENDENT}


def test_a_healed_game_has_the_same_sheets_again(plain: LoserSheets) -> None:
    changes = []
    for y in (6, 9, 12, 15):
        after = solved(f"chomp3{{declared=[100,{y},{plain.z_at(100, y)}]}}")
        change = change_of(plain, after)
        if change.fate is Fate.HEALED:
            changes.append(change)
            for x in (change.sheet, 250, SHEETS - 1):
                assert np.array_equal(plain.prefix(x), after.prefix(x))
                assert np.array_equal(plain.tail(x), after.tail(x))
            assert moved(plain, after, change.sheet - 1)[0] > 0
    assert changes


@pytest.mark.parametrize(("agreeing", "healed"), [(5, False), (SHEETS // 20 + 1, True)])
def test_a_few_last_sheets_that_agree_do_not_heal_a_game(
    plain: LoserSheets, agreeing: int, healed: bool
) -> None:
    another = solved("chomp3{declared=[0,0,1]}")
    last = SHEETS - agreeing
    parts = (another.part(0, last), plain.part(last, SHEETS))
    change = change_of(plain, LoserSheets.concatenate(parts))
    assert (change.fate is Fate.HEALED) == healed


def test_of_shifts_that_agree_as_well_the_nearest_is_best() -> None:
    """Sheets of three columns, all alike but for those that are given."""

    def sheets(*others: int) -> LoserSheets:
        z = [[1, 0, 2] if x in others else [2, 1, 0] for x in range(12)]
        return LoserSheets(
            first_x=0,
            prefix_offset=3 * np.arange(13),
            prefix_z=np.array(z, np.int32).ravel(),
            tail_period=np.full(12, STOPS, np.int32),
            tail_offset=np.zeros(13, np.int64),
            tail_z=np.zeros(0, np.int32),
        )

    assert best_shift(sheets(), sheets(), 6) == (0, 0)
    assert best_shift(sheets(), sheets(4, 5, 6, 7, 9), 6) == (2, 0)
    assert best_shift(sheets(), sheets(5, 6, 7, 8), 6) == (-2, 0)
    assert best_shift(sheets(), sheets(*range(12)), 6) == (0, 3)
    assert best_shift(sheets(), sheets(*range(11)), 6, shifts=4) == (0, 3)
    assert best_shift(sheets(), sheets(*range(11)), 6, shifts=5) == (5, 0)


def test_two_independent_games_differ_in_0_7_of_the_positions() -> None:
    """Games with different declared positions agree by chance only: 0.716 was measured earlier."""
    one, other = (solved(f"chomp3{{declared=[0,{y},1]}}") for y in (5, 7))
    shares = moved_shares(one, other)
    assert np.mean(shares[250:]) == pytest.approx(0.716, abs=0.06)


def test_the_pass_is_a_perturbation_of_every_sheet(plain: LoserSheets) -> None:
    """Fig. 12 of Games with a pass: sheets with and without the pass-winners of that sheet alone.

    When the pass-winners are marked, the supermex gives the sheet of the game with the pass.
    """
    game = solved("chomp3{passes=1}")
    shares = []
    for x in (50, 120, 200):
        columns, height = int(LINE_END * x) + 32, int((ALPHA + 0.3) * x) + 96
        winners = instant_winners(game, x, columns, height) > 0
        y = np.arange(columns)
        actual = game.look_up(x, y)
        step = supermex_window(winners)
        passed = plain.look_up(x, y)
        inside = (passed >= 0) & (passed < height)
        winners[y[inside], passed[inside]] = True
        assert np.array_equal(supermex_window(winners), actual)
        shares.append(overlap(step, actual))
    assert 0.5 < min(shares) < max(shares) < 1


def test_the_supermex_of_nim() -> None:
    """Without instant winners, and with moves that take from two heaps, [y, y] is P."""
    nothing = np.zeros((6, 8), bool)
    assert supermex_window(nothing, diagonals=False).tolist() == [0, 1, 2, 3, 4, 5]
    # In sheet 1 of Nim the P-positions of sheet 0 are instant winners, and z = y xor 1.
    winners = np.eye(6, 8, dtype=bool)
    assert supermex_window(winners, diagonals=False).tolist() == [1, 0, 3, 2, 5, 4]


def test_sheets_of_chomp_have_one_shape(plain: LoserSheets) -> None:
    """Scale invariance and universality: later sheets, and variants, have the same density."""
    game = solved("chomp3{passes=1}")
    low, high = density(plain, 100, 199), density(plain, 200, 400)
    assert low.sum() == pytest.approx(1)
    assert distance(low, low) == 0
    assert distance(low, high) < 0.05
    assert distance(high, density(game, 200, 400)) < 0.08


def test_nim_with_a_pass_repeats_by_factors_of_two() -> None:
    """Morrison, Friedman and Landsberg, section 4: sheets x, 2x, 4x look alike, others less so."""
    z = solve_sheets(parse_game("nim{heaps=3,passes=1}"), 400, 1_000)
    sheets = LoserSheets(
        first_x=0,
        prefix_offset=1_001 * np.arange(402),
        prefix_z=z.reshape(-1),
        tail_period=np.full(401, CUT, np.int32),
        tail_offset=np.zeros(402, np.int64),
        tail_z=np.zeros(0, np.int32),
    )
    pairs = [(x, 2 * x) for x in range(100, 200, 10)]
    others = [(x, 3 * x // 2) for x in range(100, 200, 10)]

    def mean(chosen: list[tuple[int, int]]) -> float:
        return float(np.mean([distance(density(sheets, a), density(sheets, b)) for a, b in chosen]))

    assert mean(pairs) < 0.7 * mean(others)
