"""Values of many positions equal those of single analyses; series of values of heaps."""

from itertools import combinations_with_replacement, islice

import numpy as np
import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.theory.octal import parse_code, solve_sequence
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answerer import MAX_SERIES, ValueKind
from position_oracle.schema.errors import (
    ArrayTypeError,
    InvalidPositionError,
    ResourceLimitError,
)
from tests.engine.games.test_actions import STARTS, positions

HAVE_ROWS = [name for name in STARTS if parse(STARTS[name][0]).coordinates]


def groups(family: str) -> dict[str, list[Position]]:
    """Return positions met in play, by their game and the number of coordinates."""
    found: dict[str, list[Position]] = {}
    for position in islice(positions(family), 20):
        key = f"{position.game.text} {len(position.coordinates)}"
        found.setdefault(key, []).append(position)
    return found


def one_by_one(oracle: Oracle, position: Position, kind: ValueKind) -> int:
    values = oracle.analyze(position, moves=False).values
    found = values.grundy if kind == "grundy" else values.remoteness
    return -1 if found is None else found


@pytest.mark.parametrize("kind", ["grundy", "remoteness"])
@pytest.mark.parametrize("family", HAVE_ROWS)
def test_rows_have_the_values_of_single_positions(family: str, kind: ValueKind) -> None:
    oracle = Oracle()
    for group in groups(family).values():
        rows = [position.coordinates for position in group]
        if rows[0]:
            expected = [one_by_one(oracle, position, kind) for position in group]
            assert oracle.values(group[0].game, rows, kind).tolist() == expected


def test_a_series_is_that_of_the_recursion() -> None:
    values = Oracle().series("kayles", 0, 300)
    known = solve_sequence(parse_code("0.77"), 300)
    assert values.tolist() == [known.at(heap) for heap in range(301)]
    assert values.dtype == np.dtype(np.int64)


@pytest.mark.parametrize(
    ("game", "first", "values"),
    [("nim", 5, [5, 6, 7]), ("nim{max=3}", 2, [2, 3, 0]), ("grundy", 1, [0, 0, 1])],
)
def test_series_of_heap_games(game: str, first: int, values: list[int]) -> None:
    assert Oracle().series(game, first, first + 2).tolist() == values


def test_an_unknown_row_leaves_the_others_known() -> None:
    """A row beyond the known values leaves the other rows known."""
    oracle = Oracle()
    game = "octal{code=8.[5!B],heappass}"
    rows = [[5, 0], [10**6, 0]]
    known = oracle.analyze(f"{game}:[5]", moves=False).values.grundy
    assert oracle.values(game, rows).tolist() == [known, -1]
    assert oracle.outcomes(game, rows).tolist() == [2, 0]


def test_misere_play_has_no_grundy_values() -> None:
    oracle = Oracle()
    assert oracle.values("kayles{misere}", [[5]]).tolist() == [-1]
    assert oracle.values("kayles{misere}", [[3]], "remoteness").tolist() == [2]


def test_questions_that_are_refused() -> None:
    oracle = Oracle()
    with pytest.raises(ArrayTypeError):
        oracle.values("nim", [[0.5]])
    with pytest.raises(InvalidPositionError, match="row 1"):
        oracle.values("nim", [[1], [-1]])
    with pytest.raises(InvalidPositionError, match="kind"):
        oracle.values("nim", [[1]], "outcome")  # type: ignore[arg-type]
    with pytest.raises(InvalidPositionError, match="heaps 3 to 2"):
        oracle.series("nim", 3, 2)
    with pytest.raises(ResourceLimitError, match="1,000,000"):
        oracle.series("nim", 0, MAX_SERIES)
    with pytest.raises(InvalidPositionError, match="chomp3"):
        oracle.series("chomp3", 0, 1)
    assert oracle.values("nim", []).tolist() == []


def test_the_cost_of_a_batch_grows_with_its_rows() -> None:
    """The cost also grows beyond the planned sample, because each row needs its own search."""
    heaps = list(combinations_with_replacement(range(1, 22), 3))
    rows = np.random.default_rng(1).permutation(heaps)
    oracle, game = Oracle(), "octal{code=0.77,passes=1}"
    costs = [oracle.plan("values", game, rows[:count]).cost.seconds for count in (20, 80, 364)]
    assert costs == sorted(costs)
    assert costs[2] > 2 * costs[1]


@pytest.mark.parametrize("kind", ["grundy", "remoteness"])
def test_rows_that_play_from_larger_rows_does_not_reach(kind: ValueKind) -> None:
    """From [9, 12], with five tokens a move, play reaches none of the other rows."""
    oracle, game = Oracle(), "nim{take=5,passes=1}"
    rows = [[7, 8], [9, 9], [3, 6], [4, 12]]
    alone = [int(oracle.values(game, [row], kind)[0]) for row in rows]
    assert oracle.values(game, rows, kind).tolist() == alone
    assert -1 not in alone


def test_rows_without_any_plan_cost_their_planning() -> None:
    oracle, game = Oracle(), "circular{k=2,declared=[3]}"
    plan = oracle.plan("series", game, 0, 1000)
    assert set(plan.run().tolist()) == {-1}
    assert plan.cost.seconds < 1


@pytest.mark.parametrize("code", ["0.[12]", pytest.param("0.142", marks=pytest.mark.slow)])
def test_a_row_with_one_heap_beyond_what_is_known_is_unknown(code: str) -> None:
    """The other heaps of the row do not matter."""
    rows = [[5, 6], [10**6, 5], [10**6, 6]]
    known = solve_sequence(parse_code(code), 6)
    expected = known.at(5) ^ known.at(6)
    assert Oracle().values(f"octal{{code={code}}}", rows, "grundy").tolist() == [expected, -1, -1]
