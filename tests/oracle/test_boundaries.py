"""At each boundary, and one before and behind it, the answer equals that of a naive search.

Boundaries of a three-row table are the first and last sheets, the ends of prefixes, the last column
of games with noise, the value that marks an absent position, and the largest numbers. A boundary of
games of heaps is the number of heaps.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.position import Position
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.engine.theory.octal import extend_values, parse_code
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.chomp3.index import build_index
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.oracle.families.octal_heap_pass import BROKEN_HEAP, MAX_HEAP
from position_oracle.oracle.families.rows import packed_child
from position_oracle.oracle.families.sources import INT32_MAX
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.sheets import NO_Z, LoserSheets
from tests.oracle.tables import heap_table, three_row_table

LIMIT, COLUMNS = 24, 30
ABSENT = 65_535
"""The number that marks a place without a P-position in rows of 16 bits."""

GAMES = (
    "chomp3",
    "chomp3{passes=1}",
    "chomp3{declared=[2,40000,2]}",  # has values that need 32 bits
    "chomp3{noise=normal(8),seed=7}",
)


@cache
def sheets_of(game: str) -> LoserSheets:
    spec = parse_game(game)
    return solve_game(spec, LIMIT + 1, COLUMNS if spec.noise else None)


@cache
def table_of(game: str) -> SheetTable:
    return SheetTable(parse_game(game), build_index(sheets_of(game)), None)


def near(*numbers: int) -> st.SearchStrategy[int]:
    """Return each number, one less and one more."""
    around = sorted({number + step for number in numbers for step in (-1, 0, 1)})
    return st.sampled_from([number for number in around if number >= 0])


@st.composite
def cells(draw: st.DrawFn, game: str) -> tuple[int, int, int]:
    """A position of this game, at one or more boundaries of its table."""
    sheets = sheets_of(game)
    x = draw(st.one_of(near(0, 1, LIMIT - 1), st.integers(0, LIMIT)))
    length = int(sheets.prefix_length[x])
    y = draw(near(0, length, length + int(max(sheets.tail_period[x], 0)), COLUMNS, COLUMNS - x))
    value = int(sheets.look_up(x, np.array([min(y, COLUMNS - 1)]))[0])
    z = draw(near(0, max(value, 0), max(value, 0) + x, ABSENT, ABSENT - 1))
    return x, y, z


def children(x: int, y: int, z: int) -> NDArray[np.int64]:
    """Return all positions that one bite leads to, one in each row."""
    a, b, c = x + y + z, x + y, x
    first, second, third = np.arange(a), np.arange(b), np.arange(c)
    rows = np.concatenate([np.full(c, a), np.full(b, a), first])
    middle = np.concatenate([np.full(c, b), second, np.minimum(first, b)])
    last = np.concatenate([third, np.minimum(second, c), np.minimum(first, c)])
    return np.unique(np.stack([last, middle - last, rows - middle], axis=1), axis=0)


def naive_wins(game: str, position: tuple[int, int, int]) -> set[tuple[int, ...]]:
    """Return the children that are on their loser sheets."""
    sheets, found = sheets_of(game), children(*position)
    wins: set[tuple[int, ...]] = set()
    for x in np.unique(found[:, 0]).tolist():
        of_sheet = found[found[:, 0] == x]
        is_p = sheets.look_up(x, of_sheet[:, 1]) == of_sheet[:, 2]
        wins |= {tuple(each) for each in of_sheet[is_p].tolist()}
    return wins


def is_known(game: str, y: int) -> bool:
    return parse_game(game).noise is None or y < COLUMNS


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data())
@settings(max_examples=25)
def test_three_row_tables(game: str, data: st.DataObject) -> None:
    position = data.draw(cells(game))
    x, y, z = position
    table = table_of(game)
    assert table.covers(position) is is_known(game, y)
    rows = np.array([position, (0, 0, 1), position], np.int64)
    assert table.covers_rows(rows).tolist() == [is_known(game, y), True, is_known(game, y)]
    if not table.covers(position):
        return
    at = int(sheets_of(game).look_up(x, np.array([y]))[0])
    assert (table.outcome(position) is Outcome.P) == (at == z != NO_Z)
    knows_all = not parse_game(game).noise or x + y < COLUMNS
    assert table.has_all_children(position) is knows_all
    if knows_all:
        wins = naive_wins(game, position)
        found = table.winning_children(position)
        assert len(set(found)) == len(found)
        if at != z:  # for P-positions the table is not asked for moves
            assert set(found) == wins


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data())
@settings(max_examples=25)
def test_batches_at_boundaries_are_their_rows(game: str, data: st.DataObject) -> None:
    oracle = oracle_of(game)
    rows = np.array(data.draw(st.lists(cells(game), min_size=1, max_size=5)), np.int32)
    outcomes, moves = oracle.winning_move_batch(parse_game(game), rows)
    np.testing.assert_array_equal(outcomes, oracle.outcomes(parse_game(game), rows))
    for row, outcome, move in zip(rows.tolist(), outcomes.tolist(), moves.tolist(), strict=True):
        answer = oracle.winning_moves(Position(parse_game(game), tuple(row)))
        assert answer.outcome == outcome
        first = next((m.child for m in answer.winning_moves or () if not m.is_pass), None)
        if first is not None:
            assert tuple(move) == first.coordinates


@cache
def oracle_of(game: str) -> Oracle:
    return Oracle([three_row_table(parse_game(game), sheets_of(game))])


HEAP_GAMES = (
    "nim",
    "nim{misere}",
    "nim{max=3}",
    "nim{take=1+3+4,misere}",
    "kayles",
    "octal{code=0.77}",
    "moore{k=2}",
    "staircase",
)


@pytest.mark.parametrize("game", HEAP_GAMES)
def test_as_many_heaps_as_are_allowed(game: str) -> None:
    """Texts and batches accept the largest number of heaps, and refuse one more."""
    oracle, rng = Oracle(), np.random.default_rng(3)
    for count in (MAX_HEAPS - 1, MAX_HEAPS):
        rows = rng.integers(1, 9, (4, count), np.int32)
        rows[1, 1:] = 0
        outcomes = oracle.outcomes(game, rows)
        for row, outcome in zip(rows.tolist(), outcomes.tolist(), strict=True):
            text = f"{game}:{row}".replace(" ", "")
            assert oracle.outcome(text).outcome == outcome
            assert oracle.winning_moves(text).outcome == outcome
    with pytest.raises(InvalidPositionError, match=str(MAX_HEAPS)):
        oracle.outcomes(game, np.ones((2, MAX_HEAPS + 1), np.int32))


@pytest.mark.parametrize("game", ["nim{max=3}", "nim{take=1+3+4,misere}", "kayles"])
def test_as_many_heaps_as_are_allowed_in_wider_rows(game: str) -> None:
    rows = np.pad(np.ones((2, MAX_HEAPS), np.int32), ((0, 0), (0, 2)))
    wider = Oracle().outcomes(game, rows).tolist()
    assert wider == Oracle().outcomes(game, rows[:, :MAX_HEAPS]).tolist()


@pytest.mark.parametrize("game", ["nim{heaps=3,passes=1}", "wythoff{rule=all}"])
def test_tables_of_heaps_end_at_their_last_row_and_column(game: str) -> None:
    """At the end of a table and beyond, answers equal those of an oracle without a table."""
    spec, last_x, last_y = parse_game(game), 8, 11
    stored, bare = Oracle([heap_table(spec, last_x, last_y)]), Oracle()
    for x in (0, last_x - 1, last_x, last_x + 1):
        for y in (last_x, last_y - 1, last_y, last_y + 1):
            for z in (y, last_y, last_y + 1, last_y + last_x):
                text = f"{spec.family}:[{x},{y},{z};1]" if spec.passes else None
                text = text or f"wythoff{{rule=all}}:[{x},{y},{z}]"
                one, other = stored.winning_moves(text), bare.winning_moves(text)
                assert one.outcome is other.outcome, text
                assert one.winning_moves == other.winning_moves, text


def test_the_largest_number_of_a_row() -> None:
    """A child is written into a row if its numbers fit; if not, the error names the row."""
    assert packed_child("nim:[3]", (5, INT32_MAX), 3, 0).tolist() == [5, INT32_MAX, 0]
    with pytest.raises(InvalidPositionError, match="7"):
        packed_child("nim:[3]", (5, INT32_MAX + 1), 3, 7)


def test_heaps_at_which_a_table_is_doubled() -> None:
    known = extend_values(parse_code("0.142"), np.zeros(0, np.int64), 1026)
    for heap in (256, 512, 1024):
        for one in (heap - 1, heap, heap + 1):  # each heap is the largest of its table
            found = Oracle().values("octal{code=0.142}", [[one]], "grundy")
            assert found.tolist() == [known[one]]


@pytest.mark.parametrize(("code", "largest"), [("0.7F", BROKEN_HEAP), ("0.16", MAX_HEAP)])
def test_the_largest_heap_with_a_pass_whose_value_is_computed(code: str, largest: int) -> None:
    """No period is certified of these codes. Texts and batches have the same limit."""
    game, oracle = f"octal{{code={code},heappass}}", Oracle()
    for heap in (largest, largest + 1):
        known = oracle.outcome(f"{game}:[{heap}p]").outcome
        assert (known is Outcome.UNKNOWN) is (heap > largest)
        assert oracle.outcomes(game, [[heap, 1]]).tolist() == [known]
