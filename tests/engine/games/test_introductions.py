"""Games in words: each has rules for beginners, and a first position that can be won."""

import re

import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.introductions import (
    introduction_of,
    introduction_of_game,
    introductions,
)
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import FAMILIES, SHORT_FOR, rules_of
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Outcome
from position_oracle.schema.games import Introduction
from tests.each import for_each

ALL = tuple(introductions())
TERMS = ("outcome", "octal", "mex", "N-position", "P-position", "Grundy value", "ply", "sheet")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_words(family: str) -> None:
    assert rules_of(family).introductions
    starts = {parse(each.start).game.family for each in rules_of(family).introductions}
    assert starts == {family}


@pytest.mark.parametrize("name", SHORT_FOR)
def test_every_game_with_a_short_name_has_words(name: str) -> None:
    assert any(each.start.startswith(f"{name}:") for each in ALL)


@for_each("game", ALL)
def test_the_words_are_short_and_the_first_player_can_win(game: Introduction) -> None:
    assert 1 <= len(re.findall(r"[.!](?: |$)", game.rules)) <= 2 or game.title == "A sum of games"
    assert not any(term in f"{game.rules} {game.loses} {game.note}" for term in TERMS)
    assert "{" not in game.rules
    assert not game.loses.endswith(".")
    assert Oracle().outcome(game.start).outcome is Outcome.N


def test_titles_and_starts_tell_games_apart() -> None:
    assert len({each.title for each in ALL}) == len(ALL)
    assert len({each.start for each in ALL}) == len(ALL)


@for_each("game", ALL)
def test_the_words_of_a_game_are_found_for_its_positions(game: Introduction) -> None:
    assert introduction_of(parse(game.start)).title == game.title


@pytest.mark.parametrize(
    ("game", "title", "says"),
    [
        ("nim{max=5}", "Bounded Nim", "take 1 to 5 of its tokens"),
        ("nim{take=2+7}", "Subtraction game", "these numbers of tokens: 2, 7."),
        ("octal{code=0.77,misere}", "Kayles, misère", "Knock down one pin"),
        ("octal{code=0.45}", "Take and break", "the code 0.45 say"),
        ("nim{passes=2}", "Nim with 2 passes", "The players share 2 passes"),
        ("nim{misere,passes=1}", "Nim, misère with one pass", "The players share one pass"),
        ("moore{k=3}", "Moore’s Nim", "at most 3 heaps"),
        ("wythoff{a=2}", "Wythoff’s game with parameters", "fewer than k + 2"),
        (
            "nim{declared=[1,2,3]}",
            "Nim with declared positions",
            "declared a win for the next player",
        ),
    ],
)
def test_rules_name_options_passes_and_misere_play(game: str, title: str, says: str) -> None:
    found = introduction_of_game(parse_game(game))
    assert found.title == title
    assert says in found.rules


@pytest.mark.parametrize(
    ("game", "start"),
    [
        ("octal{code=0.77}", "kayles:[7]"),
        ("chomp3{passes=1}", "chomp3:[3,0,0;1]"),
        ("nim{take=2+7}", "nim{take=2+7}:[10]"),
        ("wythoff{rule=all,misere}", "wythoff{rule=all,misere}:[3,5,7]"),
        ("nim{declared=[1,2,3]}", "nim{declared=[1,2,3]}:[3,4,5]"),
        ("nim{heaps=2,declared=[1,2]}", "nim:[3,4,5]"),
        ("nim{heaps=4,declared=[1,2,3,4]}", "nim:[3,4,5]"),
        ("chomp{dimensions=4,declared=[2,2,2,2]}", "chomp:2x3x2"),
    ],
)
def test_a_game_like_a_described_one_begins_as_that_does(game: str, start: str) -> None:
    assert introduction_of_game(parse_game(game)).start == start


def test_a_board_is_described_with_its_dimensions() -> None:
    found = introduction_of(parse("chomp:2x2x2x2"))
    assert (found.title, found.start) == ("Chomp in 4 dimensions", "chomp:2x2x2x2")


def test_misere_play_turns_the_end_round() -> None:
    assert introduction_of_game(parse_game("chomp{misere}")).loses == "nothing is left for you"
    assert introduction_of_game(parse_game("toads{misere}")).loses == "you make the last move"


def test_a_sum_tells_the_rules_of_its_components() -> None:
    found = introduction_of(parse("chomp:3/2 + kayles:[4]"))
    assert "Chomp: Choose a cookie" in found.rules
    assert "Kayles: Knock down" in found.rules
    assert "nobody may eat it" in found.rules
    assert "nobody may eat it" not in introduction_of(parse("misere{chomp:3 + nim:[1]}")).rules
    assert "nobody may eat it" not in introduction_of(parse("kayles:[3] + nim:[1]")).rules
