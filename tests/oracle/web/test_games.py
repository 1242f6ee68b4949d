"""The rules of games in words, as the page asks for them."""

from position_oracle.engine.games.introductions import introductions
from tests.oracle.web.http import get


def test_every_game_has_its_rules(port: int) -> None:
    games = get(port, "/games.json").json["games"]
    assert [each["title"] for each in games] == [each.title for each in introductions()]
    assert set(games[0]) == {"title", "start", "rules", "loses", "note"}


def test_the_rules_of_one_position(port: int) -> None:
    (game,) = get(port, "/games.json?position=nim%7Bmax=5%7D:[10]").json["games"]
    assert game["rules"] == "Choose a heap and take 1 to 5 of its tokens."


def test_a_text_that_is_no_position_is_refused(port: int) -> None:
    reply = get(port, "/games.json?position=nim:[")
    assert reply.status == 400
    assert "nim" in reply.text
