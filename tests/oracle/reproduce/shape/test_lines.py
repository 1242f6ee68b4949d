"""Lines of a loser sheet, as a report measures them, follow from its points one by one."""

import pytest

from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.oracle.reproduce.papers.chomp.shapes import lines_of, near_with_tail
from position_oracle.schema.sheets import LoserSheets


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return loser_sheets(81)


@pytest.mark.parametrize("x", [40, 57, 80])
def test_lines_are_those_of_the_points(sheets: LoserSheets, x: int) -> None:
    """Beyond the last point of the lower line, points belong to no line."""
    points = list(enumerate(sheets.prefix(x).tolist()))
    top = points[0][1]
    lower = [y for y, z in points if y + z < top]
    upper = [y for y, z in points if y + z > top and y <= lower[-1]]
    found = lines_of(sheets, x)
    assert (found.start, found.end) == (top / x, lower[-1] / x)
    assert found.share_upper == len(upper) / (len(upper) + len(lower))
    tail = sheets.tail(x).tolist()
    assert found.tail == (pytest.approx(sum(tail) / len(tail) / x) if tail else None)


def test_the_nearest_sheet_with_a_tail_is_the_smaller_of_two(sheets: LoserSheets) -> None:
    with_tail = [x for x in range(81) if len(sheets.tail(x))]
    for x in range(81):
        expected = min(with_tail, key=lambda each: (abs(each - x), each))
        assert near_with_tail(sheets, x) == expected
