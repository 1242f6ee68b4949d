"""Checks of what is stored about the shape of loser sheets; they share no code with the kernel."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.games.spec import GameSpec
from engine.jobs.chomp3.geometry import LINES
from engine.jobs.report import Check, Sample, check
from engine.theory.geometry.summary import LineSums, line_sums
from engine.theory.renormalization import closed_form
from schema import tables
from schema.sheets import LoserSheets
from schema.snapshot import Snapshot

SUMS: Final = ("count", "y", "z", "yy", "yz", "zz")


def shape_checks(
    snapshot: Snapshot, game: GameSpec, sheets: LoserSheets, sample: Sample
) -> Iterator[Check]:
    """The sums along the lines of some sheets, or of all, added up again.

    Files written before there were such sums have none; then nothing is checked.

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


def lines_of(sheets: LoserSheets, x: int) -> tuple[LineSums, LineSums]:
    """The sums of the upper and of the lower line of a sheet, straight from their definition."""
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
    """Every sheet, or so many drawn that about as many positions are visited as asked for."""
    if sample.whole or len(sheets.prefix_z) <= sample.draws:
        return list(range(len(sheets)))
    count = max(1, sample.draws * len(sheets) // len(sheets.prefix_z))
    drawn = np.random.default_rng([sample.seed, 2]).choice(len(sheets), count, replace=False)
    return sorted(drawn.tolist())
