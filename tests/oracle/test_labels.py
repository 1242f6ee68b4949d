"""The description of an answer: its certainty, and whether it names all winning moves."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from position_oracle.engine.budget import first_of
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import NOT_ALL, TOO_MANY, names_all_wins
from position_oracle.schema.answers import Certainty, Outcome
from tests.oracle import mixed
from tests.oracle.test_batches import tabled

COMPONENTS = {
    "nim:[3,4]": Certainty.THEOREM,
    "chomp3:[4,3,2]": Certainty.EXACT_TABLE,
    "chomp3:[5,1,1]": Certainty.EXACT_TABLE,
    "chomp3:[29,1,1]": Certainty.EXACT_SEARCH,
    "toads:TT.FF": Certainty.EXACT_SEARCH,
}
ORDER = (Certainty.EXACT_SEARCH, Certainty.EXACT_TABLE, Certainty.THEOREM)
"""Certainties, the least certain first: a sum has the least certainty of its components."""


@pytest.fixture(scope="module")
def stored(store: Path) -> Oracle:
    return Oracle.open(store)


@pytest.mark.parametrize("pair", [*permutations(COMPONENTS, 2)][::2], ids=" + ".join)
def test_a_sum_is_known_as_its_least_certain_component(
    stored: Oracle, pair: tuple[str, str]
) -> None:
    expected = next(each for each in ORDER if each in {COMPONENTS[part] for part in pair})
    for found in (stored.outcome(" + ".join(pair)), stored.winning_moves(" + ".join(pair))):
        assert found.certainty is expected
    if "chomp3:[29,1,1]" not in pair:  # its sums have large graphs
        assert stored.analyze(" + ".join(pair), moves=False).answer.certainty is expected


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("chomp:36/36/" + "/".join(["25"] * 8), Certainty.EXACT_TABLE),
        ("chomp:40/39/38/37/36/35/34/33/32/31", Certainty.THEOREM),
    ],
)
def test_a_win_by_a_known_move_is_known_as_the_position_after_it(
    stored: Oracle, text: str, certainty: Certainty
) -> None:
    answer = stored.winning_moves(text)
    (move,) = answer.winning_moves or ()
    assert answer.certainty is stored.outcome(move.child).certainty is certainty


def test_parts_that_are_searched_make_an_answer_by_search() -> None:
    """Though a theorem joins them."""
    answer = bare().winning_moves("nodekayles:path(20)")
    assert "each searched" in answer.reason
    assert answer.certainty is Certainty.EXACT_SEARCH


def drawn(count: int) -> Iterator[str]:
    """Positions of all families whose winning moves are found soon."""
    rng = random.Random(31)
    for number in range(count):
        text = mixed.DRAWS[number % len(mixed.DRAWS)](rng)
        if mixed.is_cheap(("winning_moves", (text,)), Oracle()):
            yield text


@cache
def bare() -> Oracle:
    return Oracle()


MOST_MOVES = 40


def is_finite(position: Position) -> bool:
    return position.game.family != "transfinite" or position.value.is_finite


@pytest.mark.parametrize("with_tables", [False, True])
def test_moves_that_are_said_to_be_all_are_all(with_tables: bool) -> None:
    """All listed moves win, as the outcomes of the children show."""
    oracle = tabled() if with_tables else bare()
    asked = complete = 0
    for text in drawn(80):
        try:
            answer = oracle.winning_moves(text)
        except ValueError:
            continue
        assert (answer.certainty is Certainty.UNKNOWN) == (answer.outcome is Outcome.UNKNOWN)
        if answer.outcome is not Outcome.N or not is_finite(answer.position):
            continue
        children = [m.child for m in first_of(legal_moves(answer.position), MOST_MOVES + 1)]
        if len(children) > MOST_MOVES:
            continue
        asked += 1
        wins = [str(child) for child in children if oracle.outcome(child).outcome is Outcome.P]
        named = [str(move.child) for move in answer.winning_moves or ()]
        assert len(set(named)) == len(named)
        if names_all_wins(answer):
            complete += 1
            assert named == list(dict.fromkeys(wins)), text  # in the order of the rules
        else:
            assert set(named) <= set(wins), text
    assert complete > 20


PARTLY = (
    "octal{code=0.156}:[1000000001,1]",
    "nim:[3] + octal{code=0.77}:[1099511627776]",
    "nim{max=4611686018427387903}:[4611686018427387904] + nim:[3]",
    "kayles:[3000;2]",  # the outcome after the pass is not known
    "kayles:[3000;2] + octal{code=0.137}:[4]",  # the value after the pass is not known
)


@pytest.mark.parametrize("text", PARTLY)
def test_lists_that_leave_moves_out_say_so(text: str) -> None:
    """Lists name one winning move of many, or none if a check of all would take long."""
    answer = bare().winning_moves(text)
    assert answer.outcome is Outcome.N
    assert not names_all_wins(answer)
    assert NOT_ALL in answer.reason or TOO_MANY in answer.reason
    for move in answer.winning_moves or ():
        assert bare().outcome(move.child).outcome is Outcome.P
    page = bare().analyze_page(text, most=5)
    others = [each for each in page.moves or () if each.outcome is Outcome.N]
    assert all(bare().outcome(each.move.child).outcome is Outcome.N for each in others)
    assert parse(text) == answer.position
