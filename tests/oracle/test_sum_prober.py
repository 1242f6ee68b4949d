"""Sums of games: golden cases through the oracle and the command line, and huge heaps."""

import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from position_oracle.engine.games.moves import children
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import Rows
from position_oracle.oracle.families.sum import SumProber
from position_oracle.schema.errors import UnknownAnswerError

GOLDEN = Path(__file__).parents[1] / "golden"
FORMS = {"09_sums_normal": "{}", "09_sums_misere": "misere{{{}}}"}

Case = dict[str, Any]


@pytest.fixture(scope="module")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


def cases(name: str) -> list[Case]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]


def component_text(game: str, position: list[int]) -> str:
    if game == "chomp_board":
        return "chomp:" + ("/".join(map(str, position)) or "0")
    return f"{game}:[{','.join(map(str, position))}]"


def texts_of(case: Case, name: str) -> tuple[str, list[str]]:
    """Return the text of a case, and the texts of its winning moves."""
    parts = [component_text(each["game"], each["position"]) for each in case["components"]]
    wins = []
    for index, child in case["winning_moves"]:
        changed = component_text(case["components"][index]["game"], child)
        wins.append(FORMS[name].format(" + ".join([*parts[:index], changed, *parts[index + 1 :]])))
    return FORMS[name].format(" + ".join(parts)), wins


@pytest.mark.parametrize(
    "text",
    [
        "misere{chomp:2;1 + nim:[1]}",
        "misere{chomp:3/1;1 + chomp:2/2}",
        "misere{nim:[2;1] + chomp3:[1,1,0;2]}",
        "misere{kayles:[3;1] + chomp:2/1;1}",
    ],
)
def test_misere_sums_with_passes_by_the_definition(text: str) -> None:
    oracle = Oracle()

    @cache
    def wins(position: Position) -> bool:
        after = list(children(position))
        found = not all(map(wins, after)) if after else True
        assert (oracle.outcome(position).outcome is Outcome.N) == found, position
        return found

    wins(parse(text))


@pytest.mark.parametrize("name", FORMS)
def test_golden_sums_through_the_oracle(oracle: Oracle, name: str) -> None:
    for case in cases(name):
        text, wins = texts_of(case, name)
        answer = oracle.winning_moves(text)
        assert answer.outcome.name == case["outcome"], text
        assert sorted(map(str, answer.winning_moves or ())) == sorted(wins), text
        assert oracle.outcome(text).winning_moves is None


def test_golden_sums_through_the_command_line(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [(case, *texts_of(case, name)) for name in FORMS for case in cases(name)]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{text}\n" for _, text, _ in chosen)))
    assert run(["ask", "-", "--db", str(store)]) == 0
    lines = capsys.readouterr().out.splitlines()
    for (case, text, wins), line in zip(chosen, lines, strict=True):
        answer = json.loads(line)
        assert answer["position"] == text
        assert answer["game"] in {"sum", "sum{misere}"}
        assert answer["outcome"] == case["outcome"]
        assert sorted(answer["winning_moves"]) == sorted(wins)


def test_heaps_of_any_size_are_answered(oracle: Oracle) -> None:
    big = 10**18
    answer = oracle.winning_moves(f"nim:[{big},5] + nim:[{big}] + chomp:3/2")
    assert answer.outcome is Outcome.N
    assert [str(move) for move in answer.winning_moves or ()] == [
        f"nim:[{big},0] + nim:[{big}] + chomp:3/2",
    ]
    answer = oracle.winning_moves(f"misere{{nim:[{big}] + nim:[{big}] + nim:[1] + nim:[1]}}")
    assert answer.outcome is Outcome.P
    assert answer.winning_moves == ()
    assert answer.certainty is Certainty.THEOREM


def test_a_component_without_a_known_value_is_named(oracle: Oracle) -> None:
    answer = oracle.winning_moves("nim:[3] + chomp3:[5000,1,1]")
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.certainty is Certainty.UNKNOWN
    assert "chomp3:[5000,1,1]" in answer.reason


def test_how_sums_are_known(oracle: Oracle) -> None:
    assert oracle.outcome("nim:[3] + nim:[5,6]").certainty is Certainty.THEOREM
    assert oracle.outcome("nim:[3] + chomp3:[4,3,2]").certainty is Certainty.EXACT_TABLE
    assert oracle.outcome("nim:[3] + chomp3:[90,3,2]").certainty is Certainty.EXACT_SEARCH


def test_sums_are_not_packed(oracle: Oracle) -> None:
    import numpy as np

    rows: Rows = np.zeros((2, 3), np.int32)
    with pytest.raises(UnknownAnswerError, match="one at a time"):
        oracle.outcomes(GameSpec("sum"), rows)
    with pytest.raises(UnknownAnswerError, match="one at a time"):
        oracle.winning_move_batch(GameSpec("sum"), rows)


@pytest.mark.parametrize(
    "text",
    [
        "nim:[3] + octal{code=0.77}:[1099511627776]",
        "nim{max=4611686018427387903}:[4611686018427387904] + nim:[3]",
    ],
)
def test_moves_of_vast_components_are_not_listed(text: str) -> None:
    answer = Oracle().winning_moves(text)
    assert answer.outcome is Outcome.N
    assert answer.winning_moves is None
    assert "too many moves to list all that win" in answer.reason


def test_a_pass_of_a_component_may_be_the_move_that_wins() -> None:
    found = Oracle().winning_moves("nim:[1;1] + kayles:[1]").winning_moves
    assert [str(move) for move in found or ()] == ["nim:[1] + octal{code=0.77}:[1]"]


@pytest.mark.parametrize("heaps", [(5, 7, 3, 6), (9, 12, 10, 4), (1, 2, 3, 0), (15, 15, 7, 7)])
def test_nim_in_parts_is_nim(heaps: tuple[int, int, int, int]) -> None:
    """A sum of positions of Nim has the winning moves of the position with all their heaps."""
    oracle = Oracle()
    first, second = list(heaps[:2]), list(heaps[2:])
    in_parts = oracle.winning_moves(f"nim:{first} + nim:{second}")
    whole = oracle.winning_moves(f"nim:{list(heaps)}")
    assert in_parts.winning_moves is not None
    assert whole.winning_moves is not None
    found = {
        tuple(map(int, re.findall(r"\d+", str(move.child)))) for move in in_parts.winning_moves
    }
    assert found == {move.child.coordinates for move in whole.winning_moves}


def test_each_component_is_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    planned, asked = SumProber._planned, list[Position]()

    def noted(self: SumProber, part: Position) -> Any:
        asked.append(part)
        return planned(self, part)

    monkeypatch.setattr(SumProber, "_planned", noted)
    assert Oracle().winning_moves("nodekayles:path(5) + nim:[1]").winning_moves
    assert len(asked) == 2
