"""Wrong settings, arguments and input give one line on standard error and the right exit code."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run

BAD, FAILED = 2, 1

WRONG: list[tuple[int, list[str], dict[str, str]]] = [
    (BAD, ["nonsense"], {}),
    (BAD, ["ask"], {}),
    (BAD, ["ask", "--nonsense", "chomp3:[1,1,1]"], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--moves", "-1"], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--moves", "1e3"], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--moves", "\u0661"], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--moves", "9" * 30], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--model", "rand"], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--server", "localhost:99999"], {}),
    (BAD, ["ask", "chomp3:[1,1,1]", "--server", "localhost"], {}),
    (FAILED, ["ask", "chomp3:[1,1,1]", "--db", "/dev/null"], {}),
    (BAD, ["serve", "--address", "127.0.0.1:99999"], {}),
    (BAD, ["serve", "--address", "50051"], {}),
    (BAD, ["serve", "--max-batch", "0"], {}),
    (BAD, ["serve", "--drain-seconds", "-1"], {}),
    (BAD, ["serve", "--reload-seconds", "nan"], {}),
    (BAD, ["serve"], {"ORACLE_MAX_BATCH": "many"}),
    (BAD, ["serve"], {"ORACLE_MAX_CALLS": "0"}),
    (BAD, ["serve"], {"ORACLE_NOTICE_SECONDS": "soon"}),
    (BAD, ["serve"], {"ORACLE_ACCESS_LOG": "perhaps"}),
    (BAD, ["serve"], {"ORACLE_ADDRESS": "[::1]:70000"}),
    (BAD, ["build", "chomp3", "--limit", "60"], {"ORACLE_MEMORY_LIMIT": "much"}),
    (BAD, ["build", "chomp3"], {"ORACLE_LIMIT": "far"}),
    (BAD, ["build", "nim{heaps=1}", "--kind", "values", "--limit", "\u0663"], {}),
    (FAILED, ["build", "chomp3", "--limit", "3", "--db", "/dev/null"], {}),
    (FAILED, ["build", "chomp3", "--limit", "3", "--db", "/dev/null/x"], {}),
    (FAILED, ["build", "chomp3", "--limit", "3", "--db", "x" * 5000], {}),
    (BAD, ["play", "--games", "0"], {}),
    (BAD, ["play", "--epsilon", "\u0661", "--first", "sloppy"], {}),
    (BAD, ["play", "--epsilon", "nan", "--first", "sloppy"], {}),
    (BAD, ["play", "--epsilon", "2", "--first", "sloppy"], {}),
    (BAD, ["play", "--first", "nobody"], {}),
    (BAD, ["play", "chomp:0"], {}),
    (BAD, ["play", "--games", "2"], {}),
    (BAD, ["play", "--first", "random", "--games", "2", "--record", "game"], {}),
    (BAD, ["play", "--first", "random", "--games", "2", "--annotate"], {}),
    (BAD, ["play", "--replay", "game", "--record", "game"], {}),
    (BAD, ["count", "chomp", "--heaps", "3", "--limit", "3x3"], {}),
    (BAD, ["count", "euclid", "--heaps", "3", "--limit", "3"], {}),
    (BAD, ["play", "nim:99999x"], {}),
    (FAILED, ["play", "--replay", "/no/such/file"], {}),
    (FAILED, ["play", "--first", "random", "--record", "/no/such/folder/game"], {}),
    (BAD, ["sheet", "chomp3", "-1"], {}),
    (BAD, ["export", "folder", "--rows", "9" * 20], {}),
    (BAD, ["sheet", "chomp3", "3", "--size", "\u0661x1"], {}),
    (BAD, ["sheet", "chomp3", "3", "--size", "99999x99999"], {}),
    (BAD, ["verify", "--sample", "0"], {}),
    (BAD, ["verify", "nonsense"], {}),
    (BAD, ["count", "nim{heappass}", "--limit", "3x0x2x1"], {}),
    (BAD, ["count", "nim{heaps=3}", "--heaps", "2", "--limit", "3"], {}),
    (FAILED, ["sheet", "chomp3", "3", "--npy", "/dev/full"], {}),
    (BAD, ["verify", "--seed", "1.5"], {}),
    (BAD, ["verify", "--seed", "-5"], {}),
    (BAD, ["verify", "--sample", "9" * 18], {}),
    (BAD, ["plot", "sensitivity", "chomp3", "--x0", "20", "--seed", "-5"], {}),
    (BAD, ["plot", "sensitivity", "chomp3", *(f"--x0={x}" for x in range(5, 22))], {}),
    (FAILED, ["play", "--replay", "/dev/zero"], {}),
    (FAILED, ["sheet", "chomp3", "3", "--npy", "."], {}),
    (FAILED, ["reproduce", "--entry", "Theorem 1.3", "--output", "/dev/null/x"], {}),
]


@pytest.mark.parametrize(("code", "arguments", "environment"), WRONG, ids=str)
def test_errors_are_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    arguments: list[str],
    environment: dict[str, str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert run(arguments) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("oracle: ")
    assert "Errno" not in said.err
    assert said.err.count("\n") == 1
    assert len(said.err) < 3000


@pytest.mark.parametrize("limit", ["x", "3x", "", "1_0", "\u0663", "0x5", "65x3"])
def test_a_limit_is_quoted(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["count", "chomp", "--limit", limit]) == BAD
    assert f"--limit {limit!r}: write" in capsys.readouterr().err


def test_a_limit_may_have_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["count", "chomp", "--limit", " 2 x 3 "]) == 0
    assert "numbers up to 3, 3\n" in capsys.readouterr().out


def test_a_group_of_commands_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plot"]) == BAD
    said = capsys.readouterr()
    assert "\n  transfinite " in said.out + said.err


def test_usage_names_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    run(["sheet", "chomp3", "x"])
    assert capsys.readouterr().err.endswith("; see oracle sheet --help\n")


def test_a_game_that_is_not_text_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game"
    file.write_bytes(b"\xff\xfe")
    assert run(["play", "--replay", str(file)]) == BAD
    assert "is not text" in capsys.readouterr().err


def test_bytes_that_are_not_text_are_a_bad_line(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = b"nim:[1,2]\n\xff\xfe\nnim:[1,1]\n" + b"x" * 200_000 + b"\nnim:[3]"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8"))
    assert run(["ask", "-", "--db", str(store)]) == BAD
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("outcome") for line in lines] == ["N", None, "P", None, "N"]
    assert lines[1]["position"] == "\\xff\\xfe"
    assert all("error" in lines[number] for number in (1, 3))
    assert len(lines[3]["position"]) == 65_536


def test_standard_input_may_be_closed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    for command in (["ask", "-"], ["engine"], ["play"]):
        assert run([*command, "--db", str(store)]) == BAD
        assert capsys.readouterr().err == "oracle: standard input is closed\n"


@pytest.mark.parametrize("command", ["engine", "play"])
def test_bytes_that_are_not_text_are_refused_as_a_command(
    command: str, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\nquit\n"), "utf-8"))
    assert run([command, "--db", str(store)]) in {0, FAILED}


def test_files_of_other_systems_are_read(tmp_path: Path) -> None:
    """These files have a byte order mark and other line ends."""
    graph = tmp_path / "graph"
    graph.write_bytes("\ufeffa: b\r\nb:\r\n".encode())
    assert run(["solve", str(graph)]) == 0
    record = tmp_path / "record"
    assert run(["play", "--first", "random", "--second", "random", "--record", str(record)]) == 0
    record.write_bytes(b"\xef\xbb\xbf" + record.read_bytes().replace(b"\n", b"\r\n"))
    assert run(["play", "--replay", str(record)]) == 0


@pytest.mark.parametrize(
    "game", ["chomp{dimensions=3}", "divisors", "nodekayles", "toads", "transfinite"]
)
def test_the_option_heaps_is_refused_for_games_without_heaps(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["--heaps", "3"]):
        assert run(["count", game, "--limit", "9", *more]) == BAD
        said = capsys.readouterr().err
        assert "has no heaps" in said if more else "heaps" not in said


def test_standard_output_may_not_be_closed() -> None:
    command = f"{sys.executable} -m position_oracle ask 'nim:[1]' >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (FAILED, "oracle: standard output is closed\n")


def test_a_reader_that_goes_away_causes_no_traceback() -> None:
    program = f"{sys.executable} -m position_oracle"
    command = f"{program} --help | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("oracle ")


def test_help_comes_without_the_engine() -> None:
    code = (
        "import sys; from position_oracle.oracle.cli.main import run; run(['--help']);"
        "print([n for n in ('numpy', 'grpc', 'numba', 'duckdb', 'rich') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.endswith("[]\n")
