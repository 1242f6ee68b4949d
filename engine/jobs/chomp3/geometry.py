"""Rows that describe the shape of loser sheets, made together with the sheets."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block
from position_oracle.engine.jobs.report import Check, check
from position_oracle.engine.theory.geometry.fits import measure, ranges
from position_oracle.engine.theory.geometry.summary import (
    BIN_WIDTH,
    BINS,
    FIRST_BIN,
    LineSums,
    SheetSums,
)
from position_oracle.schema import tables
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot, rows_of_sheets

LINES: Final = ("upper", "lower")

GEOMETRY_TABLES: Final = (
    tables.sheet_geometry.name,
    tables.geometry.name,
    tables.geometry_scatter.name,
)


def with_geometry(parts: Iterable[LoserSheets], last_x: int) -> Iterator[Block]:
    """Yield the rows of consecutive sheets, and after the last sheets the rows of all of them.

    Args:
        parts: the blocks of sheets, from x = 0 on.
        last_x: the x of the last sheet.
    """
    over = Ranges(last_x)
    for sheets in parts:
        over.add(sheets)
        yield rows_of_sheets(sheets)
    yield over.rows()


class Ranges:
    """Sums and histograms of the sheets seen so far, over the ranges that are measured."""

    def __init__(self, last_x: int) -> None:
        self._ranges = ranges(last_x)
        self._sums: list[SheetSums] = []
        self._histograms = {one: np.zeros((2, BINS), np.int64) for one in self._ranges}

    def add(self, sheets: LoserSheets) -> SheetSums:
        """Return the sums of the next sheets, and keep them."""
        from position_oracle.engine.solvers.sheet_geometry import sheet_sums

        found = []
        for begin, end, histogram in self._pieces(sheets.first_x, sheets.end_x):
            piece = sheets.part(begin - sheets.first_x, end - sheets.first_x)
            found.append(sheet_sums(piece, histogram))
        sums = SheetSums.concatenate(found)
        self._sums.append(sums)
        return sums

    def rows(self) -> Block:
        """Return the rows of `sheet_geometry`, `geometry` and `geometry_scatter`."""
        sums = SheetSums.concatenate(self._sums)
        counted = [
            (first, last, line, FIRST_BIN + BIN_WIDTH * place, int(counts[place]))
            for (first, last), histogram in self._histograms.items()
            for line, counts in zip(LINES, histogram, strict=True)
            for place in np.flatnonzero(counts).tolist()
        ]
        return {
            tables.sheet_geometry.name: rows_of_sums(sums),
            tables.geometry.name: rows_of_measures(sums, tables.geometry.name),
            tables.geometry_scatter.name: _rows(tables.geometry_scatter.name, counted),
        }

    def _pieces(self, begin: int, end: int) -> Iterator[tuple[int, int, NDArray[np.int64] | None]]:
        """Yield the parts of begin .. end - 1 that lie in one range, with its histogram."""
        first_measured = self._ranges[0][0] if self._ranges else end
        if begin < first_measured:
            yield begin, min(end, first_measured), None
        for (first, last), histogram in self._histograms.items():
            if max(begin, first) < min(end, last + 1):
                yield max(begin, first), min(end, last + 1), histogram


def shape_checks(snapshot: Snapshot, game: GameSpec, sheets: LoserSheets) -> Iterator[Check]:
    """Check that measuring the shape of stored sheets again gives the stored rows.

    Old table files have no such rows; then nothing is checked.
    """
    stored = {one.table_name for one in snapshot.checksums(game.text, "sheets")}
    again = Ranges(len(sheets) - 1)
    again.add(sheets)
    for name, rows in again.rows().items():
        if name in stored:
            found = snapshot.read_table(name, game.text, check=False).to_pylist()
            pairs = zip_longest(found, rows.to_pylist())
            failures = (f"{one} instead of {other}" for one, other in pairs if one != other)
            yield check(f"{name}: measuring the sheets again gives the same", len(found), failures)


def rows_of_measures(sums: SheetSums, table_name: str) -> pa.Table:
    """Return measurements over ranges of the sheets x = 0, 1, ... as rows of a table."""
    measured = [
        (first, last, one.quantity, one.value, one.standard_error, one.expected)
        for first, last in ranges(len(sums) - 1)
        for one in measure(sums.between(first, last))
    ]
    return _rows(table_name, measured)


def rows_of_sums(sums: SheetSums) -> pa.Table:
    """Return the rows of `sheet_geometry`."""
    rows: dict[str, object] = {
        "x": sums.x.astype(np.int32),
        "has_tail": pa.array(sums.ends > 0, mask=(sums.ends < 0) | (sums.diagonal_z < 0)),
        "tail_height": pa.array(sums.tail_height, mask=sums.ends <= 0),
        "line_length": sums.line_length.astype(np.int32),
    }
    for name, line in zip(LINES, (sums.upper, sums.lower), strict=True):
        rows |= _line_columns(name, line)
    return pa.table(rows)


def _line_columns(name: str, line: LineSums) -> dict[str, object]:
    nobody = line.count == 0
    sums = {
        f"{name}_{column}": getattr(line, column)
        for column in ("count", "y", "z", "yy", "yz", "zz")
    }
    extremes = {
        f"{name}_{column}": pa.array(getattr(line, column), mask=nobody)
        for column in ("least", "most")
    }
    return {**sums, **extremes}


def _rows(table_name: str, rows: Sequence[tuple[object, ...]]) -> pa.Table:
    schema = tables.arrow_schema(tables.result_tables()[table_name])
    columns = zip(*rows, strict=True) if rows else [[] for _ in schema.names]
    return pa.table(dict(zip(schema.names, map(list, columns), strict=True)), schema=schema)
