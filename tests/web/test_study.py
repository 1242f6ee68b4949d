"""Learning aids: puzzles, reasons, variations, rules, refusals, links, pictures."""

from datetime import date, timedelta
from itertools import product
from pathlib import Path

import pytest

from position_oracle.oracle.core import Oracle
from tests.web.conftest import Opened, by_node, needs_node, until

FAMILIES = ("chomp", "nim", "wythoff", "kayles", "divisors")
LEVELS = {"easy": (3, 9, 1), "medium": (8, 18, 5), "hard": (14, 80, 7)}


def check_puzzles(site: str, oracle: Oracle, days: int) -> None:
    dates = [str(date(2027, 1, 1) + timedelta(at)) for at in range(days)]
    asked = [*product(FAMILIES, LEVELS, dates)]
    for (family, level, day), text in zip(asked, by_node("puzzles.mjs", asked, site), strict=True):
        analysis = oracle.analyze(text)
        assert len(analysis.answer.winning_moves or ()) == 1, (family, level, day)
        least, most, plies = LEVELS[level]
        assert least <= len(analysis.moves or ()) <= most, text
        assert analysis.values.remoteness is None or analysis.values.remoteness >= plies, text


@needs_node
def test_the_puzzles_of_a_day_have_one_solution_and_their_difficulty(
    site: str, oracle: Oracle
) -> None:
    check_puzzles(site, oracle, 1)


@needs_node
@pytest.mark.slow
def test_the_puzzles_of_sixty_days_have_one_solution_and_their_difficulty(
    site: str, oracle: Oracle
) -> None:
    check_puzzles(site, oracle, 60)


def test_the_puzzle_of_the_day_shows_its_solution(opened: Opened) -> None:
    page = opened("#puzzle/?family=kayles&level=easy")
    until(page, "/Find the only/.test(document.querySelector('#puzzle').textContent)")
    page.get_by_role("button", name="Show the solution").click()
    page.locator(".answer").get_by_text("The move that wins:").wait_for()


def test_a_puzzle_says_right_and_wrong(opened: Opened) -> None:
    page = opened("#puzzle/chomp:3/3")
    until(page, "/Find the only/.test(document.querySelector('#puzzle').textContent)")
    page.get_by_role("gridcell", name="row 1, column 3").click()
    page.locator(".answer").get_by_text("The opponent answers:").wait_for()
    page.get_by_role("gridcell", name="row 2, column 3").click()
    assert page.locator("#puzzle").inner_text() == "Right: this move wins!"


def test_why_a_position_is_lost_names_a_reply_to_every_move(opened: Opened) -> None:
    page = opened("#analyse/nim:[1,1]")
    page.locator("#verdict.lose").wait_for()
    page.get_by_role("button", name="Show me why").click()
    replies = page.locator(".replies li")
    until(page, "document.querySelectorAll('.replies li').length === 2")
    assert replies.all_inner_texts() == [
        "take 1 from heap 1 → take 1 from heap 2",
        "take 1 from heap 2 → take 1 from heap 1",
    ]


def test_variations_are_kept_as_a_tree(opened: Opened) -> None:
    page = opened("#analyse/chomp:3/3")
    for column in (3, 2):
        page.locator(".status.win").wait_for()
        page.get_by_role("gridcell", name=f"row 1, column {column}").click()
        page.locator(".variations [aria-current]", has_text=f"column {column}").wait_for()
        page.go_back()
        page.locator(".variations [aria-current]", has_text="Start").wait_for()
    assert page.locator(".variations li").count() == 3


def test_what_was_probably_meant_is_a_button(opened: Opened) -> None:
    page = opened("#analyse/chomp:3/5", errors=True)
    page.get_by_role("button", name="Did you mean chomp:5/3?").click()
    page.wait_for_url("**/#analyse/chomp:5/3")
    page.locator("#verdict.win").wait_for()


@pytest.mark.parametrize(
    ("text", "meant"), [("7x4", "chomp:7/7/7/7"), ("nim 3 5 7", "nim:[3,5,7]")]
)
def test_a_text_without_a_colon_is_understood(opened: Opened, text: str, meant: str) -> None:
    page = opened("#play/", errors=True)
    page.get_by_role("textbox", name="Position").fill(text)
    page.get_by_role("textbox", name="Position").press("Enter")
    page.get_by_role("button", name=f"Did you mean {meant}?").click()
    until(page, "text => document.querySelector('input[type=text]').value === text", meant)


def test_what_only_operators_can_do_is_not_told_to_players(opened: Opened) -> None:
    page = opened("#analyse/chomp:40/38/38/37/36/35/34/33/32/31")
    page.locator("#verdict", has_text="It is not known who wins").wait_for()
    assert "oracle build" not in page.content()


def test_a_lost_position_is_announced_before_the_first_move(opened: Opened) -> None:
    page = opened("#play/nim:[2,2]?second=perfect&pace=0")
    page.get_by_role("button", name="Let the computer begin").click()
    until(page, "document.querySelectorAll('.moves > li').length === 1")
    assert "first=perfect&second=you" in page.url


def test_the_rules_are_behind_a_button_and_shown_to_newcomers(opened: Opened) -> None:
    page = opened("")
    page.locator(".play .rules", has_text="You lose when you have to eat the poison.").wait_for()
    page.get_by_role("button", name="Rules of the game").click()
    assert not page.locator(".play .rules").is_visible()
    assert page.get_by_role("combobox", name="Second", exact=True).input_value() == "easy"


def test_a_link_opens_the_game_at_the_same_move(opened: Opened) -> None:
    page = opened("#play/chomp:4/4?first=you&second=you")
    for column in (4, 3):
        page.get_by_role("gridcell", name=f"row 2, column {column}").click()
    page.get_by_role("button", name="A move back").click()
    page.get_by_role("button", name="Copy link").click()
    page.locator(".toast", has_text="link").wait_for()
    other = opened(page.url.split("/", 3)[3])
    until(other, "document.querySelectorAll('.moves > li').length === 2")
    assert other.locator(".moves [aria-current]").inner_text() == "bite row 2, column 4"


def test_a_link_with_a_wrong_move_shows_the_game_up_to_it_and_says_so(opened: Opened) -> None:
    page = opened("#play/nim:[1000000]?first=you&second=you&moves=[500000]~[7]~[8]")
    until(page, "document.querySelectorAll('.moves > li').length === 2")
    page.locator(".trouble").get_by_text("nim:[8] is not a move from nim:[7].").wait_for()


def test_an_address_without_a_position_says_how_to_write_one(opened: Opened) -> None:
    page = opened("#play/chess", errors=True)
    page.locator(".trouble").get_by_text("Write, for instance, chomp:5/4/2").wait_for()


def test_refusals_are_seen(opened: Opened) -> None:
    page = opened("#play/nim:[1,2]?first=perfect&second=perfect")
    page.get_by_role("gridcell", name="heap 2, take 1").click()
    assert page.locator(".toast").inner_text() == "It is not your turn"


def test_only_legal_moves_are_previewed(opened: Opened) -> None:
    page = opened("#play/nim{take=1+3}:[5]?first=you&second=you")
    page.get_by_role("gridcell", name="heap 1, take 3").hover()
    assert page.locator(".cell.touched").count() == 3
    page.get_by_role("gridcell", name="heap 1, take 2").hover()
    assert page.locator(".cell.touched").count() == 0


def test_a_picture_of_a_position_is_saved(opened: Opened, tmp_path: Path) -> None:
    page = opened("#play/chomp:4/3")
    page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error()); }")
    with page.expect_download() as download:
        page.get_by_role("button", name="Copy picture").click()
    download.value.save_as(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
