"""One object is asked at every boundary and in any order; each answer agrees with the table.

Boundaries are checkpoint rows, tiles, lanes of eight columns, ends of prefixes, and the last sheet.
"""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.driver import Checkpoint, census
from position_oracle.engine.solvers.row_sweep.query import Answers
from position_oracle.engine.solvers.row_sweep.tile import TILE
from position_oracle.engine.solvers.three_row.build import solve
from tests.engine.solvers.row_sweep.support import LIMIT, SPACING, Swept, Table, table_of

ROWS = int(1.5 * LIMIT)
CHECKPOINTS = ROWS // SPACING

Question = tuple[str, tuple[int, ...]]


def answers_of(swept: Swept) -> Answers:
    return Answers(swept.census, swept.data, len(swept.checkpoints), SPACING)


def ends(swept: Swept) -> NDArray[np.int64]:
    """Return the row in which the tail of each sheet begins."""
    return np.arange(LIMIT + 1) + swept.census.prefix_length


def near(number: st.SearchStrategy[int]) -> st.SearchStrategy[int]:
    return st.builds(int.__add__, number, st.sampled_from((0, -1, 1)))


columns = st.one_of(
    st.integers(0, 16),
    near(st.integers(1, LIMIT // 8 - 1).map(lambda n: 8 * n)),
    near(st.integers(1, LIMIT // SPACING).map(lambda k: SPACING * k)),
    st.sampled_from((LIMIT, LIMIT - 1)),
    st.integers(0, LIMIT),
)
rows = st.one_of(
    near(st.integers(1, CHECKPOINTS).map(lambda k: SPACING * k)),
    near(st.integers(1, ROWS // TILE - 1).map(lambda k: TILE * k)),
    st.integers(0, ROWS - 2),
)


@st.composite
def positions(draw: st.DrawFn, swept: Swept, table: Table) -> tuple[int, int, int]:
    """A position in the table: often lost, or with one of the winning moves M1 to M5."""
    c = draw(columns)
    at_end = draw(st.booleans())
    b = draw(near(st.just(int(ends(swept)[c])))) if at_end else draw(rows)
    b = min(max(b, c), ROWS - 2)
    kind = draw(st.sampled_from(("value", "same column", "same row", "diagonal", "any")))
    other_row, other = draw(st.integers(c, b)), draw(st.integers(0, c))
    a = {
        "value": int(table.value[c, b]),
        "same column": int(table.value[c, other_row]),
        "same row": int(table.value[other, b]),
        "diagonal": int(table.value[other, other]),
        "any": b + draw(st.integers(0, LIMIT)),
    }[kind]
    return c, b - c, max(0, a + draw(st.sampled_from((0, 0, 1, -1))) - b)


@st.composite
def questions(draw: st.DrawFn, swept: Swept, table: Table) -> Question:
    kind = draw(st.sampled_from(("answer", "outcome", "losers", "winners")))
    x, y, z = draw(positions(swept, table))
    if kind in {"answer", "outcome"}:
        return kind, (x, y, z)
    count = draw(st.integers(1, min(3, ROWS - x - y)))
    z = draw(st.sampled_from((z, 0, max(0, z - 60))))
    return kind, (x, y, count) if kind == "losers" else (x, y, z, count, 70)


def taken_below(table: Table, x: int, row: int) -> NDArray[np.int32]:
    """Return the values in a row of the columns below x, and their deadly diagonals."""
    return np.concatenate([table.value[:x, row], np.diagonal(table.value)[:x]])


def check(answers: Answers, table: Table, question: Question) -> None:
    kind, numbers = question
    x, y = numbers[:2]
    if kind in {"answer", "outcome"}:
        is_lost = table.value[x, x + y] == sum(numbers)
        found = answers.answer((x, y, numbers[2]), with_moves=kind == "answer")
        assert found.wins != is_lost
        expected = table.children(*numbers) if kind == "answer" and not is_lost else set()
        assert set(found.moves) == expected
        assert len(found.moves) == len(expected)
    elif kind == "losers":
        value = table.value[x, x + y : x + y + numbers[2]]
        row = np.arange(x + y, x + y + numbers[2])
        np.testing.assert_array_equal(
            answers.losers(x, y, numbers[2]), np.where(value < 0, -1, value - row)
        )
    else:
        z, count, width = numbers[2:]
        expected_wins = [
            np.isin(x + y + i + z + np.arange(width), taken_below(table, x, x + y + i))
            for i in range(count)
        ]
        np.testing.assert_array_equal(answers.winners(x, y, z, (count, width)), expected_wins)


@pytest.fixture(scope="module")
def check_all(swept: Swept, table: Table) -> Callable[[list[Question]], None]:
    def run(asked: list[Question]) -> None:
        answers = answers_of(swept)
        for question in asked:
            check(answers, table, question)

    return run


@given(data=st.data())
@settings(max_examples=120)
def test_any_questions_in_any_order(
    data: Any, swept: Swept, table: Table, check_all: Callable[[list[Question]], None]
) -> None:
    check_all(data.draw(st.lists(questions(swept, table), min_size=1, max_size=4)))


@given(data=st.data())
@settings(max_examples=40)
def test_questions_between_the_same_checkpoints(
    data: Any, swept: Swept, table: Table, check_all: Callable[[list[Question]], None]
) -> None:
    """One replay follows another from the same checkpoint with more, or fewer, columns."""
    k = data.draw(st.integers(1, CHECKPOINTS - 1))
    asked = []
    for _ in range(3):
        kind, numbers = data.draw(questions(swept, table))
        x = data.draw(st.sampled_from((1, 2, 7, 40, 8 * (k * SPACING // 24), numbers[0])))
        row = k * SPACING + data.draw(st.integers(0, SPACING - 4))
        asked.append((kind, (x, max(0, row - x), *numbers[2:])))
    check_all(asked)


def test_sheets_whose_tails_begin_at_a_checkpoint(
    swept: Swept, check_all: Callable[[list[Question]], None]
) -> None:
    """The tails begin in the row of a checkpoint, or one row beside it."""
    found = np.flatnonzero(ends(swept) % SPACING == 0)
    found = found[(ends(swept)[found] > 0) & (found < LIMIT)]
    assert len(found) > 3
    asked: list[Question] = []
    for x in found.tolist():
        for y in (int(ends(swept)[x]) - x + step for step in (-1, 0, 1)):
            asked += [
                ("losers", (x, max(0, y - 1), 3)),
                ("winners", (x + 1, max(0, y - 1), 0, 2, 40)),
            ]
            asked += [("outcome", (x, y, 0)), ("answer", (x, y, 1))]
    check_all(asked)


def test_the_largest_value() -> None:
    """Sheet 117 has the largest z of all up to 118, in a row in which column 118 has begun."""
    limit, spacing, made = 118, 128, list[Checkpoint]()
    found = census(limit, spacing=spacing, sink=made.append)
    swept, table = Swept(found, made), Table(table_of(solve(limit + 1), limit, 2 * limit))
    largest = int(found.max_z.max())
    assert table.value[limit - 1, limit + 1] == limit + 1 + largest
    answers = Answers(found, swept.data, len(made), spacing)
    for x, y, step in product((limit - 1, limit), range(4), (-1, 0, 1)):
        position = (x, y, largest + step)
        for question in (("answer", position), ("outcome", position)):
            check(answers, table, question)
        check(answers, table, ("winners", (*position, 2, 3)))


def test_rows_far_out_of_every_residue(swept: Swept) -> None:
    """In far rows, winners and moves follow from the tails of sheets alone."""
    answers, census = answers_of(swept), swept.census
    period = answers._common_period
    assert period > 4
    sheets = np.flatnonzero(census.tail_period > 0)
    x = LIMIT
    for far in (2**36 - 3, 2**36, 2**40 + 1):
        for row in range(far, far + period):
            length, offset = census.prefix_length[sheets], census.tail_offset[sheets]
            step = (row - sheets - length) % census.tail_period[sheets]
            z = census.tail_z[offset + step]
            wins = np.zeros(int(z.max()) + 8, np.bool_)
            wins[z[sheets < x]] = True
            np.testing.assert_array_equal(answers.winners(x, row - x, 0, (1, len(wins)))[0], wins)
            for place in (0, 1, len(sheets) // 2, len(sheets) - 2):
                moves = answers.answer((x, row - x, int(z[place]))).moves
                assert (int(sheets[place]), row - int(sheets[place]), int(z[place])) in moves


def test_threads_ask_one_object(swept: Swept, table: Table) -> None:
    """Threads share the object; each sweep uses working arrays of its own."""
    answers, rng = answers_of(swept), random.Random(4)
    asked: list[Question] = []
    for _ in range(60):
        x = rng.randrange(1, LIMIT)
        y = rng.randrange(max(1, min(x // 2, ROWS - x - 3)))
        asked += [("answer", (x, y, rng.randrange(x))), ("winners", (x, y, 0, 2, 50))]
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda question: check(answers, table, question), asked):
            pass
