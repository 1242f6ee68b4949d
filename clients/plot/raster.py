"""Dense layers as pixels, so that files are small and drawing is fast for any number of points."""

from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

__all__ = ["CELLS", "MAX_SIDE", "MAX_VECTOR_POINTS", "averaged", "dots", "lay", "mark", "sharpen"]

CELLS: Final = "cells"
"""Prefix of the group id of images of cells; the number of pixels along a cell follows."""
_SHARP_SIDE: Final = 2_000
"""Maximum number of pixels to which the longer side of an image of few cells is enlarged."""
MAX_SIDE: Final = 2_400
"""Maximum number of pixels along a side of an image; more cells are averaged."""
MAX_VECTOR_POINTS: Final = 3_000
"""Maximum number of points that are drawn as vectors; more are pixels, also in SVG and PDF."""


def averaged(
    index: npt.NDArray[np.uint8], colours: npt.NDArray[np.float64], most: int = MAX_SIDE
) -> npt.NDArray[np.uint8]:
    """Return a picture of cells in which a pixel is the mean colour of its cells.

    Args:
        index: uint8 (columns, cells): the number of the colour of each cell.
        colours: float64 (n, 3), red, green and blue from 0 to 1.
        most: maximum number of pixels of the longer side.

    Returns:
        uint8 (rows, columns, 3), rows upwards: entry [z, y].
    """
    step = -(-max(index.shape) // most)
    if step <= 1:
        palette: npt.NDArray[np.uint8] = np.rint(255 * colours).astype(np.uint8)
        return palette[index.T]
    sides = [-(-side // step) for side in index.shape]
    mean = np.zeros((*sides, 3))
    count = np.zeros(sides)
    for k, colour in enumerate(colours):
        cells = index == k
        if not cells.any():
            continue
        share = _block_sums(cells, step)
        count += share
        mean += share[..., None] * colour
    shown: npt.NDArray[np.uint8] = np.rint(255 * mean / count[..., None]).astype(np.uint8)
    return shown.transpose(1, 0, 2)


def _block_sums(cells: npt.NDArray[np.bool_], step: int) -> npt.NDArray[np.uint32]:
    """Return the number of set cells of each block of step x step; edge blocks are smaller."""
    sides = [-(-side // step) for side in cells.shape]
    rows = np.zeros((sides[0], cells.shape[1]), np.uint8 if step < 256 else np.uint32)
    # Adding whole arrays is many times faster than summing short pieces.
    for k in range(step):
        part = cells[k::step]
        rows[: len(part)] += part
    sums = np.zeros(sides, np.uint32)
    for k in range(step):
        part = rows[:, k::step]
        sums[:, : part.shape[1]] += part
    return sums


def lay(
    axes: Axes, picture: npt.NDArray[np.uint8], extent: tuple[float, float, float, float]
) -> AxesImage:
    """Draw a picture into axes; its pixels stay sharp in SVG and PDF, see `sharpen`."""
    image = axes.imshow(
        picture,
        origin="lower",
        extent=extent,
        interpolation="auto",
        interpolation_stage="rgba",
        aspect="equal",
    )
    image.set_gid(f"{CELLS}-1")
    return image


def sharpen(figure: Figure, dpi: float, *, vector: bool) -> None:
    """Set how cells become pixels: unchanged in vector files, resampled in PNG.

    For PNG, cells are first enlarged to several pixels, so that only their edges are blurred; to
    twice the pixels of the figure.
    """
    side = min(_SHARP_SIDE, int(2 * dpi * max(figure.get_size_inches())))
    for axes in figure.axes:
        for image in axes.images:
            name, _, times = str(image.get_gid()).partition("-")
            if name != CELLS:
                continue
            picture = np.asarray(image.get_array())[:: int(times), :: int(times)]
            wanted = 1 if vector else max(1, side // max(picture.shape[:2]))
            image.set_data(picture.repeat(wanted, axis=0).repeat(wanted, axis=1))
            image.set_gid(f"{CELLS}-{wanted}")
            image.set_interpolation("none" if vector else "auto")


def mark(label: str, colour: str, marker: str = "o", size: float = 3.5) -> Line2D:
    """Return a marker of visible size for a legend."""
    return Line2D([], [], linestyle="", marker=marker, color=colour, markersize=size, label=label)


def dots(
    axes: Axes,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    colour: str,
    size: float,
    marker: str = "o",
) -> None:
    """Draw points without lines, as pixels if there are many."""
    axes.plot(
        x,
        y,
        linestyle="",
        marker=marker,
        markersize=size,
        markeredgewidth=0,
        color=colour,
        rasterized=len(np.atleast_1d(x)) > MAX_VECTOR_POINTS,
    )
