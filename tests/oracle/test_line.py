"""Best lines: each move is as good as any other, and remoteness proves their length."""

from typing import Any

import pytest

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.moves import act, is_over
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.oracle.answers import Answer
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import InvalidPositionError

WHOLE = [
    "chomp:4/3/2",
    "chomp:5/5/5",
    "chomp:4/3;1",
    "chomp3:[2,2,1]",
    "nim:[3,5,7]",
    "nim{misere}:[2,3]",
    "nim:[2,3;1]",
    "nim:[2,2;5]",
    "chomp:3/2;7",
    "nim{max=3}:[10]",
    "nim{take=1+3+4,misere}:[5,6]",
    "nim{heappass}:[3p,2]",
    "wythoff:[3,5]",
    "wythoff{rule=both}:[2,3,3]",
    "kayles:[5,7]",
    "dawson:[9]",
    "octal{code=0.77,heappass}:[3p,2]",
    "divisors:72",
    "toads:TT.FF",
    "toads{misere}:TTT..FF",
]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("start", WHOLE)
def test_nobody_can_do_better_along_a_line(oracle: Oracle, start: str) -> None:
    line = oracle.best_line(start)
    assert line.complete
    assert line.remoteness == len(line.plies)
    position = parse(start)
    for left, ply in zip(range(len(line.plies), 0, -1), line.plies, strict=True):
        analysis = oracle.analyze(position)
        assert analysis.moves is not None
        assert analysis.complete
        assert ply.move == analysis.moves[0].move
        assert ply.action is not None
        assert act(position, ply.action) == ply.move.child
        known = [
            each.values.remoteness
            for each in analysis.moves
            if each.values.remoteness is not None
            and (analysis.answer.outcome is Outcome.P or each.outcome is Outcome.P)
        ]
        bound = max(known) if analysis.answer.outcome is Outcome.P else min(known)
        assert bound == left - 1 == ply.values.remoteness
        assert ply.outcome is oracle.outcome(ply.move.child).outcome
        assert ply.outcome is not analysis.answer.outcome
        position = ply.move.child
    assert is_over(position)


@pytest.mark.parametrize("start", ["chomp:3/2;7", "nim:[2,2;6]"])
def test_values_at_the_start_hold_for_the_positions_of_the_line(oracle: Oracle, start: str) -> None:
    """Though few of its passes are searched."""
    position = parse(start)
    for name in ("grundy", "remoteness"):
        values = getattr(oracle.prober(position.game).values(position), name)
        for passes in range(1, position.game.passes):
            later = Position(position.game.with_passes(passes), position.value)
            alone = getattr(oracle.prober(later.game).values(later), name)
            assert values.at(later) == alone.at(later) is not None, later


@pytest.mark.parametrize(
    ("start", "plies", "complete", "reason"),
    [
        ("nim:[1] + chomp:3/2", 3, True, "remoteness falls"),
        ("wythoff:[1309016,1309016]", 1, True, "the move ends the game"),  # two others win
        ("nim:[999999] + nim:[5]", 1, False, "the move wins; how long"),
        ("transfinite:2xw", 0, False, "is not known"),
        ("transfinite:1xw + 2x1", 1, False, "the move wins; how long"),
        ("chomp{misere}:3/2", 1, True, "remoteness falls"),
        ("chomp3{declared=[0,1,0]}:[1,1,1]", 5, True, "remoteness falls"),
        ("divisors:30", 5, True, "remoteness falls"),
        ("nim:[0]", 0, True, "remoteness falls"),
        ("chomp:1", 0, True, "remoteness falls"),
    ],
)
def test_lines_are_honest_about_their_end(
    oracle: Oracle, start: str, plies: int, complete: bool, reason: str
) -> None:
    line = oracle.best_line(start)
    assert (len(line.plies), line.complete) == (plies, complete)
    assert reason in line.reason


def test_a_line_goes_on_where_it_was_cut(oracle: Oracle) -> None:
    whole = oracle.best_line("chomp3:[9,4,3]")
    assert whole.remoteness is not None
    parts: list[Any] = []
    position = whole.answer.position
    while True:
        part = oracle.best_line(position, 4)
        parts += part.plies
        if part.complete:
            break
        assert part.reason.startswith(f"the first 4 plies of {part.remoteness}")
        position = part.plies[-1].move.child
    assert tuple(parts) == whole.plies


def test_long_lines_end_in_time(oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    line = oracle.best_line("chomp3:[60,0,0]", 10_000)
    assert line.complete
    assert line.remoteness == len(line.plies) > 100
    monkeypatch.setattr("position_oracle.oracle.line.MAX_LOOKED", 50)
    short = oracle.best_line("chomp3:[60,0,0]", 10_000)
    assert not short.complete
    assert short.plies == line.plies[: len(short.plies)]
    assert short.reason == "50 moves were looked at; ask again from the last position"


def test_long_lines_of_searched_games_take_one_search() -> None:
    """Outcomes along the line follow from its length, without a new search at each ply."""
    oracle, asked = Oracle(), []
    prober = oracle.prober("subtraction")
    plan = prober.plan

    def counted(position: Position, *, with_moves: bool) -> Plan[Answer]:
        asked.append(position)
        return plan(position, with_moves=with_moves)

    prober.plan = counted  # type: ignore[method-assign]
    line = oracle.best_line("nim{max=3}:[400;1]", 10_000)
    assert line.complete
    assert line.remoteness == len(line.plies) > 100
    assert len(asked) == 1


@pytest.mark.parametrize("over", ["chomp:0", "chomp3:[0,0,0]", "nim:[0]", "nim{misere}:[0]"])
def test_a_game_that_is_over_has_a_line_without_moves(oracle: Oracle, over: str) -> None:
    line = oracle.best_line(over)
    assert line.complete
    assert not line.plies


@pytest.mark.parametrize("plies", [0, -1, 10_001])
def test_lines_have_a_length(oracle: Oracle, plies: int) -> None:
    with pytest.raises(InvalidPositionError, match="allowed are 1 to 10000"):
        oracle.best_line("nim:[3]", plies)


def test_lines_are_json(oracle: Oracle) -> None:
    record = oracle.best_line("nim:[1,2]").as_json()
    assert {key: record[key] for key in ("position", "outcome", "remoteness", "complete")} == {
        "position": "nim:[1,2]",
        "outcome": "N",
        "remoteness": 3,
        "complete": True,
    }
    plies = record["plies"]
    assert isinstance(plies, list)
    assert plies[0] == {
        "move": "nim:[1,1]",
        "action": {
            "taking": {"heaps": [{"heap": 2, "tokens": 1}]},
            "words": "take 1 from heap 2",
        },
        "outcome": "P",
        "grundy": 0,
        "grundy_unrestricted": None,
        "remoteness": 2,
    }
