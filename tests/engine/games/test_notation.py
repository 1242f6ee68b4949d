"""Texts of games and positions: round trips, canonical forms, clear refusals."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game, read_game
from position_oracle.engine.games.moves import children
from position_oracle.engine.games.notation import is_position, parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import FAMILIES, families, names, rules_of
from position_oracle.engine.games.spec import MAX_COORDINATE, MAX_TEXT, GameSpec
from position_oracle.engine.theory.perturbation import Perturbation
from position_oracle.schema.errors import InvalidPositionError, NotationError, UnknownGameError
from tests.engine.games.test_actions import STARTS

triples = st.tuples(*[st.integers(0, 2**61)] * 3)
noises = st.sampled_from(["uniform(20)", "geometric(0.5)", "normal(8)"])


@st.composite
def chomp3_games(draw: st.DrawFn) -> GameSpec:
    noise = draw(st.none() | st.builds(Perturbation.parse, noises, st.integers(0, 2**63 - 1)))
    declared = tuple(draw(st.lists(triples, max_size=4)))
    return GameSpec("chomp3", passes=draw(st.integers(0, 64)), declared=declared, noise=noise)


@given(chomp3_games(), triples)
def test_three_row_positions_round_trip(game: GameSpec, coordinates: tuple[int, int, int]) -> None:
    position = Position(game, coordinates)
    assert parse(str(position)) == position


@given(chomp3_games())
def test_games_round_trip(game: GameSpec) -> None:
    assert parse_game(game.text) == game


@given(st.lists(st.integers(1, MAX_COORDINATE), max_size=12))
def test_boards_round_trip(lengths: list[int]) -> None:
    position = Position(GameSpec("chomp"), tuple(sorted(lengths, reverse=True)))
    assert parse(str(position)) == position


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("  chomp3:[ 4, 3 ,2 ]", "chomp3:[4,3,2]"),
        ("chomp3:[4,3,2;0]", "chomp3:[4,3,2]"),
        ("chomp3:[004,3,2;01]", "chomp3:[4,3,2;1]"),
        ("chomp:9/7/4/0/0", "chomp:9/7/4"),
        ("chomp:0", "chomp:0"),
        ("nim:[3,5,7;2]", "nim:[3,5,7;2]"),
        ("nim{misere}:[ 3 ]", "nim{misere}:[3]"),
        ("nim{declared=[1,6,7]}:[3,5,7]", "nim{declared=[1,6,7]}:[3,5,7]"),
        ("wythoff:[3,5]", "wythoff:[3,5]"),
        ("wythoff{rule=all}:[3,5,7]", "wythoff{rule=all}:[3,5,7]"),
        (
            "chomp3{ declared=[1,0,2]+[0,1,1]+[1,0,2] }:[1,2,3;2]",
            "chomp3{declared=[0,1,1]+[1,0,2]}:[1,2,3;2]",
        ),
        (
            "chomp3{seed=7, noise=normal(8)}:[1,2,3]",
            "chomp3{noise=normal(8),seed=7}:[1,2,3]",
        ),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert str(parse(canonical)) == canonical


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", NotationError, "not a position"),
        ("chomp3", NotationError, "not a position"),
        ("chomp3:", NotationError, "write chomp3:"),
        ("chomp3:[1,2,3", NotationError, "write chomp3:"),
        ("nim{misere=0}:[3]", NotationError, "misere='0'; misere takes no value"),
        ("chomp{misere=false}:3/2", NotationError, "misere takes no value"),
        ("nodekayles:complete(65)", NotationError, "complete=65; allowed .* from 1 to 64"),
        ("nodekayles:grid(20x20)", NotationError, r"grid\(20x20\) has 400 vertices"),
        ("chomp3:[1,,3]", NotationError, "not a whole number"),
        ("chomp3:[1,2,NaN]", NotationError, "'NaN'"),
        ("chomp3:[1,2,1e9]", NotationError, "'1e9'"),
        ("chomp3:[1,2,٣]", NotationError, "not a whole number"),
        ("chomp3:[1,2]", InvalidPositionError, "got 2 numbers"),
        ("chomp3:[]", InvalidPositionError, "got 0 numbers"),
        ("chomp3:[1,2,3,4]", InvalidPositionError, "got 4 numbers"),
        ("chomp3:[-1,2,3]", InvalidPositionError, "x = -1"),
        (f"chomp3:[0,{2**63},0]", InvalidPositionError, f"y = {2**63}"),
        (f"chomp3:[0,{2**62},{2**62}]", InvalidPositionError, "x + y + z"),
        ("chomp3:[1,2,3;65]", NotationError, "passes=65"),
        ("chomp3{passes=1}:[1,2,3]", NotationError, "leave the options"),
        ("chomp3{colour=red}:[1,2,3]", NotationError, "colour=red"),
        ("chomp3{seed=1}:[1,2,3]", NotationError, "go together"),
        ("chomp3{seed=1,seed=2}:[1,2,3]", NotationError, "twice"),
        ("chomp3{declared=[1,2]}:[1,2,3]", NotationError, "is not a position"),
        ("chomp3{declared=1,2,3}:[1,2,3]", NotationError, "declared"),
        ("nim:[]", InvalidPositionError, "got 0 heaps"),
        ("nim{heaps=2}:[1,2]", NotationError, "leave the options"),
        ("nim{declared=[1,6,7]}:[3,5]", InvalidPositionError, "3"),
        ("wythoff:[3]", InvalidPositionError, "two heaps"),
        ("wythoff:[3,5,7]", NotationError, "rule"),
        ("wythoff{rule=all}:[3,5]", InvalidPositionError, "got 2 heaps"),
        ("wythoff{rule=some}:[3,5,7]", NotationError, "pairs, all, both"),
        ("chomp:3/4", InvalidPositionError, "row 2 has 4"),
        ("chomp:3/-1", InvalidPositionError, "-1"),
        ("chomp:3//1", NotationError, "not a whole number"),
        ("go:[1,2,3]", UnknownGameError, "known are"),
        ("chomp3:[" + "1" * 5000 + ",0,0]", NotationError, "at most 4096"),
    ],
)
def test_bad_text_is_refused_with_a_reason(text: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says.replace("+", r"\+").replace("[", r"\[")):
        parse(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        position = parse(text)
    except (NotationError, InvalidPositionError, UnknownGameError):
        return
    assert parse(str(position)) == position


def test_game_ids_are_stable_and_distinct() -> None:
    plain, one_pass = GameSpec("chomp3"), GameSpec("chomp3", passes=1)
    assert plain.game_id == 8512288368292258461
    assert plain.game_id != one_pass.game_id


@pytest.mark.parametrize("family", sorted({*families()} & {*names()}))
def test_a_wrong_option_names_only_options_of_the_family(family: str) -> None:
    rules = rules_of(family)
    with pytest.raises(NotationError, match="has an option 'nonsense'; allowed are ") as caught:
        read_game(f"{family}{{nonsense=1}}")
    listed = {name.removesuffix("=...") for name in str(caught.value).split("are ")[1].split(", ")}
    heaps = {"heaps"} if rules.heap_numbers else set()
    noise = {"noise", "seed"} if "noise" in rules.allows else set()
    assert listed == {*rules.options, *(rules.allows - {"noise"}), *heaps, *noise}


@pytest.mark.parametrize(
    "family", [family for family in FAMILIES if "declared" in rules_of(family).allows]
)
def test_positions_of_games_with_declared_positions_are_read_back(family: str) -> None:
    """A position after the first move is declared, which changes the text before the colon."""
    for position in map(parse, STARTS[family]):
        declared = (next(children(position)).coordinates,)
        game = replace(position.game, declared=declared)
        assert parse_game(game.text) == game
        changed = rules_of(family).position(game, position.coordinates)
        again = parse(str(changed))
        assert (again, again.game) == (changed, game)


def test_the_longest_text_is_a_position() -> None:
    assert is_position("nim:[3]".ljust(MAX_TEXT))
    assert not is_position("nim:[3]".ljust(MAX_TEXT + 1))
