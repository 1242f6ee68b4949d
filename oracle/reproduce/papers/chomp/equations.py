"""Equations (1) to (9), the operators, and the six constraints."""

from collections.abc import Iterable
from dataclasses import astuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.theory.geometry.fits import measure
from position_oracle.engine.theory.renormalization import Constants, closed_form
from position_oracle.oracle.reproduce.operators import (
    chomp_step,
    left_shift,
    marked,
    supermex_window,
    with_diagonal,
)
from position_oracle.oracle.reproduce.papers.chomp.shapes import columns_of
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_most,
    equal,
    every,
    near,
)
from position_oracle.oracle.reproduce.shape.constraints import residuals, solve
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.answers import Origin
from position_oracle.schema.geometry import Measure
from position_oracle.schema.sheets import LoserSheets

chapter = Chapter(Paper.CHOMP)

CONSTANTS = closed_form()


def window_of(
    sheets: LoserSheets, x: int, side: int, height: int | None = None
) -> NDArray[np.bool_]:
    """Return the engine's W_x with `side` columns, by default as high as its highest cell."""
    return instant_winners(sheets, x, side, height or x + 16) > 0


@chapter.entry(
    "Equation (1)",
    "W_x is the sum of L^t (I + d) L_(x-t), t = 1 .. x: shifted loser sheets and their diagonals.",
)
def _equation_1(tables: ReportTables) -> Iterable[Quantity]:
    sheets, wrong, cells = tables.sheets(120), 0, 0
    for x in range(1, tables.size(120, 60), 7):
        window = np.zeros((x, x + 16), bool)
        for t in range(1, x + 1):
            columns = columns_of(sheets, x - t, x + t)
            window |= left_shift(with_diagonal(columns, x + 16), t)[:x]
        found = _by_children(sheets, x)
        wrong += int(np.count_nonzero(window != found))
        cells += window.size
    yield equal(
        f"of {cells:,} cells, those where the sum differs from the definition by moves", 0, wrong
    )


def _by_children(sheets: LoserSheets, x: int) -> NDArray[np.bool_]:
    """Return which [x, y, z] have a move to a P-position of smaller x, move by move."""
    window = np.zeros((x, x + 16), bool)
    for y in range(x):
        for smaller in range(x):
            t = x - smaller
            z = sheets.z_at(smaller, y + t)
            if z is not None and z < x + 16:
                window[y, z] = True
            top = sheets.z_at(smaller, 0)
            if top is not None and 0 <= top - y - t < x + 16:
                window[y, top - y - t] = True
            if sheets.z_at(smaller, 0) == 0:
                window[y] = True
    return window


@chapter.entry(
    "Equation (2)",
    "L_x is the supermex of W_x: column by column the least z that is marked neither in W_x nor on"
    " the diagonal of an earlier P-position. As printed, step 7 goes on to the next column before"
    " step 8 asks whether the last z was 0.",
    correction="Steps 7 and 8 belong the other way round: step 8 means the column just done.",
)
def _equation_2(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(300)
    xs = range(1, tables.size(300, 120))
    right = 0
    for x in xs:
        winners = window_of(sheets, x, x)
        right += np.array_equal(supermex_window(winners), columns_of(sheets, x, x))
    yield every("sheets that the supermex of W_x gives", len(xs), right)
    winners = window_of(sheets, 1, 8)
    order = [
        name
        for name, stops in (("7, 8", True), ("8, 7", False))
        if _steps(winners, advance_first=stops) == columns_of(sheets, 1, 8).tolist()
    ]
    yield equal(
        "order of the last steps that gives L_1",
        "7, 8",
        ", ".join(order) or "none",
        corrected="8, 7",
    )


def _steps(winners: NDArray[np.bool_], *, advance_first: bool) -> list[int]:
    """Apply the supermex with steps 7 and 8 in one order or the other; -1 for no P-position."""
    columns = len(winners)
    scratch, found = winners.copy(), [-1] * columns
    for y in range(columns):
        z = found[y] = _least_unmarked(scratch[y])
        scratch[y, z:] = True
        for t in range(min(z + 1, columns - y)):
            scratch[y + t, z - t] = True
        # With y increased before, step 8 asks for the z of the next column.
        ahead = advance_first and y + 1 < columns
        if (_least_unmarked(scratch[y + 1]) if ahead else z) == 0:
            break
    return found


def _least_unmarked(column: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(~column)[0])


@chapter.entry(
    "Equation (3); Equation (4); Equation (6)",
    "W_(x+1) = R W_x with R = L (I + D M): from W_0 on, each sheet follows from the one before.",
)
def _equation_3(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(240, 100)
    sheets = tables.sheets(last)
    window = np.zeros((2 * last, last + 16), bool)
    window[0, 0] = True  # [0, 0, 0], the empty board, is N
    right_w = right_l = 0
    for x in range(last):
        losers, after = chomp_step(window)
        right_l += np.array_equal(losers[:last], columns_of(sheets, x, last))
        right_w += np.array_equal(after[:last], window_of(sheets, x + 1, last, last + 16))
        window = after
    yield every("sheets W_1, W_2, ... that R gives", last, right_w)
    yield every("sheets L_0, L_1, ... that M gives of them", last, right_l)


@chapter.entry(
    "Left shift, addition and diagonals",
    "(L A)(y, z) = A(y + 1, z); + is the logical or; d L_x is a diagonal from the only P-position"
    " with y = 0, which every sheet has.",
)
def _operators(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(5_000, 1_000)
    sheets = tables.sheets(last)
    yield every(
        f"sheets x <= {last} with exactly one P-position at y = 0",
        last + 1,
        int(np.count_nonzero(sheets.look_up(np.arange(last + 1), 0) >= 0)),
    )
    window = marked(columns_of(sheets, 7, 12), 20)
    shifted = left_shift(window)
    yield every(
        "cells of L_7 with (L A)(y, z) = A(y + 1, z)",
        shifted.size,
        int(np.count_nonzero(shifted == window[1:])),
    )
    both = window | with_diagonal(columns_of(sheets, 8, 12), 20)
    yield equal(
        "cells of a sum that are in neither part",
        0,
        int(np.count_nonzero(both & ~window & ~with_diagonal(columns_of(sheets, 8, 12), 20))),
    )


@chapter.entry(
    "Renormalization constraints 1-6; Equation (5)",
    "Six constraints for six numbers are solved by alpha = 1 / sqrt 2, lambda_L = 1 - 1 / sqrt 2,"
    " lambda_U = 1 / sqrt 2, m_L = -1 - 1 / sqrt 2, m_U = -1 + 1 / sqrt 2, gamma = sqrt 2 - 1.",
)
def _constraints(_: ReportTables) -> Iterable[Quantity]:
    root = 2**0.5
    printed = Constants(1 / root, -1 - 1 / root, 1 - 1 / root, -1 + 1 / root, 1 / root, root - 1)
    for number, rest in enumerate(residuals(printed), start=1):
        yield near(
            f"constraint {number}, left minus right side at these numbers", 0.0, float(rest), 1e-12
        )
    found = solve()
    names = ("alpha", "m_L", "lambda_L", "m_U", "lambda_U", "gamma")
    for name, said, ours in zip(names, astuple(printed), astuple(found), strict=True):
        yield near(f"{name}, solved from the constraints alone", float(said), float(ours), 1e-9)


@chapter.entry(
    "Constants of equation (5) in the tables",
    "The six numbers describe all large sheets, in a probabilistic sense.",
)
def _constants(tables: ReportTables) -> Iterable[Quantity]:
    found = measured(tables)
    for name in ("alpha", "slope_lower", "density_lower", "slope_upper", "density_upper", "gamma"):
        one = found[name]
        yield near(
            f"{name}, measured in the upper half of the sheets (standard error"
            f" {one.standard_error:.1e})",
            one.expected or 0.0,
            one.value,
            5 * (one.standard_error or 0.0),
        )
    yield from census_constants(tables)


def measured(tables: ReportTables) -> dict[str, Measure]:
    """Measure the upper half of the sheets; return the measurements by name."""
    from position_oracle.engine.solvers.sheet_geometry import sheet_sums

    last = tables.size(5_000, 1_000)

    def make() -> dict[str, Measure]:
        sums = sheet_sums(tables.sheets(last)).between(last // 2, last)
        return {one.quantity: one for one in measure(sums)}

    return tables.once(("measured", last), make)


def census_constants(tables: ReportTables) -> Iterable[Quantity]:
    """Return the constants from the census, which goes further; slopes from end to end."""
    from position_oracle.engine.jobs.chomp3.census import shape_of

    last = tables.size(120_000, 20_000)
    sums = shape_of(tables.census(last)).between(last // 2, last)
    found = {one.quantity: one for one in measure(sums)}
    for name in ("alpha", "slope_lower", "slope_upper", "density_upper", "gamma"):
        one = found[name]
        yield near(
            f"{name}, x = {last // 2:,} to {last:,}",
            one.expected or 0.0,
            one.value,
            5 * (one.standard_error or 0.0),
        )


@chapter.entry(
    "Equation (7); Equation (8)",
    "Lines of one kind in W_x are 1 / (alpha - m) apart in z and -m / (alpha - m) in y: m is that"
    " of lower lines, upper lines, or -1 for deadly diagonals.",
)
def _equations_7_8(tables: ReportTables) -> Iterable[Quantity]:
    x = tables.size(4_000, 900)
    sheets = tables.sheets(x)
    tops = sheets.look_up(np.arange(x), 0)
    back = x - np.arange(x)
    for name, m in (
        ("lower lines", CONSTANTS.slope_lower),
        ("upper lines", CONSTANTS.slope_upper),
        ("deadly diagonals", -1.0),
    ):
        heights = tops + m * back  # where the line of each smaller sheet crosses y = 0
        seen = heights[heights > 0]
        density = (len(seen) - 1) / float(seen.max() - seen.min())
        yield near(f"{name}: lines per z", 1 / (CONSTANTS.alpha - m), density, 0.01)
        feet = -heights[heights > 0] / m  # and z = 0
        across = (len(feet) - 1) / float(feet.max() - feet.min())
        yield near(f"{name}: lines per y", -m / (CONSTANTS.alpha - m), across, 0.02)
    window = instant_winners(sheets, x, 64, x) & Origin.DIAGONAL
    column = int(np.count_nonzero(window[32])) / (CONSTANTS.alpha * x - 32)
    yield near(
        "deadly diagonals in column y = 32 of W_x, per z", 1 / (CONSTANTS.alpha + 1), column, 0.01
    )


@chapter.entry(
    "Equation (9)",
    "Flat lines in W_x have the density gamma / (alpha (1 - m_U / m_L)) per z.",
)
def _equation_9(tables: ReportTables) -> Iterable[Quantity]:
    x = tables.size(4_000, 900)
    sheets = tables.sheets(x)
    lines = np.flatnonzero(sheets.tail_period[:x] > 0)
    span = CONSTANTS.alpha * (1 - CONSTANTS.slope_upper / CONSTANTS.slope_lower)
    yield near("flat lines per z", CONSTANTS.gamma / span, len(lines) / (span * x), 5 / x)
    highest = max(int(sheets.tail(k).max()) for k in lines.tolist())
    yield near("height that flat lines span, over x", span, highest / x, 5 / x)
    rows = np.unique(np.concatenate([sheets.tail(k) for k in lines.tolist()]))
    yield at_most(
        "rows with a flat line, over lines: those of period 2 and more take several",
        1.05,
        len(rows) / len(lines),
    )


@chapter.entry(
    "Forbidden regions",
    "One P-position in each column before the lower line ends; none inside the regions of W_x.",
)
def _forbidden(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(3_000, 900)
    sheets = tables.sheets(last)
    columns = missing = inside = 0
    for x in range(last // 2, last + 1, 10):
        y = np.arange(int(CONSTANTS.line_end * x) - 20)
        z = sheets.look_up(x, y)
        columns += len(y)
        missing += int(np.count_nonzero(z < 0))
        lower = CONSTANTS.alpha * x + CONSTANTS.slope_lower * y
        upper = CONSTANTS.alpha * x + CONSTANTS.slope_upper * y
        inside += int(np.count_nonzero(np.minimum(abs(z - lower), abs(z - upper)) > 25))
    yield equal(f"of {columns:,} columns, those without a P-position", 0, missing)
    yield equal("P-positions more than 25 away from both lines", 0, inside)


@chapter.entry(
    "Assumption of constraint 6; Section III G",
    "Upper lines and deadly diagonals are taken to be uncorrelated.",
)
def _independence(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(tables.size(5_000, 1_000))
    # Values of sheet k that are diagonals belong to sheets up to (1 + line_end) k.
    x = int((len(sheets) - 1) / (1 + CONSTANTS.line_end))
    diagonals = np.arange(sheets.end_x) + sheets.diagonal
    both = among = 0
    for k in range(x // 2, x + 1, 20):
        z = sheets.prefix(k).astype(np.int64)
        y = np.arange(len(z))
        values = y + z + k  # first rows of the P-positions, which are deadly diagonals or not
        high = values[(values > values[0]) & (y < CONSTANTS.line_end * k)]
        among += len(high)
        both += int(np.isin(high, diagonals).sum())
    share = both / among
    yield near(
        "share of upper values that are deadly diagonals of larger sheets: 2 - sqrt 2",
        2 - 2**0.5,
        share,
        0.02,
    )
    yield at_most("distance of that share from independence", 0.02, abs(share - (2 - 2**0.5)))
