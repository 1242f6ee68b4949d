"""Questions and answers, for both clients on a real server."""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from position_oracle import (
    Answer,
    ArrayTypeError,
    Certainty,
    ClientClosedError,
    InvalidQuestionError,
    Move,
    OracleClient,
    OracleClientError,
    Outcome,
    UnknownGameError,
    UnsupportedQuestionError,
    tls,
)
from position_oracle.clients._batches import Batches, Part
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle
from position_oracle.schema.games import BatchLimits
from tests.clients.conftest import Connect


@pytest.fixture
def asked(connect: Connect, port: int) -> Any:
    return connect(port)


def test_outcome(asked: Any) -> None:
    answer = asked.outcome(" chomp3:[4, 3, 2]")
    assert isinstance(answer, Answer)
    assert answer.position == "chomp3:[4,3,2]"
    assert answer.outcome is Outcome.N
    assert answer.certainty is Certainty.EXACT_TABLE
    assert "chomp3" in answer.reason
    assert answer.winning_moves is None


def test_winning_moves(asked: Any) -> None:
    answer = asked.winning_moves("chomp3:[4,3,2]")
    assert Move("chomp3:[2,5,2]") in answer.winning_moves
    for move in answer.winning_moves:
        assert asked.outcome(move.position).outcome is Outcome.P


def test_a_p_position_has_no_winning_moves(asked: Any) -> None:
    assert asked.winning_moves("chomp3:[0,0,1]").winning_moves == ()


def test_unknown_is_an_answer(asked: Any) -> None:
    answer = asked.winning_moves("chomp3:[100000,5,3]")
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.certainty is Certainty.UNKNOWN
    assert answer.winning_moves is None
    assert "oracle build" in answer.reason


def test_the_geometry_of_stored_sheets(asked: Any, oracle: Oracle) -> None:
    found = asked.geometry("chomp3")
    assert found == oracle.geometry(GameSpec("chomp3"))
    assert [(shape.first_x, shape.last_x) for shape in found.shapes] == [(75, 149), (150, 300)]
    alpha = found.last["alpha"]
    assert alpha.value == pytest.approx(2**-0.5, abs=0.01)
    assert alpha.standard_error > 0
    assert alpha.deviation == alpha.value - alpha.expected
    assert "diagonal" in alpha.meaning
    assert found.last["upper_least"].standard_error is None
    assert found.last.table == "geometry"
    with pytest.raises(KeyError):
        found.last["beta"]


def test_chances_beyond_every_table(asked: Any, oracle: Oracle) -> None:
    column = asked.estimate_column(10**9, 1000)
    assert column == oracle.estimate_column(10**9, 1000)
    opening = asked.estimate_opening(10**9)
    assert opening == oracle.estimate_opening(10**9)
    answer = asked.outcome(column.candidates[0].position)
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.estimate.chance == pytest.approx(column.candidates[0].chance)
    assert answer.estimate == oracle.outcome(answer.position).estimate
    with pytest.raises(InvalidQuestionError):
        asked.estimate_column(0, 5)
    with pytest.raises(InvalidQuestionError):
        asked.estimate_opening(2**70)


def test_a_game_without_a_geometry(asked: Any) -> None:
    with pytest.raises(UnsupportedQuestionError, match="transfinite has no sheets"):
        asked.geometry("transfinite")
    with pytest.raises(UnknownGameError):
        asked.geometry("checkers")


def test_games(asked: Any) -> None:
    (info,) = (info for info in asked.games() if info.game == "chomp3")
    assert info.introduction.title == "Three-row Chomp"
    assert {"winning_moves", "estimates"} < set(info.questions)
    (source,) = (each for each in info.sources if each.build and each.build.kind == "sheets")
    assert source.limits == {"x": 300}
    assert source.certainty is Certainty.EXACT_TABLE
    assert source.build.rows > 0
    assert datetime(2020, 1, 1, tzinfo=UTC) < source.build.start_time


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint64, ">i4"])
def test_any_integer_array_is_taken(asked: Any, oracle: Oracle, dtype: str) -> None:
    positions = np.random.default_rng(1).integers(0, 100, (500, 3))
    expected = oracle.outcomes(GameSpec("chomp3"), positions.astype(np.int32))
    outcomes = asked.outcomes("chomp3", positions.astype(dtype))
    assert outcomes.dtype == np.uint8
    assert np.array_equal(outcomes, expected)
    assert np.array_equal(asked.outcomes("chomp3", np.asfortranarray(positions)), expected)
    assert np.array_equal(asked.outcomes("chomp3", positions.tolist()), expected)


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 1234])
def test_large_arrays_are_split(connect: Connect, port: int, oracle: Oracle, count: int) -> None:
    positions = np.random.default_rng(count).integers(0, 320, (count, 3), dtype=np.int32)
    client = connect(port, batch_positions=100)
    expected, children = oracle.winning_move_batch(GameSpec("chomp3"), positions)
    assert np.array_equal(client.outcomes("chomp3", positions), expected)
    outcomes, moves = client.winning_move_batch("chomp3", positions)
    assert np.array_equal(outcomes, expected)
    assert np.array_equal(moves, children)
    assert moves.dtype == np.int32
    assert moves.flags.writeable


def test_half_a_million_positions(asked: Any, oracle: Oracle) -> None:
    positions = np.random.default_rng(5).integers(0, 300, (500_000, 3), dtype=np.int32)
    expected = oracle.outcomes(GameSpec("chomp3"), positions)
    assert np.array_equal(asked.outcomes("chomp3", positions), expected)


def test_wide_arrays_are_split_by_bytes() -> None:
    batches = Batches("chomp", np.ones((100_000, 64), np.int32))
    parts = list(batches.parts)
    assert all(batches.packed(part).ByteSize() <= BatchLimits().size for part in parts)
    assert sum(part.count for part in parts) == 100_000


def test_a_batch_tells_where_only_the_pass_wins(asked: Any) -> None:
    x, y = (axis.ravel() for axis in np.mgrid[0:6, 0:6])
    positions = np.stack((x, y, np.ones_like(x)), axis=1)
    outcomes, children = asked.winning_move_batch("chomp3{passes=1}", positions)
    only_pass = (children == -2).all(axis=1)
    assert only_pass.any()
    for row in positions[only_pass]:
        moves = asked.winning_moves(f"chomp3:[{row[0]},{row[1]},{row[2]};1]").winning_moves
        assert [move.is_pass for move in moves] == [True]
    assert (outcomes[only_pass] == Outcome.N).all()


BAD_TEXTS = ["", "chomp3", "chomp3:[1,2]", "chomp3:[NaN,0,0]", f"chomp3:[{2**63},0,0]", "x" * 9999]


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_bad_texts(asked: Any, text: str) -> None:
    with pytest.raises(InvalidQuestionError) as caught:
        asked.outcome(text)
    assert caught.value.field == "position.text"
    assert isinstance(caught.value, ValueError)
    with pytest.raises(InvalidQuestionError):
        asked.winning_moves(text)


def test_text_that_cannot_be_sent(asked: Any) -> None:
    with pytest.raises(InvalidQuestionError, match="not Unicode text"):
        asked.outcome("chomp3:[\ud800]")


@pytest.mark.parametrize(
    ("positions", "error", "says"),
    [
        ([[1.0, 2.0, 3.0]], ArrayTypeError, "float64"),
        ([[True, False, True]], ArrayTypeError, "bool"),
        ([["1", "2", "3"]], ArrayTypeError, "allowed are integer types"),
        ([[2**64, 0, 0]], ArrayTypeError, "object"),
        (np.array([[np.nan, 0, 0]]), ArrayTypeError, "float64"),
        ([[1, 2, 3], [1, 2]], InvalidQuestionError, r"row 1 is \[1, 2\]"),
        (np.array([1, 2, 3]), InvalidQuestionError, r"\(3,\); allowed is \(n, k\)"),
        (np.zeros((2, 3, 4), int), InvalidQuestionError, "allowed is"),
        (np.zeros((2, 0), int), InvalidQuestionError, "allowed is"),
        (np.zeros((2, 65), int), InvalidQuestionError, "positions.width"),
        (np.zeros((2, 4), int), InvalidQuestionError, "positions.coordinates"),
        ([[0, 0, 1], [0, 2**31, 0]], InvalidQuestionError, r"row 1 is \[0, 2147483648, 0\]"),
        ([[0, 0, -(2**31) - 1]], InvalidQuestionError, "row 0"),
        (np.array([[2**63, 0, 0]], np.uint64), InvalidQuestionError, "one at a time"),
        ([[0, 0, 1], [3, -1, 2]], InvalidQuestionError, r"row 1 is \[3, -1, 2\]"),
    ],
)
def test_bad_arrays(asked: Any, positions: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        asked.outcomes("chomp3", positions)
    with pytest.raises(error, match=says):
        asked.winning_move_batch("chomp3", positions)


def test_an_unknown_game(asked: Any) -> None:
    with pytest.raises(UnknownGameError, match="no game 'go'"):
        asked.outcome("go:[1]")
    with pytest.raises(LookupError, match="no game 'go'"):
        asked.outcomes("go", [[1, 2, 3]])


def test_a_batch_beyond_the_limit_of_the_server(connect: Connect, port: int) -> None:
    client = connect(port, batch_positions=200_000)
    with pytest.raises(InvalidQuestionError, match="the limit is 100000"):
        client.outcomes("chomp3", np.zeros((100_001, 3), np.int32))


def test_a_closed_client(connect: Connect, port: int) -> None:
    client = connect(port)
    client.outcome("chomp3:[1,2,3]")
    client.close()
    with pytest.raises(ClientClosedError):
        client.outcome("chomp3:[1,2,3]")
    with pytest.raises(ClientClosedError):
        client.outcomes("chomp3", [[1, 2, 3]])


SETTINGS = [
    ({"retry_for": -1}, ValueError),
    ({"retry_for": "long"}, TypeError),
    ({"timeout": 0}, ValueError),
    ({"timeout": math.nan}, ValueError),
    ({"timeout": "soon"}, TypeError),
    ({"timeout": True}, TypeError),
    ({"batch_positions": 0}, ValueError),
    ({"batch_positions": 1.5}, TypeError),
    ({"credentials": "ca.pem"}, TypeError),
    ({"token": "two words\n"}, ValueError),
    ({"token": b"bytes"}, TypeError),
]


@pytest.mark.parametrize(("options", "built_in"), SETTINGS)
def test_settings_that_cannot_work(
    connect: Connect, port: int, options: dict[str, Any], built_in: type[Exception]
) -> None:
    with pytest.raises(OracleClientError, match=next(iter(options))) as caught:
        connect(port, **options)
    assert isinstance(caught.value, built_in)


@pytest.mark.parametrize("address", ["", "here", "host:port", "host:99999", "a b:1", 50051, None])
def test_invalid_addresses_are_refused(address: Any) -> None:
    with pytest.raises(OracleClientError, match=r"address|port") as caught:
        OracleClient(address)
    assert isinstance(caught.value, ValueError | TypeError)


def test_a_token_in_plain_text_is_refused() -> None:
    with pytest.raises(OracleClientError, match="only over TLS"):
        OracleClient("oracle.example:50051", token="secret")  # noqa: S106 - no real one
    with pytest.raises(OracleClientError, match="both a certificate and its key"):
        tls(certificate="own.pem")
    with pytest.raises(OracleClientError, match="no-such-file") as caught:
        tls(ca="no-such-file")
    assert isinstance(caught.value, OSError)


ARGUMENTS: list[Callable[[Any], object]] = [
    lambda asked: asked.outcome(3),
    lambda asked: asked.outcome(None),
    lambda asked: asked.outcome("nim:[3]", timeout="soon"),
    lambda asked: asked.outcome("nim:[3]", timeout=-1),
    lambda asked: asked.winning_moves(b"nim:[3]"),
    lambda asked: asked.best_move(["nim:[3]"]),
    lambda asked: asked.moves("nim:[3]", most="many"),
    lambda asked: asked.moves("nim:[3]", most=1.5),
    lambda asked: asked.best_line("nim:[3]", "many"),
    lambda asked: asked.best_line("nim:[3]", 2.5),
    lambda asked: asked.outcomes(3, [[1]]),
    lambda asked: asked.outcomes("nim", None),
    lambda asked: asked.outcomes("nim", "rows"),
    lambda asked: asked.win_probability("nim:[3]", 0.1),
    lambda asked: asked.win_probabilities("nim", [[3]], None),
    lambda asked: asked.losers("chomp3", 2**40, 3),
    lambda asked: asked.losers("chomp3", "x", 3),
    lambda asked: asked.instant_winners("chomp3", 1, 2**40, 1),
    lambda asked: asked.instant_winners("chomp3", 1, 1.5, 1),
    lambda asked: asked.estimate_column("x", 3),
    lambda asked: asked.estimate_column(2**70, 3),
    lambda asked: asked.estimate_opening(None, most=-(2**70)),
    lambda asked: asked.geometry(3),
    lambda asked: asked.turns(3),
    lambda asked: asked.wait_ready("soon"),
]


@pytest.mark.parametrize("ask", ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_every_wrong_argument_is_an_error_of_the_client(
    asked: Any, ask: Callable[[Any], object]
) -> None:
    with pytest.raises(OracleClientError) as caught:
        ask(asked)
    assert isinstance(caught.value, ValueError | TypeError)


def test_a_million_rows_of_dawsons_kayles(client: OracleClient) -> None:
    """The answer of Project Euler, problem 306."""
    outcomes = client.outcomes("dawson", np.arange(1, 1_000_001)[:, np.newaxis])
    assert int((outcomes == Outcome.N).sum()) == 852_938


def test_rows_of_several_lengths_and_moves_that_split(asked: Any) -> None:
    rows = [[3, 5, 7], [4], [2, 2], []]
    assert asked.outcomes("nim", rows).tolist() == [2, 2, 1, 1]
    outcomes, children = asked.winning_move_batch("octal{code=0.77}", [[5], [7], [1, 2, 3], [0]])
    assert outcomes.tolist() == [2, 2, 1, 1]
    assert children.tolist() == [[2, 2, 0], [1, 4, 0], [-1, -1, -1], [-1, -1, -1]]


@pytest.mark.parametrize("size", [1, 3, 100_000])
def test_errors_name_and_quote_the_row_of_the_array(connect: Connect, port: int, size: int) -> None:
    client = connect(port, batch_positions=size)
    rows: list[list[int]] = [[1, 2, 3]] * 10
    rows[7] = [4, -5, 6]
    with pytest.raises(InvalidQuestionError, match=r"row 7 is \[4, -5, 6\]") as caught:
        client.outcomes("chomp3", rows)
    assert caught.value.row == 7
    ragged = [[1], [2, 3], [4, 5], [6, -7]]
    with pytest.raises(InvalidQuestionError, match=r"row 3 is \[6, -7\]; heaps") as caught:
        client.outcomes("nim", ragged)
    assert caught.value.row == 3


@pytest.mark.parametrize(("said", "row"), [("1", 7), ("2", None), ("-1", None), ("\u00b2", None)])
def test_the_row_of_a_request_is_that_of_the_array(said: str, row: int | None) -> None:
    """The error names the row of the whole array.

    Text that is no row of the request stays as it is.
    """
    part = Part(np.array([3, 7]), np.zeros((2, 3), np.int32))
    error = InvalidQuestionError(f"row {said} is wrong")
    error.facts = {"row": said}
    says = pytest.raises(InvalidQuestionError, match=f"^row {row or said} is wrong")
    with says as caught, part.as_given():
        raise error
    assert caught.value.row == row
