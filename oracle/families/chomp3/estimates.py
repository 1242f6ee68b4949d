"""Chances beyond every table of plain three-row Chomp: positions, columns and openings.

They come from counts in known sheets, by phase (`oracle.families.chomp3.beyond`). Files beside this
module have the counts and their measured quality; `scripts/learn_chances.py` makes them.
"""

import json
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.openings import BY_ROW_3
from position_oracle.oracle.families.chomp3.beyond import (
    ColumnCounts,
    ColumnEstimates,
    OpeningEstimates,
)
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.estimates import (
    MAX_CANDIDATES,
    Calibration,
    Candidate,
    Column,
    Estimate,
    Estimates,
    Opening,
)

STORED: Final = Path(__file__).parent / "chances.npz"
SCORES: Final = Path(__file__).parent / "chances.json"

MAX_NUMBER: Final = 1 << 60
"""Largest x, y or n, so that the sum of three fits 64 bits."""


_PLAIN: Final = GameSpec("chomp3")
_REASON: Final = "an estimate from the phases of the sheets, not exact (docs/geometry.md)"


@cache
def columns() -> ColumnEstimates:
    """Return the chances of columns."""
    with np.load(STORED, allow_pickle=False) as stored:
        counts = {name: stored[name].astype(np.int64) for name in stored.files}
    del counts["openings"]
    return ColumnEstimates.of_counts(ColumnCounts(**counts))


@cache
def openings() -> OpeningEstimates:
    """Return the chances of openings."""
    with np.load(STORED, allow_pickle=False) as stored:
        return OpeningEstimates.of_counts(stored["openings"].astype(np.int64))


@cache
def calibration(name: str) -> Calibration:
    """Return the calibration of the chances of an `opening`, a `column` or a `position`."""
    return Calibration(**json.loads(SCORES.read_text(encoding="utf-8"))[name])


def estimate_position(coordinates: Coordinates) -> Estimate | None:
    """Return the chance that a position is P; None for numbers that are too large."""
    x, y, z = coordinates
    if not 0 < x <= MAX_NUMBER or y > MAX_NUMBER:
        return None
    return Estimate(columns().chance(x, y, z), _REASON, calibration("position"))


def estimate_column(question: Column, most: int) -> Estimates:
    """Return the likeliest P-positions of a column.

    Raises:
        InvalidPositionError: a number is out of range.
    """
    x, y = question.x, question.y
    _check("x", x, 1)
    _check("y", y, 0)
    ranked = columns().ranked(x, y, _checked_most(most))
    found = tuple(
        Candidate(chance, None if z is None else _text((x, y, z))) for z, chance in ranked
    )
    return _estimates(found, "column")


def estimate_opening(question: Opening, most: int) -> Estimates:
    """Return the likeliest winning bites of the 3 x n rectangle, from six candidates.

    Raises:
        InvalidPositionError: a number is out of range.
    """
    n = question.n
    _check("n", n, 2)
    ranked = openings().candidates(n)[: _checked_most(most)]
    found = tuple(
        Candidate(chance, _text((j, n - j, 0) if kind == BY_ROW_3 else (j, 0, n - j)))
        for kind, j, chance in ranked
    )
    return _estimates(found, "opening")


def _estimates(found: tuple[Candidate, ...], kind: str) -> Estimates:
    rest = max(0.0, 1 - sum(one.chance for one in found))
    return Estimates(found, rest, _REASON, calibration(kind))


def _text(coordinates: Coordinates) -> str:
    return str(Position(_PLAIN, coordinates))


def _check(name: str, value: int, least: int) -> None:
    if not least <= value <= MAX_NUMBER:
        raise InvalidPositionError(f"{name} is {value}; allowed are {least} to 2^60")


def _checked_most(most: int) -> int:
    if not 1 <= most <= MAX_CANDIDATES:
        raise InvalidPositionError(f"most is {most}; allowed are 1 to {MAX_CANDIDATES}")
    return most
