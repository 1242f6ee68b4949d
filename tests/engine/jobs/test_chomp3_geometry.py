"""Stored shapes of sheets: the rows that builds write, their checks, and universality."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs.chomp3.geometry import (
    GEOMETRY_TABLES,
    Ranges,
    rows_of_sums,
    with_geometry,
)
from position_oracle.engine.jobs.plan import BuildPlan, game_record
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.engine.solvers.sheet_geometry import sheet_sums
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.schema import tables
from position_oracle.schema.shapes import read_shapes
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot, begin_draft, utc_now

LIMIT = 300
TABLES = ("p_position", "sheet", *GEOMETRY_TABLES)


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return solve_game(parse_game("chomp3"), LIMIT + 1)


def publish(place: Path, sheets: LoserSheets, **replaced: pa.Table) -> None:
    with begin_draft(place) as draft:
        writer = draft.replace(game_record(parse_game("chomp3")), "sheets", TABLES)
        for block in with_geometry([sheets], LIMIT):
            for table_name, rows in block.items():
                writer.append(table_name, replaced.get(table_name, rows))
        writer.finish(limit=str(LIMIT), started_at=utc_now(), seconds=1.0, environment="{}")
        draft.publish()


def failed(place: Path) -> list[str]:
    with Snapshot.open(place) as snapshot:
        report = verify_build(snapshot, "chomp3", sample=Sample(200))
    return [check.name for check in report.checks if not check.passed]


def test_rows_do_not_depend_on_the_blocks(sheets: LoserSheets) -> None:
    whole, parts = Ranges(LIMIT), Ranges(LIMIT)
    sums = whole.add(sheets)
    rows = [rows_of_sums(parts.add(part)) for part in sheets.split(2_000)]
    assert len(rows) > 5
    assert pa.concat_tables(rows).equals(rows_of_sums(sums))
    assert parts.rows() == whole.rows()
    counted = whole.rows()[tables.geometry_scatter.name].to_pydict()
    for line in ("upper", "lower"):
        in_range = sums.between(150, LIMIT)
        found = sum(
            positions
            for first, which, positions in zip(
                counted["first_x"], counted["line"], counted["positions"], strict=True
            )
            if first == 150 and which == line
        )
        assert found == getattr(in_range, line).count.sum()


def test_what_was_written_is_right(sheets: LoserSheets, tmp_path: Path) -> None:
    publish(tmp_path, sheets)
    assert failed(tmp_path) == []
    with Snapshot.open(tmp_path) as snapshot:
        shapes = read_shapes(snapshot, "chomp3")
    assert [(shape.first_x, shape.last_x) for shape in shapes] == [(75, 149), (150, 300)]
    assert all(shape.source == "sheets" for shape in shapes)


def test_wrong_sums_are_found(sheets: LoserSheets, tmp_path: Path) -> None:
    rows = rows_of_sums(sheet_sums(sheets))
    place = rows.schema.get_field_index("lower_yz")
    wrong = rows.column(place).to_numpy() + (np.arange(len(rows)) > 0)
    publish(tmp_path, sheets, sheet_geometry=rows.set_column(place, "lower_yz", pa.array(wrong)))
    assert failed(tmp_path) == ["sheet_geometry: measuring the sheets again gives the same"]


def test_wrong_measures_are_found(sheets: LoserSheets, tmp_path: Path) -> None:
    ranges = Ranges(LIMIT)
    ranges.add(sheets)
    rows = ranges.rows()[tables.geometry.name]
    place = rows.schema.get_field_index("value")
    wrong = pa.array(rows.column(place).to_numpy() + 1e-9)
    publish(tmp_path, sheets, geometry=rows.set_column(place, "value", wrong))
    assert failed(tmp_path) == ["geometry: measuring the sheets again gives the same"]


def test_small_tables_have_no_shape(tmp_path: Path) -> None:
    run_build(BuildPlan.of("chomp3", 20), tmp_path)
    with Snapshot.open(tmp_path) as snapshot:
        assert read_shapes(snapshot, "chomp3") == []
        assert snapshot.row_count("sheet_geometry", "chomp3") == 21
        assert verify_build(snapshot, "chomp3").passed


def test_trials_are_verified(store: Path) -> None:
    with Snapshot.open(store) as snapshot:
        report = verify_build(snapshot, "chomp3", "sensitivity")
    assert report.passed
    assert report.checks[-1].count >= 10


@pytest.mark.slow
def test_variants_have_the_constants_of_the_plain_game(tmp_path: Path) -> None:
    """Universality: plain Chomp, one with a pass, and ten generic games, four of them with noise.

    Six numbers over the upper half of the sheets agree with those of plain Chomp: within five
    standard errors of the difference, and within 0.005 (gamma within 0.02).
    """
    games = ["chomp3", "chomp3{passes=1}"]
    games += [f"chomp3{{declared=[0,{y},1]}}" for y in (5, 7, 11, 13, 17, 19)]
    for game in games:
        run_build(BuildPlan.of(game, 1_000), tmp_path)
    for seed in (1, 2, 3, 4):
        game = f"chomp3{{noise=normal(8),seed={seed}}}"
        games.append(game)
        run_build(BuildPlan.of(game, 500), tmp_path)
    with Snapshot.open(tmp_path) as snapshot:
        shapes = {game: read_shapes(snapshot, game)[-1] for game in games}
    plain = {one.quantity: one for one in shapes["chomp3"].measures}
    for game, shape in shapes.items():
        for one in shape.measures:
            if one.expected is None:
                continue
            other = plain[one.quantity]
            assert one.standard_error is not None
            assert other.standard_error is not None
            error = np.hypot(one.standard_error, other.standard_error)
            difference = abs(one.value - other.value)
            assert difference < 5 * error or difference < 1e-3, (game, one)
            assert difference < (0.03 if one.quantity == "gamma" else 0.02), (game, one)
