"""`oracle play` with records, undo and annotations; `oracle ask` with moves, boards and heaps."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.clients.record import parse_record
from position_oracle.oracle.cli.main import run


def play(store: Path, typed: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "position_oracle", "play", *arguments, "--db", str(store)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False)


def test_a_game_is_saved_replayed_and_annotated(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.txt"
    done = play(store, "hint\n2 1\n1 1\n", "chomp:2/1", "--record", str(file))
    assert done.returncode == 0
    assert "plies to the end" in " ".join(done.stdout.split())
    record = parse_record(file.read_text())
    assert record.moves == ("chomp:2", "chomp:1", "chomp:0")
    assert record.players == ("you", "perfect")
    assert record.winner == 1

    options = ["--db", str(store), "--replay", str(file)]
    assert run(["play", *options]) == 0
    shown = capsys.readouterr().out
    assert parse_record(shown.removesuffix("perfect wins\n")) == record
    assert run(["play", *options, "--annotate"]) == 0
    shown = capsys.readouterr().out
    assert "chomp:2 {loses, as every move, 1 ply to the end}" in shown
    assert parse_record(shown.removesuffix("perfect wins\n")) == record
    assert run(["play", *options, "--annotate", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["comments"]) == 3


def test_undo_takes_back_the_move_and_its_answer(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    typed = "1 4\nundo\nundo\n1 2\nquit\n"
    done = play(store, typed, "chomp:4/3/2", "--record", str(file))
    assert done.returncode == 0
    assert "there is nothing to take back" in done.stdout
    record = parse_record(file.read_text())
    assert record.moves[0] == "chomp:1/1/1"
    assert record.winner is None


@pytest.mark.parametrize("level", ["perfect", "stubborn", "hard", "greedy", "random"])
def test_every_level_plays(store: Path, capsys: pytest.CaptureFixture[str], level: str) -> None:
    arguments = ["chomp:4/4/2", "--first", "perfect", "--second", level, "--db", str(store)]
    assert run(["play", *arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["winner"] == 0
    assert record["players"][1].startswith(level)


def test_a_bad_record_is_bad_input(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.txt"
    for text in (b"nonsense", b"\xff\xfe\x00"):
        file.write_bytes(text)
        assert run(["play", "--replay", str(file), "--db", str(store)]) == 2
    assert run(["play", "--replay", str(tmp_path / "none"), "--db", str(store)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_record_is_read_from_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["play", "nim:[1]", "--first", "random", "--second", "random"]) == 0
    record = capsys.readouterr().out.removesuffix("random wins\n")
    replayed = subprocess.run(
        [sys.executable, "-m", "position_oracle", "play", "--replay", "/dev/stdin"],
        input=record,
        capture_output=True,
        text=True,
        check=True,
    )
    assert parse_record(replayed.stdout.removesuffix("random wins\n")) == parse_record(record)


def ask(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run(["ask", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_moves_are_listed_best_first(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ask(capsys, "chomp3:[4,3,2]", "--db", store)
    assert "Grundy     7; 8 with every bite allowed" in out
    assert "remoteness 15 plies to the end" in out
    assert "10 of 20, best first" in out
    lines = out.splitlines()
    first = next(i for i, line in enumerate(lines) if "leads to" in line) + 1
    assert " ".join(lines[first].split()) == "chomp3:[4,3,0] (bite row 1, column 8) wins 0 14"
    assert (
        len(ask(capsys, "chomp3:[4,3,2]", "--db", store, "--moves", 3).splitlines())
        == len(lines) - 7
    )


def test_json_lists_moves_where_asked(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ask(capsys, "--json", "nim:[3] + chomp:2/1", "--db", store, "--moves", 2)
    moves = json.loads(out)["moves"]
    assert moves[0] == {
        "move": "nim:[0] + chomp:2/1",
        "action": {
            "taking": {"heaps": [{"heap": 1, "tokens": 3}]},
            "component": 0,
            "words": "component 1: take 3 from heap 1",
        },
        "outcome": "P",
        "grundy": 0,
        "grundy_unrestricted": None,
        "remoteness": 2,
        "component": 0,
    }
    assert len(moves) == 2
    assert "moves" not in json.loads(ask(capsys, "--json", "nim:[3]", "--db", store))


def test_heaps_and_sums_are_drawn(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "    1  o o o\n    2\n    3  o\n" in ask(capsys, "nim:[3,0,1]", "--db", store)
    out = ask(capsys, "nim:[2] + chomp:2/1", "--db", store)
    assert "  nim:[2]\n    1  o o\n\n  chomp:2/1\n    2  o\n    1  X o\n" in out
    assert " o" * 60 + "\n" in ask(capsys, "nim:[60]", "--db", store)
    assert "o o" not in ask(capsys, "nim:[61]", "--db", store)


def test_too_many_moves_are_not_listed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ask(capsys, "nim:[20000,3]", "--db", store)
    assert "too many to list" in out
    assert "wins by    nim:[3,3]" in out
