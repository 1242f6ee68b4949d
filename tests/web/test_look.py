"""The sheets on the page equal the arrays of the oracle, pixel by pixel."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Origin
from tests.web.conftest import Opened, some, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

ORIGINS = ("rectangle", "heaps", "lower", "upper", "line", "flat", "diagonal")
BITS = (16, 32, 1, 2, 64, 4, 8)
COPY = """
  const canvas = document.querySelector('canvas.sheet');
  const copy = document.createElement('canvas');
  Object.assign(copy, { width: canvas.width, height: canvas.height });
  const pen = copy.getContext('2d', { willReadFrequently: true });
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  const colour = (at) => data[at] * 65536 + data[at + 1] * 256 + data[at + 2];
"""
CENTRES = f"""([columns, rows]) => {{ {COPY}
  const left = Number(canvas.dataset.left), bottom = Number(canvas.dataset.bottom);
  const scale = Number(canvas.dataset.scale), found = [];
  for (let y = 0; y < columns; y += 1) {{
    for (let z = 0; z < rows; z += 1) {{
      const across = Math.floor((y + 0.5 - left) * scale);
      const down = canvas.height - 1 - Math.floor((z + 0.5 - bottom) * scale);
      found.push(colour(4 * (down * canvas.width + across)));
    }}
  }}
  return found;
}}"""
COUNT = f"""ink => {{ {COPY}
  let found = 0;
  for (let at = 0; at < data.length; at += 4) if (colour(at) === ink) found += 1;
  return found;
}}"""


def sheet(opened: Opened, text: str, span: float) -> "Page":
    page = opened(f"#look/?a={text}&at=0~0~{span}&show=")
    game, x, kind, colour = text.split("~")
    page.locator(f"[data-drawn='{game} {x} {kind} {colour}']").wait_for()
    return page


def pixels(page: "Page", shape: tuple[int, int]) -> np.ndarray:
    """Return the colours at the centres of cells. Some are below the axes."""
    return np.array(page.evaluate(CENTRES, list(shape))).reshape(shape)


def colour(page: "Page", name: str) -> int:
    text: str = page.evaluate(
        "name => getComputedStyle(document.documentElement).getPropertyValue(name)", name
    )
    return int(text.strip().removeprefix("#"), 16)


def inner(cells: np.ndarray) -> np.ndarray:
    """Return the cells without the two edges that carry numbers."""
    return cells[12:-8, 6:-4]


@pytest.mark.parametrize(
    ("game", "x"),
    some([("chomp3", 30), ("chomp3{passes=1}", 25), ("nim{heaps=3}", 9)], {("nim{heaps=3}", 9)}),
)
def test_losers_are_drawn_cell_by_cell(opened: Opened, oracle: Oracle, game: str, x: int) -> None:
    page = sheet(opened, f"{game}~{x}~L~plain", 100)
    shape = (80, 40)
    z = oracle.losers(parse_game(game), x, shape[0])
    expected = z[:, None] == np.arange(shape[1])
    name = "--s-one" if game.startswith("chomp3") else "--s-heaps"
    found = pixels(page, shape)
    assert np.array_equal(inner(found == colour(page, name)), inner(expected))
    assert np.array_equal(inner(found == colour(page, "--sheet")), inner(~expected))


def test_losers_are_coloured_by_line(opened: Opened, oracle: Oracle) -> None:
    x, shape = 40, (80, 40)
    page = sheet(opened, f"chomp3~{x}~L~line", 100)
    z = oracle.losers(parse_game("chomp3"), x, 400)
    y = np.arange(len(z))
    end = y[(z >= 0) & (y + z < z[0])].max()
    of = {
        "lower": (y + z < z[0]) & (y <= end),
        "upper": (y + z > z[0]) & (y <= end),
        "flat": y > end,
    }
    found = pixels(page, shape)
    for name, belongs in of.items():
        cells = (z[: shape[0], None] == np.arange(shape[1])) & belongs[: shape[0], None]
        assert np.array_equal(inner(found == colour(page, f"--s-{name}")), inner(cells)), name


@pytest.mark.parametrize(
    ("game", "x"), some([("chomp3", 30), ("chomp3{passes=1}", 20)], {("chomp3", 30)})
)
def test_instant_winners_are_drawn_by_origin(
    opened: Opened, oracle: Oracle, game: str, x: int
) -> None:
    page = sheet(opened, f"{game}~{x}~W~origin", 100)
    shape = (80, 40)
    window = oracle.instant_winners(parse_game(game), x, *shape)
    expected = np.full(shape, colour(page, "--sheet"))
    for bit, name in reversed(list(zip(BITS, ORIGINS, strict=True))):
        expected[window & bit > 0] = colour(page, f"--s-{name}")
    assert {Origin.LOWER, Origin.UPPER} <= {Origin(int(bit)) for bit in (1, 2)}
    assert np.array_equal(inner(pixels(page, shape)), inner(expected))


@pytest.mark.slow
def test_ages_say_which_sheet_made_a_winner(opened: Opened, oracle: Oracle) -> None:
    x, shape = 20, (80, 40)
    page = sheet(opened, f"chomp3~{x}~W~age", 100)
    window = oracle.instant_winners(parse_game("chomp3"), x, *shape)
    found = pixels(page, shape)
    # The page shows all 20 smaller sheets of 48: every instant winner has an age.
    assert np.array_equal(inner(found != colour(page, "--sheet")), inner(window > 0))
    newest = {
        (int(y), int(z))
        for y, z in enumerate(oracle.losers(parse_game("chomp3"), x - 1, 90, first_y=1))
        if z >= 0
    }
    drawn = found == colour(page, "--s-new")
    assert all(drawn[y, z] for y, z in newest if 12 <= y < 70 and 6 <= z < 35)


@pytest.mark.slow
def test_far_away_sheets_show_every_loser(opened: Opened, oracle: Oracle) -> None:
    page = sheet(opened, "chomp3~300~L~plain", 2400)
    z = oracle.losers(parse_game("chomp3"), 300, 1000)
    ink = colour(page, "--s-one")
    count = page.evaluate(COUNT, ink)
    assert count > 0.1 * int((z >= 0).sum())


def test_two_sheets_are_scaled_to_one_another(opened: Opened) -> None:
    page = opened("#look/?a=chomp3~100~L~line&b=chomp3~200~L~line&show=lines~scaled")
    page.locator("[data-drawn='chomp3 200 L line']").wait_for()
    scales = page.evaluate(
        "[...document.querySelectorAll('canvas.sheet')].map((each) => Number(each.dataset.scale))"
    )
    assert scales[0] == pytest.approx(2 * scales[1], rel=0.01)


@pytest.mark.slow
def test_x_grows_by_itself_and_stops(opened: Opened) -> None:
    page = opened("#look/?a=chomp3~10~L~line&show=lines~scaled")
    page.get_by_role("button", name="Grow").first.click()
    until(page, "Number(document.querySelector('.panel input[type=number]').value) >= 14")
    page.get_by_role("button", name="Stop").first.click()
    at = page.get_by_label("x", exact=True).first.input_value()
    page.wait_for_timeout(400)
    assert page.get_by_label("x", exact=True).first.input_value() == at


def test_the_sheet_is_moved_by_keys_and_the_address_holds_it(opened: Opened) -> None:
    page = opened("#look/?a=chomp3~100~L~line&at=0~0~2&show=scaled")
    page.locator("canvas.sheet").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("+")
    until(page, "/at=0\\.\\d+~/.test(decodeURIComponent(location.hash))")
    assert float(page.locator("canvas.sheet").first.get_attribute("data-left") or 0) > 0


def test_losers_are_also_there_as_text(opened: Opened, oracle: Oracle) -> None:
    page = opened("#look/?a=chomp3~20~L~line&show=")
    page.get_by_text("The losing positions as a list").first.click()
    z = oracle.losers(parse_game("chomp3"), 20, 3)
    page.get_by_text(f"[20,0,{z[0]}]").wait_for()


def test_the_shape_is_shown_as_measured(opened: Opened) -> None:
    page = opened("#look/?a=chomp3~200~L~line&show=")
    page.get_by_text("The shape as measured").first.click()
    page.get_by_text("x from").wait_for()
    row = page.locator(".values tbody tr").first.locator("td").all_inner_texts()
    assert float(row[1]) == pytest.approx(float(row[3]), rel=0.01)
