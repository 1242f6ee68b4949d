"""Jobs as data: finding them by family, needs and estimates, refusals, and what they replace."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.registry import FAMILIES, families
from position_oracle.engine.jobs.job import Job, job_for, jobs_of
from position_oracle.engine.jobs.limits import read_sides
from position_oracle.engine.jobs.plan import BuildPlan, estimate_all, game_record
from position_oracle.engine.jobs.progress import Progress
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.schema import tables
from position_oracle.schema.errors import (
    BuildError,
    BuildInterruptedError,
    NotationError,
    ResourceLimitError,
    UnknownGameError,
)
from position_oracle.schema.snapshot import Snapshot, Store, begin_draft, current_file, utc_now

JOBS = [job for family in families() for job in jobs_of(family)]
VALUES = ["grundy", "remoteness", "values"]
MB = 1 << 20


def identify(job: Job) -> str:
    return f"{job.family}-{job.kind}"


# Jobs are found by the name of their family


def test_the_kinds_of_each_family() -> None:
    kinds = {family: [job.kind for job in jobs_of(family)] for family in FAMILIES}
    assert {family: found for family, found in kinds.items() if found} == {
        "chomp3": ["sheets", "census", "random_play", "sensitivity", *VALUES],
        "nim": ["sheets", *VALUES],
        "wythoff": ["sheets", *VALUES],
        "chomp": ["outcomes", *VALUES],
        "transfinite": ["fragments", "frontier"],
        "octal": ["misere_quotient", "values"],
        "subtraction": ["values"],
        "euclid": ["values"],
        "moore": ["values"],
        "fibonacci": ["values"],
        "staircase": ["values"],
        "wythoff_ab": ["values"],
        "endnim": ["values"],
        "circular": ["values"],
    }


@pytest.mark.parametrize("job", JOBS, ids=identify)
def test_a_job_names_its_family_and_tables(job: Job) -> None:
    assert job in jobs_of(job.family)
    assert set(job.tables) <= set(tables.result_tables())


def test_jobs_are_looked_up_without_numba() -> None:
    code = (
        "import sys, position_oracle.engine.jobs.run, position_oracle.engine.jobs.verify\n"
        "from position_oracle.engine.jobs.job import jobs_of\n"
        "for family in ('chomp3', 'chomp', 'nim', 'wythoff', 'transfinite'): jobs_of(family)\n"
        "print(sorted({'numba', 'llvmlite'} & sys.modules.keys()))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# Limits


@pytest.mark.parametrize(
    ("limit", "count", "sides"),
    [
        ("7", 1, (7,)),
        (" 007 ", 2, (7, 7)),
        ("3x4", 2, (3, 4)),
        ("1x2x3", 3, (1, 2, 3)),
        ("0", 1, (0,)),
        ("3x4", 1, None),
        ("3x4", 3, None),
        ("", 1, None),
        ("x", 2, None),
        ("-3", 1, None),
        ("+3", 1, None),
        ("3 x4", 2, None),
        ("1e3", 1, None),
        ("٣", 1, None),
        ("³", 1, None),
        ("9" * 41, 1, None),
    ],
)
def test_limits_are_read_in_ascii_digits(
    limit: str, count: int, sides: tuple[int, ...] | None
) -> None:
    assert read_sides(limit, count) == sides


@pytest.mark.parametrize(
    ("game", "kind", "largest", "beyond"),
    [
        ("chomp3", "sheets", "999999", "1000000"),
        ("chomp3{noise=normal(8),seed=7}", "sheets", "10x999999", "10x1000000"),
        ("chomp3", "random_play", "1000", "1001"),
        ("chomp3", "random_play", "0", "-1"),
        ("nim{heaps=3,passes=1}", "sheets", "10x1048576", "10x1048577"),
        ("wythoff{rule=pairs}", "sheets", "65536x0", "65537x0"),
        ("chomp3", "census", "10000000x1048576", "10000001x1048576"),
        ("chomp3", "census", "0x1048576", "0x1048704"),
        ("chomp3", "sensitivity", "10000x10000", "10000x10001"),
        ("chomp3", "sensitivity", "100x1", "99x1"),
        ("chomp3", "sensitivity", "10000x1", "10001x1"),
        ("chomp3", "sensitivity", "100x1", "100x0"),
        ("kayles{misere}", "misere_quotient", "4096", "4097"),
        ("kayles{misere}", "misere_quotient", "1", "0"),
        ("transfinite", "fragments", "1x1x1", "1x0x1"),
        ("transfinite", "frontier", "1500", "1501"),
        ("transfinite", "frontier", "1", "0"),
        ("chomp3", "grundy", "1", "0"),
        ("wythoff{heaps=2}", "grundy", "8191x8191", "8191x8192"),
        ("nim{heaps=2}", "grundy", "2713x2713", "2714x2714"),
        ("nim{heaps=2}", "remoteness", "0x21845", "0x21846"),
        ("chomp", "outcomes", "18x18", "18x19"),
        ("chomp", "grundy", "1x1", "0x1"),
    ],
)
def test_the_largest_limit_is_allowed_and_the_next_is_not(
    game: str, kind: str, largest: str, beyond: str
) -> None:
    assert BuildPlan.of(game, largest, kind).limit == largest
    with pytest.raises((NotationError, ResourceLimitError)):
        BuildPlan.of(game, beyond, kind)


# Which games have which tables

OPTIONS = ("", "passes=1", "declared=[1,1,2]", "noise=normal(8),seed=7", "misere")
SECOND = {"chomp3": "", "nim": "heaps=3", "wythoff": "rule=pairs"}


def game_text(family: str, *options: str) -> str:
    braced = ",".join(option for option in (SECOND[family], *options) if option)
    return f"{family}{{{braced}}}" if braced else family


def outcome(game: str, kind: str) -> str:
    try:
        BuildPlan.of(game, "9", kind)
    except (NotationError, UnknownGameError):
        return "refused"
    return "built"


REFUSED = {
    ("chomp3", "sheets"): [
        {"passes=1", "noise=normal(8),seed=7"},
        {"misere"},
    ],
    ("chomp3", "random_play"): [{option} for option in OPTIONS[1:]],
    ("chomp3", "grundy"): [{option} for option in OPTIONS[1:]],
    ("chomp3", "remoteness"): [{option} for option in OPTIONS[1:]],
    ("nim", "sheets"): [{"misere", "noise=normal(8),seed=7"}],
    ("nim", "grundy"): [{option} for option in OPTIONS[2:]],
    ("nim", "remoteness"): [{"noise=normal(8),seed=7"}],
}
"""Options for which no table is built, alone or together; all others have tables."""


@pytest.mark.parametrize(("family", "kind"), REFUSED)
def test_every_pair_of_options_is_built_or_refused(family: str, kind: str) -> None:
    for first in OPTIONS:
        for second in OPTIONS:
            chosen = {option for option in (first, second) if option}
            expected = (
                "refused" if any(part <= chosen for part in REFUSED[family, kind]) else "built"
            )
            options = [option for option in OPTIONS if option in chosen]
            assert outcome(game_text(family, *options), kind) == expected, (chosen, kind)


@pytest.mark.parametrize(
    ("game", "needed"),
    [
        ("chomp3", ["chomp3"]),
        ("chomp3{passes=1}", ["chomp3", "chomp3{passes=1}"]),
        ("chomp3{passes=2}", ["chomp3{passes=1}", "chomp3"]),
        ("chomp3{passes=5}", ["chomp3", "chomp3{passes=1}"]),
        (
            "chomp3{passes=2,declared=[0,0,3]}",
            ["chomp3{passes=1,declared=[0,0,3]}", "chomp3{declared=[0,0,3]}"],
        ),
    ],
)
def test_two_more_passes_need_no_other_tables(game: str, needed: list[str]) -> None:
    assert [plan.game.text for plan in BuildPlan.all_needed(game, 10)] == needed


def test_a_game_with_two_passes_is_not_built_itself() -> None:
    for passes, same in ((2, "chomp3"), (3, "chomp3{passes=1}"), (64, "chomp3")):
        with pytest.raises(
            NotationError, match=f"has the P-positions of {same}".replace("{", "[{]")
        ):
            BuildPlan.of(f"chomp3{{passes={passes}}}", 10)


# Builds for which no limit is given

GAMES = {
    "chomp3": ["chomp3"] + [f"chomp3{{{option}}}" for option in OPTIONS[1:4]],
    "nim": [
        f"nim{{heaps={heaps}{passes}{misere}}}"
        for heaps in range(1, 6)
        for passes in ("", ",passes=1", ",passes=64")
        for misere in ("", ",misere")
    ]
    + ["nim{declared=[1,1,2]}", "nim{declared=[1,1,2],passes=1}", "nim{noise=normal(8),seed=7}"],
    "wythoff": [
        f"wythoff{{{rule}{passes}{misere}}}"
        for rule in ("heaps=2", "rule=pairs", "rule=all", "rule=both")
        for passes in ("", ",passes=1")
        for misere in ("", ",misere")
    ],
    "chomp": ["chomp", "chomp{passes=1}"],
    "transfinite": ["transfinite"],
    "octal": ["octal{code=0.77,misere}", "octal{code=0.77,passes=1}"],
    "subtraction": ["nim{max=3}", "nim{take=1+4+9,passes=1}"],
    "euclid": ["euclid", "euclid{misere}"],
    "moore": ["moore{k=2}"],
    "fibonacci": ["fibonacci"],
    "staircase": ["staircase"],
    "wythoff_ab": ["wythoff{a=2,b=3}"],
    "endnim": ["endnim"],
    "circular": ["circular{k=2}"],
}
SMALL = {"fragments": "1x1x1", "sensitivity": "100x1"}
"""Small limits by kind, possible for every game with tables of the kind; 3 for other kinds."""


@pytest.mark.parametrize("job", JOBS, ids=identify)
def test_without_a_limit_a_build_fits_a_small_machine(job: Job) -> None:
    built = 0
    for game in GAMES[job.family]:
        try:
            BuildPlan.all_needed(game, SMALL.get(job.kind, "3"), job.kind)
        except NotationError:
            continue  # this game has no such tables at any limit
        estimate = estimate_all(BuildPlan.all_needed(game, None, job.kind))
        assert estimate.memory_bytes <= 2 << 30, game
        assert estimate.seconds <= 60, game
        assert estimate.disk_bytes <= 1 << 30, game
        built += 1
    assert built


def test_estimates_include_every_number_of_passes() -> None:
    """In misere play, a build with k passes computes the remoteness with 0, 1, ..., k passes."""
    few, many = (
        BuildPlan.of(f"nim{{heaps=3,misere,passes={passes}}}", "60", "remoteness").estimate()
        for passes in (1, 31)
    )
    cells = 61 * 62 * 63 // 6
    assert many.memory_bytes - few.memory_bytes >= 30 * cells * 9
    with pytest.raises(ResourceLimitError, match="moves; allowed are"):
        BuildPlan.of("nim{heaps=2,misere,passes=64}", "1000", "remoteness")
    with pytest.raises(ResourceLimitError, match="positions; allowed are"):
        BuildPlan.of("nim{heaps=5,misere,passes=64}", "50", "remoteness")


# What builds take


@pytest.mark.parametrize(
    ("game", "kind", "limit", "rows", "seconds", "memory", "disk"),
    [
        ("chomp3", "sheets", "10000", 20_719_000, 4.1, 1_150, 82),
        ("chomp3{passes=1}", "sheets", "10000", 20_719_000, 4.6, 1_320, 82),
        ("chomp3", "sheets", "30000", 186_420_000, 20.6, 1_100, 535),
        ("chomp3", "random_play", "300", 4_590_551, 4.7, 1_100, 78),
        ("nim{heaps=3,passes=1}", "sheets", "4096", 4097**2, 4.9, 760, 59),
        ("wythoff{rule=both}", "sheets", "4096", 4097**2, 6.9, 760, 59),
        ("nim{noise=normal(8),seed=7}", "sheets", "4096", 4097**2, 6.4, 830, 59),
        ("chomp", "outcomes", "13x13", 156_000, 3.0, 515, 5),
        ("transfinite", "fragments", "2x3x2", 100_110, 36.0, 500, 6),
        ("transfinite", "frontier", "400", 401, 9.4, 980, 3),
        ("chomp3", "grundy", "300", 4_590_550, 5.4, 1_000, 30),
        ("nim{heaps=3}", "remoteness", "100", 101**3, 3.5, 925, 9),
    ],
)
def test_estimates_are_of_the_right_size(
    game: str, kind: str, limit: str, rows: int, seconds: float, memory: float, disk: float
) -> None:
    """Rows are within 2 % of a known build; seconds, and MiB of memory and disk, within 25 %."""
    found = BuildPlan.of(game, limit, kind).estimate()
    assert found.rows == pytest.approx(rows, rel=0.02)
    assert found.seconds == pytest.approx(seconds, rel=0.25)
    assert found.memory_bytes / MB == pytest.approx(memory, rel=0.25)
    assert found.disk_bytes / MB == pytest.approx(disk, rel=0.25)


def test_every_level_of_passes_is_counted() -> None:
    none, one = (BuildPlan.of(game, 30_000).estimate() for game in ("chomp3", "chomp3{passes=1}"))
    assert one.rows == none.rows
    assert one.seconds - none.seconds == pytest.approx(25e-9 * none.rows)
    assert one.memory_bytes - none.memory_bytes == 8 * none.rows
    together = estimate_all(BuildPlan.all_needed("chomp3{passes=7}", 30_000))
    assert together.rows == 2 * none.rows
    assert together.seconds == pytest.approx(none.seconds + one.seconds)
    assert together.memory_bytes == one.memory_bytes
    assert together.disk_bytes == none.disk_bytes + one.disk_bytes


def test_rows_that_are_declared_far_out_are_counted() -> None:
    """Tails are proven only beyond the last declared row, so four in ten sheets extend to it."""
    plain, near, far = (
        BuildPlan.of(game, 1_000).estimate()
        for game in ("chomp3", "chomp3{declared=[2,30,2]}", "chomp3{declared=[2,40000,2]}")
    )
    assert near.rows == plain.rows
    assert far.rows == pytest.approx(plain.rows + 0.42 * 1001 * 39_000, rel=0.02)
    assert far.memory_bytes > plain.memory_bytes + 8 * MB
    assert far.disk_bytes > plain.disk_bytes + 30 * MB


# Replacing


def pretend_all(place: Path, builds: Iterable[tuple[str, str, str]]) -> None:
    """Publish empty tables: game, kind, and the limit that is recorded."""
    with begin_draft(place) as draft:
        for game, kind, limit in builds:
            job = job_for(parse_game(game), kind)
            writer = draft.replace(game_record(parse_game(game)), kind, job.tables)
            writer.finish(limit=limit, started_at=utc_now(), seconds=1.0, environment="{}")
        draft.publish()


def pretend(place: Path, game: str, kind: str, limit: str) -> None:
    """Publish an empty table that is recorded with this limit."""
    pretend_all(place, [(game, kind, limit)])


LIMITS = [
    ("chomp3", "sheets", "100", ["100", "101"], ["99", "0"]),
    ("chomp3{passes=1}", "sheets", "100", ["100"], ["99"]),
    (
        "chomp3{noise=normal(8),seed=7}",
        "sheets",
        "50x70",
        ["50x70", "51x70"],
        ["100x69", "49x100"],
    ),
    ("chomp3", "census", "90x512", ["90x512", "90x128", "91"], ["89x512", "91x0"]),
    ("chomp3", "random_play", "20", ["20", "21"], ["19"]),
    ("chomp3", "grundy", "20", ["20", "30"], ["19"]),
    ("nim{heaps=3,passes=1}", "sheets", "20x40", ["20x40", "40"], ["40x39", "19x99", "30"]),
    ("wythoff{heaps=2}", "remoteness", "5x9", ["5x9", "9"], ["9x8", "8"]),
    ("chomp", "outcomes", "3x5+6", ["3x5+6", "6x6", "15", "4x5+7"], ["3x5", "6", "3x4+6"]),
    ("chomp", "grundy", "3x5", ["5x3", "4x5"], ["4x4", "2x9"]),
    ("transfinite", "fragments", "2x3x2", ["2x3x2", "3"], ["2", "3x3x1"]),
    ("transfinite", "frontier", "40", ["40", "50"], ["39"]),
]
"""Game, kind, stored limit, and limits that answer as much and less."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with an empty table for each stored limit."""
    place = tmp_path_factory.mktemp("limits") / "data"
    pretend_all(place, [case[:3] for case in LIMITS])
    return Store.at(place)


@pytest.mark.parametrize(("game", "kind", "old", "larger", "smaller"), LIMITS)
def test_a_smaller_build_does_not_replace_a_larger_one(
    stored: Store, game: str, kind: str, old: str, larger: list[str], smaller: list[str]
) -> None:
    for limit in larger:
        plan = BuildPlan.of(game, limit, kind)
        assert plan.is_there(stored) == plan.job.covers(old, plan.limit)
        plan.check_loses_nothing(stored)
    for limit in smaller:
        plan = BuildPlan.of(game, limit, kind)
        with pytest.raises(BuildError, match="--replace") as caught:
            plan.check_loses_nothing(stored)
        assert "\n" not in str(caught.value)
    assert BuildPlan.of(game, old, kind).is_there(stored)


def test_a_census_without_checkpoints_is_replaced_by_one_with_them(tmp_path: Path) -> None:
    pretend(tmp_path, "chomp3", "census", "90x0")
    store = Store.at(tmp_path)
    for limit in ("90x0", "90x128"):
        BuildPlan.of("chomp3", limit, "census").check_loses_nothing(store)
    assert not BuildPlan.of("chomp3", "90x128", "census").is_there(store)
    for limit in ("89x0", "89x128"):
        with pytest.raises(BuildError, match="--replace"):
            run_build(BuildPlan.of("chomp3", limit, "census"), store)


@pytest.mark.parametrize("limit", ["", "many", "1x2x3", "9" * 5000])
def test_a_stored_limit_that_means_nothing_is_not_overwritten(tmp_path: Path, limit: str) -> None:
    pretend(tmp_path, "transfinite", "frontier", limit)
    plan = BuildPlan.of("transfinite", 9, "frontier")
    assert not plan.is_there(Store.at(tmp_path))
    with pytest.raises(BuildError, match="--replace"):
        plan.check_loses_nothing(Store.at(tmp_path))
    with Snapshot.open(tmp_path) as snapshot:
        report = verify_build(snapshot, "transfinite", "frontier")
    assert not report.passed


@pytest.mark.parametrize(
    ("game", "sample"), [("chomp3", Sample(None)), ("chomp3{passes=1}", Sample())]
)
def test_checks_by_solving_again_need_the_memory_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, sample: Sample
) -> None:
    pretend(tmp_path, game, "sheets", "999999")
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "1G")
    with (
        Snapshot.open(tmp_path) as snapshot,
        pytest.raises(ResourceLimitError, match=r"checking .* of memory"),
    ):
        verify_build(snapshot, game, sample=sample)


def test_other_games_and_kinds_are_not_in_the_way(tmp_path: Path) -> None:
    pretend(tmp_path, "chomp3", "sheets", "100")
    for game, kind in (("chomp3{passes=1}", "sheets"), ("chomp3", "random_play")):
        BuildPlan.of(game, 5, kind).check_loses_nothing(Store.at(tmp_path))
    BuildPlan.of("chomp3", 5).check_loses_nothing(Store.at(tmp_path / "empty"))


def test_a_smaller_build_replaces_a_larger_one_where_asked(tmp_path: Path) -> None:
    pretend(tmp_path, "transfinite", "frontier", "400")
    plan = BuildPlan.of("transfinite", 9, "frontier")
    assert run_build(plan, tmp_path, replace=True).limit == "9"
    assert plan.is_there(Store.at(tmp_path))


# Stopping


def cancel_in(phase: str, budget: Budget) -> Callable[[Progress], None]:
    def report(state: Progress) -> None:
        if state.phase == phase:
            budget.cancel()

    return report


@pytest.mark.parametrize("phase", ["solve", "write", "check"])
def test_a_stop_in_any_phase_publishes_nothing(tmp_path: Path, phase: str) -> None:
    run_build(BuildPlan.of("nim{heaps=3,passes=1}", 10), tmp_path)
    before = current_file(tmp_path)
    plan = BuildPlan.of("nim{heaps=3,passes=1}", 1500)
    with Budget().active() as budget, pytest.raises(BuildInterruptedError, match="as they were"):
        run_build(plan, tmp_path, progress=cancel_in(phase, budget))
    assert current_file(tmp_path) == before


# The command line


def test_the_command_line_asks_before_it_replaces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from position_oracle.oracle.cli.main import run

    pretend(tmp_path, "transfinite", "frontier", "400")
    command = ["build", "transfinite", "--kind", "frontier", "-n", "9", "--db", str(tmp_path)]
    assert run(command) == 1
    error = capsys.readouterr().err
    assert "would replace a table up to 400, which answers more" in error
    assert len(error.strip().splitlines()) == 1
    assert run([*command, "--replace"]) == 0


def test_the_estimate_is_of_all_that_will_be_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from position_oracle.oracle.cli.main import run

    command = ["build", "chomp3{passes=1}", "-n", "3000", "--estimate", "--db", str(tmp_path)]
    assert run(command) == 0
    lines = capsys.readouterr().out.splitlines()
    both = estimate_all(BuildPlan.all_needed("chomp3{passes=1}", 3000))
    assert [line.split(":")[0] for line in lines] == [
        "chomp3 sheets up to 3000",
        "chomp3{passes=1} sheets up to 3000",
        "all together",
    ]
    assert lines[-1] == f"all together: {both}"
    pretend(tmp_path, "chomp3", "sheets", "3000")
    assert run(command) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("chomp3{passes=1} sheets up to 3000: ")


@pytest.mark.parametrize("verdicts", [[False, True], [True, False], [True, True]])
def test_no_failure_is_lost_among_several_builds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verdicts: list[bool],
) -> None:
    from position_oracle.engine.jobs.report import Check, VerifyReport
    from position_oracle.oracle.cli.main import run

    pretend(tmp_path, "chomp3", "sheets", "10")
    pretend(tmp_path, "transfinite", "frontier", "10")
    left = iter(verdicts)

    def verify_build(
        _: Any, game: str, kind: str, *, observer: Callable[[Check], None], **__: Any
    ) -> VerifyReport:
        check = Check("a check", 1, "" if next(left) else "it fails")
        observer(check)
        return VerifyReport(game, kind, "10", (check,))

    monkeypatch.setattr("position_oracle.engine.jobs.verify.verify_build", verify_build)
    assert run(["verify", "--db", str(tmp_path)]) == (0 if all(verdicts) else 1)
    assert capsys.readouterr().out.count("FAIL") == verdicts.count(False)
