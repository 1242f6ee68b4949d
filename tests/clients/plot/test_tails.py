"""Pictures of measured tables: periods are named, labels fit, empty bins stay empty."""

from itertools import combinations

import pytest
from matplotlib.patches import StepPatch

from position_oracle import plot


@pytest.mark.parametrize(("periods", "named"), [(5, 5), (16, 16), (17, 9), (40, 14)])
def test_each_period_is_named_or_at_most_sixteen_evenly(periods: int, named: int) -> None:
    counts = {period: 1 + period for period in range(periods)}
    axes = plot.tail_census_figure(counts).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    step = -(-periods // named)
    assert names == ["stops", *map(str, range(step, periods, step))]
    assert len(names) == named
    assert axes.get_yticks().tolist() == list(range(0, periods, step))


@pytest.mark.parametrize(
    ("largest", "label", "end"),
    [(999_999, "x (sheet)", 999_999), (1_000_000, "x (millions)", 1), (3e6, "x (millions)", 3)],
)
def test_sheets_are_counted_in_millions_where_there_are_as_many(
    largest: int, label: str, end: float
) -> None:
    axes = plot.tail_periods_figure([10, largest // 2, largest], [1, 0, 2]).axes[0]
    assert axes.get_xlabel() == label
    assert axes.get_xlim() == pytest.approx((0.0, end))


def test_a_bin_without_positions_is_a_gap() -> None:
    """The bins 0, 0.25 and 1 have positions. Nothing is drawn over the empty bins between them."""
    figure = plot.scatter_figure({"upper": ([0.0, 0.25, 1.0], [10, 5, 1])})
    (stairs,) = figure.axes[0].patches
    assert isinstance(stairs, StepPatch)
    values, edges, _ = stairs.get_data()
    assert edges.tolist() == [0, 0.25, 0.5, 0.75, 1, 1.25]
    assert [value > 0 for value in values] == [True, True, False, False, True]


def test_labels_of_counts_do_not_touch() -> None:
    counts = {0: 585_787, 1: 395_034, 2: 14_249, 3: 558, 4: 4_234, 6: 2, 8: 33, 9: 99, 27: 5}
    figure = plot.tail_census_figure(counts)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    for labels in (axes.texts, axes.get_xticklabels(), axes.get_yticklabels()):
        boxes = [label.get_window_extent() for label in labels if label.get_text()]
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


@pytest.mark.parametrize(
    ("counts", "share"),
    [({0: 3, 1: 1}, "25.000 %"), ({1: 4}, "100.000 %"), ({0: 5, -1: 9}, "0.000 %")],
)
def test_the_share_of_sheets_with_a_tail_is_named(counts: dict[int, int], share: str) -> None:
    label = plot.tail_census_figure(counts).axes[0].get_xlabel()
    assert f"\n{share} have a tail" in label
