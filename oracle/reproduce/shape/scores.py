"""Calibration of chances on known data that they were not learned from.

bits          mean of -log2 of the chance given to what is true
calibration   mean difference between a chance of 1 % or more and how often it comes true, over ten
              equal parts of 0 to 1 weighted by how many there are (expected calibration error)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEAST_CHANCE = 0.01


@dataclass(frozen=True, slots=True)
class Score:
    """The score of chances of candidates, at most one of which is true.

    Attributes:
        count: how many things were judged.
        bits: mean of -log2 of the chance of what was true.
        best: share of the things where the first candidate was right, one of the first two, ...
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
        count: how many were judged.
        bits: mean of -log2 of the chance of what was the case.
        base_bits: the same of one chance for all, the share that was true.
        calibration: expected calibration error.
    """

    count: int
    bits: float
    base_bits: float
    calibration: float


def reliability(
    chances: NDArray[np.float64], true: NDArray[np.bool_], parts: int = 10
) -> list[tuple[float, float, int]]:
    """A reliability table: mean chance, share that came true and number, by equal parts of 0..1.

    Args:
        chances: of each candidate of each thing; any shape.
        true: whether it was the true one; of the same shape.
        parts: into how many parts 0..1 is divided; empty ones are left out.
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
    """Expected calibration error, over candidates with a chance of one percent or more."""
    some = chances >= _LEAST_CHANCE
    rows = reliability(chances[some], true[some])
    total = sum(count for _, _, count in rows)
    return sum(abs(chance - share) * count for chance, share, count in rows) / max(total, 1)


def score(chances: NDArray[np.float64], truth: NDArray[np.int64], best: int = 8) -> Score:
    """Score chances of candidates.

    Args:
        chances: float64, shape (things, candidates).
        truth: int64, shape (things,): the candidate that was true; -1 for none of them, which
            costs as much as a chance of a millionth.
        best: up to how many candidates are counted in `Score.best`.
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
    """Score chances of statements, of any shape; `true` says which hold."""
    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    share = min(max(float(true.mean()), 1e-9), 1 - 1e-9)
    return CellScore(
        count=true.size,
        bits=float(-np.log2(np.where(true, inside, 1 - inside)).mean()),
        base_bits=float(-np.log2(np.where(true, share, 1 - share)).mean()),
        calibration=calibration_error(chances, true),
    )
