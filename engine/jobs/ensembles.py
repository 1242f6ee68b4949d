"""Ensembles: one experiment for many declared positions, on many processes or machines.

A *trial* declares one P-position of sheet x0 to be N, solves the changed game, and classifies the
effect (`engine.theory.geometry.dynamics`). A trial depends only on its data. So an ensemble gives
the same bytes wherever it runs: in this process, on processes of this machine, or on the workers of
a Dask scheduler (extra `distributed`), even if some of them die.
"""

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa

from position_oracle.engine.budget import current
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.theory.geometry.dynamics import change_of
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.schema import tables
from position_oracle.schema.errors import BuildError, NotationError
from position_oracle.schema.extras import from_extra
from position_oracle.schema.sheets import LoserSheets

REACH: Final = 2.0
"""Sheets are solved to this multiple of x0; most changes have moved half by 1.4 to 1.5."""

RATIOS: Final = tuple(round(1 + 0.05 * step, 2) for step in range(1, 21))
"""Ratios x / x0 at which the share of moved P-positions is kept."""

RETRIES: Final = 3
"""Number of restarts of a trial whose process died."""

_PATIENCE_SECONDS: Final = 10
_POLL_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Trial:
    """One experiment: a declared P-position in one game.

    Attributes:
        game: canonical text of the original game.
        x0: sheet of the position that is declared N.
        number: index of the trial among the trials with this x0.
        seed: seed of the random numbers of the ensemble.
    """

    game: str
    x0: int
    number: int
    seed: int

    @property
    def last_x(self) -> int:
        """The last sheet that is solved."""
        return int(REACH * self.x0)


TrialResult = dict[str, Any]
"""The result of a trial: a row of the table `experiment`."""


def trials(game: str, x0s: Iterable[int], count: int, seed: int) -> list[Trial]:
    """Return the given number of trials at each x0.

    Raises:
        NotationError: the game is not three-row Chomp without noise.
    """
    spec = parse_game(game)
    if spec.family != "chomp3" or spec.misere or spec.noise is not None:
        raise NotationError(f"{game}: ensembles are made of chomp3 without noise")
    return [Trial(spec.text, x0, number, seed) for x0 in x0s for number in range(count)]


def run_trial(trial: Trial) -> TrialResult:
    """Run one trial.

    The position is drawn uniformly from the P-positions of sheet x0 on its two lines.
    """
    from position_oracle.engine.solvers.three_row_games import solve_game

    before = _sheets_of(trial.game, trial.last_x + 1)
    random = np.random.default_rng([trial.seed, trial.x0, trial.number])
    lines = min(int(closed_form().line_end * trial.x0), int(before.prefix_length[trial.x0]))
    y = int(random.integers(0, max(1, lines)))
    z = before.z_at(trial.x0, y)
    if z is None:
        raise BuildError(f"{trial.game}: sheet {trial.x0} has no P-position in column {y}")
    declared = (trial.x0, y, z)
    spec = parse_game(trial.game)
    changed = replace(spec, declared=(*spec.declared, declared))
    change = change_of(before, solve_game(changed, trial.last_x + 1))
    return {
        "x0": trial.x0,
        "number": trial.number,
        "seed": trial.seed,
        "declared": declared,
        "fate": str(change.fate),
        "sheet": change.sheet,
        "half_moved_x": change.half_moved_at(),
        "shares": [_around(change.shares, ratio * trial.x0, trial.x0) for ratio in RATIOS],
    }


@lru_cache(maxsize=2)
def _sheets_of(game: str, count: int) -> LoserSheets:
    from position_oracle.engine.solvers.three_row_games import solve_game

    return solve_game(parse_game(game), count)


def _around(shares: "np.typing.NDArray[np.float64]", x: float, x0: int) -> float:
    """Return the mean share over x0 / 40 sheets on each side, as far as sheets were solved."""
    width = max(1, x0 // 40)
    return float(np.mean(shares[int(x) - width : int(x) + width + 1]))


def run_locally(wanted: Sequence[Trial], workers: int = 1) -> list[TrialResult]:
    """Run trials in this process, or on several processes of this machine.

    A trial whose process dies is restarted, up to `RETRIES` times.

    Raises:
        BuildError: a process died too often.
    """
    done: dict[Trial, TrialResult] = {}
    for _ in range(RETRIES + 1):
        left = [trial for trial in wanted if trial not in done]
        done.update(_on_processes(left, workers) if workers > 1 else map(_run, left))
    if len(done) < len(wanted):
        raise BuildError(f"processes died {RETRIES + 1} times; is there enough memory?")
    return [done[trial] for trial in wanted]


def _run(trial: Trial) -> tuple[Trial, TrialResult]:
    current().check()
    return trial, run_trial(trial)


def _on_processes(wanted: Sequence[Trial], workers: int) -> Iterator[tuple[Trial, TrialResult]]:
    """Yield results as trials end; if a process dies, only results of trials that have ended."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        try:
            futures = {pool.submit(run_trial, trial): trial for trial in wanted}
            for future in as_completed(futures):
                current().check()
                yield futures[future], future.result()
        except BrokenProcessPool:
            return
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def run_distributed(wanted: Sequence[Trial], scheduler: str) -> list[TrialResult]:
    """Run trials on the workers of a Dask scheduler, e.g. `tcp://192.0.2.7:8786`.

    The trial of a lost worker is restarted on another worker.

    Raises:
        MissingExtraError: `distributed` is not installed.
        BuildError: the scheduler does not answer, has no workers, has lost all of them, or no
            worker could finish a trial.
    """
    with from_extra("distributed"):
        from distributed import Client
        from distributed.scheduler import KilledWorker
    try:
        with Client(scheduler, timeout=_PATIENCE_SECONDS) as client:
            client.wait_for_workers(1, timeout=_PATIENCE_SECONDS)
            futures = client.map(run_trial, list(wanted), pure=False, retries=RETRIES)
            _wait(client, futures)
            outcomes: list[TrialResult] = client.gather(futures)
    except (OSError, ImportError, KilledWorker) as error:
        raise BuildError(f"scheduler {scheduler}: {error}") from error
    return outcomes


def _wait(client: Any, futures: list[Any]) -> None:
    """Wait until all trials are done, or one has failed.

    Raises:
        TimeoutError: there were no workers for a while.
    """
    from distributed import wait

    while True:
        try:
            wait(futures, timeout=_POLL_SECONDS)
        except TimeoutError:
            current().check()
            client.wait_for_workers(1, timeout=_PATIENCE_SECONDS)
        else:
            return


def rows_of_outcomes(outcomes: Iterable[TrialResult]) -> pa.Table:
    """Return the rows of the table `experiment`, in the order of x0, seed and number."""
    schema = tables.arrow_schema(tables.experiment)
    ordered = sorted(outcomes, key=itemgetter("x0", "seed", "number"))
    return pa.Table.from_pylist(ordered, schema=schema)
