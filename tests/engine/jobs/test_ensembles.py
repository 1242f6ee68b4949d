"""Ensembles give the same bytes in one process, in several, and on Dask workers that die."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from position_oracle.engine.jobs import ensembles
from position_oracle.engine.jobs.ensembles import (
    TrialResult,
    rows_of_outcomes,
    run_distributed,
    run_locally,
    run_trial,
    trials,
)
from position_oracle.engine.theory.geometry.dynamics import Fate
from position_oracle.schema.errors import BuildError, NotationError

WANTED = trials("chomp3", [50, 100], 12, seed=1)
SURVIVES = {Fate.INDEPENDENT, Fate.SPREADING}


@pytest.fixture(scope="module")
def outcomes() -> list[TrialResult]:
    return run_locally(WANTED)


def test_a_trial_declares_a_p_position_of_its_sheet(outcomes: list[TrialResult]) -> None:
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.engine.solvers.three_row_games import solve_game

    sheets = solve_game(parse_game("chomp3"), 101)
    for trial, outcome in zip(WANTED, outcomes, strict=True):
        x, y, z = outcome["declared"]
        assert x == trial.x0
        assert sheets.z_at(x, y) == z
        assert outcome["fate"] != Fate.INERT


def test_about_three_of_four_survive_at_100(outcomes: list[TrialResult]) -> None:
    """An earlier run measured 0.75: of 12 trials 9 survive, with a standard deviation of 1.5."""
    survivors = [one for one in outcomes if one["x0"] == 100 and one["fate"] in SURVIVES]
    assert 4 <= len(survivors) <= 12
    assert all(0 <= share <= 1 for one in outcomes for share in one["shares"])


@pytest.mark.parametrize(("x0", "width"), [(20, 1), (100, 2), (400, 10)])
def test_a_share_is_the_mean_of_as_many_sheets_on_both_sides(x0: int, width: int) -> None:
    x = 3 * x0
    for other in range(x - width - 2, x + width + 3):
        shares = np.zeros(5 * x0)
        shares[other] = 1
        expected = 1 / (2 * width + 1) if abs(other - x) <= width else 0
        assert ensembles._around(shares, x, x0) == pytest.approx(expected)


def test_trials_are_the_same_again(outcomes: list[TrialResult]) -> None:
    assert run_trial(WANTED[3]) == outcomes[3]
    assert rows_of_outcomes(reversed(outcomes)) == rows_of_outcomes(outcomes)


@pytest.mark.parametrize(
    ("game", "x0", "count"),
    [
        ("chomp3{noise=normal(8),seed=1}", 100, 5),
        ("nim{heaps=3}", 100, 5),
    ],
)
def test_what_makes_no_ensemble_is_refused(game: str, x0: int, count: int) -> None:
    with pytest.raises(NotationError):
        trials(game, [x0], count, 1)


@pytest.mark.slow
def test_two_processes_give_the_same_bytes(outcomes: list[TrialResult]) -> None:
    assert run_locally(WANTED, workers=2) == outcomes


def _die_once(trial: ensembles.Trial) -> TrialResult:
    """Run the trial, but kill this process if no process was killed before."""
    mark = Path(os.environ["TRIAL_MARK"])
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return run_trial(trial)
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.slow
def test_a_killed_worker_of_a_scheduler_is_made_good(
    outcomes: list[TrialResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scheduler and two workers on this machine. One worker is killed while it works."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("TRIAL_MARK", str(tmp_path / "mark"))
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    )
    with cluster, monkeypatch.context() as patch:
        first = run_distributed(WANTED, cluster.scheduler_address)
        patch.setattr(ensembles, "run_trial", _die_once)
        second = run_distributed(WANTED, cluster.scheduler_address)
    assert (tmp_path / "mark").exists()
    assert first == second == outcomes


@pytest.mark.slow
def test_a_build_by_workers_publishes_the_same_table(tmp_path: Path) -> None:
    from position_oracle.oracle.cli.main import run
    from position_oracle.schema.snapshot import Snapshot

    distributed = pytest.importorskip("distributed")
    arguments = ["build", "chomp3", "--kind", "sensitivity", "--limit", "100x4", "--json", "--db"]
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    )
    with cluster:
        address = cluster.scheduler_address
        assert run([*arguments, str(tmp_path / "many"), "--scheduler", address]) == 0
    assert run([*arguments, str(tmp_path / "one")]) == 0
    with Snapshot.open(tmp_path / "one") as one, Snapshot.open(tmp_path / "many") as many:
        assert one.identity == many.identity
        assert one.read_table("experiment", "chomp3") == many.read_table("experiment", "chomp3")


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(ensembles, "_PATIENCE_SECONDS", 0.5)
    cluster = distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address=None, host="127.0.0.1", protocol="tcp://"
    )
    with cluster, pytest.raises(BuildError, match="scheduler tcp://127"):
        run_distributed(WANTED[:1], cluster.scheduler_address)


@pytest.mark.parametrize(
    ("kind", "scheduler", "said"),
    [
        ("sheets", "tcp://127.0.0.1:9", "on one machine only"),
        ("sensitivity", "127.0.0.1:9", "is not a scheduler"),
        ("sensitivity", "http://127.0.0.1:9", "is not a scheduler"),
        ("sensitivity", "tcp://127.0.0.1", "is not an address"),
        ("sensitivity", "tcp://127.0.0.1:99999", "port 99999"),
    ],
)
def test_schedulers_that_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, scheduler: str, said: str
) -> None:
    from position_oracle.oracle.cli.main import run

    place = str(tmp_path / "data")
    assert run(["build", "chomp3", "--kind", kind, "--db", place, "--scheduler", scheduler]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(ensembles, "_PATIENCE_SECONDS", 0.5)
    with pytest.raises(BuildError, match="scheduler tcp://127"):
        run_distributed(WANTED[:1], "tcp://127.0.0.1:9")
