"""Pictures of sheets show the given cells, with labels, and to scale."""

from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from position_oracle import OracleClient, plot
from position_oracle.clients.plot import raster, windows
from position_oracle.clients.plot.lines import ALPHA, LINE_END, TAIL_HEIGHT, chomp_lines
from position_oracle.clients.plot.palette import ORIGIN_COLOURS, PAPER, WINNER
from position_oracle.clients.plot.sheets import lines_of_points
from position_oracle.clients.plot.windows import ages_of
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Origin
from position_oracle.schema.errors import NotationError, ResourceLimitError
from position_oracle.schema.sheets import whole_window
from tests.conftest import STORE_LIMIT

X = 40


@pytest.fixture(scope="module")
def sheet(oracle: Oracle) -> plot.Sheet:
    return plot.read_sheet(oracle, "chomp3", X, ages=True)


def pixels(figure: Figure) -> np.ndarray:
    picture: np.ndarray = np.asarray(figure.axes[0].images[0].get_array())
    return picture


def rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def test_the_lines_are_those_of_the_theory() -> None:
    constants = closed_form()
    assert pytest.approx(constants.alpha) == ALPHA
    assert pytest.approx(constants.line_end) == LINE_END
    assert pytest.approx(constants.tail_height) == TAIL_HEIGHT
    slopes = {}
    for line in plot.chomp_lines(1000, 1000):
        (y0, z0), (y1, z1) = line.begin, line.end
        slopes[line.name] = (z1 - z0) / (y1 - y0)
    assert slopes == pytest.approx(
        {"lower": constants.slope_lower, "upper": constants.slope_upper, "tail": 0}
    )


def test_a_cell_is_dark_where_it_is_an_instant_winner(sheet: plot.Sheet) -> None:
    picture = pixels(plot.sheet_figure(sheet))
    assert sheet.winners is not None
    assert picture.shape == (*sheet.winners.T.shape, 3)
    dark = np.all(picture == rgb(WINNER), axis=2)
    assert np.array_equal(dark.T, sheet.winners > 0)
    assert np.all(picture[~dark] == rgb(PAPER))


def test_a_cell_has_the_colour_of_its_origin(sheet: plot.Sheet) -> None:
    picture = pixels(plot.sheet_figure(sheet, by="origin"))
    assert sheet.winners is not None
    for origin in (Origin.LOWER, Origin.DIAGONAL):
        only = origin == sheet.winners.T
        assert np.any(only)
        assert np.all(picture[only] == rgb(ORIGIN_COLOURS[origin]))


def test_every_p_position_in_the_window_is_a_dot(sheet: plot.Sheet) -> None:
    figure = plot.sheet_figure(sheet, kind="L", by="line")
    drawn = [
        (round(y), round(z))
        for line in figure.axes[0].lines
        for y, z in np.asarray(line.get_xydata()).tolist()
    ]
    found = loser_sheets(X + 1)
    expected = [
        (y, z)
        for y in range(sheet.size[0])
        if (z := found.z_at(X, y)) is not None and z < sheet.size[1]
    ]
    assert sorted(drawn) == expected


def test_lines_of_points_follow_the_definition(oracle: Oracle) -> None:
    sheet = plot.read_sheet(oracle, "chomp3", 120, winners=False)
    y, z = sheet.points
    lines = lines_of_points(sheet)
    assert sheet.diagonal is not None
    above = y + z > sheet.diagonal
    assert above[lines == "upper"].all()
    assert not above[lines == "lower"].any()
    assert y[lines == "tail"].min() > y[lines == "lower"].max()
    assert lines.tolist().count("start") == 1


def test_ages_are_those_of_the_first_sheet_that_reaches_a_cell(sheet: plot.Sheet) -> None:
    sheets = loser_sheets(X)
    expected = np.zeros(sheet.size, int)
    for smaller in range(X):
        step = X - smaller
        diagonal = sheets.z_at(smaller, 0)
        assert diagonal is not None
        for y in range(sheet.size[0]):
            reached = [sheets.z_at(smaller, y + step), smaller + diagonal - X - y]
            for z in reached:
                if z is not None and 0 <= z < sheet.size[1] and not expected[y, z]:
                    expected[y, z] = step
    assert sheet.ages is not None
    assert np.array_equal(sheet.ages, expected)
    assert np.array_equal(ages_of(sheets, X, sheet.size), expected)
    assert sheet.winners is not None
    assert np.array_equal(sheet.ages > 0, sheet.winners > 0)


def test_a_client_draws_what_an_oracle_draws(oracle: Oracle, client: OracleClient) -> None:
    here = plot.sheet(oracle, "chomp3", X, kind="both", by="origin")
    there = plot.sheet(client, "chomp3", X, kind="both", by="origin")
    assert np.array_equal(pixels(here), pixels(there))
    titles = [figure.axes[0].get_title(loc="left") for figure in (here, there)]
    assert titles[0] == titles[1]


def test_a_picture_names_game_sheet_source_and_units(sheet: plot.Sheet) -> None:
    axes = plot.sheet_figure(sheet).axes[0]
    assert axes.get_title(loc="left") == "$W_{40}$ of chomp3"
    assert [text.get_text() for text in axes.texts] == ["table to x = 300, exact"]
    assert axes.get_xlabel() == "y (columns of height 2)"
    assert axes.get_ylabel() == "z (columns of height 1)"
    scaled = plot.sheet_figure(sheet, scaled=True).axes[0]
    assert scaled.get_xlabel() == "y / x"
    assert scaled.get_xlim()[1] == pytest.approx(1, abs=0.02)


def test_compared_sheets_have_one_scale_that_holds_all(oracle: Oracle) -> None:
    """Whatever their order, also beside a flat window."""
    flat = plot.read_sheet(oracle, "chomp3", X, size=(90, 6))
    square = plot.read_sheet(oracle, "nim{heaps=3}", 20)
    for sheets in ([flat, square], [square, flat], [square, plot.read_sheet(oracle, "chomp3", 20)]):
        figure = plot.comparison_figure(sheets)
        figure.draw_without_rendering()
        first, second = figure.axes[:2]
        assert first.get_xlim() == second.get_xlim()
        assert first.get_box_aspect() == second.get_box_aspect()
        widest = max(
            sheet.winners.shape[0] / sheet.x for sheet in sheets if sheet.winners is not None
        )
        assert first.get_xlim()[1] >= widest - 0.1


@pytest.mark.parametrize(("sheets", "columns"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 2)])
def test_two_sheets_stand_side_by_side_or_all_of_three(
    sheet: plot.Sheet, sheets: int, columns: int
) -> None:
    grid = plot.comparison_figure([sheet] * sheets).axes[0].get_gridspec()
    assert grid is not None
    assert (grid.ncols, grid.nrows) == (columns, -(-sheets // columns))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_equal_pictures_give_equal_files(sheet: plot.Sheet, tmp_path: Path, ending: str) -> None:
    files = [
        plot.save(plot.sheet_figure(sheet, by="origin"), tmp_path / f"{k}.{ending}", 100)
        for k in range(2)
    ]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size > 1000


def test_more_cells_than_pixels_are_averaged() -> None:
    index = np.zeros((90, 60), np.uint8)
    index[::3] = 1
    black_and_white = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    picture = raster.averaged(index, black_and_white, most=30)
    assert picture.shape == (20, 30, 3)
    assert (picture == 170).all()
    assert raster.averaged(index, black_and_white, most=90).shape == (60, 90, 3)


@pytest.mark.parametrize("most", [7, 30, 60])
def test_a_picture_of_one_colour_has_it_up_to_its_edges(most: int) -> None:
    picture = raster.averaged(np.zeros((91, 61), np.uint8), np.array([[1.0, 0.4, 0.0]]), most)
    assert (picture == [255, 102, 0]).all()


@pytest.mark.parametrize("size", [(1, 9), (5, 4), (7, 7), (16, 3)])
def test_a_window_in_parts_equals_the_whole(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(windows, "_PART_CELLS", 8)

    def part(
        _: str, x: int, y: int, z: int, *, first_y: int, first_z: int
    ) -> npt.NDArray[np.uint8]:
        if y * z > 10:
            raise ResourceLimitError("too large")
        return np.add.outer(np.arange(y) + first_y, x * (np.arange(z) + first_z)).astype(np.uint8)

    oracle: Any = SimpleNamespace(instant_winners=part)
    found = windows._asked_winners(oracle, "chomp3", 5, size, (3, 2))
    expected = np.add.outer(np.arange(size[0]) + 3, 5 * (np.arange(size[1]) + 2))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("game", "x", "source"),
    [
        ("chomp3", STORE_LIMIT - 1, f"table to x = {STORE_LIMIT}, exact"),
        ("chomp3", STORE_LIMIT, f"table to x = {STORE_LIMIT}, exact"),
        ("chomp3", STORE_LIMIT + 1, "solved on demand, exact"),
        ("nim{heaps=3}", 5, "by theorem, exact"),
        ("wythoff{rule=pairs}", 5, "solved on demand, exact"),
    ],
)
def test_the_source_of_a_sheet_is_named(oracle: Oracle, game: str, x: int, source: str) -> None:
    assert windows.source_of(oracle.games(), game, x) == source


@pytest.mark.parametrize(
    ("game", "x", "source"),
    [
        ("chomp3", 300, "table to x = 300, exact"),
        ("chomp3", 301, "census to x = 5,000, swept, exact"),
        ("wythoff{rule=pairs}", 60, "table to x = 60, exact"),
        ("wythoff{heaps=3,rule=pairs}", 61, "solved on demand, exact"),
    ],
)
def test_the_source_of_a_sheet_is_the_table_that_has_it(game: str, x: int, source: str) -> None:
    def info(name: str, *builds: tuple[str, str]) -> Any:
        sources = [
            SimpleNamespace(certainty=None, build=SimpleNamespace(kind=kind, limit=limit))
            for kind, limit in builds
        ]
        return SimpleNamespace(game=name, sources=sources)

    games = [
        info("chomp3", ("census", "5000x128"), ("sheets", "300")),
        info("wythoff{rule=pairs}", ("sheets", "60x90")),
    ]
    assert windows.source_of(games, game, x) == source


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("game", ["chomp3", "nim{heaps=3}"])
def test_of_a_very_large_sheet_a_window_about_the_end_of_its_lines_is_drawn(
    game: str, more: int
) -> None:
    x = windows._WHOLE_X + more
    size, first = windows._window_of(game, x, None, None)
    if more <= 0 or game != "chomp3":
        assert (size, first) == (whole_window(game, x), (0, 0))
    else:
        middle = (first[0] + size[0] / 2, first[1] + size[1] / 2)
        assert middle == pytest.approx((LINE_END * x, TAIL_HEIGHT * x), abs=1)


def test_what_cannot_be_drawn_is_refused_in_words(sheet: plot.Sheet, oracle: Oracle) -> None:
    nim = plot.read_sheet(oracle, "nim{heaps=3}", 5)
    for refused in (
        lambda: plot.sheet_figure(nim, lines=True),
        lambda: plot.sheet_figure(nim, kind="L", by="line"),
        lambda: plot.sheet_figure(sheet, kind="L", by="age"),
        lambda: plot.sheet_figure(nim, by="age"),
        lambda: plot.sheet_figure(sheet, width=100),
        lambda: plot.comparison_figure([]),
        lambda: plot.difference_figure(sheet, nim),
        lambda: plot.read_sheet(oracle, "chomp3", 5, size=(100_000, 100_000)),
        lambda: plot.read_sheet(oracle, "wythoff{rule=pairs}", 5, ages=True),
    ):
        with pytest.raises(NotationError) as error:
            refused()
        assert "\n" not in str(error.value)
    with pytest.raises(NotationError, match=r"\.png, \.svg or \.pdf"):
        plot.save(plot.sheet_figure(sheet), "picture.gif")
    with pytest.raises(NotationError, match="pixels"):
        plot.save(plot.sheet_figure(sheet, width=30), "picture.png", 1200)


def test_cells_are_one_pixel_in_vector_files_and_sharp_ones_in_png(
    sheet: plot.Sheet, tmp_path: Path
) -> None:
    figure = plot.sheet_figure(sheet)
    cells = pixels(figure)
    for dpi, times in ((60, 10), (300, 50)):
        plot.save(figure, tmp_path / "a.png", dpi)
        larger = pixels(figure)
        assert larger.shape[0] == times * cells.shape[0]
        assert np.array_equal(larger[::times, ::times], cells)
    plot.save(figure, tmp_path / "a.svg", 60)
    assert np.array_equal(pixels(figure), cells)


@pytest.mark.parametrize("x", [1.0, 40.0])
def test_the_lines_of_a_sheet_are_those_that_the_picture_shows(x: float) -> None:
    """The tail begins where the other lines end; the leading diagonal is y + z = x / sqrt 2."""
    corner = LINE_END * x
    for end_y, names in ((corner, []), (2 * corner, ["tail"])):
        plain, more = (chomp_lines(x, end_y, diagonal=diagonal) for diagonal in (False, True))
        assert [line.name for line in plain] == ["lower", "upper", *names]
        assert more[:-1] == plain
        assert more[-1].name == "diagonal"
        assert [sum(point) for point in (more[-1].begin, more[-1].end)] == [ALPHA * x] * 2


@pytest.mark.parametrize("size", [(1, 1), (2, 2)])
def test_ticks_of_a_small_window_are_whole_numbers(oracle: Oracle, size: tuple[int, int]) -> None:
    found = plot.read_sheet(oracle, "chomp3", X, size=size, first=(7, 9))
    values = plot.value_map_figure(np.zeros(size), first=(7, 9))
    for axes in (plot.sheet_figure(found).axes[0], values.axes[0]):
        ticks = [
            tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]
        ]
        assert ticks == [7 + k for k in range(size[0])]


def test_sheets_without_cells_or_p_positions_say_so(oracle: Oracle) -> None:
    empty = plot.read_sheet(oracle, "chomp3", X, size=(1, 1))
    (said,) = plot.difference_figure(empty, empty, kind="L").axes[0].texts
    assert said.get_text().startswith("the first has no cells here")
    with pytest.raises(NotationError, match="no P-positions on its lines"):
        plot.residual_figure(empty)


def words_of(figure: Figure) -> list[Bbox]:
    """Return the places of titles, names of axes, and numbers at ticks."""
    figure.draw_without_rendering()
    axes = figure.axes[0]
    texts = [axes.title, axes.xaxis.label, axes.yaxis.label]
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [text.get_window_extent() for text in texts if text.get_text()]


@pytest.mark.parametrize("size", [(200, 4), (4, 200), (200, 60)])
def test_words_of_flat_and_narrow_windows_stand_apart(
    oracle: Oracle, size: tuple[int, int]
) -> None:
    figure = plot.sheet(oracle, "chomp3", 100, size=size)
    words = words_of(figure)
    assert len(words) > 5
    assert not any(one.overlaps(other) for one, other in combinations(words, 2))
