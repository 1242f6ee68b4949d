"""The order of moves: what comes before what, and that it is a total order."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.move_order import MoveFacts, best_first, order_key

BEST_FIRST = [
    MoveFacts(True, 0, ends_game=True),
    MoveFacts(True, 0),
    MoveFacts(True, 2, 0.9),
    MoveFacts(True, 2, 0.1),
    MoveFacts(True, 2),
    MoveFacts(True, 400, 0.99),
    MoveFacts(True, None),
    MoveFacts(None, None, 0.7),
    MoveFacts(None, None, 0.0),
    MoveFacts(None),
    MoveFacts(False, 31),
    MoveFacts(False, 9, 0.4),
    MoveFacts(False, 9, 0.1),
    MoveFacts(False, 9),
    MoveFacts(False, 1),
    MoveFacts(False, None),
    MoveFacts(False, 0, ends_game=True),
]

probabilities = st.none() | st.floats(0, 1)
known = st.builds(
    MoveFacts, st.booleans(), st.none() | st.integers(0, 9), probabilities, st.booleans()
)
unknown = st.builds(MoveFacts, st.none(), st.none(), probabilities)
facts = known | unknown
placed = st.tuples(facts, st.integers(0, 5))


def test_best_first() -> None:
    assert best_first(list(reversed(BEST_FIRST)), lambda move: move) == BEST_FIRST
    assert best_first(BEST_FIRST, lambda move: move) == BEST_FIRST


def test_each_is_before_the_next_whatever_the_places() -> None:
    for better, worse in pairwise(BEST_FIRST):
        assert order_key(better, 9) < order_key(worse, 0)


def test_eating_the_poison_is_last_even_where_no_remoteness_is_known() -> None:
    poison, other = MoveFacts(False, ends_game=True), MoveFacts(False)
    assert best_first([poison, other], lambda move: move) == [other, poison]


def test_equal_moves_keep_the_order_of_the_rules() -> None:
    for names in permutations("abc"):
        assert best_first(names, lambda _: MoveFacts(True, 4)) == list(names)


@given(moves=st.lists(facts, max_size=12))
def test_every_move_is_listed_once_in_ascending_order(moves: list[MoveFacts]) -> None:
    places = list(range(len(moves)))
    order = best_first(places, lambda place: moves[place])
    assert sorted(order) == places
    keys = [order_key(moves[place], place) for place in order]
    assert all(left < right for left, right in pairwise(keys))


@given(first=placed, second=placed)
def test_two_moves_are_comparable_and_equal_only_at_one_place(
    first: tuple[MoveFacts, int], second: tuple[MoveFacts, int]
) -> None:
    left, right = order_key(*first), order_key(*second)
    assert (left < right) + (left == right) + (left > right) == 1
    if first[1] != second[1]:
        assert left != right


@given(moves=st.lists(facts, max_size=12), data=st.data())
def test_the_order_of_some_moves_does_not_depend_on_the_others(
    moves: list[MoveFacts], data: st.DataObject
) -> None:
    places = list(range(len(moves)))
    some = [place for place in places if data.draw(st.booleans())]
    everything = best_first(places, lambda place: moves[place])
    assert best_first(some, lambda place: moves[place]) == [p for p in everything if p in some]


@given(moves=st.lists(facts, min_size=1, max_size=12))
def test_outcome_precedes_everything_else(moves: list[MoveFacts]) -> None:
    ranking = {True: 0, None: 1, False: 2}
    order = [ranking[move.wins] for move in best_first(moves, lambda move: move)]
    assert order == sorted(order)


@given(moves=st.lists(known, min_size=1, max_size=12))
def test_the_winner_hurries_and_the_loser_delays(moves: list[MoveFacts]) -> None:
    order = [m for m in best_first(moves, lambda m: m) if not m.ends_game]
    winning = [m.remoteness for m in order if m.wins and m.remoteness is not None]
    losing = [m.remoteness for m in order if not m.wins and m.remoteness is not None]
    assert winning == sorted(winning)
    assert losing == sorted(losing, reverse=True)


@pytest.mark.parametrize(
    ("wins", "remoteness", "probability", "ends_game"),
    [
        (True, -1, None, False),
        (None, 3, None, False),
        (None, None, None, True),
        (True, None, 1.5, False),
        (True, None, -0.1, False),
        (True, None, float("nan"), False),
    ],
)
def test_contradictions_are_refused(
    wins: bool | None, remoteness: int | None, probability: float | None, ends_game: bool
) -> None:
    with pytest.raises(ValueError, match=r"remoteness|outcome|probability"):
        MoveFacts(wins, remoteness, probability, ends_game)
