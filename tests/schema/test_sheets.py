"""Loser sheets: one z for each column, in prefixes, tails, and beyond what is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError
from position_oracle.schema.sheets import CUT, NO_Z, STOPS, LoserSheets, offsets_of

numbers = st.integers(0, 99)


def made(
    prefixes: list[list[int]],
    tails: list[list[int] | None],
    first_x: int = 0,
    closed_by: int | None = None,
) -> LoserSheets:
    """Make sheets from lists.

    A tail is a period, an empty list if the sheet stops, None if it is cut.
    """
    known = [tail or [] for tail in tails]
    return LoserSheets(
        first_x=first_x,
        prefix_offset=offsets_of(np.array([len(prefix) for prefix in prefixes], np.int64)),
        prefix_z=np.array([z for prefix in prefixes for z in prefix], np.int32),
        tail_period=np.array([CUT if t is None else len(t) for t in tails], np.int32),
        tail_offset=offsets_of(np.array([len(tail) for tail in known], np.int64)),
        tail_z=np.array([z for tail in known for z in tail], np.int32),
        closed_by=closed_by,
    )


@st.composite
def any_sheets(draw: st.DrawFn) -> tuple[LoserSheets, list[list[int]], list[list[int] | None]]:
    tails = draw(st.lists(st.none() | st.lists(numbers, max_size=4), min_size=1, max_size=8))
    prefixes = [draw(st.lists(numbers, max_size=6)) for _ in tails]
    return made(prefixes, tails, draw(numbers)), prefixes, tails


def naive(prefix: list[int], tail: list[int] | None, y: int) -> int | str | None:
    """Return the z of a column: None if there is none, "unknown" if it is not known."""
    if y < len(prefix):
        return prefix[y]
    if tail is None:
        return "unknown"
    return tail[(y - len(prefix)) % len(tail)] if tail else None


@given(any_sheets(), st.integers(0, 30))
def test_every_column_is_found(
    drawn: tuple[LoserSheets, list[list[int]], list[list[int] | None]], y: int
) -> None:
    sheets, prefixes, tails = drawn
    for i, (prefix, tail) in enumerate(zip(prefixes, tails, strict=True)):
        x, expected = sheets.first_x + i, naive(prefix, tail, y)
        assert sheets.covers(x, y) == (expected != "unknown")
        if expected == "unknown":
            with pytest.raises(UnknownAnswerError, match=f"known for y < {len(prefix)}"):
                sheets.z_at(x, y)
        else:
            assert sheets.z_at(x, y) == expected
        known = expected if isinstance(expected, int) else NO_Z
        assert sheets.look_up(x, [y, y]).tolist() == [known, known]
        assert sheets.prefix(x).tolist() == prefix
        assert sheets.tail(x).tolist() == (tail or [])
    xs = sheets.first_x + np.arange(len(sheets))
    assert sheets.diagonal.tolist() == sheets.look_up(xs, 0).tolist()


@given(any_sheets(), st.integers(1, 20))
def test_parts_put_together_are_the_whole(
    drawn: tuple[LoserSheets, list[list[int]], list[list[int] | None]], positions: int
) -> None:
    sheets = drawn[0]
    parts = list(sheets.split(positions))
    assert all(len(part) == 1 or part.prefix_offset[-1] <= positions for part in parts)
    assert parts[0].first_x == sheets.first_x
    again = LoserSheets.concatenate(parts)
    for name in ("prefix_offset", "prefix_z", "tail_period", "tail_offset", "tail_z"):
        assert getattr(again, name).tolist() == getattr(sheets, name).tolist()
    assert (again.first_x, again.end_x) == (sheets.first_x, sheets.end_x)


def test_missing_columns_are_unknown_unless_a_rectangle_closes_the_game() -> None:
    sheets = made([[2, 0], [0]], [[], []], first_x=3)
    for x in (2, 5):
        assert not sheets.covers(x, 0)
        with pytest.raises(UnknownAnswerError, match=r"not among 3\.\.4"):
            sheets.z_at(x, 0)
    with pytest.raises(InvalidPositionError):
        sheets.z_at(3, -1)
    closed = made([[2, 0], [0]], [[], []], first_x=3, closed_by=4)
    assert closed.z_at(5, 7) is None
    assert closed.covers(5, 7)
    assert not closed.covers(2, 0)
    first = closed.part(0, 1)  # the sheet of the rectangle itself is not among them
    assert [first.covers(x, 0) for x in (3, 4, 5)] == [True, False, True]
    with pytest.raises(UnknownAnswerError, match=r"sheet 4 is not among 3\.\.3"):
        first.z_at(4, 0)


def test_sheets_are_counted_by_period() -> None:
    sheets = made([[1], [2, 0], [3], [4], [5, 0]], [[1], [], [2, 3], None, []])
    assert sheets.census() == {CUT: 1, STOPS: 2, 1: 1, 2: 1}
    assert list(sheets.census()) == [CUT, STOPS, 1, 2]
    assert sheets.tails == [0, 2]


def test_blocks_that_do_not_follow_one_another_are_refused() -> None:
    low, high = made([[1]], [[1]]), made([[1]], [[1]], first_x=2)
    with pytest.raises(ValueError, match="do not follow"):
        LoserSheets.concatenate([low, high])
    with pytest.raises(ValueError, match="no blocks"):
        LoserSheets.concatenate([])
