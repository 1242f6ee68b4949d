"""Arrays written to a file and read again: nothing is lost or rearranged."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import ARRAY, BigInteger, Column, Integer, LargeBinary, SmallInteger, String, Table

from position_oracle.schema import tables
from position_oracle.schema.digests import ColumnDigest
from position_oracle.schema.errors import BuildError, CorruptTableError
from position_oracle.schema.games import Build
from position_oracle.schema.sheet_rows import sheets_of_rows
from position_oracle.schema.sheets import STOPS
from position_oracle.schema.snapshot import (
    GameRow,
    LoserSheets,
    Snapshot,
    begin_draft,
    rows_of_sheets,
    utc_now,
)

GAME = GameRow(11, "chomp3", "chomp3")
numbers = st.integers(0, 2**31 - 1)


@st.composite
def sheet_arrays(draw: st.DrawFn) -> LoserSheets:
    """Random prefixes and tails: stopping, periodic, cut, empty."""
    tails = draw(st.lists(st.none() | st.lists(numbers, max_size=4), min_size=1, max_size=8))
    prefixes = [draw(st.lists(numbers, max_size=6)) for _ in tails]
    known = [tail or [] for tail in tails]
    return LoserSheets(
        first_x=0,
        prefix_offset=np.cumsum([0, *map(len, prefixes)], dtype=np.int64),
        prefix_z=np.array([z for prefix in prefixes for z in prefix], np.int32),
        tail_period=np.array([-1 if t is None else len(t) for t in tails], np.int32),
        tail_offset=np.cumsum([0, *map(len, known)], dtype=np.int64),
        tail_z=np.array([z for tail in known for z in tail], np.int32),
    )


def equal(left: LoserSheets, right: LoserSheets) -> bool:
    return all(
        np.array_equal(getattr(left, name), getattr(right, name))
        and getattr(left, name).dtype == getattr(right, name).dtype
        for name in ("prefix_offset", "prefix_z", "tail_period", "tail_offset", "tail_z")
    )


@given(sheet_arrays())
def test_sheets_and_their_rows_say_the_same(sheets: LoserSheets) -> None:
    rows = rows_of_sheets(sheets)
    summary = rows["sheet"].cast(tables.arrow_schema(tables.sheet))
    positions = rows["p_position"]
    assert equal(sheets_of_rows(summary, positions.column("z").to_numpy()), sheets)
    x, y = (positions.column(name).to_numpy() for name in "xy")
    assert np.array_equal(np.lexsort((y, x)), np.arange(len(x)))


@given(sheet_arrays())
def test_the_summary_of_a_sheet_is_true(sheets: LoserSheets) -> None:
    rows = rows_of_sheets(replace(sheets, first_x=100))
    positions = rows["p_position"].to_pylist()
    for summary in rows["sheet"].to_pylist():
        z = [row["z"] for row in positions if row["x"] == summary["x"]]
        assert summary["p_count"] == len(z)
        assert summary["diagonal_z"] == (z[0] if z else None)
        assert summary["max_z"] == max(z, default=None)
        assert summary["tail_z"] == z[summary["prefix_length"] :]


def write(folder: Path | str, sheets: LoserSheets) -> Build:
    with begin_draft(folder) as draft:
        writer = draft.replace(GAME, "sheets", ["p_position", "sheet"])
        for table_name, rows in rows_of_sheets(sheets).items():
            writer.append(table_name, rows)
        written = writer.finish(
            limit="0", started_at=utc_now(), seconds=1.0, environment='{"python": "3"}'
        )
        draft.publish()
    return written


@pytest.mark.parametrize("largest", [65_534, 65_535, 65_536])
def test_compact_sheets_have_no_z_that_marks_an_absent_position(
    tmp_path: Path, largest: int
) -> None:
    """65,535 is the mark, so it takes 32 bits."""
    sheets = LoserSheets(
        first_x=0,
        prefix_offset=np.array([0, 2]),
        prefix_z=np.array([largest, 1], np.int32),
        tail_period=np.array([STOPS], np.int32),
        tail_offset=np.zeros(2, np.int64),
        tail_z=np.zeros(0, np.int32),
    )
    write(tmp_path, sheets)
    with Snapshot.open(tmp_path) as snapshot:
        found = snapshot.read_sheets("chomp3", compact=True)
    assert found.prefix_z.dtype == (np.uint16 if largest < 65_535 else np.int32)
    assert found.prefix_z.tolist() == [largest, 1]


@settings(max_examples=6)
@given(sheet_arrays())
def test_sheets_come_back_from_a_file(sheets: LoserSheets) -> None:
    with tempfile.TemporaryDirectory() as folder:
        written = write(folder, sheets)
        with Snapshot.open(folder) as snapshot:
            assert equal(snapshot.read_sheets("chomp3"), sheets)
            assert snapshot.builds() == [written]
            assert snapshot.games() == [GAME]


def test_a_million_rows_in_uneven_chunks_keep_their_order(tmp_path: Path) -> None:
    z = np.random.default_rng(5).integers(0, 1000, 1_000_000).astype(np.int32)
    x = np.arange(len(z), dtype=np.int32)
    with begin_draft(tmp_path) as draft:
        writer = draft.replace(GAME, "z", ["p_position"])
        for part in np.split(x, [1, 10, 200_000, 200_001, 900_000]):
            writer.append("p_position", {"x": part, "y": part, "z": z[part]})
        writer.finish(limit="0", started_at=utc_now(), seconds=1.0, environment="{}")
        draft.publish()
    with Snapshot.open(tmp_path) as snapshot:
        assert np.array_equal(snapshot.read_column("p_position", "z", "chomp3"), z)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [0], "y": [0]}, "z"),
        ({"x": [0], "y": [0], "z": [2**31]}, "not in range"),
        ({"x": [0], "y": [0, 1], "z": [0]}, "length"),
        ({"x": [0], "y": [0], "z": ["seven"]}, "seven"),
    ],
)
def test_rows_that_do_not_fit_are_refused(
    tmp_path: Path, columns: dict[str, list[object]], message: str
) -> None:
    with begin_draft(tmp_path) as draft:
        writer = draft.replace(GAME, "z", ["p_position"])
        with pytest.raises(BuildError, match=message):
            writer.append("p_position", columns)


def test_a_later_family_adds_a_table_and_nothing_else(tmp_path: Path) -> None:
    table = Table(
        "board_outcomes",
        tables.metadata,
        Column("game_id", BigInteger, nullable=False),
        Column("first", Integer, nullable=False),
        Column("bits", LargeBinary, nullable=False),
        Column("rows", ARRAY(SmallInteger), nullable=False),
        Column("note", String, nullable=True),
    )
    rows = {
        "first": pa.array([0, 64], pa.int32()),
        "bits": [b"\x00\xff", b""],
        "rows": [[3, 2], []],
        "note": ["a box", None],
    }
    try:
        with begin_draft(tmp_path) as draft:
            writer = draft.replace(GameRow(9, "chomp", "chomp"), "outcomes", [table.name])
            writer.append(table.name, rows)
            writer.finish(limit="3x3", started_at=utc_now(), seconds=1.0, environment="{}")
            draft.publish()
        with Snapshot.open(tmp_path) as snapshot:
            snapshot.verify("chomp", "outcomes")
            stored = pa.Table.from_batches(snapshot.stream(table.name, "chomp", list(rows)))
        assert stored.to_pydict() == pa.table(rows).to_pydict()
    finally:
        tables.metadata.remove(table)
    with Snapshot.open(tmp_path) as older_program, pytest.raises(KeyError):
        older_program.row_count(table.name, "chomp")


def test_a_file_gets_the_tables_that_are_new_since_it_was_written(published: Path) -> None:
    table = Table(
        "novelty",
        tables.metadata,
        Column("game_id", BigInteger, nullable=False),
        Column("value", Integer, nullable=False),
    )
    try:
        with begin_draft(published) as draft:
            writer = draft.replace(GAME, "novelty", [table.name])
            writer.append(table.name, {"value": np.arange(3, dtype=np.int32)})
            writer.finish(limit="2", started_at=utc_now(), seconds=1.0, environment="{}")
            draft.publish()
        with Snapshot.open(published) as snapshot:
            assert snapshot.read_column("novelty", "value", "chomp3").tolist() == [0, 1, 2]
            assert [build.kind for build in snapshot.builds()] == ["sheets", "novelty"]
            snapshot.verify("chomp3", "sheets")
    finally:
        tables.metadata.remove(table)


columns = (
    st.lists(st.integers(-5, 5) | st.none()).map(lambda v: pa.array(v, pa.int32()))
    | st.lists(st.text(max_size=3) | st.none()).map(lambda v: pa.array(v, pa.string()))
    | st.lists(st.lists(st.integers(0, 3), max_size=3)).map(
        lambda v: pa.array(v, pa.list_(pa.int64()))
    )
    | st.lists(st.booleans()).map(lambda v: pa.array(v, pa.bool_()))
    | st.lists(st.floats(allow_nan=False)).map(lambda v: pa.array(v, pa.float64()))
)


def digest(*chunks: pa.Array) -> str:
    running = ColumnDigest()
    for chunk in chunks:
        running.update(chunk)
    return running.hexdigest()


@given(columns, st.data())
def test_a_checksum_does_not_depend_on_chunks(column: pa.Array, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(column)))
    assert digest(column) == digest(column[:cut], column[cut:])


@given(columns, columns)
def test_equal_checksums_mean_equal_columns(left: pa.Array, right: pa.Array) -> None:
    if left.type == right.type and left.type != pa.float64():
        assert (digest(left) == digest(right)) == (left.to_pylist() == right.to_pylist())


def test_no_values_are_confused() -> None:
    alike = [
        pa.array([0, None], pa.int32()),
        pa.array([None, 0], pa.int32()),
        pa.array([0, 0], pa.int32()),
        pa.array([0], pa.int32()),
        pa.array([[0], [0]], pa.list_(pa.int32())),
        pa.array([[0, 0], []], pa.list_(pa.int32())),
        pa.array(["", None]),
        pa.array(["", ""]),
    ]
    assert len({digest(array) for array in alike}) == len(alike)


def test_sheet_rows_that_do_not_fit_their_positions_are_refused(
    first_sheets: LoserSheets,
) -> None:
    rows = rows_of_sheets(first_sheets)
    z = rows["p_position"].column("z").to_numpy()
    summary = rows["sheet"].cast(tables.arrow_schema(tables.sheet))
    for wrong_summary, wrong_z in [
        (summary, z[:-1]),
        (summary.slice(1), z),
        (summary.take([0, 2, 1, 3]), z),
        (summary, np.where(z == 4, 5, z)),
    ]:
        with pytest.raises(CorruptTableError):
            sheets_of_rows(wrong_summary, wrong_z)


@pytest.mark.parametrize("column", ["x", "prefix_length", "tail_period", "p_count", "tail_z"])
@pytest.mark.parametrize("row", range(4))
def test_a_false_number_in_a_row_of_a_sheet_is_noticed_without_checksums(
    first_sheets: LoserSheets, column: str, row: int
) -> None:
    rows = rows_of_sheets(first_sheets)
    schema = tables.arrow_schema(tables.sheet)
    values = rows["sheet"].cast(schema).to_pylist()
    old = values[row][column]
    values[row][column] = [*old, 1] if column == "tail_z" else old + 1
    false = pa.Table.from_pylist(values, schema=schema)
    with pytest.raises(CorruptTableError):
        sheets_of_rows(false, rows["p_position"].column("z").to_numpy())


def test_digests_of_columns_with_missing_truth_values() -> None:
    """NULL differs from false, and both have digests."""
    digests = set()
    for values in ([True, None, False], [True, False, False], [True, None, None]):
        digest = ColumnDigest()
        digest.update(pa.array(values, pa.bool_()))
        digests.add(digest.hexdigest())
    assert len(digests) == 3
