"""Tables as Parquet and CSV: equal rows, a true datasheet, and a folder that is whole or absent."""

import csv
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.schema import tables
from position_oracle.schema.description import HELPER
from position_oracle.schema.errors import MissingTableError, TableFileError, UnknownGameError
from position_oracle.schema.export import Format, export
from position_oracle.schema.snapshot import Snapshot


def exported(store: Path, folder: Path, form: Format, *names: str) -> dict[str, Path]:
    with Snapshot.open(store) as snapshot:
        files = export(snapshot, folder, form, names)
    return {each.table: folder / each.name for each in files}


def test_parquet_has_the_stored_rows(store: Path, tmp_path: Path) -> None:
    paths = exported(store, tmp_path / "out", Format.PARQUET)
    assert {"sheet", "p_position"} <= paths.keys()
    with Snapshot.open(store) as snapshot:
        games = [game.name for game in snapshot.games()]
        for name in paths.keys() & tables.result_tables().keys():
            found = pq.read_table(paths[name])
            for game in games:
                expected = snapshot.read_table(name, game)
                mine = found.filter([value == game for value in found["game"].to_pylist()])
                assert mine.drop_columns("game").equals(expected), (name, game)


def test_views_are_exported(store: Path, tmp_path: Path) -> None:
    paths = exported(store, tmp_path / "out", Format.PARQUET)
    with Snapshot.open(store) as snapshot:
        views = snapshot.cursor().sql("SELECT view_name FROM duckdb_views() WHERE NOT internal")
        for (name,) in views.fetchall():
            expected = snapshot.cursor().sql(f"FROM {name}").to_arrow_table().to_pylist()
            if name.startswith(HELPER) or not expected:
                assert name not in paths
            else:
                found = pq.read_table(paths[name]).to_pylist()
                assert sorted(map(repr, found)) == sorted(map(repr, expected)), name
        (one,) = export(snapshot, tmp_path / "one", Format.CSV, ["sheets"], ["chomp3"])
        assert one.rows == snapshot.row_count("sheet", "chomp3")
    with (tmp_path / "one" / one.name).open(newline="") as file:
        assert {row["game"] for row in csv.DictReader(file)} == {"chomp3"}


def test_what_is_named_twice_is_written_once(store: Path, tmp_path: Path) -> None:
    with Snapshot.open(store) as snapshot:
        game = snapshot.games()[0].name
        once, twice = (
            export(snapshot, tmp_path / str(n), Format.CSV, ["sheet"] * n, [game] * n)
            for n in (1, 2)
        )
    assert once == twice


def test_csv_has_the_same_rows(store: Path, tmp_path: Path) -> None:
    path = exported(store, tmp_path / "csv", Format.CSV, "sheet")["sheet"]
    parquet = exported(store, tmp_path / "parquet", Format.PARQUET, "sheet")["sheet"]
    expected = pq.read_table(parquet).to_pylist()
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(expected)
    for row, other in zip(rows, expected, strict=True):
        assert row.keys() == other.keys()
        for name, value in other.items():
            text = json.dumps(value) if isinstance(value, list) else value
            assert row[name] == ("" if text is None else str(text))


@pytest.mark.parametrize("form", Format)
def test_the_datasheet_is_true(store: Path, tmp_path: Path, form: Format) -> None:
    folder = tmp_path / "out"
    exported(store, folder, form)
    sheet = json.loads((folder / "datasheet.json").read_text())
    names = {"datasheet.json", "DATASHEET.md", *(each["file"] for each in sheet["files"])}
    assert {path.name for path in folder.iterdir()} == names
    people = (folder / "DATASHEET.md").read_text()
    with Snapshot.open(store) as snapshot:
        assert sheet["source"]["identity"] == snapshot.identity
        assert [b["checksum"] for b in sheet["builds"]] == [b.checksum for b in snapshot.builds()]
    for each in sheet["files"]:
        content = (folder / each["file"]).read_bytes()
        assert each["bytes"] == len(content)
        assert each["sha256"] == hashlib.sha256(content).hexdigest()
        assert each["sha256"] in people
        meanings = {column["name"]: column["meaning"] for column in each["columns"]}
        assert all(meanings.values())
        if (table := tables.result_tables().get(each["table"])) is not None:
            assert meanings.pop("game") == "canonical text of the game"
            assert meanings == {c.name: c.comment for c in tables.value_columns(table)}


@pytest.mark.parametrize("form", Format)
def test_files_of_so_many_rows_are_the_table_one_after_the_other(
    store: Path, tmp_path: Path, form: Format
) -> None:
    names = ["sheet", "openings", "census"]
    with Snapshot.open(store) as snapshot:
        whole = export(snapshot, tmp_path / "whole", form, names)
        parts = export(snapshot, tmp_path / "parts", form, names, most_rows=70)
    sheet = json.loads((tmp_path / "parts/datasheet.json").read_text())
    assert [each["file"] for each in sheet["files"]] == [part.name for part in parts]
    for each in whole:
        files = [tmp_path / "parts" / part.name for part in parts if part.table == each.table]
        assert files == sorted((tmp_path / "parts" / each.table).iterdir())
        full, last = divmod(each.rows, 70)
        sizes = [70] * full + [last] * (last > 0 or not full)
        assert [part.rows for part in parts if part.table == each.table] == sizes
        if form is Format.PARQUET:
            expected = pq.read_table(tmp_path / "whole" / each.name)
            assert pa.concat_tables(map(pq.read_table, files)).equals(expected)
        else:
            texts = [path.read_bytes() for path in (tmp_path / "whole" / each.name, *files)]
            rows = [text.partition(b"\n")[2] for text in texts]
            assert b"".join(rows[1:]) == rows[0]


def test_a_folder_is_never_written_over(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    assert exported(store, tmp_path / "empty", Format.CSV, "sheet")
    with pytest.raises(TableFileError, match="exists and is not empty"):
        exported(store, tmp_path / "empty", Format.CSV, "sheet")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(TableFileError, match=r"^\. exists"):
        exported(store, Path(), Format.CSV, "sheet")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(TableFileError, match="exists and is not empty"):
        exported(store, tmp_path / "file", Format.CSV, "sheet")
    assert (tmp_path / "file").read_text() == "mine"


def test_what_fails_leaves_nothing(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("position_oracle.schema.export._digest", full)
    with pytest.raises(TableFileError, match="No space left"):
        exported(store, tmp_path / "out", Format.PARQUET)
    assert list(tmp_path.iterdir()) == []


def test_tables_and_games_are_chosen(store: Path, tmp_path: Path) -> None:
    with Snapshot.open(store) as snapshot:
        game = snapshot.games()[0].name
        (only,) = export(snapshot, tmp_path / "one", Format.PARQUET, ["sheet"], [game])
        assert only.rows == snapshot.row_count("sheet", game)
        sheet = json.loads((tmp_path / "one/datasheet.json").read_text())
        builds = [build.checksum for build in snapshot.builds() if build.game == game]
        assert [build["checksum"] for build in sheet["builds"]] == builds
        with pytest.raises(MissingTableError, match="no table or view 'game'"):
            export(snapshot, tmp_path / "two", Format.PARQUET, ["game"])
        with pytest.raises(UnknownGameError, match="has no tables for"):
            export(snapshot, tmp_path / "two", Format.PARQUET, ["sheet"], ["nim{heaps=63}"])
    assert not (tmp_path / "two").exists()


def test_at_the_terminal(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "out")
    assert run(["export", folder, "--db", str(store), "--table", "sheet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == "sheet.parquet"
    for arguments, code in (
        ([folder], 1),
        ([f"{folder}2", "--table", "game"], 1),
        ([f"{folder}2", "--game", "chmop"], 2),
        ([f"{folder}2", "--format", "xls"], 2),
    ):
        assert run(["export", *arguments, "--db", str(store)]) == code
        assert len(capsys.readouterr().err.splitlines()) == 1
