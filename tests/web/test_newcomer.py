"""A newcomer's path: from the list of games, through the rules, to a game that is won."""

from typing import TYPE_CHECKING

import pytest

from position_oracle.clients import rules
from position_oracle.engine.games.introductions import introductions
from position_oracle.oracle.core import Oracle
from tests.web.conftest import Opened, some, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

GAMES = [(each.title, each.start) for each in introductions()]
DAILY = [game for game in GAMES if game[0] in {"Kayles", "Moore’s Nim"}]


def is_over(page: "Page") -> bool:
    until(
        page, "/your turn|to move|won|hint|wins/i.test(document.querySelector('#turn').textContent)"
    )
    return page.locator(".result").is_visible()


def make_a_winning_move(page: "Page") -> None:
    """Ask for a hint, and follow it with a real click."""
    before = page.locator(".moves > li").count()
    page.get_by_role("button", name="Hint").click()
    until(page, "/wins|win /.test(document.querySelector('#turn').textContent)")
    marked = page.locator(
        ".main .cell.win, .main .pass:has(.chip.win), .main .asText button:has(.chip.win)"
    )
    marked.first.click()
    until(page, "n => document.querySelectorAll('.moves > li').length > n", arg=before)


def test_the_list_has_every_game_once_with_its_rules(opened: Opened, oracle: Oracle) -> None:
    page = opened("#games/")
    page.locator(".gamelist li").first.wait_for()
    titles = page.locator(".gamelist strong").all_inner_texts()
    assert sorted(titles) == sorted(info.introduction.title for info in oracle.games())
    said = page.locator(".gamelist li").all_inner_texts()
    assert all("You lose when" in each for each in said)
    page.get_by_role("searchbox", name="Find a game").fill("pins")
    until(page, "document.querySelectorAll('.gamelist li:not([hidden])').length < 10")
    assert "Kayles" in page.locator(".gamelist strong:visible").all_inner_texts()
    page.get_by_role("searchbox", name="Find a game").fill("no such game")
    page.get_by_text("No game matches these words.").wait_for()


@pytest.mark.parametrize(("title", "start"), some(GAMES, DAILY))
def test_a_newcomer_wins(opened: Opened, title: str, start: str) -> None:
    page = opened("#games/")
    page.locator(".gamelist a").filter(has=page.get_by_text(title, exact=True)).click()
    page.locator(".rules").get_by_text("You lose when").wait_for()
    page.goto(page.url + "&pace=0")
    while not is_over(page):
        make_a_winning_move(page)
        until(
            page,
            "document.querySelector('.result').hidden === false ||"
            " /your turn/i.test(document.querySelector('#turn').textContent)",
        )
    assert page.locator(".result h2").inner_text() == "You won"
    last = page.locator(".moves button").last.get_attribute("title") or ""
    assert rules.is_over(last)
