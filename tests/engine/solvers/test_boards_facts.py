"""Published facts on boards, recomputed from the tables."""

import json
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from position_oracle.engine.solvers import tables
from position_oracle.engine.solvers.boards.outcomes import OutcomeTable, solve_shape
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import box, under
from tests.reference import boards_naive as naive

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "facts.json").read_text()
)


def up_to(cookies: int) -> OutcomeTable:
    """Return a table with every board of up to this many cookies: row i has at most cookies / i."""
    return solve_shape(under(tuple(cookies // row for row in range(1, cookies + 1))))


def count_p_by_cookies(table: OutcomeTable) -> list[int]:
    counts: list[int] = np.bincount(table.p_positions().sum(axis=1)).tolist()
    return counts


def test_p_positions_by_cookies_are_a112470() -> None:
    terms = FACTS["A112470"]["terms"]
    assert count_p_by_cookies(up_to(len(terms) - 1))[: len(terms)] == terms


def test_n_positions_by_cookies_are_a112471() -> None:
    terms = FACTS["A112471"]["terms"]
    p_positions = count_p_by_cookies(up_to(len(terms) - 1))
    boards = [sum(1 for _ in naive.partitions(n)) for n in range(len(terms))]
    assert [a - b for a, b in zip(boards, p_positions, strict=False)] == terms


def test_numbers_of_winning_bites_are_a112472_and_a112473() -> None:
    one, several = FACTS["A112472"]["terms"], FACTS["A112473"]["terms"]
    table = up_to(len(one))
    wins = [
        [len(table.winning_bites(board)) for board in naive.partitions(n)]
        for n in range(1, len(one) + 1)
    ]
    assert [counts.count(1) for counts in wins] == one
    assert [sum(count > 1 for count in counts) for counts in wins] == several


def four_rows(columns: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    longest = solve_shape(box(4, columns)).p_positions()[:, 0]
    return np.cumsum(np.bincount(longest, minlength=columns + 1))


def test_four_row_counts() -> None:
    facts = FACTS["four_rows_cumulative"]
    counts = four_rows(60)
    assert counts[1:11].tolist() == facts["1..10"]
    assert counts[50] == facts["50"]
    assert counts[60] == facts["60"]


def check_openings(table: OutcomeTable) -> None:
    """Every rectangle inside has one winning opening, with the published exceptions."""
    published = {
        tuple(map(int, name.split("x"))): [(row + 1, column + 1) for row, column in bites]
        for name, bites in FACTS["two_winning_openings"].items()
        if "x" in name and name[0].isdigit()
    }
    assert len(published) == 5
    for m, n in combinations_with_replacement(range(1, table.shape.rows + 1), 2):
        openings = table.winning_bites((n,) * m)
        if (m, n) in published:
            assert openings == published[m, n]
        else:
            assert len(openings) == (0 if (m, n) == (1, 1) else 1)


def test_rectangles_with_two_winning_openings_to_12() -> None:
    check_openings(solve_shape(box(12, 12)))


def test_grundy_values_of_three_rows_are_a069001() -> None:
    """A069001 counts without moves that eat the poison cookie."""
    terms = FACTS["A069001"]["terms"]
    table = tables.solve(Ranked(box(3, len(terms))), "grundy")
    rectangles = [(n,) * 3 for n in range(1, len(terms) + 1)]
    assert [table.of_board(rows) for rows in rectangles] == terms
