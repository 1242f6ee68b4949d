"""Colours can be told apart in grey and with colour vision deficiencies."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from position_oracle.clients.plot.palette import (
    LINE_COLOURS,
    ORIGIN_COLOURS,
    PAPER,
    SEQUENTIAL,
    SERIES,
)
from position_oracle.schema.answers import Origin

# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A physiologically-based model for simulation
# of color vision deficiency (2009): severity 1, on linear red, green and blue.
MACHADO = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LEAST_LIGHTNESS = 12.0
LEAST_DIFFERENCE = 20.0

OF_CHOMP = [Origin.DIAGONAL, Origin.FLAT, Origin.UPPER, Origin.LOWER]
OF_CENSUS = [Origin.DIAGONAL, Origin.FLAT, Origin.LINE]
SETS = {
    "origins": [PAPER, *(ORIGIN_COLOURS[origin] for origin in OF_CHOMP)],
    "census": [PAPER, *(ORIGIN_COLOURS[origin] for origin in OF_CENSUS)],
    "lines": [PAPER, *(LINE_COLOURS[line] for line in ("lower", "upper", "tail"))],
    "difference": [PAPER, LINE_COLOURS["lower"], ORIGIN_COLOURS[Origin.FLAT], "#b9c0c7"],
    "first three curves": [PAPER, *SERIES[:3]],
}


def linear(colour: str) -> NDArray[np.float64]:
    """Red, green and blue of an sRGB colour in linear light."""
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB values of linear light, for the white point D65."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(light, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("name", SETS)
def test_colours_of_one_picture_differ_in_grey(name: str) -> None:
    for one, other in combinations(SETS[name], 2):
        apart = abs(lab(linear(one))[0] - lab(linear(other))[0])
        assert apart >= LEAST_LIGHTNESS, (one, other)


@pytest.mark.parametrize("eyes", MACHADO)
@pytest.mark.parametrize("name", SETS)
def test_colours_of_one_picture_differ_to_all_eyes(name: str, eyes: str) -> None:
    seen = [lab(np.array(MACHADO[eyes]) @ linear(colour)) for colour in SETS[name]]
    for one, other in combinations(range(len(seen)), 2):
        apart = float(np.linalg.norm(seen[one] - seen[other]))
        assert apart >= LEAST_DIFFERENCE, (SETS[name][one], SETS[name][other])


def test_the_colour_map_of_values_grows_in_lightness() -> None:
    colours = colormaps[SEQUENTIAL](np.linspace(0, 1, 32))[:, :3]
    shades = [
        lab(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4))[0] for c in colours
    ]
    assert np.all(np.diff(shades) > 0)
