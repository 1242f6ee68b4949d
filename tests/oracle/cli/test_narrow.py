"""Narrow terminals: lines break at spaces, and boards that are wider are not drawn."""

from pathlib import Path

import pytest

from position_oracle.oracle.cli import terminal
from position_oracle.oracle.cli.main import run

COMMANDS = [
    ["ask", "chomp3:[2,2,1]", "--moves", "3"],
    ["ask", "nim:[3,5,7]"],
    ["line", "chomp:4/3/2"],
    ["ask", "transfinite:1x(w*3) + 2x(w*2+1)"],
]


@pytest.mark.parametrize("columns", [30, 40, 60])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_lines_fit(
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    columns: int,
) -> None:
    assert run([*command, "--db", str(store)]) == 0
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 60
    monkeypatch.setattr(terminal, "width", lambda: columns)
    assert run([*command, "--db", str(store)]) == 0
    narrow = capsys.readouterr().out
    longest_word = max(map(len, narrow.split()))
    assert max(map(len, narrow.splitlines())) <= max(columns, longest_word + 13)
    assert narrow.split() == whole.split()


def test_boards_that_are_wider_are_not_drawn(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "width", lambda: 40)
    assert run(["ask", "chomp:30/30", "--db", str(store)]) == 0
    assert "o o o" not in capsys.readouterr().out
    monkeypatch.setattr(terminal, "width", lambda: 80)
    assert run(["ask", "chomp:30/30", "--db", str(store)]) == 0
    assert "o o o" in capsys.readouterr().out


def test_files_and_pipes_get_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal.fitted("word " * 60) == "word " * 60
