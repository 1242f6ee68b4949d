"""Pictures of combinatorial games; each function returns a matplotlib Figure.

There are two kinds of functions. `sheet(oracle, "chomp3", 800)` asks a client or an oracle in this
process. Functions whose names end in `_figure` take arrays:

>>> from position_oracle import OracleClient, plot                              # doctest: +SKIP
>>> with OracleClient("localhost:50051") as oracle:                     # doctest: +SKIP
...     figure = plot.sheet(oracle, "chomp3", 800, by="origin", lines=True)
>>> plot.save(figure, "w800.svg")                                       # doctest: +SKIP

Figures are made for print: `COLUMN` (3.4 inches) or `PAGE` (7 inches) wide, in colours that also
differ in brightness, so that grey prints and colour-blind people can distinguish them. The package
needs the extra `plot`.
"""

from position_oracle.schema.extras import from_extra

with from_extra("plot"):
    import matplotlib  # noqa: F401, ICN001 - before the modules that need it

from position_oracle.clients.plot.boards import board_figure, board_values_figure, value_map_figure
from position_oracle.clients.plot.chances import chances_figure
from position_oracle.clients.plot.diagrams import (
    added_lines_figure,
    foliation_figure,
    implied_diagonals_figure,
    opening_moves_figure,
    recursion_figure,
)
from position_oracle.clients.plot.dynamics import (
    overlap_figure,
    sensitivity_figure,
    survival_figure,
)
from position_oracle.clients.plot.lines import Line, chomp_lines
from position_oracle.clients.plot.misere import misere_quotient_figure
from position_oracle.clients.plot.openings import opening_places_figure, openings_figure
from position_oracle.clients.plot.palette import ORIGIN_COLOURS
from position_oracle.clients.plot.shapes import convergence_figure, residual_figure, scatter_figure
from position_oracle.clients.plot.sheets import (
    By,
    SheetKind,
    comparison_figure,
    decomposition_figure,
    difference_figure,
    lines_of_points,
    sheet_figure,
)
from position_oracle.clients.plot.style import COLUMN, PAGE, file_of, save, styled
from position_oracle.clients.plot.tails import tail_census_figure, tail_periods_figure
from position_oracle.clients.plot.transfinite import transfinite_figure
from position_oracle.clients.plot.windows import Sheet, ages_of, read_sheet, sheet

__all__ = [
    "COLUMN",
    "ORIGIN_COLOURS",
    "PAGE",
    "By",
    "Line",
    "Sheet",
    "SheetKind",
    "added_lines_figure",
    "ages_of",
    "board_figure",
    "board_values_figure",
    "chances_figure",
    "chomp_lines",
    "comparison_figure",
    "convergence_figure",
    "decomposition_figure",
    "difference_figure",
    "file_of",
    "foliation_figure",
    "implied_diagonals_figure",
    "lines_of_points",
    "misere_quotient_figure",
    "opening_moves_figure",
    "opening_places_figure",
    "openings_figure",
    "overlap_figure",
    "read_sheet",
    "recursion_figure",
    "residual_figure",
    "save",
    "scatter_figure",
    "sensitivity_figure",
    "sheet",
    "sheet_figure",
    "styled",
    "survival_figure",
    "tail_census_figure",
    "tail_periods_figure",
    "transfinite_figure",
    "value_map_figure",
]
