"""An interrupted build publishes nothing; when it is run again, it gives the same tables."""

from pathlib import Path

import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.games.registry import families
from position_oracle.engine.jobs.job import jobs_of
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.run import run_build
from position_oracle.schema.errors import BuildInterruptedError
from position_oracle.schema.games import Build
from position_oracle.schema.snapshot import Snapshot
from tests.engine.jobs.test_damaged_columns import BUILDS

QUICK = {"census", "values"}
"""A kind of build that keeps its progress, and one that does not. Tests of the others are slow."""

TIMES = 8


class Counted(Budget):
    """A budget that is cancelled at its n-th check."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def check(self) -> None:
        self.looks -= 1
        if self.looks == 0:
            self.cancel()
        super().check()


def interrupted(plan: BuildPlan, place: Path) -> tuple[Build, int]:
    """Build with budgets cancelled at check 1, 8, 64, ... until one is enough.

    Returns the record of the build, and the number of checks of the last budget.
    """
    looks = 1
    while True:
        try:
            with Counted(looks).active():
                return run_build(plan, place), looks
        except BuildInterruptedError:
            assert not (place / "CURRENT").exists()
        looks *= TIMES


@pytest.mark.parametrize(
    ("game", "limit", "kind"),
    [pytest.param(*build, marks=() if build[2] in QUICK else pytest.mark.slow) for build in BUILDS],
)
def test_an_interrupted_build_is_the_uninterrupted_one(
    game: str, limit: str, kind: str, tmp_path: Path
) -> None:
    plan = BuildPlan.of(game, limit, kind)
    whole = run_build(plan, tmp_path / "whole")
    record, looks = interrupted(plan, tmp_path / "data")
    assert looks > 1
    assert (record.checksum, record.rows) == (whole.checksum, whole.rows)
    with Snapshot.open(tmp_path / "whole") as one, Snapshot.open(tmp_path / "data") as other:
        assert one.checksums(record.game, kind) == other.checksums(record.game, kind)
    assert not list((tmp_path / "data").rglob("*.checkpoint"))


def test_every_kind_of_build_is_among_them() -> None:
    kinds = {job.kind for family in families() for job in jobs_of(family)}
    assert {kind for _, _, kind in BUILDS} == kinds
