"""The job `sensitivity`: effects on three-row Chomp of declaring single P-positions N.

Limits are texts: `1000x200` means 200 trials at each x0 of `STEPS` up to 1000; `1000` is short for
`1000x200`. Sheets are solved to 2 x0.
"""

from collections.abc import Iterator
from typing import Final

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.ensembles import (
    REACH,
    TrialResult,
    rows_of_outcomes,
    run_distributed,
    run_locally,
    run_trial,
    trials,
)
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.limits import numbers_of, read_sides
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.machine import available_cores
from position_oracle.schema import tables
from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import shown
from position_oracle.schema.snapshot import Snapshot

STEPS: Final = (100, 300, 1_000, 3_000, 10_000)
"""The x0 at which positions are declared."""
USUAL_TRIALS: Final = 200
SEED: Final = 1

_IN_PROCESS_SECONDS: Final = 10.0
_TRIAL_SECONDS: Final = 0.006
_SECONDS_A_SQUARE: Final = 4.5e-8
"""Seconds of solving and comparing, divided by x0 squared; fitted to x0 = 100 to 1,000."""
_LARGEST_TRIALS: Final = 10_000


def _read_limit(game: GameSpec, limit: str) -> str:
    sides = read_sides(limit, 2)
    if sides is None or not STEPS[0] <= sides[0] <= STEPS[-1]:
        raise NotationError(
            f"limit {shown(limit)} of {game.text}: write the largest x0, {STEPS[0]} to"
            f" {STEPS[-1]}, and optionally the number of trials, e.g. 1000x200"
        )
    count = sides[1] if "x" in limit else USUAL_TRIALS
    if not 1 <= count <= _LARGEST_TRIALS:
        raise NotationError(
            f"limit {shown(limit)} of {game.text}: 1 to {_LARGEST_TRIALS} trials at each x0"
        )
    trials(game.text, [sides[0]], count, SEED)
    return f"{sides[0]}x{count}"


def _bounds(limit: str) -> tuple[list[int], int]:
    largest, count = numbers_of(limit)
    return [x0 for x0 in STEPS if x0 <= largest], count


def _seconds(limit: str) -> float:
    x0s, count = _bounds(limit)
    return count * sum(_TRIAL_SECONDS + _SECONDS_A_SQUARE * x0**2 for x0 in x0s)


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    x0s, count = _bounds(limit)
    sheets, rows = REACH * x0s[-1], count * len(x0s)
    return ResourceEstimate(
        rows=rows,
        seconds=5.0 + _seconds(limit) + 1e-6 * rows,
        memory_bytes=int(4 * 4 * 0.21 * sheets**2) + (800 << 20),
        disk_bytes=EMPTY_FILE_BYTES + 200 * rows,
    )


def _blocks(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    x0s, count = _bounds(limit)
    workers = 1 if _seconds(limit) < _IN_PROCESS_SECONDS else available_cores()
    report = reporter.part("solve")
    outcomes: list[TrialResult] = []
    for done, x0 in enumerate(x0s):
        report(done, len(x0s), len(outcomes))
        wanted = trials(game.text, [x0], count, SEED)
        if reporter.scheduler is None:
            outcomes += run_locally(wanted, workers)
        else:
            outcomes += run_distributed(wanted, reporter.scheduler)
    yield {tables.experiment.name: rows_of_outcomes(outcomes)}


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, _sample: Sample) -> Iterator[Check]:
    """Check some trials by running them again."""
    x0s, count = _bounds(limit)
    stored = snapshot.read_table(tables.experiment.name, game.text, check=False).to_pylist()
    wanted = trials(game.text, x0s, count, SEED)
    wanted = wanted[:: max(1, len(wanted) // 10)]
    by_trial = {(row["x0"], row["seed"], row["number"]): row for row in stored}

    def failures() -> Iterator[str]:
        if len(stored) != count * len(x0s):
            yield f"there are {len(stored)} trials instead of {count * len(x0s)}"
        for trial in wanted:
            again = rows_of_outcomes([run_trial(trial)]).to_pylist()[0]
            if by_trial.get((trial.x0, trial.seed, trial.number)) != again:
                yield f"trial {trial.number} at x0 = {trial.x0} came out otherwise"

    yield check("running trials again gives the same", len(wanted), failures())


SENSITIVITY: Final = Job(
    family="chomp3",
    kind="sensitivity",
    tables=(tables.experiment.name,),
    usual_limit=always("300x200"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=_checks,
    spreads=True,
)
