"""Sums of games: their text, their moves, and what may stand in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.moves import moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.sum import (
    MAX_COMPONENTS,
    changed_component,
    components_of,
    make_sum,
)
from position_oracle.schema.errors import InvalidPositionError, NotationError, UnknownGameError

numbers = st.integers(0, 2**60)
three_row = st.tuples(numbers, numbers, st.integers(1, 9)).map(
    lambda xyz: Position(GameSpec("chomp3"), xyz)
)
boards = st.lists(st.integers(1, 9), min_size=1, max_size=5).map(
    lambda rows: Position(GameSpec("chomp"), tuple(sorted(rows, reverse=True)))
)
single_heaps = numbers.map(lambda heap: Position(GameSpec("nim", heaps=1), (heap,)))
several_heaps = st.tuples(numbers, numbers, st.integers(0, 3)).map(
    lambda n: Position(GameSpec("nim", heaps=2, passes=n[2]), n[:2])
)
in_normal_play = st.lists(three_row | boards | single_heaps | several_heaps, min_size=2, max_size=6)
in_misere_play = st.lists(three_row | boards | single_heaps, min_size=1, max_size=6)


@given(in_normal_play)
def test_normal_sums_round_trip(components: list[Position]) -> None:
    whole = make_sum(tuple(components))
    assert parse(str(whole)) == whole
    assert str(whole) == " + ".join(map(str, components))
    assert whole.game.text == "sum"


@given(in_misere_play)
def test_misere_sums_round_trip(components: list[Position]) -> None:
    whole = make_sum(tuple(components), misere=True)
    assert parse(str(whole)) == whole
    assert whole.game.text == "sum{misere}"


def test_a_plus_inside_a_position_separates_nothing() -> None:
    assert not components_of(parse("chomp3{declared=[1,0,2]+[0,1,1]}:[4,3,2]"))
    assert not components_of(parse("transfinite:3xw^w + 2x(w*2+1)"))
    assert len(components_of(parse("nim:[3,5]+chomp:4/2"))) == 2


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("nim{misere}:[1] + nim:[2]", InvalidPositionError, "ends by a rule of its own"),
        ("nim:[1] + chomp3{declared=[1,1,1]}:[1,1,1]", InvalidPositionError, "declared N"),
        ("nim:[1] + chomp:0", InvalidPositionError, "the poison cannot be eaten"),
        ("nim:[1] + transfinite:3xw", InvalidPositionError, "infinite"),
        ("nim:[1] + divisors:0", InvalidPositionError, "the poison cannot be eaten"),
        ("nim:[1] + go:[1]", UnknownGameError, "no game 'go'"),
        ("nim:[1] + nim:[", NotationError, "is not a position"),
        ("misere{}", NotationError, "is not a position"),
        ("misere{misere{nim:[1]}}", NotationError, "is not a game"),
        ("nim:[1] + misere{nim:[1]}", NotationError, "is not a game"),
        ("sum:[1]", NotationError, "write the components of the sum"),
        (" + ".join(["nim:[1]"] * 65), InvalidPositionError, "65 positions"),
    ],
)
def test_what_does_not_go_together_is_refused(
    text: str, error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        parse(text)


def test_as_many_components_as_are_allowed() -> None:
    whole = parse(" + ".join(["nim:[1]"] * MAX_COMPONENTS))
    assert len(components_of(whole)) == MAX_COMPONENTS


def moves_of(text: str) -> list[str]:
    position = parse(text)
    return [str(move.child) for move in moves(position)]


def test_moves_go_through_the_components_in_order() -> None:
    assert moves_of("chomp:2/1 + nim:[2;1]") == [
        "chomp:1/1 + nim:[2;1]",
        "chomp:2 + nim:[2;1]",
        "chomp:2/1 + nim:[0;1]",
        "chomp:2/1 + nim:[1;1]",
        "chomp:2/1 + nim:[2]",
    ]


def test_only_misere_play_eats_the_poison() -> None:
    assert moves_of("chomp:1 + nim:[0]") == []
    assert moves_of("misere{chomp:1 + nim:[0]}") == ["misere{chomp:0 + nim:[0]}"]


def test_a_move_names_its_component() -> None:
    small = tuple(Position(GameSpec("nim", heaps=1), (index + 1,)) for index in range(4))
    whole = make_sum(small, misere=True)
    for move in moves(whole):
        index = changed_component(whole, move.child)
        assert index is not None
        assert move.action is not None
        assert move.action.component == index
        left = components_of(move.child)
        assert left[:index] == small[:index]
        assert left[index] != small[index]
        assert left[index + 1 :] == small[index + 1 :]
