"""Calibration of chances on known data outside the learned ones.

`bits` is the mean of -log2 of the chance of the true event. `calibration` is the expected
calibration error: the mean difference between chances of 1 % or more and their frequencies, over
ten equal bins of 0 to 1, weighted by their numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEAST_CHANCE = 0.01


@dataclass(frozen=True, slots=True)
class Score:
    """The score of chances of candidates, at most one of which is true.

    Attributes:
        count: the number of events.
        bits: mean of -log2 of the chance of the true candidate.
        best: fractions of events whose true candidate was the first, one of the first two, ...
        calibration: expected calibration error.
    """

    count: int
    bits: float
    best: tuple[float, ...]
    calibration: float


@dataclass(frozen=True, slots=True)
class CellScore:
    """The score of chances of single statements, each true or false.

    Attributes:
        count: the number of statements.
        bits: mean of -log2 of the chance of the fact.
        base_bits: the bits if all chances were equal to the fraction of true statements.
        calibration: expected calibration error.
    """

    count: int
    bits: float
    base_bits: float
    calibration: float


def reliability(
    chances: NDArray[np.float64], true: NDArray[np.bool_], parts: int = 10
) -> list[tuple[float, float, int]]:
    """Return a reliability table: mean chance, fraction that came true and number, by bins.

    Args:
        chances: chances of each candidate of each event; any shape.
        true: whether each candidate was true; same shape.
        parts: the number of equal bins of 0..1; empty bins are left out.
    """
    part = np.minimum((chances * parts).astype(np.int64), parts - 1).ravel()
    count = np.bincount(part, minlength=parts)
    chance = np.bincount(part, chances.ravel(), parts)
    came_true = np.bincount(part, true.ravel().astype(np.float64), parts)
    return [
        (float(chance[i] / count[i]), float(came_true[i] / count[i]), int(count[i]))
        for i in np.flatnonzero(count).tolist()
    ]


def calibration_error(chances: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over candidates with a chance of at least 1 %."""
    some = chances >= _LEAST_CHANCE
    rows = reliability(chances[some], true[some])
    total = sum(count for _, _, count in rows)
    return sum(abs(chance - share) * count for chance, share, count in rows) / max(total, 1)


def score(chances: NDArray[np.float64], truth: NDArray[np.int64], best: int = 8) -> Score:
    """Score chances of candidates.

    Args:
        chances: float64, shape (events, candidates).
        truth: int64, shape (events,): the true candidate; -1 for none of them, which costs as much
            as a chance of a millionth.
        best: the number of entries of `Score.best`.
    """
    inside = truth >= 0
    of_truth = np.full(len(truth), 1e-6)
    of_truth[inside] = np.maximum(chances[inside, truth[inside]], 1e-6)
    before = (chances > of_truth[:, None]).sum(axis=1)
    came_true = np.zeros(chances.shape, bool)
    came_true[inside, truth[inside]] = True
    return Score(
        count=len(truth),
        bits=float(-np.log2(of_truth).mean()),
        best=tuple(float(np.mean(inside & (before < k))) for k in range(1, best + 1)),
        calibration=calibration_error(chances, came_true),
    )


def score_cells(chances: NDArray[np.float64], true: NDArray[np.bool_]) -> CellScore:
    """Score chances of statements, of any shape; `true` marks the statements that hold."""
    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    share = min(max(float(true.mean()), 1e-9), 1 - 1e-9)
    return CellScore(
        count=true.size,
        bits=float(-np.log2(np.where(true, inside, 1 - inside)).mean()),
        base_bits=float(-np.log2(np.where(true, share, 1 - share)).mean()),
        calibration=calibration_error(chances, true),
    )
