"""The vocabulary of answers: how its records print, compare, and convert to JSON."""

import doctest
import json
import subprocess
import sys
from dataclasses import fields, replace
from datetime import UTC, datetime
from types import ModuleType

import numpy as np
import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.schema import answers, moves
from position_oracle.schema.analyses import Analysis, AnalyzedMove
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.estimates import Calibration, Estimate
from position_oracle.schema.games import Build
from position_oracle.schema.moves import Move


def test_answers_changed_keep_all_the_rest() -> None:
    full = Answer(
        "nim:[1]",
        Outcome.N,
        Certainty.THEOREM,
        "why",
        (Move("nim:[0]"),),
        TransfiniteFacts(size="1"),
        "period 2",
        "nim",
        Tables("0" * 16),
        Estimate(0.5, "counted", Calibration("here", "there", 10, 0.2, 0.3, 0.1)),
    )
    assert None not in [getattr(full, field.name) for field in fields(full)]
    other = Tables("1" * 16, (1,))
    assert full.from_tables(other) == replace(full, tables=other)
    assert full.with_moves((), other) == replace(full, winning_moves=(), tables=other)


@pytest.mark.parametrize("module", [answers, moves])
def test_the_examples_of_the_module_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_answers_need_neither_numpy_nor_the_engine() -> None:
    code = (
        "import position_oracle.schema.analyses, position_oracle.schema.games, sys;"
        "print({'numpy', 'grpc', 'position_oracle.engine'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_outcome_is_its_letter_and_its_number(outcome: Outcome) -> None:
    assert str(outcome) == f"{outcome}" == outcome.name
    assert Outcome[outcome.name] is outcome
    assert outcome == outcome.value
    assert outcome != outcome.value + 1
    assert f"{outcome:d}{outcome:>8}" == f"{outcome.value}{outcome.name:>8}"
    assert {outcome: 1}[Outcome(outcome.value)] == 1
    numbers = np.array([0, 1, 2], np.uint8)
    assert np.array_equal(numbers == outcome, np.equal(outcome, numbers))
    assert np.flatnonzero(numbers == outcome).tolist() == [outcome.value]
    assert json.dumps(outcome) == str(outcome.value)


def test_only_an_unknown_outcome_is_false() -> None:
    assert [outcome.as_json for outcome in Outcome if outcome] == ["P", "N"]
    assert Outcome.UNKNOWN.as_json is None


def of_engine() -> Answer[Position]:
    position = parse("chomp3:[0,1,1;1]")
    moves = (Move(position.passed(), is_pass=True),)
    return Answer(position, Outcome.N, Certainty.EXACT_TABLE, "a table", moves)


def of_client() -> Answer:
    moves = (Move("chomp3:[0,1,1]", is_pass=True),)
    return Answer(
        "chomp3:[0,1,1;1]",
        Outcome.N,
        Certainty.EXACT_TABLE,
        "a table",
        moves,
        game="chomp3{passes=1}",
    )


def test_answers_of_engine_and_client_are_the_same_json() -> None:
    expected = {
        "position": "chomp3:[0,1,1;1]",
        "game": "chomp3{passes=1}",
        "outcome": "N",
        "certainty": "EXACT_TABLE",
        "reason": "a table",
        "winning_moves": ["pass"],
        "winning_actions": [None],
        "grundy": None,
        "grundy_unrestricted": None,
        "remoteness": None,
    }
    assert of_engine().as_json() == expected
    assert of_client().as_json() == expected
    assert list(of_client().as_json()) == list(expected)


def test_ordinals_take_the_place_of_numbers_and_a_certificate_is_added() -> None:
    facts = TransfiniteFacts("w*3", "a theorem", ("0", "w"), "w", "w")
    analysis = Analysis(replace(of_client(), transfinite=facts), PositionValues(1, 2, 3))
    record = analysis.as_json()
    assert (record["grundy"], record["remoteness"]) == ("w", 3)
    assert (record["size"], record["rule"], record["bite"]) == ("w*3", "a theorem", ["0", "w"])
    assert replace(of_client(), certificate="period 12").as_json()["certificate"] == "period 12"


def test_an_analysis_lists_as_many_moves_as_are_asked_for() -> None:
    moves = tuple(
        AnalyzedMove(Move(f"nim:[{k}]"), Outcome.N, PositionValues(k, None, 1), component)
        for k, component in ((1, None), (2, 0))
    )
    analysis = Analysis(of_client(), PositionValues(7, 8, 9), moves, complete=True)
    assert "moves" not in analysis.as_json()
    assert analysis.as_json()["remoteness"] == 9
    assert analysis.as_json(0)["moves"] == []
    assert analysis.as_json(2)["moves"] == [
        {
            "move": "nim:[1]",
            "action": None,
            "outcome": "N",
            "grundy": 1,
            "grundy_unrestricted": None,
            "remoteness": 1,
        },
        {
            "move": "nim:[2]",
            "action": None,
            "outcome": "N",
            "grundy": 2,
            "grundy_unrestricted": None,
            "remoteness": 1,
            "component": 0,
        },
    ]


def test_a_build_has_the_keys_of_its_attributes() -> None:
    start = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    build = Build(1, "chomp3", "sheets", "100", start, 0.5, 7, "ab", "oracle 1", "{}")
    assert build.start_time is start
    record = build.as_json()
    assert record["started_at"] == "2026-01-02T03:04:05+00:00"
    assert list(record)[:4] == ["build_id", "game", "kind", "limit"]
    assert json.loads(json.dumps(record))["checksum"] == "ab"
