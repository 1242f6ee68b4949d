"""`oracle ask --turns`: lengths of random games, in JSON for scripts and in words for people."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from position_oracle import Certainty, Method, Outcome, Turns, WinProbability
from position_oracle.oracle.cli import render, solve
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.given import NodeFacts
from tests.oracle.cli.test_ask_model import call
from tests.serving import running_server

KEYS = {"mean", "mean_exact", "distribution", "certainty", "method", "reason"}


def test_turns_are_added_where_they_are_asked_for(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "ask", "--json", "nim:[2]", "--turns", "--db", store)
    assert code == 0
    turns = json.loads(out)["turns"]
    assert set(turns) == KEYS
    assert (turns["mean"], turns["mean_exact"]) == (1.5, "3/2")
    assert turns["distribution"] == [0.0, 0.5, 0.5]
    _, out, _ = call(capsys, "ask", "--json", "nim:[2]", "--db", store)
    assert "turns" not in json.loads(out)


def test_turns_as_text(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "ask", "chomp:3/3/3", "--turns", "--db", store)
    assert code == 0
    assert "turns      3.361111111111111 = 121/36 on average, both random" in out
    assert "likeliest 3 (chance 0.2589), at most 9" in out
    assert "THEOREM: Devlin & Trifonova, Theorem 1.1" in out


@pytest.mark.parametrize(("form", "name"), [(["--json"], "null"), ([], "turns      unknown")])
def test_an_unknown_length_is_printed_as_unknown(
    store: Path, capsys: pytest.CaptureFixture[str], form: list[str], name: str
) -> None:
    arguments = [*form, "transfinite:wxwxw", "nim:[3]", "--turns"]
    code, out, _ = call(capsys, "ask", *arguments, "--db", store)
    assert code == 3
    assert name in out


def test_a_server_gives_the_same_turns(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--turns", "chomp:4/3", "wythoff:[5,7]", "nim:[9000,9000;1]"]
    with running_server(Oracle.open(store)) as port:
        for form in (["--json"], []):
            here = call(capsys, "ask", *form, *arguments, "--db", store)
            there = call(capsys, "ask", *form, *arguments, "--server", f"127.0.0.1:{port}")
            assert there == here


def of_length(length: int) -> Fraction:
    """Return a fraction below 1 whose text has a number of characters."""
    return Fraction(1, 10 ** (length - 3))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_fractions_are_shown_up_to_a_length(more: int) -> None:
    exact = of_length(solve.MAX_FRACTION + more)
    facts = NodeFacts("a", Outcome.N, (), None, 1, float(exact), 1.0, exact)
    assert (str(exact) in solve._row(facts)) is (more <= 0)
    exact = of_length(render.MAX_FRACTION + more)
    known, method = Certainty.THEOREM, Method.CLOSED_FORM
    turns = Turns("nim:[1]", float(exact), exact, None, known, method, "")
    chance = WinProbability("nim:[1]", "random", float(exact), exact, 0.0, known, method, "", None)
    for lines in (render.turn_lines(turns), render._probability_lines(chance)):
        assert any(str(exact) in line for line in lines) is (more <= 0)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 4])
def test_winning_moves_are_listed_apart_unless_the_table_shows_them_all(
    store: Path, capsys: pytest.CaptureFixture[str], most: int
) -> None:
    text = "nim:[3,5,7]"  # three moves win
    code, out, _ = call(capsys, "ask", text, "--moves", most, "--db", store)
    assert code == 0
    assert "nim:[2,5,7]" in out
    assert ("wins by" in out) is (most < 3)
