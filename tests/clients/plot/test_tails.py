"""Pictures of tails name their periods, and count sheets in a unit that fits."""

import pytest

from position_oracle import plot


@pytest.mark.parametrize(("periods", "named"), [(5, 5), (16, 16), (17, 9), (40, 14)])
def test_each_period_is_named_or_at_most_sixteen_evenly(periods: int, named: int) -> None:
    counts = {period: 1 + period for period in range(periods)}
    axes = plot.tail_census_figure(counts).axes[0]
    names = [label.get_text() for label in axes.get_xticklabels()]
    step = -(-periods // named)
    assert names == ["stops", *map(str, range(step, periods, step))]
    assert len(names) == named
    assert axes.get_xticks().tolist() == list(range(0, periods, step))


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
