"""Octal games in misere play: heaps of any size by misere quotients, all winning moves."""

import random
from pathlib import Path

import numpy as np
import pytest

from position_oracle.engine.games.moves import children as children_of
from position_oracle.engine.games.notation import parse
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.solvers import misere_quotients
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Outcome
from tests.reference.heap_rules_naive import Heaps, NaiveGame, octal_children

KAYLES = "octal{code=0.77,misere}"
LARGEST = 2**63 - 1


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def children(oracle: Oracle, text: str) -> set[Heaps]:
    moves = oracle.winning_moves(text).winning_moves
    assert moves is not None
    found = [move.child.coordinates for move in moves]
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize(
    "code", ["0.77", "0.07", "0.123", "0.15", "0.34", "0.53", "0.71", "0.75", "4.7"]
)
def test_outcomes_and_all_winning_moves_are_those_of_brute_force(oracle: Oracle, code: str) -> None:
    game = NaiveGame[Heaps](octal_children(code), misere=True)
    chance = random.Random(code)
    for _ in range(40):
        heaps = tuple(sorted(chance.randint(1, 9) for _ in range(chance.randint(0, 3))))
        text = f"octal{{code={code},misere}}:[{','.join(map(str, heaps)) or 0}]"
        assert (oracle.outcome(text).outcome is Outcome.N) == game.is_n(heaps, 0), text
        assert children(oracle, text) == {child for child, _ in game.winning(heaps, 0)}, text


def test_moves_come_in_the_order_of_the_rules(oracle: Oracle) -> None:
    position = parse(f"{KAYLES}:[30,45]")
    moves = oracle.winning_moves(position).winning_moves
    assert moves is not None
    listed = list(children_of(position))
    places = [listed.index(move.child) for move in moves]
    assert places == sorted(places)
    wins = [child for child in listed if oracle.outcome(child).outcome is Outcome.P]
    assert [move.child for move in moves] == wins


def test_heaps_of_any_size_follow_the_period(oracle: Oracle) -> None:
    chance = random.Random(3)
    for _ in range(200):
        small = [chance.randint(71, 300) for _ in range(4)]
        large = [heap + 12 * chance.randint(0, (LARGEST - 300) // 12) for heap in small]
        texts = [f"{KAYLES}:[{','.join(map(str, heaps))}]" for heaps in (small, large)]
        one, other = map(oracle.outcome, texts)
        assert one.outcome is other.outcome
        assert other.certainty is Certainty.THEOREM
        assert other.certificate is not None


def test_a_winning_move_of_huge_heaps_is_named_and_wins(oracle: Oracle) -> None:
    for heaps in ("9223372036854775807", "1000000000000,7", "88888888888888,99999999999999,5"):
        found = oracle.winning_moves(f"{KAYLES}:[{heaps}]")
        assert found.outcome is Outcome.N
        assert "too many moves" in found.reason
        assert found.winning_moves is not None
        assert oracle.outcome(found.winning_moves[0].child).outcome is Outcome.P


def test_the_reason_names_order_and_period(oracle: Oracle) -> None:
    reason = oracle.outcome(f"{KAYLES}:[100]").reason
    assert "order 40, period 12 (wild)" in reason
    assert "(tame)" in oracle.outcome("octal{code=0.3,misere}:[100]").reason


def test_batches_are_answered_as_single_positions(oracle: Oracle) -> None:
    rows = np.random.default_rng(5).integers(0, 2**31 - 1, (300, 4))
    rows[::3] %= 40
    batch = oracle.outcomes(KAYLES, rows)
    single = [oracle.outcome(f"{KAYLES}:{row}".replace(" ", "")).outcome for row in rows.tolist()]
    assert batch.tolist() == single
    assert {Outcome.P, Outcome.N} == set(single)


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    asked = [f"{KAYLES}:[5,7]", f"{KAYLES}:[30,2]", f"{KAYLES}:[500,3]"]
    forward, backward = Oracle(), Oracle()
    one = [forward.winning_moves(text) for text in asked]
    other = [backward.winning_moves(text) for text in reversed(asked)][::-1]
    assert one == other


def test_without_a_quotient_small_positions_are_searched_and_large_ones_unknown() -> None:
    oracle = Oracle()
    assert oracle.outcome("octal{code=4.7,misere}:[16]").certainty is Certainty.EXACT_SEARCH
    found = oracle.outcome("octal{code=4.7,misere}:[1000]")
    assert found.outcome is Outcome.UNKNOWN
    assert "no misere quotient was found beyond heap" in found.reason


def test_stored_certificates_answer_without_recomputation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_build(BuildPlan.of("kayles{misere}", "200"), tmp_path / "data")
    stored = Oracle.open(tmp_path / "data")

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("computed again")

    expected = Oracle().winning_moves(f"{KAYLES}:[100,101]")
    monkeypatch.setattr(misere_quotients, "find_quotient", refused)
    found = stored.winning_moves(f"{KAYLES}:[100,101]")
    assert found.winning_moves == expected.winning_moves
    assert (found.reason, found.certificate) == (expected.reason, expected.certificate)
    assert stored.outcome(f"{KAYLES}:[5,7]").outcome is Outcome.N
