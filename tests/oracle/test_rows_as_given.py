"""Rows of several lengths, moves to longer rows, and errors that quote a row as given."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.oracle.core import Oracle
from position_oracle.schema.arrays import row_groups
from position_oracle.schema.errors import InvalidPositionError, InvalidRowError
from tests.engine.games.test_actions import STARTS


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


HAVE_ROWS = [parse(first).game.text for first, *_ in STARTS.values() if parse(first).coordinates]
RAGGED = {
    "nim": [[3, 5, 7], [4], [2, 2], [1, 2, 3], []],
    "octal{code=0.77}": [[5, 5], [7], [1, 2, 3, 4], []],
    "chomp": [[4, 3], [5], [3, 3, 3]],
    "divisors": [[12], [4, 9]],
    "nim{max=3}": [[4], [4, 4, 1]],
}


@pytest.mark.parametrize("game", ["nim", "octal{code=0.77}", "chomp", "nim{max=3}"])
def test_each_row_is_answered_as_itself(oracle: Oracle, game: str) -> None:
    rows = RAGGED[game]
    alone = [oracle.outcomes(game, [row or [0]])[0] for row in rows]
    assert oracle.outcomes(game, rows).tolist() == alone
    values = [oracle.values(game, [row or [0]])[0] for row in rows]
    assert oracle.values(game, rows).tolist() == values
    chances = [oracle.win_probabilities(game, [row or [0]], "random")[0] for row in rows]
    assert np.array_equal(oracle.win_probabilities(game, rows, "random"), chances, equal_nan=True)
    outcomes, children = oracle.winning_move_batch(game, rows)
    assert outcomes.tolist() == alone
    for row, child in zip(rows, children.tolist(), strict=True):
        _, (other,) = oracle.winning_move_batch(game, [row or [0]])
        assert child[: len(other)] == other.tolist()
        assert set(child[len(other) :]) <= ({0} if child[0] >= 0 else {child[0]})


def test_moves_that_split_heaps_need_no_spare_column(oracle: Oracle) -> None:
    outcomes, children = oracle.winning_move_batch("octal{code=0.77}", [[5], [7], [2], [0]])
    assert outcomes.tolist() == [2, 2, 2, 1]
    assert children.tolist() == [[2, 2], [1, 4], [0, 0], [-1, -1]]
    for start, child in ([5], [2, 2]), ([7], [1, 4]):
        assert oracle.outcomes("octal{code=0.77}", [child]).tolist() == [1], start
    _, three = oracle.winning_move_batch("partition{parts=3}", [[9, 9, 4]])
    assert oracle.outcomes("partition{parts=3}", three).tolist() == [1]


def test_a_row_with_room_keeps_its_width(oracle: Oracle) -> None:
    _, children = oracle.winning_move_batch("octal{code=0.77}", [[5, 0, 0]])
    assert children.tolist() == [[2, 2, 0]]


@pytest.mark.parametrize(
    ("game", "rows", "row", "quoted"),
    [
        ("nim", [[3, 5], [4, -1]], 1, "row 1 is [4, -1]"),
        ("nim", [[3], [1, 2, 3], [-7]], 2, "row 2 is [-7]"),
        ("octal{code=0.77}", [[3, 0], [0, -2]], 1, "row 1 is [0, -2]"),
        ("chomp3", [[1, 2, 3], [4, 5]], 1, "row 1 is [4, 5]; positions of chomp3"),
        ("chomp", [[3, 2], [4], [2, 3]], 2, "row 2 is [2, 3]; row lengths"),
        ("euclid", [[3, 2], [4, 5, 6]], 1, "row 1 is [4, 5, 6]"),
        ("wythoff", [[3, 2], [4]], 1, "row 1 is [4]; wythoff"),
        ("nim", [[1, 2], [2**31, 3]], 1, "row 1 is [2147483648, 3]"),
        ("nim", [[1], [2**31, 3]], 1, "row 1 is [2147483648, 3]"),
        ("nim", [[0] * 40, [-1] * 40], 1, ", -1, ...]; heaps"),
    ],
)
def test_errors_quote_the_row_as_it_was_given(
    oracle: Oracle, game: str, rows: Any, row: int, quoted: str
) -> None:
    for ask in (oracle.outcomes, oracle.values, oracle.winning_move_batch):
        with pytest.raises(InvalidRowError) as caught:
            ask(game, rows)
        assert caught.value.row == row
        assert quoted in str(caught.value)
        copied = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - just made
        assert str(copied) == str(caught.value)


@pytest.mark.parametrize("game", HAVE_ROWS)
def test_a_row_without_numbers_is_answered_or_refused(oracle: Oracle, game: str) -> None:
    for ask in (oracle.outcomes, oracle.values, oracle.winning_move_batch):
        try:
            found = ask(game, [[1], []])
        except InvalidPositionError:
            continue
        assert len(found[0] if isinstance(found, tuple) else found) == 2
    with pytest.raises(InvalidPositionError, match="shape"):
        oracle.outcomes(game, np.zeros((2, 0), np.int32))


def test_16_numbers_of_a_row_are_quoted() -> None:
    assert "[" + ", ".join(["3"] * 16) + "]" in str(InvalidRowError(0, "no row", [3] * 16))
    assert "[" + ", ".join(["3"] * 16) + ", ...]" in str(InvalidRowError(0, "no row", [3] * 17))


@pytest.mark.parametrize("form", [np.int64, np.uint64, np.uint32])
def test_arrays_of_larger_numbers_are_refused(oracle: Oracle, form: type[np.integer[Any]]) -> None:
    rows = np.array([[1, 2**31 - 1], [3, 2**31]], form)
    assert oracle.outcomes("nim", rows[:1]).tolist() == [2]
    for ask in (row_groups, partial(oracle.outcomes, "nim")):
        with pytest.raises(InvalidRowError, match=r"row 1 is \[3, 2147483648\]"):
            ask(rows)


def test_invalid_rows_are_refused(oracle: Oracle) -> None:
    wrong: list[Any] = [[[1], 2], [1, 2, 3], [[[1]], [[2], [3]]], "nim", [[1], "2"]]
    for rows in wrong:
        with pytest.raises((InvalidPositionError, TypeError)):
            oracle.outcomes("nim", rows)
