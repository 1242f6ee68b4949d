"""`oracle play` in every family: moves as people type them, undo, help, and every bot."""

import json
from pathlib import Path

import pytest

from position_oracle import IllegalMoveError, Outcome, rules
from position_oracle.clients.bots import Bot, bot_of
from position_oracle.clients.record import format_record, parse_record
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.cli.person import read_typed
from position_oracle.schema.answerer import Answerer

STARTS = [
    "chomp3:[1,1,1]",
    "chomp3:[1,1,0;1]",
    "chomp3{declared=[0,1,0]}:[1,1,1]",
    "chomp:3/2",
    "divisors:12",
    "nim:[2,3]",
    "nim:[1,2;1]",
    "nim{misere}:[2,2]",
    "wythoff:[2,3]",
    "wythoff{rule=all}:[1,2,2]",
    "transfinite:2x3",
    "chomp3:[1,1,0] + nim:[2]",
    "misere{chomp:2/1 + nim:[2]}",
    "kayles:[2,3]",
    "octal{code=4.3}:[4]",
    "dawson:[5;1]",
    "octal{code=0.137,misere}:[2,4]",
    "nim{max=3}:[2,2]",
    "nim{take=1+3+4,misere}:[2,6]",
    "nim{take=2+5}:[7;1]",
    "nim{heappass}:[2p,2]",
    "nim{heappass,misere}:[2p,1]",
    "octal{code=0.77,heappass}:[3p,2]",
    "toads:TT.FF",
    "toads{misere}:T.TFF;1",
    "wythoff{misere}:[2,3]",
    "wythoff{rule=both}:[1,2,2;1]",
    "chomp:3/2;1",
    "chomp{misere}:3/2",
    "divisors:12;1",
    "divisors:30",
    "kayles:[4] + chomp3:[1,1,0] + toads:T.F",
]


@pytest.mark.parametrize("start", STARTS)
def test_bots_play_every_family_to_its_end(
    store: Path, capsys: pytest.CaptureFixture[str], start: str
) -> None:
    run(["ask", "--json", start, "--db", str(store)])
    first_wins = json.loads(capsys.readouterr().out)["outcome"] == "N"
    for second in ("perfect", "stubborn", "easy", "sloppy", "greedy", "random"):
        arguments = [start, "--first", "perfect", "--second", second, "--seed", "5", "--json"]
        assert run(["play", *arguments, "--db", str(store)]) == 0, second
        record = json.loads(capsys.readouterr().out)
        assert record["winner"] == 0 or not first_wins, second
        last = record["moves"][-1]
        if last != "pass":
            assert rules.is_over(last)
            moved_last = (len(record["moves"]) - 1) % 2
            won_before = rules.winner(last) is Outcome.N
            assert record["winner"] == (1 - moved_last if won_before else moved_last)


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("other", ["perfect", "stubborn", "sloppy", "greedy", "random"])
def test_the_perfect_bot_wins_every_won_game(
    store: Path, capsys: pytest.CaptureFixture[str], start: str, other: str
) -> None:
    run(["ask", "--json", start, "--db", str(store)])
    is_won = json.loads(capsys.readouterr().out)["outcome"] == "N"
    players = ["perfect", other] if is_won else [other, "perfect"]
    arguments = ["--first", players[0], "--second", players[1], "--games", "20", "--seed", "3"]
    assert run(["play", start, *arguments, "--db", str(store)]) == 0
    won = "(first) won 20" if is_won else "(second) won 20"
    assert won in capsys.readouterr().out


def test_every_player_of_every_game_has_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = list[int]()

    def seated(player: str, oracle: Answerer, seed: int, epsilon: float) -> Bot:
        seeds.append(seed)
        return bot_of(player, oracle, seed, epsilon)

    monkeypatch.setattr("position_oracle.oracle.cli.match.bot_of", seated)
    both = ["--first", "random", "--second", "random"]
    assert run(["play", "nim:[1]", *both, "--games", "4", "--seed", "7"]) == 0
    assert len(seeds) == len(set(seeds)) == 8


@pytest.mark.parametrize("start", STARTS)
def test_records_are_read_back(
    start: str, store: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "game"
    arguments = [start, "--first", "random", "--second", "random", "--record", str(file)]
    assert run(["play", *arguments, "--annotate", "--db", str(store)]) == 0
    annotated = capsys.readouterr().out.rpartition("\n\n")[0] + "\n"
    record = parse_record(file.read_text())
    assert format_record(record) == file.read_text()
    assert parse_record(annotated).winner == record.winner
    assert run(["play", "--replay", str(file), "--db", str(store)]) == 0


@pytest.mark.parametrize("start", STARTS)
def test_every_move_is_read_in_each_of_its_forms(start: str) -> None:
    moves = list(rules.legal_moves(start))
    for number, move in enumerate(moves, start=1):
        assert read_typed(start, f"#{number}") == move
        assert read_typed(start, str(move).replace(" ", "")) == move
        assert read_typed(start, str(move)) == move
    assert len({str(move.action) for move in moves}) == len(moves)
    for typed in ("#0", f"#{len(moves) + 1}", "9 9", "1 \u0661", "x", "", "1 2 3", "-1 1", "+ 1"):
        with pytest.raises(IllegalMoveError):
            read_typed(start, typed)


@pytest.mark.parametrize(
    ("start", "typed", "child", "words"),
    [
        ("chomp:3/2", "1,3", "chomp:2/2", "bite row 1, column 3"),
        ("chomp3:[1,1,0]", "2 1", "chomp3:[0,0,2]", "bite row 2, column 1"),
        ("nim:[2,3]", "2 3", "nim:[2,0]", "take 3 from heap 2"),
        ("nim:[2,3]", "1, 1", "nim:[1,3]", "take 1 from heap 1"),
        ("wythoff:[2,3]", "1+2 2", "wythoff:[0,1]", "take 2 each from heap 1 and 2"),
        ("transfinite:2x3", "3 1", "transfinite:2x2", "bite row 3, column 1"),
        ("wythoff{misere}:[2,3]", "1+2 1", "wythoff{misere}:[1,2]", "take 2 from heap 2"),
        ("kayles:[3,5]", "2 2", "octal{code=0.77}:[3,3]", "take 2 from heap 2"),
        ("kayles:[5,5]", "2 5", None, ""),
        (
            "kayles:[3,5]",
            "2 1 1+3",
            "octal{code=0.77}:[1,3,3]",
            "take 1 from heap 2, leaving 1 and 3",
        ),
        ("octal{code=4.3}:[4]", "1 0 1+3", "octal{code=4.3}:[1,3]", "split heap 1 into 1 and 3"),
        ("nim{max=3}:[2,2]", "2 1", "nim{max=3}:[1,2]", "take 1 from heap 1"),
        ("nim{heappass}:[2p,2]", "2 pass", "nim{heappass}:[2,2]", "use the pass of heap 2"),
        ("nim{heappass}:[2p,2]", "2 1", "nim{heappass}:[1p,2]", "take 1 from heap 2"),
        (
            "octal{code=0.77,heappass}:[4p]",
            "1 1 1+2p",
            "octal{code=0.77,heappass}:[1,2p]",
            "take 1 from heap 1, leaving 2p and 1",
        ),
        ("toads:TT.FF", "2", "toads:T.TFF", "toad from cell 2 to 3"),
        ("toads:T.TFF", "1 2", "toads:.TTFF", "toad from cell 1 to 2"),
        ("toads:TFT.F", "5", "toads:TFTF.", "frog from cell 5 to 4"),
        ("divisors:12", "6", "divisors:2^2,3", "name 2*3"),
        ("divisors:12", "2*3", "divisors:2^2,3", "name 2*3"),
        ("divisors:12", "2 2", "divisors:2^2,3", "name 2*3"),
        ("divisors:30", "15", "divisors:2*3,2*5", "name 3*5"),
        (
            "kayles:[4] + nim:[2;1]",
            "2: pass",
            "octal{code=0.77}:[4] + nim:[2]",
            "component 2: pass",
        ),
        (
            "kayles:[4] + nim:[2;1]",
            "2:  1 2",
            "octal{code=0.77}:[4] + nim:[0;1]",
            "component 2: take 2 from heap 1",
        ),
    ],
)
def test_moves_in_words(start: str, typed: str, child: str | None, words: str) -> None:
    if child is None:
        with pytest.raises(IllegalMoveError):
            rules.move_of(start, typed)
        return
    move = rules.move_of(start, typed)
    assert (move.child, str(move.action)) == (child, words)
    assert rules.play(start, words) == child


def test_greedy_and_small_moves() -> None:
    assert rules.greedy_move("misere{transfinite:0 + nim:[2]}") == "misere{transfinite:0 + nim:[1]}"
    assert rules.greedy_move("nim:[2,5]") == "nim:[2,0]"
    assert rules.small_move("nim:[2,5]") == "nim:[2,4]"
    assert rules.greedy_move("divisors:4") == "divisors:1"
    assert rules.greedy_move("nim{misere}:[3]") == "nim{misere}:[1]"
    assert rules.greedy_move("fibonacci:[20,6]") == "fibonacci:[14,12]"
    assert rules.small_move("fibonacci:[20,6]") == "fibonacci:[19,2]"
    assert rules.small_move("nim:[1;1]") == "nim:[0;1]"


MANY = [
    ("moore{k=2}:[3,4,5]", "moore{k=2}:[3,0,0]"),
    ("moore{k=2}:[300,400,500]", "moore{k=2}:[300,0,0]"),
    ("circular{k=2}:[3,4,5,4]", "circular{k=2}:[3,0,0,4]"),
    ("circular{k=2}:[3,400,5,600,9]", "circular{k=2}:[3,400,5,0,0]"),
    ("nim{heappass}:[4p,5]", "nim{heappass}:[4p]"),
    ("wythoff{a=2}:[4,6]", "wythoff{a=2}:[0,1]"),
    ("wythoff{a=2}:[4000,6000]", "wythoff{a=2}:[0,1999]"),
]


@pytest.mark.parametrize(("position", "left"), MANY)
def test_the_greedy_player_takes_the_most_from_heaps(position: str, left: str) -> None:
    assert rules.greedy_move(position) == left


def typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: str, *args: object
) -> tuple[int, str]:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    code = run(["play", *map(str, args)])
    return code, capsys.readouterr().out


def test_the_opponents_move_is_printed(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = typed(monkeypatch, capsys, "1,3\n1 1\n", "chomp:3/1", "--db", store)
    assert code == 0
    assert "perfect: bite row 2, column 1 (chomp:2)" in out or "perfect: bite row 1" in out


def test_help_moves_and_hint(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "help\nmoves\nhint\nquit\n"
    code, out = typed(monkeypatch, capsys, lines, "nim:[1,2]", "--db", store)
    assert code == 0
    assert "take 3 tokens from heap 2" in out
    assert "#3    take 1 from heap 2 (nim:[1,1])" in out
    assert "wins: take 1 from heap 2 (nim:[1,1])" in out


def test_the_end_of_the_input_leaves_the_game_as_quit_does(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = typed(monkeypatch, capsys, "\n\n1 1\n", "nim:[9,9]", "--db", store)
    assert code == 0
    assert "1. nim:[8,9]" in out
    assert '[Result "*"]' in out


def test_two_people_undo_one_ply_each(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "undo\n1 1\nundo\n2 2\n1 1\n"
    options = ["--second", "you", "--db", store]
    code, out = typed(monkeypatch, capsys, lines, "nim:[1,2]", *options)
    assert code == 0
    assert out.count("there is nothing to take back") == 1
    assert "1. nim:[1,0] nim:[0,0]\n0-1" in out
