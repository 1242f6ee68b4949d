"""Draw the picture of the README: an instant-winner sheet and the loser sheet found from it.

python scripts/draw_sheets.py docs/images/sheets.png      needs matplotlib (extra `plot`)
"""

import sys

import matplotlib as mpl
import numpy as np

from engine.solvers.instant_winners import Origin, instant_winners
from engine.solvers.three_row import solve

X = 200
SIZE = 200
COLOURS = {
    Origin.DIAGONAL: ("#b8b8b8", "deadly diagonals"),
    Origin.FLAT: ("#e0a030", "flat lines: tails"),
    Origin.UPPER: ("#2a7f9e", "upper loser lines"),
    Origin.LOWER: ("#a8324a", "lower loser lines"),
}


def main() -> None:
    """Draw both sheets side by side."""
    mpl.use("agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import to_rgb

    sheets = solve(X + 1)
    window = instant_winners(sheets, X, SIZE, SIZE)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 6), sharey=True, layout="constrained")
    left.set_title(f"instant-winner sheet $W_{{{X}}}$", fontsize=12)
    picture = np.ones((SIZE, SIZE, 3))
    for origin, (colour, label) in COLOURS.items():
        picture[(window & origin).T > 0] = to_rgb(colour)
        left.plot([], [], "s", color=colour, label=label)
    left.imshow(picture, origin="lower", interpolation="none")
    right.set_title(f"loser sheet $L_{{{X}}}$ = supermex of $W_{{{X}}}$", fontsize=12)
    found = [(y, z) for y in range(SIZE) if (z := sheets.z_at(X, y)) is not None]
    right.plot(*zip(*found, strict=True), ".", color="#222222", markersize=4)
    for axes in (left, right):
        axes.set(xlim=(0, SIZE), ylim=(0, SIZE), xlabel="y", aspect="equal")
        axes.spines[["top", "right"]].set_visible(False)
    left.set_ylabel("z")
    left.legend(loc="upper right", frameon=True, fontsize=9)
    figure.savefig(sys.argv[1], dpi=110)


if __name__ == "__main__":
    main()
