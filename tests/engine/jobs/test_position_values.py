"""Values and chances of all positions up to a limit: built, checked, damaged, asked in SQL."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.jobs.job import job_for, jobs_of
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.position_values import rows_of
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import NotationError, ResourceLimitError, UnknownGameError
from position_oracle.schema.snapshot import Snapshot
from tests.builds import build_all

BUILDS = (
    ("chomp3", "8", 165),
    ("chomp3{passes=1}", "6", 2 * 84),
    ("chomp3{passes=2,declared=[1,0,2]+[1,1,1]}", "5", 3 * 56),
    ("chomp", "4x5", 126),
    ("chomp{passes=1,misere}", "3x4", 2 * 35),
    ("nim{heaps=3,passes=1}", "5", 2 * 56),
    ("nim{heaps=3,declared=[1,2,3]+[0,1,1]}", "3", 64),
    ("nim{heaps=2,misere}", "6x7", None),
    ("wythoff{heaps=2,passes=1}", "9", 2 * 55),
    ("wythoff{rule=both}", "3", 20),
    ("nim{max=3}", "7x7", 36),
    ("kayles{passes=1}", "6x5", None),
    ("lasker", "6", None),
    ("grundy{misere}", "9x6", None),
    ("euclid", "9x9", 55),
    ("moore{k=2}", "3x3x3", 64),
    ("fibonacci", "12", None),
    ("staircase", "3x3x3", None),
    ("wythoff{a=2,b=3}", "6x6", 49),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("values") / "data"
    build_all(((game, limit, "values") for game, limit, _ in BUILDS), place)
    return place


@pytest.mark.parametrize(("game", "limit", "count"), BUILDS)
def test_every_row_follows_from_those_of_its_moves(
    place: Path, game: str, limit: str, count: int | None
) -> None:
    with Snapshot.open(place) as snapshot:
        report = verify_build(snapshot, game, "values", sample=Sample(None))
        rows = snapshot.read_table("position_value", parse_game(game).text)
    assert report.passed, report.checks
    assert count in {None, len(rows)}
    assert {check.count for check in report.checks} >= {1, len(rows)}


@pytest.mark.parametrize(("game", "limit"), [each[:2] for each in BUILDS])
def test_rows_are_what_is_answered_when_asked(place: Path, game: str, limit: str) -> None:
    """Some stored rows equal the answers by theorems, kernels and searches without tables."""
    oracle, spec = Oracle(), parse_game(game)
    with Snapshot.open(place) as snapshot:
        rows = snapshot.read_table("position_value", spec.text).to_pylist()
    for row in rows[:: max(1, len(rows) // 12)]:
        if not any(row["coordinates"]):
            continue
        position = Position(spec.with_passes(row["passes"]), tuple(row["coordinates"]))
        if not spec.heaps and len(row["coordinates"]) > 1:
            position = parse(str(position))
        assert str(oracle.outcome(position).outcome) == ("N" if row["wins"] else "P"), row
        chances = (
            ("random", row["p_mover"]),
            ("perfect-vs-random", 1 - row["perfect_loses"]),
            ("random-vs-perfect", row["random_wins"]),
        )
        for model, chance in chances:
            found = oracle.win_probability(position, model)
            assert chance == pytest.approx(found.value, rel=1e-12, abs=1e-300), (row, model)
        turns = oracle.turns(position).mean
        assert turns is not None
        assert row["turns"] == pytest.approx(turns, rel=1e-12)


def test_published_chances() -> None:
    """Devlin and Trifonova, introduction: rows of 3, 2 and 1 cookies; squares of sides 2 and 3."""
    rows = rows_of(parse_game("chomp3"), "3")
    found = {tuple(row["coordinates"]): row["p_mover"] for row in rows.to_pylist()}
    for coordinates, chance in (
        ((1, 1, 1), Fraction(9, 20)),
        ((2, 0, 0), Fraction(41, 90)),
        ((0, 2, 0), Fraction(5, 12)),
        ((3, 0, 0), Fraction(64, 135)),
    ):
        assert found[coordinates] == pytest.approx(float(chance), rel=1e-15)


def _changed(table: pa.Table, column: str, row: int) -> pa.Table:
    values: list[Any] = table[column].to_pylist()
    old = values[row]
    values[row] = (not old) if column == "wins" else (old or 0) + 1
    at = table.schema.get_field_index(column)
    return table.set_column(
        at, table.schema.field(at), pa.array(values, table.schema.field(at).type)
    )


@pytest.mark.parametrize(
    "column",
    [
        "passes",
        "wins",
        "grundy",
        "remoteness",
        "p_mover",
        "perfect_loses",
        "random_wins",
        "turns",
    ],
)
def test_a_false_number_is_found(place: Path, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    read = Snapshot.read_table

    def changed(self: Snapshot, table_name: str, name: str, *, check: bool = True) -> pa.Table:
        found = read(self, table_name, name, check=check)
        return _changed(found, column, len(found) // 2)

    monkeypatch.setattr(Snapshot, "read_table", changed)
    with Snapshot.open(place) as snapshot:
        job = job_for(parse_game("chomp3{passes=1}"), "values")
        sample = Sample(1_000)
        checks = list(job.checks(snapshot, parse_game("chomp3{passes=1}"), "6", sample))
    assert not all(check.passed for check in checks)


@pytest.mark.parametrize("column", ["p_mover", "perfect_loses", "random_wins", "turns"])
def test_a_chance_that_is_slightly_off_is_found(
    place: Path, monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    read = Snapshot.read_table

    def changed(self: Snapshot, table_name: str, name: str, *, check: bool = True) -> pa.Table:
        found = read(self, table_name, name, check=check)
        values = found[column].to_pylist()
        row = next(row for row in range(len(values) // 2, len(values)) if values[row])
        values[row] *= 1 + 1e-10
        return found.set_column(found.schema.get_field_index(column), column, pa.array(values))

    monkeypatch.setattr(Snapshot, "read_table", changed)
    assert failing(place) == ["rows are what those of their moves make them: a sample"]


@pytest.mark.parametrize("change", [(71, 70), (70, 70, 71)], ids=["exchanged", "repeated"])
def test_rows_out_of_order_are_found(
    place: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[int, ...]
) -> None:
    """Each row is right, but look-ups would not find it."""
    read = Snapshot.read_table

    def exchanged(self: Snapshot, table_name: str, name: str, *, check: bool = True) -> pa.Table:
        found = read(self, table_name, name, check=check)
        return found.take([*range(70), *change, *range(72, len(found))])

    monkeypatch.setattr(Snapshot, "read_table", exchanged)
    assert failing(place) == ["rows are in the order of their coordinates"]


def failing(place: Path) -> list[str]:
    """The names of the checks of three-row Chomp that fail."""
    game = parse_game("chomp3")
    with Snapshot.open(place) as snapshot:
        checks = list(job_for(game, "values").checks(snapshot, game, "8", Sample(1_000)))
    return [check.name for check in checks if not check.passed]


@pytest.mark.parametrize("keep", [slice(1, None), slice(0, -1), slice(0, 100)])
def test_missing_rows_are_found(place: Path, monkeypatch: pytest.MonkeyPatch, keep: slice) -> None:
    read = Snapshot.read_table
    monkeypatch.setattr(Snapshot, "read_table", lambda *a, **k: read(*a, **k)[keep])
    with Snapshot.open(place) as snapshot:
        job = job_for(parse_game("chomp3"), "values")
        checks = list(job.checks(snapshot, parse_game("chomp3"), "8", Sample(1_000)))
    assert not all(check.passed for check in checks)


@pytest.mark.parametrize(
    ("game", "limit", "error"),
    [
        ("chomp3", "3x4", NotationError),
        ("chomp3", "1000", ResourceLimitError),
        ("chomp", "1x2x3", NotationError),
        ("chomp", "20x20", ResourceLimitError),
        ("nim{heaps=3}", "3x3", NotationError),
        ("euclid", "3x3x3", NotationError),
        ("kayles", "60x60", ResourceLimitError),
        ("nim{heaps=3}", "999999999999", NotationError),
        ("nim{heaps=3}", "999999", ResourceLimitError),
        ("chomp", "999999999999x3", NotationError),
        ("chomp", "9999x9999", ResourceLimitError),
        ("toads", "3", UnknownGameError),
        ("transfinite", "3", UnknownGameError),
    ],
)
def test_what_cannot_be_built(game: str, limit: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        BuildPlan.of(game, limit, "values")


@pytest.mark.parametrize(
    "game", ["chomp3", "chomp", "nim{heaps=3,passes=1}", "nim", "fibonacci", "kayles", "euclid"]
)
def test_a_build_without_a_limit_has_one(game: str) -> None:
    plan = BuildPlan.of(game, None, "values")
    estimate = plan.estimate()
    assert 10_000 < estimate.rows <= 30_000
    assert estimate.seconds < 60
    assert BuildPlan.of(game, plan.limit, "values") == plan


def test_families_of_other_positions_have_no_such_table() -> None:
    for family in ("toads", "divisors", "transfinite", "sum", "nodekayles"):
        assert "values" not in {job.kind for job in jobs_of(family)}


def test_two_more_passes_change_no_outcome(place: Path) -> None:
    query = "SELECT count(*) FROM pass_effects WHERE game = 'chomp3{passes=1}' AND outcome = ?"
    with Snapshot.open(place) as snapshot:
        counts = [snapshot.cursor().execute(query, [o]).fetchall()[0][0] for o in ("P", "N")]
    assert sum(counts) == 84
    assert all(counts)
