"""Checks of stored win probabilities of three-row Chomp.

They use the solver's error bounds and its list of children.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.solvers.random_play.three_row import random_error_bound
from position_oracle.engine.solvers.random_play.three_row_chances import (
    LEAST_DOUBLE,
    chances_error_bound,
)
from position_oracle.engine.solvers.random_play.three_row_kernels import children_of
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.values import board_count, boards


def random_play_checks(
    snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
) -> Iterator[Check]:
    """Check order, and that the values of a sample of boards follow from those of their children.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    largest = int(limit)
    rows = boards(0, board_count(largest))
    stored = _read(snapshot, game, len(rows))
    order = [
        column for i, column in enumerate("abc") if not np.array_equal(stored[column], rows.T[i])
    ]
    failures = [f"column {', '.join(order)} is not in order"] if order else []
    yield check("there is every board up to the limit, in order", len(rows), failures)
    if order:
        return
    yield _recursions(stored, rows, largest, sample)


def _read(snapshot: Snapshot, game: GameSpec, count: int) -> dict[str, NDArray[np.float64]]:
    names = ("a", "b", "c", "p_mover", "is_p", "p_random_wins")
    stored = {
        name: snapshot.read_column("random_play", name, game.text, check=False) for name in names
    }
    if len(stored["a"]) != count:
        raise CorruptTableError(f"random_play has {len(stored['a'])} rows instead of {count}")
    return stored


def _recursions(
    stored: dict[str, NDArray[np.float64]], rows: NDArray[np.int32], largest: int, sample: Sample
) -> Check:
    """Check on a sample of boards that the values of children give the value of the parent."""
    random = np.random.default_rng(sample.seed)
    p_positions = np.flatnonzero(stored["is_p"])
    drawn = random.integers(1, max(2, len(rows)), sample.draws)
    if len(p_positions):
        drawn[::4] = random.choice(p_positions, len(drawn[::4]))
    drawn = drawn[drawn < len(rows)]
    relative = 2 * chances_error_bound(largest)

    def failures() -> Iterator[str]:
        for number in drawn:
            board = tuple(rows[number].tolist())
            children = children_of(*board)
            mean = 1 - stored["p_mover"][children].mean()
            if not abs(stored["p_mover"][number] - mean) <= 2 * random_error_bound(largest):
                yield f"p_mover of {board} is not the mean over its moves, {mean!r}"
            is_p = not stored["is_p"][children].any()
            if bool(stored["is_p"][number]) != is_p:
                yield f"{board} is stored with the wrong outcome"
            losing = stored["p_random_wins"][children]
            expected = losing.min() if is_p else (losing * stored["is_p"][children]).mean()
            if (
                not abs(stored["p_random_wins"][number] - expected)
                <= relative * expected + 4 * LEAST_DOUBLE
            ):
                yield f"p_random_wins of {board} is not {expected!r}, which its moves give"

    return check("boards of a sample have the values that their moves give", len(drawn), failures())
