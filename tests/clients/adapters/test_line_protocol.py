"""The engine on pipes: every command, errors of one line, and whole games."""

import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle import rules
from position_oracle.clients.adapters.line_protocol import MAX_LINE, Engine, serve
from position_oracle.clients.bots import LEVELS
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.serving import running_server

DOCS = Path(__file__).parents[3] / "docs" / "engine.md"


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def said(oracle: Oracle, *lines: str) -> list[str]:
    out = io.StringIO()
    serve(oracle, io.StringIO("\n".join(lines) + "\n"), out)
    return out.getvalue().splitlines()


def test_a_game_over_the_line_protocol(oracle: Oracle) -> None:
    assert said(oracle, "isready") == ["readyok"]
    assert said(oracle, "position chomp:4/3/2", "go") == [
        "info outcome N certainty EXACT_SEARCH remoteness 7 grundy 5",
        "bestmove chomp:4/2/2 action bite row 2, column 3",
    ]
    assert said(oracle, "position chomp:4/4 moves 2,3 chomp:2/2", "display") == [
        "position chomp:2/2",
        "board     2  o o",
        "board     1  X o",
        "board        1 2",
    ]
    assert said(oracle, "position nim:[1,2]", "legal") == [
        "legalmoves nim:[0,2] nim:[1,0] nim:[1,1]"
    ]
    assert said(oracle, "position nim:[0]", "go") == ["info outcome P over", "bestmove none"]
    assert said(oracle, "position nim:[0]", "legal") == ["legalmoves"]
    assert said(oracle, "stop", "", "quit", "isready") == []


def test_the_analysis_is_that_of_the_oracle(oracle: Oracle) -> None:
    (line,) = said(oracle, "position nim:[3,5,7]", "analyze")
    record = json.loads(line.removeprefix("analysis "))
    assert record == oracle.analyze("nim:[3,5,7]").as_json(10_000)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("fly", "no command 'fly'"),
        ("position", "is not a position"),
        ("position 7x4", "did you mean chomp:7/7/7/7"),
        ("position chomp:2/1 moves 9,9", "no such cookie"),
        ("setoption name Level value best", "no bot of level"),
        ("setoption name Epsilon value 2", "epsilon='2'; allowed are numbers from 0 to 1"),
        ("setoption name Epsilon value x", "epsilon='x'"),
        ("setoption name Epsilon value nan", "epsilon='nan'"),
        ("setoption name Epsilon value 0_1", "epsilon='0_1'"),
        ("setoption name Epsilon value \u0660.5", "epsilon='\u0660.5'"),
        ("setoption Level perfect", "write setoption"),
        ("setoption name Colour value red", "no option 'Colour'"),
        ("position " + "9" * 5000, "characters"),
        ("x" * (MAX_LINE + 1), "at most"),
        ("setoption name Seed value -1", "seed=-1; allowed are whole numbers"),
        ("setoption name Seed value 9223372036854775808", "from 0 to 9223372036854775807"),
        ("position transfinite:wxw\nlegal", "infinitely many"),
        ("uci", "does not speak UCI"),
    ],
)
def test_errors_are_one_line(oracle: Oracle, line: str, reason: str) -> None:
    (answer,) = said(oracle, line)[:1]
    assert answer.startswith("error ")
    assert reason in answer
    assert said(oracle, line, "isready")[-1] == "readyok"


@pytest.mark.parametrize("wrong", ["position nim:[3", "position nim:[1] moves 1,9", "position"])
@pytest.mark.parametrize("command", ["go", "legal", "analyze", "display"])
def test_nothing_is_played_after_a_position_that_is_refused(
    oracle: Oracle, wrong: str, command: str
) -> None:
    refused, answer, *after = said(
        oracle, "position nim:[5]", wrong, command, "position nim:[1,2]", "go"
    )[-4:]
    assert refused.startswith("error")
    assert answer.startswith("error no position is set")
    assert after[-1] == "bestmove nim:[1,1] action take 1 from heap 2"


def test_random_moves_depend_on_the_seed_and_differ_from_move_to_move(oracle: Oracle) -> None:
    def made(seed: int) -> list[str]:
        options = ("setoption name Level value random", f"setoption name Seed value {seed}")
        answers = said(oracle, *options, "position nim:[50,60,70]", *["go"] * 4)
        return [answer for answer in answers if answer.startswith("bestmove")]

    assert made(7) == made(7)
    assert len(set(made(7))) == 4
    assert made(7) != made(8)


def test_a_server_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["engine", "--server", "127.0.0.1:9"]) == 1
    assert capsys.readouterr().err.startswith("oracle: 127.0.0.1:9: ")


def test_a_server_that_goes_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the server has gone, the engine reports an error, and the command ends with one."""
    stopping = running_server(Oracle())
    port = stopping.__enter__()

    class Lines:
        def __init__(self, *lines: str) -> None:
            self.left = list(lines)

        def readline(self, size: int) -> str:
            line = self.left.pop(0)
            if line == "go\n":
                stopping.__exit__(None, None, None)
            return line

    monkeypatch.setattr(sys, "stdin", Lines("position nim:[1,2]\n", "go\n", "quit\n"))
    assert run(["engine", "--server", f"127.0.0.1:{port}"]) == 1
    assert capsys.readouterr().out.startswith("error ")


def test_a_line_that_is_far_too_long_is_answered_once(oracle: Oracle) -> None:
    error, ready = said(oracle, "x" * (3 * MAX_LINE), "isready")
    assert error.startswith("error a line of")
    assert ready == "readyok"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "start", ["chomp:4/4/3", "kayles:[6] + nim:[2;1]", "toads:TT..FF", "transfinite:2xw"]
)
def test_every_level_plays_to_the_end(oracle: Oracle, level: str, start: str) -> None:
    engine, position, plies = Engine(oracle), rules.canonical(start), 0
    list(engine.answer(f"setoption name Level value {level}"))
    while True:
        list(engine.answer(f"position {position}"))
        last = list(engine.answer("go"))[-1]
        if last == "bestmove none":
            break
        move = last.split()[1]
        position = rules.play(position, move)
        plies += 1
    assert rules.is_over(position)
    assert plies > 0


def test_lines_at_random_are_answered(oracle: Oracle) -> None:
    chance = random.Random(2)
    words = ["position", "go", "legal", "moves", "chomp:3/2", "2,1", "setoption", "name"]
    words += ["Level", "value", "random", "display"]
    words += ["{", "\x00", "nim:[3", "analyze", "help", "é", "-1"]
    engine = Engine(oracle)
    for _ in range(400):
        line = " ".join(chance.choice(words) for _ in range(chance.randrange(6)))
        for answer in engine.answer(line):
            assert "\n" not in answer


def test_every_command_is_documented(oracle: Oracle) -> None:
    (line,) = said(oracle, "help")
    text = DOCS.read_text()
    for command in line.split()[1:]:
        assert f"`{command}" in text, command


def test_the_process_ends_with_its_input(store: Path) -> None:
    command = [sys.executable, "-m", "position_oracle", "engine", "--db", str(store)]
    lines = "position nim:[3,5]\ngo\n"
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "bestmove nim:[3,3] action take 2 from heap 2"
    assert done.stderr == ""
