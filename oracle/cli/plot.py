"""`oracle plot`: pictures of `clients.plot` as PNG, SVG or PDF."""

import typer

from position_oracle.oracle.cli.plotting import measured, positions, sheets

app = typer.Typer(
    name="plot",
    help="Draw sheets, shapes, openings, boards and chances: PNG, SVG or PDF.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

for command in (
    sheets.sheet,
    sheets.compare,
    sheets.parts,
    sheets.difference,
    sheets.residuals,
    measured.scatter,
    measured.convergence,
    measured.openings,
    measured.census,
    measured.sensitivity,
    measured.survival,
    measured.overlap,
    positions.board,
    positions.values,
    positions.chances,
    positions.misere,
    positions.transfinite,
):
    app.command()(command)
