"""The rules of games in words, in the form that the page reads."""

from tests.oracle.web.http import get


def test_the_rules_of_one_position(port: int) -> None:
    words = get(port, "/rules.json?position=nim%7Bmax=5%7D:[10]").json
    assert set(words) == {"title", "start", "rules", "loses", "note"}
    assert words["rules"] == "Choose a heap and take 1 to 5 of its tokens."


def test_a_text_that_is_not_a_position_is_refused(port: int) -> None:
    reply = get(port, "/rules.json?position=nim:[")
    assert reply.status == 400
    assert "nim" in reply.text
