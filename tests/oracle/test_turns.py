"""Lengths of random games: golden cases, the rules, and games that are too large."""

import re
from fractions import Fraction
from typing import Any, cast

import pytest

from position_oracle import Position, rules
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.answers import Certainty, Method
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families import searched
from position_oracle.oracle.families.search import plan_estimated_turns
from tests.oracle.test_chance_prober import board_text, cases, heaps_text
from tests.reference import random_play_naive as naive

SMALL = (
    "chomp3:[2,1,1;1]",
    "chomp3{declared=[1,1,0]}:[2,1,1]",
    "chomp:3/2/1",
    "chomp:2/2 + nim:[3]",
    "divisors:2^2*3",
    "euclid:[5,8]",
    "fibonacci:[7]",
    "kayles:[3,4]",
    "moore{k=2}:[1,2,3]",
    "nim:[2,3;2]",
    "nim{misere}:[2,3]",
    "nodekayles:path(6)",
    "octal{code=0.77}:[5,3]",
    "staircase:[1,2,2]",
    "toads:TT..FF",
    "transfinite:2x3",
    "wythoff:[3,4]",
)


@pytest.fixture(scope="module")
def bare() -> Oracle:
    """An oracle without tables."""
    return Oracle()


def mean_of(distribution: tuple[float, ...] | None) -> float:
    assert distribution is not None
    return sum(turns * chance for turns, chance in enumerate(distribution))


@pytest.mark.parametrize(
    ("name", "text"), [("08_random_chomp.jsonl", board_text), ("08_random_nim.jsonl", heaps_text)]
)
def test_golden(bare: Oracle, name: str, text: Any) -> None:
    golden = cases(name)
    assert sum("turns_dist" in case for case in golden) > 30
    for case in golden:
        found = bare.turns(text(case["position"]))
        assert found.mean_exact == Fraction(case["e_turns"]), case
        assert found.mean == float(found.mean_exact)
        assert (found.certainty, found.method) == (Certainty.THEOREM, Method.CLOSED_FORM)
        if "turns_dist" in case:
            chances = [float(Fraction(chance)) for chance in case["turns_dist"]]
            assert found.distribution == pytest.approx(chances, rel=1e-13, abs=0), case


@pytest.mark.parametrize("text", SMALL)
def test_every_family_by_its_rules(bare: Oracle, text: str) -> None:
    """The mean and the chances equal a plain recursion over the legal moves."""

    def children(position: Any) -> list[Any]:
        return [str(rules.play(position, move)) for move in rules.legal_moves(position)]

    found, start = bare.turns(text), cast("Any", text)
    assert found.mean_exact == naive.expected_turns(children, start)
    chances = [float(chance) for chance in naive.turn_distribution(children, start)]
    assert found.distribution == pytest.approx(chances, rel=1e-13, abs=0)
    assert found.position == parse(text)


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("nim:[20000,30000]", Certainty.THEOREM),
        ("chomp:20000/10", Certainty.THEOREM),
        ("chomp3:[1000,1000,1000]", Certainty.THEOREM),
        ("divisors:5040", Certainty.EXACT_SEARCH),
    ],
)
def test_a_mean_without_distribution(bare: Oracle, text: str, certainty: Certainty) -> None:
    found = bare.turns(text)
    assert found.certainty is certainty
    assert found.mean is not None
    assert found.distribution is None


def test_the_closed_form_of_large_heaps(bare: Oracle) -> None:
    """Each heap has mean length ln n + 1/(2n) plus Euler's constant."""
    assert bare.turns("nim:[1000000]").mean == pytest.approx(14.392726722865724, rel=1e-15)


@pytest.mark.parametrize("text", ["wythoff:[5,7]", "nim:[6,5,4;2]"])
def test_double_precision_agrees_with_whole_numbers(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean is the same in plain Python and compiled code, and is that of the distribution."""
    exact = Oracle().turns(text)
    assert exact.method is Method.EXACT
    assert mean_of(exact.distribution) == pytest.approx(exact.mean, rel=1e-12)
    monkeypatch.setattr(searched, "MAX_EXACT", 0)
    rounded = Oracle().turns(text)
    assert (rounded.method, rounded.mean_exact) == (Method.FLOATING_POINT, None)
    assert rounded.mean == pytest.approx(exact.mean, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "wythoff:[900,9000]",
        "chomp:9x9x9",
        pytest.param("nim:[9000,9000;2]", marks=pytest.mark.slow),
    ],
)
def test_what_is_too_large_for_a_search_is_estimated(bare: Oracle, text: str) -> None:
    found = bare.turns(text)
    assert (found.certainty, found.method) == (Certainty.ESTIMATE, Method.SIMULATION)
    assert (found.mean_exact, found.distribution) == (None, None)
    low, high = map(float, re.findall(r"interval (.*) to (.*)", found.reason)[0])
    assert found.mean is not None
    assert low < found.mean < high
    assert high - low < 2
    assert bare.turns(text) == found


def test_an_estimate_covers_the_theorem(bare: Oracle) -> None:
    """Theorem 1.7 of Devlin & Trifonova gives the mean length of Nim."""
    position = parse("nim:[9000,9000]")
    reason = plan_estimated_turns(position).run().reason
    low, high = map(float, re.findall(r"(\d+\.\d+)", reason))
    mean = bare.turns(position).mean
    assert mean is not None
    assert low < mean < high


@pytest.mark.parametrize(
    "text", ["kayles:[100000000]", "nim{max=3}:[100000000]", "transfinite:3xw"]
)
def test_what_is_too_large_is_unknown(bare: Oracle, text: str) -> None:
    found = bare.turns(text)
    assert (found.certainty, found.method) == (Certainty.UNKNOWN, Method.UNKNOWN)
    assert (found.mean, found.mean_exact, found.distribution) == (None, None, None)
    assert "a search on demand goes to" in found.reason
    assert isinstance(found.position, Position)
