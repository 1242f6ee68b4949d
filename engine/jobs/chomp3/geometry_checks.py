"""Checks of the stored shape of loser sheets; they share no code with the kernel."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp3.geometry import LINES, rows_of_measures
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.theory.geometry.summary import LineSums, line_sums
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.schema import tables
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot

SUMS: Final = ("count", "y", "z", "yy", "yz", "zz")


def shape_checks(
    snapshot: Snapshot, game: GameSpec, sheets: LoserSheets, sample: Sample
) -> Iterator[Check]:
    """Check the sums along the lines of a sample of sheets, or of all, by adding again.

    Old table files have no such sums; then nothing is checked.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    kinds = {one.table_name for one in snapshot.checksums(game.text, "sheets")}
    if tables.sheet_geometry.name not in kinds:
        return
    stored = {
        f"{line}_{name}": snapshot.read_column(
            tables.sheet_geometry.name, f"{line}_{name}", game.text, check=False
        )
        for line in LINES
        for name in SUMS
    }
    chosen = _chosen(sheets, sample)

    def failures() -> Iterator[str]:
        for x in chosen:
            for line, sums in zip(LINES, lines_of(sheets, x), strict=True):
                for name in SUMS:
                    found, expected = int(stored[f"{line}_{name}"][x]), int(getattr(sums, name)[0])
                    if found != expected:
                        yield f"sheet {x}: {line}_{name} is {found} instead of {expected}"

    yield check("the sums along the lines of the sheets are right", len(chosen), failures())
    yield _measured_again(snapshot, game, sheets)


def _measured_again(snapshot: Snapshot, game: GameSpec, sheets: LoserSheets) -> Check:
    """Check that a new measurement over ranges of sheets gives the stored shape."""
    from position_oracle.engine.solvers.sheet_geometry import sheet_sums

    table = tables.geometry
    again = rows_of_measures(sheet_sums(sheets), table.name).to_pylist()
    stored = snapshot.read_table(table.name, game.text, check=False).to_pylist()

    def failures() -> Iterator[str]:
        if len(stored) != len(again):
            yield f"there are {len(stored)} measures instead of {len(again)}"
        for found, expected in zip(stored, again, strict=False):
            if found != expected:
                yield f"{found} instead of {expected}"

    return check("measuring the shape of the sheets again gives the same", len(stored), failures())


def lines_of(sheets: LoserSheets, x: int) -> tuple[LineSums, LineSums]:
    """Return the sums of the upper and of the lower line of a sheet, by their definition."""
    constants = closed_form()
    z = sheets.prefix(x).astype(np.int64)
    y = np.arange(len(z))
    height = y + z
    below = np.flatnonzero(height < height[0]) if len(z) else y
    end = int(below[-1]) + 1 if len(below) else min(1, len(z))
    y, z, height = y[1:end], z[1:end], height[1:end]
    is_upper = height > sheets.prefix(x)[0] if end else np.zeros(0, bool)
    intercept = constants.alpha * x
    return (
        line_sums(y[is_upper], z[is_upper], intercept, constants.slope_upper),
        line_sums(y[~is_upper], z[~is_upper], intercept, constants.slope_lower),
    )


def _chosen(sheets: LoserSheets, sample: Sample) -> list[int]:
    """Return every sheet, or a sample of sheets with about the requested number of positions."""
    if sample.whole or len(sheets.prefix_z) <= sample.draws:
        return list(range(len(sheets)))
    count = max(1, sample.draws * len(sheets) // len(sheets.prefix_z))
    drawn = np.random.default_rng([sample.seed, 2]).choice(len(sheets), count, replace=False)
    return sorted(drawn.tolist())
