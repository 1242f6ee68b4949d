"""Analyse shows the same answers as the oracle."""

from typing import TYPE_CHECKING, Any

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Outcome
from tests.web.conftest import Opened, some, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

POSITIONS = (
    *(
        "chomp:5/4/4/2",
        "chomp:3/3",
        "chomp:1",
        "chomp:6/2/2/2;1",
        "chomp3:[4,3,2]",
        "chomp3:[11,0,0]",
    ),
    *("nim:[3,5,7]", "nim{misere}:[1,2]", "nim{max=3}:[6,10]", "nim:[1,4,6;1]", "wythoff:[6,10]"),
    *(
        "kayles:[5,8]",
        "toads:TTT..FFF",
        "divisors:2^3*3^2",
        "divisors:2*3*5",
        "chomp:3/3 + nim:[3,5]",
    ),
)
MANY = tuple(f"chomp:{a}/{b}/2/{d}" for a in (4, 5, 7, 9, 10) for b in (2, 3, 4) for d in (1, 2))
MANY += tuple(f"nim:[{a},{b},{a ^ b ^ (a % 2)}]" for a in (1, 2, 5, 6) for b in (2, 4, 7))
MANY += tuple(f"wythoff:[{a},{b}]" for a in (1, 3, 4) for b in (2, 5, 7))


def asked(page: "Page", position: str) -> None:
    page.evaluate("text => { location.hash = `#analyse/${text}`; }", position.replace(" ", ""))
    until(
        page,
        "text => [...document.querySelectorAll('.facts code')].some((each) =>"
        " each.textContent === text)"
        " && document.querySelector('#verdict').textContent !== 'Asking …'",
        arg=position,
    )


def facts(page: "Page") -> dict[str, str]:
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.facts dt')].map((each) =>"
        " [each.textContent, each.nextSibling.textContent]))"
    )
    return found


def check(page: "Page", oracle: Oracle, position: str) -> None:
    expected = oracle.analyze(position)
    text = str(expected.answer.position)
    asked(page, text)
    shown = facts(page)
    assert shown["Outcome"].startswith(expected.answer.outcome.name)
    assert shown["Reason"] == expected.answer.reason
    values = expected.values
    assert shown.get("Grundy value") == said(values.grundy)
    assert shown.get("Moves to the end") == said(values.remoteness)
    assert shown.get("Winning moves") == said(
        None if expected.answer.winning_moves is None else len(expected.answer.winning_moves)
    )
    rows = page.evaluate(
        "[...document.querySelectorAll('.tablebox tbody tr')].map((row) =>"
        " [row.querySelector('button').title, row.children[1].className])"
    )
    kinds = {Outcome.P: "win", Outcome.N: "lose", Outcome.UNKNOWN: "unknown"}
    assert rows == [
        [str(move.move.child), kinds[move.outcome]] for move in (expected.moves or ())[:40]
    ]


def said(value: Any) -> str | None:
    return None if value is None else str(value)


@pytest.mark.parametrize("start", some([0, 8], {0}))
def test_facts_and_moves_are_the_answers_of_the_oracle(
    opened: Opened, oracle: Oracle, start: int
) -> None:
    page = opened("#analyse/chomp:2/1")
    for position in POSITIONS[start : start + 8]:
        check(page, oracle, position)


@pytest.mark.slow
def test_fifty_positions_more(opened: Opened, oracle: Oracle) -> None:
    page = opened("#analyse/chomp:2/1")
    assert len(MANY) >= 50
    for position in MANY:
        check(page, oracle, position)


def test_every_bite_is_coloured_by_its_outcome_with_its_symbol(
    opened: Opened, oracle: Oracle
) -> None:
    page = opened("#analyse/chomp:5/4/4/2")
    page.locator(".cell.win").first.wait_for()
    found = page.evaluate(
        "[...document.querySelectorAll('.cell')].map((cell) => [Number(cell.dataset.row),"
        " Number(cell.dataset.column), cell.classList.contains('win'), cell.textContent])"
    )
    moves = oracle.analyze("chomp:5/4/4/2").moves or ()
    wins = {str(move.move.child) for move in moves if move.outcome is Outcome.P}
    rows = (5, 4, 4, 2)
    assert len(found) == sum(rows)
    for row, column, is_win, text in found:
        left = [min(n, column - 1) if at >= row else n for at, n in enumerate(rows, start=1)]
        child = "chomp:" + ("/".join(str(n) for n in left if n) or "0")
        assert is_win == (child in wins)
        symbol = "✓" if is_win else "×"
        assert text == (f"☠{symbol}" if (row, column) == (1, 1) else symbol)


@pytest.mark.parametrize("number", some(["grundy", "remoteness"], {"grundy"}))
def test_cells_show_numbers(opened: Opened, oracle: Oracle, number: str) -> None:
    page = opened("#analyse/chomp:3/3")
    page.get_by_label("Cells show").select_option(number)
    page.locator(".cell .sub").first.wait_for()
    shown = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.cell')].map((cell) =>"
        " [`${cell.dataset.row},${cell.dataset.column}`, cell.querySelector('.sub')?.textContent]))"
    )
    values = {str(move.move.child): move.values for move in oracle.analyze("chomp:3/3").moves or ()}
    assert shown["2,3"] == said(getattr(values["chomp:3/2"], number))
    assert shown["1,2"] == said(getattr(values["chomp:1/1"], number))
    assert shown["1,1"] == "×"  # no number: the poison ends the game


def test_chances_are_those_of_the_oracle(opened: Opened, oracle: Oracle) -> None:
    page = opened("#analyse/chomp:3/2")
    page.get_by_role("button", name="How likely to win?").click()
    page.locator(".chance .big").wait_for()
    chance = oracle.win_probability("chomp:3/2", "perfect-vs-random")
    assert page.locator(".chance .big").inner_text() == f"{100 * (chance.value or 0):.4f} %"
    page.get_by_label("Cells show").select_option("chance")
    page.locator(".cell .sub").first.wait_for()
    child = oracle.win_probability("chomp:3/1", "random-vs-perfect").value or 0
    cell = page.get_by_role("gridcell", name="row 2, column 2")
    assert f"chance {round(100 * (1 - child))}%" in (cell.get_attribute("aria-label") or "")


def test_the_address_holds_the_position_and_the_way_back(opened: Opened) -> None:
    page = opened("#analyse/chomp:3/3")
    page.get_by_role("gridcell", name="row 2, column 3").click()
    page.wait_for_url("**/#analyse/chomp:3/2")
    page.locator(".status.lose").wait_for()
    page.go_back()
    page.locator(".status.win").wait_for()
    assert page.locator("#verdict").inner_text().startswith("The player to move wins")


def test_the_best_line_ends_the_game_in_as_many_plies_as_said(opened: Opened) -> None:
    page = opened("#analyse/nim:[3,5,7]")
    page.get_by_text("To the end:").wait_for()
    assert page.locator(".line > li").count() == int(facts(page)["Moves to the end"])


def test_a_wrong_position_is_answered_with_what_is_wrong(opened: Opened) -> None:
    page = opened("#analyse/chomp:3/2", errors=True)
    page.get_by_role("textbox", name="Position").fill("chomp:2/3")
    page.keyboard.press("Enter")
    page.locator(".trouble").get_by_text("row").wait_for()
    assert page.locator("#verdict").inner_text() == "No answer"


def test_endless_boards_of_any_height_are_drawn(opened: Opened) -> None:
    page = opened("#analyse/transfinite:3xw^w")
    page.locator("#verdict.lose").wait_for()
    page.get_by_role("gridcell", name="row w^3, column 3, loses").click()
    until(page, "location.hash === '#analyse/transfinite:2xw^w+3xw^3'")
    page.locator("#verdict.win").wait_for()


def test_the_page_says_how_to_draw_a_position(opened: Opened) -> None:
    page = opened("#analyse/toads:TT.FF")
    page.get_by_role("button", name="Draw a board").click()
    page.get_by_text("Click a cell to change it").wait_for()
    page.get_by_role("button", name="Done drawing").click()
    assert not page.get_by_text("Click a cell to change it").is_visible()
