"""Pictures of boards: labels stand at what they name; very large numbers are drawn, too."""

import pytest
from matplotlib.text import Annotation

from position_oracle import plot


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ((9, 7, 4), {"x=4": (1, 4), "y=3": (5, 7), "z=2": (8, 9)}),
        ((6, 5), {"y=5": (1, 5), "z=1": (6, 6)}),
        ((3, 3, 3), {"x=3": (1, 3)}),
    ],
)
def test_coordinates_stand_above_the_middle_of_their_columns(
    rows: tuple[int, ...], columns: dict[str, tuple[int, int]]
) -> None:
    axes = plot.board_figure(rows, coordinates=True).axes[0]
    named = {
        text.get_text().strip("$"): text.xy
        for text in axes.texts
        if isinstance(text, Annotation) and "=" in text.get_text()
    }
    assert named.keys() == columns.keys()
    for name, (first, last) in columns.items():
        across, up = named[name]
        assert across == pytest.approx((first + last) / 2)
        assert len(rows) + 0.5 < up < axes.get_ylim()[1]


def test_maps_of_vast_values_are_drawn() -> None:
    image = plot.value_map_figure([[2.0**63, 2.0**63], [2.0**63, 0.0]]).axes[0].images[0]
    assert image.get_size() == (2, 2)
    assert plot.value_map_figure([[2.0**63, 2.0**63]]).axes


def test_vast_sides_take_no_more_lines_than_are_drawn() -> None:
    axes = plot.transfinite_figure([("999999999999999999", "w*999999999999")]).axes[0]
    assert len(axes.lines) < 1_000


def test_flat_boards_are_as_wide_as_others() -> None:
    values = {(row, column): float(column) for row in (1, 2, 3) for column in range(1, 41)}
    figure = plot.board_values_figure((40, 40, 40), values, what="remoteness")
    figure.draw_without_rendering()
    assert figure.axes[0].get_window_extent().width / figure.dpi > 2
