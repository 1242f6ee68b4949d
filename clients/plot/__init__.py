"""Pictures of combinatorial games: each function gives a matplotlib Figure.

Two ways lead to a picture. `sheet(oracle, "chomp3", 800)` asks a client or an oracle in this
process; the functions whose names end in `_figure` take arrays and know nothing of services:

>>> from clients import OracleClient, plot                              # doctest: +SKIP
>>> with OracleClient("localhost:50051") as oracle:                     # doctest: +SKIP
...     figure = plot.sheet(oracle, "chomp3", 800, by="origin", lines=True)
>>> plot.save(figure, "w800.svg")                                       # doctest: +SKIP

Figures are made for print: `COLUMN` (3.4 inches) or `PAGE` (7 inches) wide, in colours that differ
in brightness too, so that they can be told apart in grey and by people who see colours otherwise.
Needs the extra `plot`.
"""

from clients.plot.lines import Line, chomp_lines
from clients.plot.palette import ORIGIN_COLOURS
from clients.plot.sheets import (
    By,
    Kind,
    comparison_figure,
    decomposition_figure,
    difference_figure,
    sheet_figure,
)
from clients.plot.style import COLUMN, PAGE, save, styled
from clients.plot.windows import Sheet, SheetSource, ages_of, read_sheet, sheet

__all__ = [
    "COLUMN",
    "ORIGIN_COLOURS",
    "PAGE",
    "By",
    "Kind",
    "Line",
    "Sheet",
    "SheetSource",
    "ages_of",
    "chomp_lines",
    "comparison_figure",
    "decomposition_figure",
    "difference_figure",
    "read_sheet",
    "save",
    "sheet",
    "sheet_figure",
    "styled",
]
