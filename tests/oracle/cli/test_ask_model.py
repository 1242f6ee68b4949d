"""`oracle ask --model`: win probabilities in JSON for scripts and in words for people."""

import io
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.serving import running_server

GOLDEN = Path(__file__).parents[2] / "golden"
KEYS = {
    "model",
    "value",
    "exact",
    "error_bound",
    "certainty",
    "method",
    "reason",
    "best_moves",
    "best_actions",
}


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def ask_all(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Asks about lines of standard input, and returns the answers as JSON."""

    def ask(lines: list[str], model: str) -> list[dict[str, Any]]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))
        call_code, out, _ = call(capsys, "ask", "-", "--model", model, "--db", store)
        assert call_code in {0, 2, 3}
        return [json.loads(line) for line in out.splitlines()]

    return ask


def test_a_model_adds_the_win_probability(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(
        capsys, "ask", "--json", "chomp3:[1,1,1]", "--model", "random", "--db", store
    )
    assert code == 0
    answer = json.loads(out)
    chance = answer["win_probability"]
    assert set(chance) == KEYS
    assert (chance["model"], chance["value"], chance["exact"]) == ("random", 0.45, "9/20")
    assert chance["best_moves"] is None
    assert answer["winning_moves"] == ["chomp3:[1,1,0]", "chomp3:[1,0,2]", "chomp3:[0,2,1]"]
    _, out, _ = call(capsys, "ask", "--json", "chomp3:[1,1,1]", "--db", store)
    assert "win_probability" not in json.loads(out)


def test_golden_chomp(ask_all: Any) -> None:
    golden = cases("08_random_chomp.jsonl")
    lines = ["chomp:" + ("/".join(map(str, case["position"])) or "0") for case in golden]
    answers = ask_all(lines, "random")
    assert [Fraction(answer["win_probability"]["exact"]) for answer in answers] == [
        Fraction(case["p_mover"]) for case in golden
    ]
    golden = cases("08_optimal_chomp.jsonl")
    lines = ["chomp:" + ("/".join(map(str, case["position"])) or "0") for case in golden]
    for model, name in (
        ("perfect-vs-random", "p_optimal_mover"),
        ("random-vs-perfect", "p_random_mover"),
    ):
        found = [answer["win_probability"]["exact"] for answer in ask_all(lines, model)]
        assert found == [case[name] for case in golden]


def test_golden_nim(ask_all: Any) -> None:
    golden = cases("08_random_nim.jsonl")
    for prefix, name in (("nim", "p_mover_normal"), ("nim{misere}", "p_mover_misere")):
        lines = [f"{prefix}:{json.dumps(case['position'])}" for case in golden]
        found = [answer["win_probability"]["exact"] for answer in ask_all(lines, "random")]
        assert found == [case[name] for case in golden]


def test_only_a_float_is_known_of_large_boards(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--json", "chomp3:[100,50,30]", "--model", "sloppy(0.10)-vs-perfect"]
    code, out, _ = call(capsys, "ask", *arguments, "--db", store)
    assert code == 0
    chance = json.loads(out)["win_probability"]
    assert chance["model"] == "sloppy(0.1)-vs-perfect"
    assert chance["exact"] is None
    assert chance["method"] == "FLOATING_POINT"
    assert 0 < chance["error_bound"] < 1e-9 * chance["value"]


def test_the_best_practical_chance_is_shown(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "ask", "chomp:4/3", "--model", "perfect-vs-random", "--db", store)
    assert code == 0
    assert "0.9791666666666666 = 47/48 for the player to move, perfect-vs-random" in out
    assert "best by    chomp:3/3   (bite row 1, column 4)" in out


def test_a_position_without_a_known_chance_says_so(ask_all: Any) -> None:
    lines = ["transfinite:wxwxw", "nonsense", "transfinite:2xw", "chomp3:[1,0,0]"]
    cubic, bad, narrow, plain = ask_all(lines, "random")
    assert "error" in bad
    assert plain["win_probability"]["exact"] == "1/2"
    for answer in (cubic, narrow):
        chance = answer["win_probability"]
        assert set(chance) == KEYS
        assert chance["value"] is chance["exact"] is None
        assert "a search on demand goes to" in chance["reason"]


@pytest.mark.parametrize(
    ("texts", "model", "code"),
    [
        (["chomp3:[1,1,1]"], "random", 0),
        (["chomp3:[1,1,1]"], "rand", 2),
        (["chomp3:[1,1,1]"], "perfect-vs-sloppy(2)", 2),
        (["wythoff:[1,2]"], "random", 0),
        (["transfinite:wxwxw", "chomp3:[1,1,1]"], "random", 3),
    ],
)
def test_exit_codes(
    store: Path, capsys: pytest.CaptureFixture[str], texts: list[str], model: str, code: int
) -> None:
    assert call(capsys, "ask", *texts, "--model", model, "--db", store)[0] == code
    assert call(capsys, "ask", "--json", *texts, "--model", model, "--db", store)[0] == code


def test_a_server_gives_the_same_answers(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["chomp3:[1,1,1]", "chomp:4/3", "nim{misere}:[3,3]", "wythoff:[1,2]", "chomp3:[90,3,1]"]
    with running_server(Oracle.open(store)) as port:
        for model in ("random", "perfect-vs-random", "sloppy(1/3)-vs-perfect"):
            for arguments in (["--json", *texts], texts):
                here = call(capsys, "ask", *arguments, "--model", model, "--db", store)
                address = f"127.0.0.1:{port}"
                there = call(capsys, "ask", *arguments, "--model", model, "--server", address)
                assert there == here


def test_an_estimate_says_how_far_it_may_be_off(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = "chomp:20/20/20/20/20/20/20/20/1/1"
    _, out, _ = call(capsys, "ask", board, "--model", "random", "--db", store)
    assert re.search(r"chance     about 0\.\d{4}, give or take 0\.00\d\d for the player", out)
    assert "known by   ESTIMATE: " in out
