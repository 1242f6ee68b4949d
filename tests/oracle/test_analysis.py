"""Analyses are consistent: values follow from those of the moves, and the best moves come first."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.moves import is_over
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome
from position_oracle.oracle.analysis import MAX_LISTED_MOVES, Analysis
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.core import Oracle

SMALL = st.integers(0, 9)
SMALLER = st.integers(0, 4)
"""Limits for components, because a sum has the product of their numbers of positions."""


@pytest.fixture(scope="module")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


Sizes = st.SearchStrategy[int]


def heaps(prefix: str, count: int, passes: int = 0, sizes: Sizes = SMALL) -> st.SearchStrategy[str]:
    end = f";{passes}]" if passes else "]"
    return st.lists(sizes, min_size=count, max_size=count).map(
        lambda sizes: f"{prefix}:[{','.join(map(str, sizes))}{end}"
    )


def rows(longest: int, most: int) -> st.SearchStrategy[str]:
    return st.lists(st.integers(1, longest), min_size=1, max_size=most).map(
        lambda lengths: "chomp:" + "/".join(map(str, sorted(lengths, reverse=True)))
    )


def chomp3(sizes: Sizes) -> st.SearchStrategy[str]:
    return st.tuples(sizes, sizes, sizes).filter(any).map("chomp3:[{0[0]},{0[1]},{0[2]}]".format)


with_values = st.one_of(
    chomp3(SMALL),
    rows(7, 5),
    st.sampled_from(["divisors:2^3*3^2", "divisors:2^4,2*3^3", "divisors:5^6", "divisors:1"]),
    heaps("nim", 1),
    heaps("nim", 3),
    heaps("nim", 6),
    heaps("nim", 3, passes=1),
    heaps("nim", 2, passes=4),
    heaps("nim", 2, passes=5),
    heaps("wythoff", 2),
    heaps("wythoff{rule=pairs}", 3),
    heaps("wythoff{rule=all}", 3),
)
without_grundy = st.one_of(
    heaps("nim{misere}", 3),
    heaps("nim{misere}", 2, passes=2),
    heaps("nim{declared=[1,2,3]+[0,4,4]}", 3),
    heaps("nim{declared=[1,2,3]}", 3, passes=1),
)
parts_with_one_value = (chomp3(SMALLER), rows(4, 3), heaps("nim", 1, sizes=SMALLER))
components = st.one_of(
    *parts_with_one_value,
    heaps("nim", 2, passes=1, sizes=SMALLER),
    heaps("wythoff", 2, sizes=SMALLER),
)
sums = st.lists(components, min_size=2, max_size=4).map(" + ".join)
misere_sums = st.lists(st.one_of(*parts_with_one_value), min_size=1, max_size=3).map(
    lambda parts: f"misere{{{' + '.join(parts)}}}"
)


def check_outcomes(oracle: Oracle, analysis: Analysis) -> None:
    """An analysis has all moves of the rules, each with the outcome of a single question."""
    position = analysis.answer.position
    assert analysis.moves is not None
    assert analysis.complete
    moves = list(legal_moves(position))
    assert {each.move for each in analysis.moves} == set(moves)
    assert len(analysis.moves) == len(moves)
    for each in analysis.moves:
        assert each.outcome is oracle.outcome(each.move.child).outcome
    wins = [each.move for each in analysis.moves if each.outcome is Outcome.P]
    assert sorted(map(str, wins)) == sorted(map(str, analysis.answer.winning_moves or ()))
    if moves:
        assert (analysis.answer.outcome is Outcome.N) == bool(wins)


def check_grundy(analysis: Analysis) -> None:
    """The value is the mex of the values of the moves, in both conventions of Chomp."""
    moves, values = analysis.moves or (), analysis.values
    present = {each.values.grundy for each in moves} - {None}
    assert values.grundy == min(set(range(len(moves) + 1)) - present)
    assert (values.grundy == 0) == (analysis.answer.outcome is Outcome.P)
    if values.grundy_unrestricted is not None:
        present = {each.values.grundy_unrestricted for each in moves}
        least = min(set(range(len(moves) + 1)) - present)
        assert values.grundy_unrestricted == least


def check_remoteness(analysis: Analysis) -> None:
    """Remoteness is one more than that of the shortest win, or of the longest loss."""
    known = [(each.outcome, each.values.remoteness) for each in analysis.moves or ()]
    wins = [plies for outcome, plies in known if outcome is Outcome.P and plies is not None]
    all_moves = [plies for _, plies in known if plies is not None]
    expected = 1 + min(wins) if wins else 1 + max(all_moves, default=-1)
    assert analysis.values.remoteness == expected


def check_order(analysis: Analysis) -> None:
    """The moves are in the documented order: their keys increase strictly."""
    position = analysis.answer.position
    places = {move: place for place, move in enumerate(legal_moves(position))}
    keys = []
    for each in analysis.moves or ():
        wins, plies = each.outcome is Outcome.P, each.values.remoteness
        ends = is_over(each.move.child)
        category = (not wins, ends if not wins else not ends)
        length = (plies is None, (plies or 0) * (1 if wins else -1))
        keys.append((category, length, places[each.move]))
    assert all(before < after for before, after in pairwise(keys))


def test_eating_the_poison_is_last_in_normal_play_and_first_in_misere_play() -> None:
    normal = Oracle().analyze("chomp:3/3").moves or ()
    misere = Oracle().analyze("chomp{misere}:3/3").moves or ()
    assert str(normal[-1].move) == "chomp:0"
    assert str(misere[0].move) == "chomp{misere}:0"


@given(with_values)
@settings(max_examples=settings().max_examples * 4 // 5)
def test_numbers_follow_from_those_of_the_moves(oracle: Oracle, text: str) -> None:
    analysis = oracle.analyze(text)
    check_outcomes(oracle, analysis)
    check_grundy(analysis)
    if analysis.values.remoteness is not None:
        check_remoteness(analysis)
    else:
        assert text.startswith("nim:")
        assert text.count(",") == 5
    check_order(analysis)


@given(without_grundy)
@settings(max_examples=settings().max_examples * 3 // 5)
def test_remoteness_follows_where_there_is_no_grundy_value(oracle: Oracle, text: str) -> None:
    analysis = oracle.analyze(text)
    check_outcomes(oracle, analysis)
    check_remoteness(analysis)
    check_order(analysis)
    assert analysis.values.grundy is None


@given(sums)
@settings(max_examples=25)
def test_sums_in_normal_play_are_games_like_others(oracle: Oracle, text: str) -> None:
    analysis = oracle.analyze(text)
    check_outcomes(oracle, analysis)
    check_grundy(analysis)
    check_order(analysis)
    for each in analysis.moves or ():
        assert each.component is not None
        changed = str(each.move.child).split(" + ")[each.component]
        assert changed != text.split(" + ")[each.component]


@given(misere_sums)
@settings(max_examples=settings().max_examples * 4 // 5)
def test_outcomes_of_misere_sums_follow_from_the_moves(oracle: Oracle, text: str) -> None:
    analysis = oracle.analyze(text)
    check_outcomes(oracle, analysis)
    check_order(analysis)


@pytest.mark.parametrize(
    ("text", "winning"),
    [
        ("chomp3:[2000,2000,2000]", None),
        ("nim:[1000000000000,5,77] + chomp:5/4", ["nim:[72,5,77] + chomp:5/4"]),
        ("chomp:" + "/".join(["1"] * 2_000), None),
    ],
)
def test_of_too_many_moves_only_the_winning_ones_are_listed(
    oracle: Oracle, text: str, winning: list[str] | None
) -> None:
    analysis = oracle.analyze(text)
    assert not analysis.complete
    assert analysis.moves is not None
    listed = [str(each.move) for each in analysis.moves]
    assert listed == [str(move) for move in analysis.answer.winning_moves or ()]
    assert winning is None or listed == winning


def test_moves_are_left_out_where_they_are_not_asked_for(oracle: Oracle) -> None:
    analysis = oracle.analyze("chomp3:[4,3,2]", moves=False)
    assert analysis.moves is None
    assert "moves" not in analysis.as_json()
    assert analysis.values == oracle.analyze("chomp3:[4,3,2]").values


def test_the_empty_boards_have_no_moves(oracle: Oracle) -> None:
    for text in ("chomp3:[0,0,0]", "chomp:0", "divisors:0"):
        analysis = oracle.analyze(text)
        assert analysis.moves == ()
        assert analysis.complete
        assert analysis.values.grundy is None
        assert analysis.values.grundy_unrestricted == 0
        assert analysis.values.remoteness is None


def test_stored_values_are_those_that_are_computed_when_asked(oracle: Oracle) -> None:
    computed = Oracle()
    for x in range(0, 12, 3):
        for y in range(0, 12, 2):
            position = parse(f"chomp3:[{x},{y},3]")
            assert (
                oracle.analyze(position, moves=False).values
                == computed.analyze(position, moves=False).values
            )


@pytest.mark.parametrize("text", ["10/10/10", "3/3/3/3/2/1", "20/1", "3", "2/2/2", "1/1/1/1"])
def test_thin_boards_are_read_from_the_values_of_three_row_chomp(oracle: Oracle, text: str) -> None:
    assert certainty_of(oracle, f"chomp:{text}") is Certainty.EXACT_TABLE


def test_boards_of_four_rows_and_columns_are_not_in_values_of_three_row_chomp(
    oracle: Oracle,
) -> None:
    assert certainty_of(oracle, "chomp:4/4/4/4") is Certainty.EXACT_SEARCH


def certainty_of(oracle: Oracle, text: str) -> Certainty:
    position = parse(text)
    values = oracle.prober(position.game.family).plan_values("grundy", position).run()
    assert values is not None
    return values.certainty


def test_more_than_the_limit_is_what_counts(oracle: Oracle) -> None:
    most = oracle.analyze(f"nim:[{MAX_LISTED_MOVES}]")
    assert most.complete
    assert len(most.moves or ()) == MAX_LISTED_MOVES
    assert not oracle.analyze(f"nim:[{MAX_LISTED_MOVES + 1}]").complete


@pytest.mark.parametrize(
    "text",
    [
        "chomp:40/39/38/37/36/35/34/33/32/31",
        "chomp:40/39/38/37/36/35/34/33/32/31;2",
        "chomp:10/10/10/10/10/10/9/8/7/6/5/4/3/2/2/2",
        "chomp:90/80/70/60/50",
        "chomp:9x9x9",
        "divisors:2^20*3^15*5^2,7",
        "wythoff{rule=both}:[2000,3000,1]",
        "euclid:[5,1000000000;1]",
        "nim:[1000000000;1] + toads:TT.FF",
        "transfinite:wxwxw",
    ],
)
def test_every_question_says_the_same_outcome(text: str) -> None:
    """Where no theorem decides, all questions find the outcome in the outcomes of the children."""
    oracle = Oracle()
    answers = [oracle.outcome(text), oracle.winning_moves(text), oracle.analyze(text).answer]
    assert len({answer.outcome for answer in answers}) == 1
    best = oracle.best_move(text)
    if answers[0].outcome is Outcome.N:
        assert best is not None
        assert oracle.outcome(str(best)).outcome is Outcome.P
