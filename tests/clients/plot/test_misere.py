"""Pictures of misere quotients: one dot a heap, one ring a P-position, a line at the period."""

import numpy as np
import pytest

from position_oracle import plot
from position_oracle.schema.errors import NotationError


def test_heaps_are_dots_and_p_positions_rings() -> None:
    phi = np.array([0, 1, 2, 1, 0, 2])
    figure = plot.misere_quotient_figure(phi, [False, True, False], period=3, preperiod=2)
    axes = figure.axes[0]
    dots, rings = axes.collections[-2:]
    assert np.asarray(dots.get_offsets()).tolist() == [
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 0],
        [5, 2],
    ]
    assert np.asarray(rings.get_offsets()).tolist() == [[1, 1], [3, 1]]
    assert axes.lines[0].get_xdata() == [2, 2]


def test_arrays_must_match() -> None:
    with pytest.raises(NotationError, match="do not match"):
        plot.misere_quotient_figure([0, 3], [False, True])
