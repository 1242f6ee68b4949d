"""Games on the page: against every level, between friends, by keyboard, saved, and judged."""

from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from position_oracle.clients.record import parse_record
from position_oracle.oracle.core import Oracle
from tests.web.conftest import Opened, some, until

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

TAGS = '[First "a"]\n[Second "b"]\n[Result "*"]\n'
LEVELS = ("easy", "medium", "hard", "perfect", "stubborn", "greedy", "random")
STARTS = (
    *("chomp3:[5,0,0]", "nim:[3,5,7]", "nim{misere}:[2,3]", "wythoff:[3,4]", "kayles:[5]"),
    *("toads:TTT..FFF", "divisors:2^2*3^2", "chomp:2/2 + nim:[1,2]"),
    *(
        "misere{chomp:2/2 + nim:[2]}",
        "nim{heappass}:[3p,5]",
        "endnim:[3,1,2]",
        "moore{k=2}:[2,3]",
        "chomp3{declared=[1,0,2]}:[2,1,0]",
    ),
)
LARGE = ("nim:[1000000000000,3]", "kayles:[1000000]", "wythoff:[123456789,5]")


def status(page: "Page") -> str:
    return page.locator("#turn").inner_text().lower()


def wait_for_turn(page: "Page") -> bool:
    """Wait until the person is to move or the game is over. Return whether the game goes on."""
    until(
        page,
        "/your turn|to move|won/i.test(document.querySelector('#turn').textContent)",
    )
    return "won" not in status(page)


def win_by_hints(page: "Page") -> int:
    """Play all hints until the game is over, and return the number of moves."""
    moves = 0
    while wait_for_turn(page):
        page.get_by_role("button", name="Hint").click()
        page.locator(".cell.win").first.click()
        moves += 1
        until(page, "n => document.querySelectorAll('.moves > li').length >= n", arg=2 * moves - 1)
    return moves


@pytest.mark.parametrize("level", some(LEVELS, {"perfect", "random"}))
def test_a_game_is_won_against_every_level(opened: Opened, level: str) -> None:
    page = opened(f"#play/chomp:4/4/4?first=you&second={level}&pace=0")
    assert win_by_hints(page) > 0
    assert status(page) == "you won"


@pytest.mark.parametrize("start", some(STARTS, {"nim:[3,5,7]", "divisors:2^2*3^2"}))
def test_every_family_is_played_to_its_end(opened: Opened, start: str) -> None:
    page = opened(f"#play/{start}?first=perfect&second=random&pace=0")
    page.get_by_role("button", name="Let them play").click()
    until(page, "/won/.test(document.querySelector('#turn').textContent)")
    assert status(page) == "perfect won"


HUGE = ("nim:[1000000000000,3]", "kayles:[1000000]", "wythoff:[123456789,5]")
DAILY = {(HUGE[0], "greedy"), (HUGE[1], "greedy"), (HUGE[2], "random")}


@pytest.mark.parametrize(("start", "level"), some(product(HUGE, ["greedy", "random"]), DAILY))
def test_heaps_of_any_size_are_played_with(opened: Opened, start: str, level: str) -> None:
    page = opened(f"#play/{start}?first=perfect&second={level}&pace=0")
    page.get_by_role("button", name="Let them play").click()
    until(page, "document.querySelectorAll('.moves > li').length >= 3")


def test_a_lost_game_against_the_perfect_player_is_judged(opened: Opened) -> None:
    page = opened("#play/chomp:3/3?first=you&second=perfect&pace=0")
    page.get_by_role("gridcell", name="row 1, column 2").click()
    wait_for_turn(page)
    page.get_by_role("gridcell", name="row 1, column 1, the poison").click()
    assert status(page) == "perfect won"
    page.locator(".moves > li:nth-child(3) .verdict").wait_for()
    said = page.locator(".moves .verdict").all_inner_texts()
    assert said[0].startswith("a mistake · bite row 2, column 3 wins")
    assert said[1].startswith("wins")
    assert said[2].startswith("loses, as every move")
    result = page.locator(".result")
    result.get_by_text("You took the poison.").wait_for()
    result.get_by_text(
        "Move 1 gave the win away. There, bite row 2, column 3 was the only move that wins."
    ).wait_for()
    bars = [box for each in page.locator(".bar").all() if (box := each.bounding_box())]
    assert len(bars) == 3
    assert all(one["x"] + one["width"] <= other["x"] for one, other in pairwise(bars))
    assert bars[-1]["height"] == min(bar["height"] for bar in bars)  # no move is left


def test_a_game_is_saved_in_the_form_of_oracle_play_and_replayed(
    opened: Opened, tmp_path: Path
) -> None:
    page = opened("#play/chomp:3/3?first=you&second=greedy&pace=0")
    win_by_hints(page)
    until(
        page,
        "document.querySelectorAll('.moves > li').length"
        " === document.querySelectorAll('.moves .verdict').length",
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    place = tmp_path / "game.txt"
    download.value.save_as(place)
    record = parse_record(place.read_text())
    assert (record.start, record.players, record.winner) == ("chomp:3/3", ("you", "greedy"), 0)

    other = opened("#play/")
    other.locator("input[type=file]").set_input_files(place)
    until(
        other, "n => document.querySelectorAll('.moves > li').length === n", arg=len(record.moves)
    )
    for _ in record.moves:
        other.get_by_role("button", name="A move forward").click()
    assert status(other) == "you won"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no record", "The record has no tag Start."),
        (f'{TAGS}[Start "chomp:2/2"]\n\n1. chomp:3/3 *\n', "chomp:3/3 is not a move"),
    ],
)  # fmt: skip
def test_a_wrong_record_is_refused(opened: Opened, tmp_path: Path, text: str, says: str) -> None:
    place = tmp_path / "wrong.txt"
    place.write_text(text)
    page = opened("#play/")
    page.locator("input[type=file]").set_input_files(place)
    page.locator(".trouble").get_by_text(says).wait_for()


def test_undo_takes_back_the_move_of_the_person(opened: Opened) -> None:
    page = opened("#play/chomp:5/5/5?first=you&second=perfect&pace=0")
    page.get_by_role("gridcell", name="row 3, column 5").click()
    until(page, "document.querySelectorAll('.moves > li').length === 2")
    wait_for_turn(page)
    page.get_by_role("button", name="Undo").click()
    assert page.locator(".moves > li").count() == 0
    assert page.locator(".cookie[role=gridcell]").count() == 15


def test_friends_take_turns(opened: Opened) -> None:
    page = opened("#play/nim:[1,2]?first=you&second=you")
    assert status(page) == "the first player to move"
    page.get_by_role("gridcell", name="heap 2, take 2").click()
    assert status(page) == "the second player to move"
    page.get_by_role("gridcell", name="heap 1, take 1").click()
    assert status(page) == "the second player won"


def test_after_a_move_by_the_form_a_pass_is_one_of_the_new_position(opened: Opened) -> None:
    page = opened("#play/nim:[40,3;1]?first=you&second=you")
    page.get_by_label("from heap 1").fill("10")
    page.get_by_label("from heap 1").press("Enter")
    page.get_by_role("button", name="pass").click()
    until(page, "document.querySelectorAll('.moves > li').length === 2")
    assert page.locator("[aria-current=step]").get_attribute("title") == "nim:[30,3]"


def test_while_the_moves_of_a_link_are_asked_for_the_old_board_makes_none(opened: Opened) -> None:
    page = opened("#play/chomp:4/4?first=you&second=you")
    held = list["Route"]()

    def hold(route: "Route") -> None:
        held.append(route)

    page.route("**/*AnalyzePosition*", hold, times=1)
    page.evaluate("location.hash = '#play/endnim:[3,1,2]?first=you&second=you&moves=[2,1,2]'")
    while not held:
        page.wait_for_timeout(20)
    page.get_by_role("gridcell").last.click()
    held[0].continue_()
    until(page, "document.querySelectorAll('.moves > li').length === 1")
    assert page.locator("[aria-current=step]").get_attribute("title") == "endnim:[2,1,2]"


def test_a_wrong_position_stops_no_bot_and_the_result_names_the_winner(
    opened: Opened,
) -> None:
    page = opened("#play/nim:[1,1]?first=you&second=perfect&pace=500", errors=True)
    page.get_by_role("gridcell", name="heap 1, take 1").click()
    field = page.get_by_label("Position", exact=True)
    field.fill("wrong")
    field.press("Enter")
    page.locator(".trouble").wait_for()
    page.locator(".result").get_by_text("perfect won").wait_for()
    page.get_by_role("combobox", name="Second", exact=True).select_option("easy")
    page.locator(".result").get_by_text("easy won").wait_for()


def test_a_game_goes_on_after_the_page_is_loaded_again(opened: Opened) -> None:
    page = opened("#play/chomp:4/4?first=you&second=you")
    page.get_by_role("gridcell", name="row 2, column 3").click()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.locator(".moves > li").count() == 1
    assert status(page) == "the second player to move"


def test_a_board_is_drawn_by_clicking(opened: Opened) -> None:
    page = opened("#play/chomp:2/2?first=you&second=you")
    page.get_by_role("button", name="Draw a board").click()
    page.get_by_role("gridcell", name="row 3, column 1, add").click()
    page.get_by_role("gridcell", name="row 1, column 3, add").click()
    page.get_by_role("gridcell", name="row 2, column 2", exact=True).click()
    page.get_by_role("button", name="Done drawing").click()
    assert "chomp:3/1/1" in page.url
    assert page.get_by_role("textbox", name="Position").input_value() == "chomp:3/1/1"


def test_a_game_is_won_by_keyboard_alone(opened: Opened, oracle: Oracle) -> None:
    page = opened("#play/chomp:3/3?first=you&second=perfect&pace=0")
    focused = (
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )
    for _ in range(20):
        page.keyboard.press("Tab")
        if str(page.evaluate(focused)).startswith("row "):
            break
    at = (1, 1)
    position = "chomp:3/3"
    while wait_for_turn(page):
        child = str((oracle.winning_moves(position).winning_moves or ())[0])
        row, column = bite_between(position, child)
        keys = ["Home"] + ["ArrowDown"] * (at[0] - 1) + ["ArrowUp"] * (row - 1)
        for key in [*keys, *["ArrowRight"] * (column - 1)]:
            page.keyboard.press(key)
        assert str(page.evaluate(focused)).startswith(f"row {row}, column {column}")
        page.keyboard.press("Enter")
        at = (row, column)
        if not wait_for_turn(page):
            break
        position = page.locator(".moves button").last.get_attribute("title") or ""
        place = page.evaluate("({ ...document.activeElement.dataset })")
        at = (int(place["row"]), int(place["column"]))
    assert status(page) == "you won"


def bite_between(before: str, after: str) -> tuple[int, int]:
    rows = [[*map(int, text.split(":")[1].split("/")), 0, 0, 0] for text in (before, after)]
    row = next(at for at, (old, new) in enumerate(zip(*rows, strict=False)) if old != new)
    return row + 1, rows[1][row] + 1


def test_a_hint_is_in_sight_on_a_phone(opened: Opened) -> None:
    page = opened("#play/nim{max=3}:[30]?first=you&second=you", size="phone")
    page.get_by_role("button", name="Hint").click()
    page.locator(".cell.win").wait_for()
    assert page.locator(".cell.win").get_attribute("aria-label") == "heap 1, take 2, wins"


def test_components_whose_moves_the_oracle_lists_are_clicked(opened: Opened) -> None:
    page = opened("#play/endnim:[3,1,2]+moore{k=2}:[2,3]?first=you&second=you")
    page.locator("#turn", has_text="the first player to move").wait_for()
    page.get_by_role("gridcell", name="heap 1, take 2").first.click()
    child = page.locator(".moves button").last.get_attribute("title")
    assert child == "endnim:[1,1,2] + moore{k=2}:[2,3]"


def test_a_hint_may_be_to_pass(opened: Opened) -> None:
    page = opened("#play/nim:[1,1;1]?first=you&second=you")
    page.get_by_role("button", name="Hint").click()
    page.locator("#turn", has_text="A move that wins: pass").wait_for()
    page.locator(".pass:has(.chip.win)").click()
    assert page.locator(".moves button").last.inner_text() == "pass"


def test_a_component_of_a_sum_has_its_ways_of_taking(opened: Opened) -> None:
    page = opened("#play/nim:[1]+kayles:[4]?first=you&second=you")
    page.get_by_role("button", name="take 2 neighbours").click()
    page.get_by_role("gridcell", name="place 2").click()
    child = page.locator(".moves button").last.get_attribute("title")
    assert child == "nim:[1] + octal{code=0.77}:[1,1]"
    page.get_by_role("gridcell", name="heap 1, place 1").wait_for()
    assert page.get_by_role("button", name="take 2 neighbours").count() == 0


def test_thousands_of_columns_are_played_on(opened: Opened) -> None:
    page = opened("#play/chomp3:[3000,0,0]?first=you&second=you")
    assert page.locator(".cell").count() < 200
    page.get_by_role("slider", name="First column shown").fill("2900")
    page.get_by_role("gridcell", name="row 3, column 2,905").click()
    assert page.locator(".moves button").last.get_attribute("title") == "chomp3:[2904,96,0]"
