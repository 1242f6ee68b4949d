"""Draw the gallery: one picture of every kind with its command, and docs/gallery.md.

python scripts/make_gallery.py docs [STORE [CENSUS]]      needs matplotlib (extra `plot`)

STORE has three-row Chomp, plain and perhaps `--kind sensitivity`; CENSUS has a census. What no
store is given for is left out. Without a store sheets are solved on demand.
"""

import argparse
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Final

from position_oracle.oracle.cli.main import run

DPI: Final = "110"
INTRODUCTION: Final = (
    "For readers who want to see what `oracle plot` draws. The command below each picture makes it;"
    " `--out picture.svg` or `.pdf` writes it for print. [plots.md](plots.md) has all options and"
    " the Python functions. `python scripts/make_gallery.py docs STORE CENSUS` writes this page."
)

NEXT: Final = (
    "Next: [plots.md](plots.md) has all options, [geometry.md](geometry.md) explains the sheets."
)


@dataclass(frozen=True)
class Picture:
    """One entry of the gallery.

    Attributes:
        name: name of the file.
        heading: heading above the picture.
        command: arguments of `oracle plot`.
        words: description of the picture.
        needs: `store` or `census` if the picture reads one; otherwise empty.
    """

    name: str
    heading: str
    command: str
    words: str
    needs: str = ""


PICTURES: Final = (
    Picture(
        "winners",
        "Instant winners",
        "sheet chomp3 800 --regions",
        "The positions [800, y, z] from which a move reaches a P-position with a smaller x, and the"
        " four regions of Friedman and Landsberg (2007), Fig. 2a.",
    ),
    Picture(
        "origins",
        "Where they come from",
        "sheet chomp3 400 --by origin --lines",
        "Lower and upper loser lines, flat lines and deadly diagonals of smaller sheets, with the"
        " lines of equation (5).",
    ),
    Picture(
        "losers",
        "P-positions",
        "sheet chomp3 400 --kind L --by line --lines",
        "The loser sheet of x = 400: a lower and an upper line, and a tail.",
    ),
    Picture(
        "both",
        "P-positions over instant winners",
        "sheet chomp3 120 --kind both",
        "P-positions lie on the edges of the instant winners.",
    ),
    Picture(
        "compare_x",
        "x and 2 x",
        "compare chomp3@400 chomp3@800",
        "Two sheets drawn to one scale: they have the same shape.",
    ),
    Picture(
        "compare_games",
        "A game and its variant",
        "compare chomp3@120 'chomp3{passes=1}@120' 'chomp3{noise=normal(8),seed=1}@120'"
        " --width page",
        "A pass, or a declared position in every column, changes points but not the shape.",
    ),
    Picture(
        "parts",
        "Parts of a sheet",
        "parts chomp3 100",
        "Friedman and Landsberg (2007), Fig. 5.",
    ),
    Picture(
        "difference",
        "Where two games differ",
        "difference chomp3 'chomp3{passes=1}' 100",
        "Each cell shows whether the instant winner is in both games, or in only one.",
    ),
    Picture(
        "far",
        "A window far out",
        "sheet chomp3 900000 --kind both",
        "The place where the lines of sheet 900,000 meet its tail, computed from a census.",
        "census",
    ),
    Picture(
        "residuals",
        "Scatter of a sheet",
        "residuals chomp3 2000",
        "How far the P-positions of one sheet lie from their lines.",
    ),
    Picture(
        "scatter",
        "Scatter of many sheets",
        "scatter chomp3",
        "How many P-positions lie how far from their line: the numbers decrease exponentially"
        " with distance.",
        "store",
    ),
    Picture(
        "convergence",
        "Convergence",
        "convergence chomp3",
        "Measured constants minus equation (5), over ranges of sheets.",
        "store",
    ),
    Picture(
        "openings",
        "Openings",
        "openings",
        "How far the winning bite is from its predicted place, and how evenly its kinds are mixed.",
        "census",
    ),
    Picture(
        "census",
        "Tails",
        "census",
        "Periods of the tails of a million sheets.",
        "census",
    ),
    Picture(
        "phases",
        "Tails by phase",
        "census --phases",
        "Where tails of each period occur: against x, and against the phase frac(sqrt 2 x).",
        "census",
    ),
    Picture(
        "sensitivity",
        "Sensitivity",
        "sensitivity chomp3 --x0 50 --x0 100",
        "The share of the P-positions of each later sheet that one declared position moves.",
    ),
    Picture(
        "survival",
        "Survival",
        "survival chomp3",
        "How often a declared position changes all later sheets.",
        "store",
    ),
    Picture(
        "overlap",
        "Pass-winners",
        "overlap 'nim{heaps=3,passes=1}' --last 100",
        "Pass-winners are the positions at which the pass wins. The share of the P-positions of"
        " each sheet that stay the same if it does not win there.",
    ),
    Picture(
        "nim_ages",
        "Nim by age",
        "sheet 'nim{heaps=3}' 256 --by age --size 512x512",
        "The sheet of Nim is a fractal: each block consists of smaller blocks of the same shape."
        " The colour shows which smaller sheet x' was the first to make a cell an instant winner.",
    ),
    Picture(
        "nim_pass",
        "Nim with a pass",
        "compare 'nim{heaps=3}@50' 'nim{heaps=3,passes=1}@50' 'nim{declared=[1,6,7]}@50'"
        " --width page",
        "One pass, or one declared position, destroys the regular pattern.",
    ),
    Picture(
        "board",
        "Bites of a board",
        "board chomp:7/7/6/4",
        "The Grundy value of the position after each bite; winning bites have a frame.",
    ),
    Picture(
        "remoteness",
        "Remoteness",
        "board chomp:6/6/6 --what remoteness",
        "The remoteness after each bite: how many moves the game still lasts.",
    ),
    Picture(
        "wythoff",
        "Grundy values",
        "values 'wythoff{heaps=2}' --size 40x40",
        "Wythoff's game: the golden ratio gives the P-positions; no formula is known for the"
        " other values.",
    ),
    Picture(
        "misere",
        "Misere Kayles",
        "misere kayles --heaps 120",
        "The class of each heap. Heaps have sixteen of the forty classes, and their classes repeat"
        " from heap 71 on. Rings are P-positions.",
    ),
    Picture(
        "chances",
        "Random play",
        "chances --longest 60",
        "Conjectures 1.5 and 1.6 of Devlin and Trifonova: the first player's chance is below"
        " one half, and its distance from one half lies between two bounds.",
    ),
    Picture(
        "transfinite",
        "Transfinite Chomp",
        "transfinite 'transfinite:1x(w*3) + 2x(w*2+1)'",
        "The winning bite of an infinite position.",
    ),
)


def main() -> None:
    """Draw every picture whose store is given, and write the page."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("docs", type=Path, help="folder of the documents")
    options.add_argument("store", nargs="?", help="three-row Chomp, plain and of kind sensitivity")
    options.add_argument("census", nargs="?", help="a store with a census")
    chosen = options.parse_args()
    docs, given = chosen.docs, {"store": chosen.store, "census": chosen.census}
    stores = {name: store for name, store in given.items() if store is not None}
    images = docs / "images" / "gallery"
    images.mkdir(parents=True, exist_ok=True)
    page = ["# Gallery", "", INTRODUCTION, ""]
    for picture in PICTURES:
        file = images / f"{picture.name}.png"
        if (picture.needs in stores or not picture.needs) and not _drawn(picture, file, stores):
            sys.exit(f"oracle plot {picture.command} failed")
        if file.exists():
            page += [
                f"## {picture.heading}",
                "",
                f"![{picture.heading}](images/gallery/{file.name})",
                "",
                picture.words,
                "",
                f"    oracle plot {picture.command}",
                "",
            ]
    page.append(NEXT)
    (docs / "gallery.md").write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


def _drawn(picture: Picture, file: Path, stores: dict[str, str]) -> bool:
    arguments = ["plot", *shlex.split(picture.command), "--out", str(file), "--dpi", DPI]
    store = stores.get(picture.needs or "store")
    if store is not None:
        arguments += ["--db", store]
    with redirect_stdout(StringIO()):
        return run(arguments) == 0


if __name__ == "__main__":
    main()
