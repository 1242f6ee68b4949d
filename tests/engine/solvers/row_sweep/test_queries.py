"""Outcomes and winning moves from checkpoints equal those of the table."""

import random
import time

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.solvers.row_sweep import states
from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.solvers.row_sweep.query import Answers
from position_oracle.engine.solvers.row_sweep.states import bars
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.schema.errors import CorruptTableError, InvalidPositionError, StoppedError
from tests.clock import ends_soon
from tests.engine.solvers.row_sweep.support import LIMIT, SPACING, Swept, Table, table_of

Position = tuple[int, int, int]


@pytest.fixture(scope="module")
def answers(swept: Swept) -> Answers:
    return Answers(swept.census, swept.data, len(swept.checkpoints), SPACING)


def positions(limit: int, rows: int, count: int, seed: int) -> list[Position]:
    """Return random positions: anywhere, within 20 of the loser lines, and far out in the tails."""
    rng = random.Random(seed)
    chosen = []
    for j in range(count):
        x = rng.randint(0, limit)
        reach = 0.45 if j % 4 else 1.0
        y = min(rows - 1 - x, int(reach * x * rng.random()))
        z = int(0.72 * (x + y) * rng.random())
        if j % 2:
            line = 0.7071 * x - (0.2929 if rng.random() < 0.5 else 1.7071) * y
            z = max(0, int(line) + rng.randint(-20, 20))
        chosen.append((x, y, z))
    return chosen


def p_positions(table: Table, count: int, seed: int) -> list[Position]:
    rng = random.Random(seed)
    chosen: list[Position] = []
    while len(chosen) < count:
        x = rng.randrange(len(table.value))
        b = rng.randint(x, min(int(1.45 * x) + 3, table.value.shape[1] - 1))
        if table.value[x, b] >= 0:
            chosen.append((x, b - x, int(table.value[x, b]) - b))
    return chosen


def is_lost(table: Table, position: Position) -> bool:
    x, y, z = position
    return bool(table.value[x, x + y] == x + y + z)


def test_outcomes_and_moves_are_those_of_the_table(answers: Answers, table: Table) -> None:
    asked = positions(LIMIT, table.value.shape[1], 400, 1) + p_positions(table, 60, 2)
    for position, answer in zip(asked, answers.answers(asked), strict=True):
        assert answer.wins != is_lost(table, position), position
        expected = set() if not answer.wins else table.children(*position)
        assert set(answer.moves) == expected, position
        assert len(answer.moves) == len(expected)


def test_moves_are_found_in_the_rows_beside_every_checkpoint(
    answers: Answers, table: Table
) -> None:
    """The move M1, to a P-position some rows below, in rows beside the checkpoints."""
    rng = random.Random(6)
    asked: list[Position] = []
    lost: list[Position] = []
    for checkpoint in range(SPACING, LIMIT, SPACING):
        for row in range(checkpoint - 1, checkpoint + 2):
            for c in rng.sample(range(row // 2, row), 12):
                a, b = int(table.value[c, row]), row + rng.randint(1, 3)
                if a >= b:
                    asked.append((c, b - c, a - b))
                    lost.append((c, row - c, a - row))
    assert len(asked) > 100
    for position, child, answer in zip(asked, lost, answers.answers(asked), strict=True):
        assert child in answer.moves, position


def test_no_move_is_found_in_the_rows_from_a_checkpoint_on(
    swept: Swept, answers: Answers, table: Table
) -> None:
    """Rows at checkpoints, with a value that the column takes later; columns that end there."""
    rng, asked = random.Random(9), list[Position]()
    for b in range(SPACING, LIMIT, SPACING):
        for c in rng.sample(range(b // 2, b), 4):
            asked += [(c, b - c, int(a) - b) for a in table.value[c, b + 1 : b + 4] if a >= b]
    first = np.arange(LIMIT + 1) + swept.census.prefix_length
    for c in np.flatnonzero(first % SPACING == 0).tolist():
        end = int(first[c])
        for a in table.value[c, end - 3 : end].tolist():
            asked += [(c, b - c, a - b) for b in (end, end + 1) if a >= b > c]
    assert len(asked) > 60
    for position, answer in zip(asked, answers.answers(asked), strict=True):
        assert answer.wins != is_lost(table, position), position
        assert set(answer.moves) == (table.children(*position) if answer.wins else set()), position


def test_values_below_and_above_those_in_a_row_are_bits() -> None:
    """The values of a column: all of low .. high - 1, and any of the 64 on both sides."""
    rng = random.Random(8)
    low, high = 200, 230
    for _ in range(20):
        below, above = rng.getrandbits(64), rng.getrandbits(64)
        values = {low - 64 + bit for bit in range(64) if below >> bit & 1}
        values.update(range(low, high), (high + bit for bit in range(64) if above >> bit & 1))
        state = (low, high, below, above)
        assert {a for a in range(low - 130, high + 130) if bars(state, a)} == values


def test_one_by_one_and_together_is_the_same(answers: Answers, table: Table) -> None:
    asked = positions(LIMIT, table.value.shape[1], 40, 3) + p_positions(table, 10, 4)
    together = answers.answers(asked)
    alone = [answers.answer(position) for position in asked]
    assert [(a.wins, a.moves) for a in alone] == [(a.wins, a.moves) for a in together]
    assert [answers.answer(position, with_moves=False).wins for position in asked] == [
        a.wins for a in alone
    ]


def test_most_outcomes_are_read_not_swept(answers: Answers, table: Table) -> None:
    asked = positions(LIMIT, table.value.shape[1], 300, 5)[::2]
    outcomes = answers.answers(asked, with_moves=False)
    for position, outcome in zip(asked, outcomes, strict=True):
        assert outcome.wins != is_lost(table, position), position
    assert sum(outcome.swept for outcome in outcomes) < len(asked) / 2
    far = answers.answer((LIMIT, 10 * LIMIT, 3))
    assert not answers.answer((LIMIT, 10 * LIMIT, 3), with_moves=False).swept
    assert far.wins


def test_values_of_columns(answers: Answers, table: Table) -> None:
    for x, y in ((0, 0), (1, 0), (1, 1), (1, 2), (7, 3), (LIMIT, 0), (LIMIT, 40), (4_001, 1_500)):
        z = int(answers.losers(x, y, 1)[0])
        expected = int(table.value[x, x + y])
        assert (z < 0) == (expected < 0)
        assert z < 0 or x + y + z == expected


@pytest.mark.parametrize("x", [0, 1, 6, 1_234, 3_600, LIMIT])
def test_windows_of_both_sheets(answers: Answers, table: Table, x: int) -> None:
    rows = table.value.shape[1]
    y, count, width = min(x // 3, rows - x - 40), 40, x + 9
    b = np.arange(x + y, x + y + count)
    value = table.value[x, b]
    expected = np.where(value >= 0, value - b, -1)
    np.testing.assert_array_equal(answers.losers(x, y, count), expected)
    wins = np.zeros((count, width), np.bool_)
    diagonals = np.diagonal(table.value)[:x]
    for line, row in enumerate(b):
        reached = np.concatenate([table.value[:x, row], diagonals]) - row - 2
        wins[line, reached[(reached >= 0) & (reached < width)]] = True
    np.testing.assert_array_equal(answers.winners(x, y, 2, (count, width)), wins)


def test_far_out_rows_are_periodic(answers: Answers) -> None:
    """Beyond the ends of all sheets and all deadly diagonals, rows repeat with a common period."""
    near = 2 * LIMIT
    far = near + 36 * 10**30

    def columns_in_row(x: int, b: int, z: int) -> list[int]:
        moves = answers.answer((x, b - x, z)).moves
        return [left for left, up, _ in moves if left < x and left + up == b]

    for x in (5, 777, LIMIT):
        for z in (0, 1, 72, 1_000, 2_500):
            assert columns_in_row(x, near, z) == columns_in_row(x, far, z)
        np.testing.assert_array_equal(
            answers.winners(x, far - x, 1, (5, 3_000)),
            answers.winners(x, near - x, 1, (5, 3_000)),
        )
        assert answers.answer((x, x // 3, 10**40)).wins
        assert answers.winners(x, near - x, 10**40, (2, 2)).sum() == 0


def test_a_small_cache_answers_the_same(
    swept: Swept, answers: Answers, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "_KEPT", 1)
    frugal = Answers(swept.census, swept.data, len(swept.checkpoints), SPACING)
    for position in positions(LIMIT, table.value.shape[1], 12, 6):
        assert frugal.answer(position).moves == answers.answer(position).moves


def test_work_stops_when_nobody_waits_for_it(answers: Answers) -> None:
    budget = Budget()
    budget.cancel()
    with budget.active():
        with pytest.raises(StoppedError):
            answers.answer((LIMIT, 300, 2_000))
        with pytest.raises(StoppedError):
            answers.losers(LIMIT, 300, 5)
    assert answers.answer((LIMIT, 300, 2_000)).wins


def test_questions_wait_for_each_other_until_nobody_waits_for_them(answers: Answers) -> None:
    position = (LIMIT, 300, 2_000)
    questions = (
        lambda: answers.answer(position),
        lambda: answers.answer(position, with_moves=False),
        lambda: answers.losers(LIMIT, 300, 1),
        lambda: answers.winners(LIMIT, 300, 0, (1, 1)),
    )
    for question in questions:
        question()
        with (
            answers._lock,
            Budget(deadline=time.monotonic() + 0.03).active(),
            pytest.raises(StoppedError),
        ):
            question()


@pytest.mark.parametrize("spacing", [-SPACING, 0, 1, SPACING - 1, SPACING + 64])
def test_checkpoints_lie_at_multiples_of_a_tile(swept: Swept, spacing: int) -> None:
    with pytest.raises(ValueError, match=f"spacing = {spacing} is not a multiple"):
        Answers(swept.census, swept.data, len(swept.checkpoints), spacing)


def test_invalid_positions_and_damaged_checkpoints_are_errors(
    swept: Swept, answers: Answers
) -> None:
    for position in ((-1, 0, 0), (0, -1, 0), (0, 0, -1), (LIMIT + 1, 0, 0)):
        with pytest.raises(InvalidPositionError, match="is not a position"):
            answers.answer(position, with_moves=False)
    with pytest.raises(ValueError, match="empty or too large"):
        answers.losers(3, 0, 0)
    shifted = Answers(
        swept.census, lambda i: swept.data(max(1, i - 1)), len(swept.checkpoints), SPACING
    )
    with pytest.raises(CorruptTableError, match="is of row"):
        shifted.answer((LIMIT, 300, 2_000))


@pytest.mark.slow
def test_ten_thousand_positions_to_20_000() -> None:
    limit, spacing = 20_000, 1024
    data: dict[int, bytes] = {}
    found = census(limit, spacing=spacing, sink=lambda made: data.update({made.row: made.data}))
    answers = Answers(found, lambda i: data[i * spacing], len(data), spacing)
    table = Table(table_of(solve(limit + 1), limit, int(1.45 * limit)))
    asked = positions(limit, table.value.shape[1], 9_000, 7) + p_positions(table, 1_000, 8)
    outcomes = answers.answers(asked, with_moves=False)
    for position, outcome in zip(asked, outcomes, strict=True):
        assert outcome.wins != is_lost(table, position), position
    for position, answer in zip(asked, answers.answers(asked), strict=True):
        assert answer.wins != is_lost(table, position), position
        if answer.wins:
            assert all(is_lost(table, child) for child in answer.moves)
            assert answer.moves
    for position, answer in zip(asked[::20], answers.answers(asked[::20]), strict=True):
        if answer.wins:
            assert set(answer.moves) == table.children(*position), position


@pytest.mark.slow
def test_a_sweep_stops_within_50_ms() -> None:
    limit, spacing = 100_000, 4096
    data: dict[int, bytes] = {}
    found = census(limit, spacing=spacing, sink=lambda made: data.update({made.row: made.data}))
    answers = Answers(found, lambda i: data[i * spacing], len(data), spacing)
    position = (99_000, 23 * spacing + 4_000 - 99_000 + spacing, 30_000)
    answers.answer(position)
    assert ends_soon(0.05, lambda: answers.answers([position] * 5_000))
