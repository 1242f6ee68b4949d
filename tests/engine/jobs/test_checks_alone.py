"""Each check of loser sheets alone: it notices damage that no other check notices."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp3 import pairs
from position_oracle.engine.jobs.chomp3.facts import published_checks
from position_oracle.engine.jobs.chomp3.sheets_checks import (
    _sampled_n_positions,
    _sampled_p_positions,
    sheet_checks,
)
from position_oracle.engine.jobs.chomp3.variants import Variant
from position_oracle.engine.jobs.heap_facts import fact_checks
from position_oracle.engine.jobs.heap_table import StoredHeaps
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.theory import nim, wythoff
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot


@pytest.fixture(scope="module")
def sheets(store: Path) -> LoserSheets:
    """The sheets of plain three-row Chomp up to x = 300."""
    with Snapshot.open(store) as snapshot:
        return snapshot.read_sheets("chomp3")


def failing(checks: Sequence[Check]) -> list[str]:
    return [each.name for each in checks if not each.passed]


def test_a_check_shows_its_first_failure() -> None:
    def failures() -> list[str]:
        return ["one", "two"]

    assert check("c", 3, failures()) == Check("c", 3, "one")
    assert check("c", 3, ()) == Check("c", 3)
    assert check_equal("c", 1, [1], [2]).detail == "[1] instead of [2]"
    assert check_equal("c", 1, [1], [1]).passed


# Published facts


def with_z(sheets: LoserSheets, changes: dict[tuple[int, int], int]) -> LoserSheets:
    z = sheets.prefix_z.copy()
    for (x, y), value in changes.items():
        z[sheets.prefix_offset[x] + y] = value
    return replace(sheets, prefix_z=z)


def longest_row(sheets: LoserSheets, a: int) -> LoserSheets:
    """Return sheets with one P-position moved from longest row a to a + 1."""
    for x in range(1, a):
        for y in range(1, a - x):
            if int(sheets.look_up(x, y)) == a - x - y and y < sheets.prefix_length[x]:
                return with_z(sheets, {(x, y): a - x - y + 1})
    raise AssertionError(a)


def diagonals_exchanged(sheets: LoserSheets) -> LoserSheets:
    """Return sheets with two sums q + f exchanged: rectangles still have one opening each."""
    third, fourth = int(sheets.diagonal[3]), int(sheets.diagonal[4])
    return with_z(sheets, {(3, 0): fourth + 1, (4, 0): third - 1})


def shorter_period(sheets: LoserSheets) -> LoserSheets:
    periods = sheets.tail_period.copy()
    periods[120] = 1
    return replace(sheets, tail_period=periods)


def shorter_sheet(sheets: LoserSheets) -> LoserSheets:
    """Return sheets without the stop at the end of sheet 199."""
    assert sheets.tail_period[199] == 0
    end = sheets.prefix_offset[200]
    offset = sheets.prefix_offset.copy()
    offset[200:] -= 1
    return replace(sheets, prefix_offset=offset, prefix_z=np.delete(sheets.prefix_z, end - 1))


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (lambda s: longest_row(s, 50), "P-positions with longest row at most n (A029899)"),
        (lambda s: longest_row(s, 200), "P-positions with longest row at most n (A029899)"),
        (diagonals_exchanged, "deadly diagonal f(q, q) (A029900)"),
        (shorter_period, "sheets with a period above 1 (A147983)"),
        (shorter_sheet, "one winning move from every rectangle [x,0,0]"),
    ],
)
def test_each_published_fact_is_checked(
    sheets: LoserSheets, damage: Callable[[LoserSheets], LoserSheets], name: str
) -> None:
    assert failing(list(published_checks(sheets))) == []
    assert failing(list(published_checks(damage(sheets)))) == [name]


def test_the_limit_is_compared_with_the_sheets(store: Path) -> None:
    game = parse_game("chomp3")
    with Snapshot.open(store) as snapshot:
        for limit in ("299", "301"):
            checks = list(sheet_checks(snapshot, game, limit, Sample(50)))
            assert failing(checks) == ["there is a sheet for every x up to the limit"]


# Pairs of P-positions, kind of move by kind


def made(
    prefixes: Sequence[Sequence[int]], tails: Sequence[Sequence[int]] | None = None
) -> LoserSheets:
    known = tails or [[] for _ in prefixes]
    return LoserSheets(
        first_x=0,
        prefix_offset=np.cumsum([0, *map(len, prefixes)], dtype=np.int64),
        prefix_z=np.array([z for prefix in prefixes for z in prefix], np.int32),
        tail_period=np.array([len(tail) for tail in known], np.int32),
        tail_offset=np.cumsum([0, *map(len, known)], dtype=np.int64),
        tail_z=np.array([z for tail in known for z in tail], np.int32),
    )


PARTS = {
    "zeros": pairs._misplaced_zeros,
    "rectangle": pairs._after_rectangle,
    "sheet": pairs._sheet_conflicts,
    "rows": pairs._row_conflicts,
    "tails": pairs._tail_row_conflicts,
}


@pytest.mark.parametrize(
    ("sheets", "part"),
    [
        (made([[0, 1]]), "zeros"),
        (made([[]], [[2, 0]]), "zeros"),
        (made([[0], [4]]), "rectangle"),
        (made([[2, 1]]), "sheet"),
        (made([[3], [2]]), "sheet"),
        (made([[]], [[3, 2]]), "sheet"),
        (made([[5, 7], [7]]), "rows"),
        (made([[], []], [[4], [4]]), "tails"),
        (made([[], [1]], [[4], [4]]), "tails"),
    ],
)
def test_each_kind_of_move_is_checked(sheets: LoserSheets, part: str) -> None:
    assert [name for name, found in PARTS.items() if list(found(sheets))] == [part]
    assert list(pairs.conflicts(sheets))


def test_the_first_sheets_have_no_such_pairs() -> None:
    assert not list(pairs.conflicts(loser_sheets(40)))


# Samples of positions


def test_a_declared_p_position_is_noticed_among_p_positions_only(sheets: LoserSheets) -> None:
    drawn = tuple((x, 0, int(sheets.diagonal[x])) for x in range(len(sheets)))
    variant, sample = Variant(GameSpec("chomp3", declared=drawn)), Sample(500)
    assert not _sampled_p_positions(sheets, variant, sample).passed
    assert _sampled_n_positions(sheets, variant, sample).passed


def test_missing_p_positions_are_noticed_among_n_positions_only(sheets: LoserSheets) -> None:
    """With every second sheet empty, no P-position reaches another; many N-positions reach none."""
    lengths = sheets.prefix_length * (np.arange(len(sheets)) % 2 == 0)
    kept = np.concatenate([sheets.prefix(x)[: lengths[x]] for x in range(len(sheets))])
    tails = np.where(np.arange(len(sheets)) % 2 == 0, sheets.tail_period, 0)
    thinned = replace(
        sheets,
        prefix_offset=np.concatenate([[0], np.cumsum(lengths)]),
        prefix_z=kept,
        tail_period=tails.astype(np.int32),
    )
    variant, sample = Variant(GameSpec("chomp3")), Sample(500)
    assert _sampled_p_positions(thinned, variant, sample).passed
    assert not _sampled_n_positions(thinned, variant, sample).passed


# Facts about three heaps


def one_pass() -> StoredHeaps:
    """Return the outcomes of Nim with one pass for heaps up to 18, by plain recursion."""
    side = 18
    none = nim.third_heap_table(side, side)
    z = np.zeros((side, side), np.int32)
    for x in range(side):
        for y in range(side):
            taken = {*z[:x, y].tolist(), *z[x, :y].tolist()}
            if (x, y) != (0, 0):
                taken.add(int(none[x, y]))
            z[x, y] = next(n for n in range(99) if n not in taken)
    return StoredHeaps(parse_game("nim{heaps=3,passes=1}"), z, none)


def changed(table: StoredHeaps, *changes: tuple[int, int, int]) -> StoredHeaps:
    z = table.z.copy()
    for x, y, value in changes:
        z[x, y] = value
    return replace(table, z=z)


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ([(10, 12, 9)], ["heaps may be permuted"]),
        (
            [(0, 17, 5), (17, 0, 5)],
            ["two heaps with one pass: [0, 0] and [2m - 1, 2m]"],
        ),
        (
            [(1, 17, 3), (17, 1, 3)],
            ["a heap of 1 with one pass: [1, 0, 2] and [1, n, n] but for n = 2"],
        ),
        ([(16, 17, 90), (17, 16, 90)], ["z <= x + y + 1 with one pass"]),
        ([(15, 15, 15)], ["numbers of P-positions of three heaps 1 to n"]),
    ],
)
def test_each_fact_about_nim_with_a_pass_is_checked(
    changes: list[tuple[int, int, int]], names: list[str]
) -> None:
    table = one_pass()
    assert failing(list(fact_checks(table))) == []
    assert failing(list(fact_checks(changed(table, *changes)))) == names


def test_the_theorems_of_bouton_and_wythoff_are_checked() -> None:
    bouton = StoredHeaps(parse_game("nim{heaps=3}"), nim.third_heap_table(9, 9), None)
    assert failing(list(fact_checks(bouton))) == []
    assert failing(list(fact_checks(changed(bouton, (4, 4, 1))))) == [
        "the P-positions are those of Bouton's theorem"
    ]
    z = np.zeros((1, 9), np.int32)
    z[0] = [wythoff.partner(y) for y in range(9)]
    pairs_game = StoredHeaps(parse_game("wythoff{rule=pairs}"), z, None)
    assert failing(list(fact_checks(pairs_game))) == []
    assert failing(list(fact_checks(changed(pairs_game, (0, 5, 4))))) == [
        "with an empty heap the game is Wythoff's with two heaps"
    ]
