"""The command line for scripts and people: output, keys of JSON, exit codes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

import pytest

from position_oracle.oracle.analysis import Analysis
from position_oracle.oracle.cli.main import app, run
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import ResourceLimitError
from position_oracle.schema.positions import PositionLike
from tests.serving import running_server

JSON_KEYS = {
    "position",
    "game",
    "outcome",
    "certainty",
    "reason",
    "winning_moves",
    "winning_actions",
    "grundy",
    "grundy_unrestricted",
    "remoteness",
    "tables",
}


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def oracle_process(*arguments: str, **options: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "position_oracle", *arguments]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_ask_prints_the_answer_and_draws_the_board(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "ask", "chomp3:[4,3,2]", "--db", store)
    assert code == 0
    assert "N: the player to move wins" in out
    assert "EXACT_TABLE" in out
    assert "chomp3:[2,5,2]   (bite row 3, column 3)" in out
    assert "  1  X o o o o o o * o" in out


def test_a_sheet_is_drawn_with_its_columns_numbered(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In two rows (x = 0), positions whose upper row is shorter by one are P-positions."""
    _, out, _ = call(capsys, "sheet", "chomp3", "0", "--kind", "L", "--size", "12x3", "--db", store)
    assert out.splitlines() == [
        "    2 ............",
        "    1 @@@@@@@@@@@@",
        "    0 ............",
        "      0         10",
    ]


def test_ask_json_has_stable_keys(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "ask", "--json", "chomp3:[4,3,2;1]", "--db", store)
    answer = json.loads(out)
    assert code == 0
    assert set(answer) == JSON_KEYS
    assert answer["position"] == "chomp3:[4,3,2;1]"
    assert answer["game"] == "chomp3{passes=1}"


def test_ask_names_the_pass(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "ask", "--json", "chomp3:[0,1,1;1]", "--db", store)
    assert json.loads(out)["winning_moves"] == ["pass"]


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["chomp3:[4,3,2]"], 0),
        (["chomp3:[4,3"], 2),
        (["go:[1]"], 2),
        (["chomp3:[-1,0,0]"], 2),
        (["chomp3:[4,3,2]", "chomp3:[5000,7,9]"], 3),
    ],
)
def test_exit_codes(
    store: Path, capsys: pytest.CaptureFixture[str], texts: list[str], code: int
) -> None:
    assert call(capsys, "ask", *texts, "--db", store)[0] == code
    assert call(capsys, "ask", "--json", *texts, "--db", store)[0] == code


COSTLY = "nim:[9]"
CODES = {"nim:[3]": 0, "chomp:40/38/38/37/36/35/34/33/32/31": 3, COSTLY: 3, "nim:[": 2}
"""Positions that are known, unknown, too expensive, and bad, with the exit code of each alone."""


@pytest.mark.parametrize("pair", [*permutations(CODES, 2)], ids=" ".join)
def test_a_bad_position_gives_the_exit_code_whatever_else_is_asked(
    store: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pair: tuple[str, str],
) -> None:
    analyze = Oracle.analyze

    def limited(self: Oracle, position: PositionLike, *, moves: bool = True) -> Analysis:
        if position == COSTLY:
            raise ResourceLimitError("too expensive")
        return analyze(self, position, moves=moves)

    monkeypatch.setattr(Oracle, "analyze", limited)
    codes = {CODES[each] for each in pair}
    expected = 2 if 2 in codes else max(codes)
    assert call(capsys, "ask", "--json", *pair, "--db", store)[0] == expected


def test_errors_are_one_line_on_standard_error(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, error = call(capsys, "ask", "chomp3:[1,2]", "--db", store)
    assert out == ""
    assert error.startswith("oracle: chomp3:[x,y,z]: got 2 numbers")
    assert error.count("\n") == 1


def test_positions_on_standard_input_are_answered_line_by_line(store: Path) -> None:
    lines = ["chomp3:[4,3,2]", "nonsense", "", "chomp:9/7/4", "chomp3:[9999,7,9]"]
    with oracle_process("ask", "-", "--db", str(store), stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in lines:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(30) == 2
    assert [answer["position"] for answer in answers] == lines
    assert [("error" in answer) for answer in answers] == [False, True, True, False, False]
    assert answers[3]["winning_moves"] == ["chomp:7/7/4", "chomp:9/5/4", "chomp:9/7/2"]
    assert answers[4]["outcome"] is None


def test_a_server_gives_the_same_answers(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["chomp3:[4,3,2]", "chomp3:[0,1,1;1]", "chomp:9/7/4", "chomp3:[2,2,2]", "bad"]
    here = call(capsys, "ask", "--json", *texts, "--db", store)
    with running_server(Oracle.open(store)) as port:
        there = call(capsys, "ask", "--json", *texts, "--server", f"127.0.0.1:{port}")
    assert there[:2] == here[:2]


def test_an_unreachable_server_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = call(capsys, "ask", "chomp3:[1,1,1]", "--server", "127.0.0.1:1")
    assert code == 1
    assert "127.0.0.1:1" in error
    assert error.count("\n") == 1


def test_build_tables_and_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("position_oracle.engine.jobs.report.WHOLE_SAMPLE", 1_000)
    db = tmp_path / "new"
    code, out, _ = call(capsys, "build", "chomp3{passes=1}", "--limit", "60", "--db", db)
    assert code == 0
    assert "chomp3{passes=1} sheets up to 60" in out
    assert "already there" not in out
    code, out, _ = call(capsys, "tables", "--json", "--db", db)
    assert [json.loads(line)["game"] for line in out.splitlines()] == ["chomp3", "chomp3{passes=1}"]
    again = ("build", "chomp3", "-n", "50", "--if-missing", "--db", db)
    assert "already there" in call(capsys, *again)[1]
    assert call(capsys, *again, "--json")[:2] == (0, "")
    code, out, _ = call(capsys, "verify", "--db", db, "--sample", "500")
    assert code == 0
    assert "FAIL" not in out
    assert out.count("\n  ok   ") > 10, "a line for each check"
    assert "which took" not in out
    code, out, _ = call(capsys, "verify", "--db", db, "--all")
    assert (code, out.count("is computed again, which took ")) == (0, 2)


def test_estimate_builds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = tmp_path / "none"
    code, out, _ = call(
        capsys, "build", "chomp3", "-n", "10000", "--estimate", "--json", "--db", db
    )
    assert code == 0
    assert json.loads(out)["rows"] == pytest.approx(20_728_253, rel=0.02)
    assert not db.exists()


def test_a_limit_that_does_not_fit_is_refused_with_the_estimate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, error = call(capsys, "build", "chomp3", "-n", "999999", "--db", tmp_path / "none")
    assert code == 1
    assert re.search(r"does not fit .* GB", error)


def test_an_interrupted_build_leaves_nothing_behind(tmp_path: Path) -> None:
    db = tmp_path / "data"
    process = oracle_process("build", "chomp3", "-n", "60000", "--db", str(db))
    deadline = time.monotonic() + 60
    while not list(db.glob(".draft*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stdout is not None
    process.stdout.close()
    assert not (db / "CURRENT").exists()


def test_missing_tables_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["tables"], ["verify"], ["ask", "chomp3:[1,1,1]"], ["serve"]):
        code, _, error = call(capsys, *command, "--db", tmp_path / "none")
        assert code == 1
        assert "none" in error


def test_without_tables_the_default_place_gives_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORACLE_DB", raising=False)
    code, out, _ = call(capsys, "ask", "--json", "chomp3:[90000,1,1]")
    assert code == 3
    assert "oracle build 'chomp3' --limit 90000" in json.loads(out)["reason"]


def test_bots_play_and_the_perfect_one_wins(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--first", "perfect", "--second", "random", "--games", "5", "--db", store]
    code, out, _ = call(capsys, "play", "chomp3:[300,0,0]", *arguments)
    assert code == 0
    assert "perfect (first) won 5" in out


def test_a_person_plays(store: Path) -> None:
    arguments = ["play", "chomp:2/1", "--db", str(store)]
    with oracle_process(*arguments, stdin=subprocess.PIPE) as process:
        said, _ = process.communicate("hint\n9 9\n2 1\n1 1\n", timeout=60)
    out = " ".join(said.split())
    assert process.returncode == 0
    assert "there is no such cookie; type help" in out
    assert "no winning move" in out
    assert "perfect wins" in out


def test_every_command_and_flag_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    import typer.main

    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        assert command.help, name
        for parameter in command.params:
            assert parameter.help or parameter.name == "help", f"{name} {parameter.name}"


def test_every_command_is_documented() -> None:
    import typer.main

    text = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text()
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        assert f"## oracle {name}" in text
        for parameter in command.params:
            for flag in parameter.opts:
                assert not flag.startswith("--") or f"`{flag}`" in text, f"{name} {flag}"


def test_the_environment_names_the_store(store: Path) -> None:
    environment = {**os.environ, "ORACLE_DB": str(store)}
    with oracle_process("ask", "--json", "chomp3:[0,0,1]", env=environment) as process:
        out, _ = process.communicate(timeout=60)
    assert json.loads(out)["outcome"] == "P"


@pytest.mark.parametrize("games", [["nim"], ["chomp3", "nim"], ["chomp3{passes=3}"]])
def test_games_that_are_not_stored_are_not_verified(
    store: Path, capsys: pytest.CaptureFixture[str], games: list[str]
) -> None:
    for more in ([], ["--json"]):
        code, out, error = call(capsys, "verify", *games, "--db", store, *more)
        assert code == 2
        assert games[-1] in error
        assert "P-position" not in out
