"""Publication is all or nothing, for readers, other games and the next writer."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from position_oracle.schema.errors import BuildError, CorruptTableError
from position_oracle.schema.games import Build
from position_oracle.schema.snapshot import (
    GameRow,
    LoserSheets,
    Snapshot,
    Store,
    begin_draft,
    utc_now,
)

REPOSITORY = Path(__file__).parents[2]


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()} - {".lock"}


def test_a_draft_that_is_not_published_leaves_no_trace(published: Path) -> None:
    before = names(published)
    with begin_draft(published) as draft:
        draft.replace(GameRow(12, "nim{heaps=3}", "nim", 3), "z", ["p_position"])
    assert names(published) == before


def test_an_error_while_writing_keeps_the_current_file(published: Path) -> None:
    before = names(published)

    def fail() -> None:
        with begin_draft(published) as draft:
            draft.replace(GameRow(11, "chomp3", "chomp3"), "sheets", ["p_position", "sheet"])
            raise RuntimeError("the solver failed")

    with pytest.raises(RuntimeError, match="solver"):
        fail()
    assert names(published) == before
    with Snapshot.open(published) as snapshot:
        assert snapshot.row_count("sheet", "chomp3") == 4


def test_unfinished_results_are_not_published(published: Path) -> None:
    with begin_draft(published) as draft:
        draft.replace(GameRow(11, "chomp3", "chomp3"), "sheets", ["p_position"])
        with pytest.raises(BuildError, match="not finished"):
            draft.publish()
    assert Store(published).require_current().name == "oracle-000001.duckdb"


def test_results_changed_behind_the_writer_are_not_published(tmp_path: Path) -> None:
    with begin_draft(tmp_path) as draft:
        writer = draft.replace(GameRow(12, "nim{heaps=3}", "nim", 3), "z", ["p_position"])
        numbers = np.arange(5, dtype=np.int32)
        writer.append("p_position", {"x": numbers, "y": numbers, "z": numbers})
        draft._connection.execute("UPDATE p_position SET z = 9 WHERE x = 2")
        writer.finish(limit="4", started_at=utc_now(), seconds=1.0, environment="{}")
        with pytest.raises(CorruptTableError, match=r"p_position\.z .* not what was written"):
            draft.publish()
    assert Store(tmp_path).current() is None


def test_building_a_game_again_replaces_its_rows_only(
    published: Path, first_sheets: LoserSheets, publish: Callable[..., Build]
) -> None:
    other = GameRow(12, "chomp3{passes=1}", "chomp3", passes=1)
    publish(published, first_sheets, other)
    smaller = LoserSheets(
        0,
        first_sheets.prefix_offset[:2],
        first_sheets.prefix_z[:0],
        first_sheets.tail_period[:1],
        first_sheets.tail_offset[:2],
        first_sheets.tail_z[:1],
    )
    record = publish(published, smaller)
    assert record.build_id == 3
    with Snapshot.open(published) as snapshot:
        assert [(b.build_id, b.game) for b in snapshot.builds()] == [
            (2, "chomp3{passes=1}"),
            (3, "chomp3"),
        ]
        assert snapshot.row_count("sheet", "chomp3") == 1
        assert snapshot.row_count("sheet", other.name) == 4
        snapshot.verify("chomp3", "sheets")
        snapshot.verify(other.name, "sheets")


def test_equal_tables_have_equal_checksums_whatever_the_blocks(
    tmp_path: Path, first_sheets: LoserSheets, publish: Callable[..., Build]
) -> None:
    cut = 2
    at, tail_at = first_sheets.prefix_offset[cut], first_sheets.tail_offset[cut]
    low = LoserSheets(
        0,
        first_sheets.prefix_offset[: cut + 1],
        first_sheets.prefix_z[:at],
        first_sheets.tail_period[:cut],
        first_sheets.tail_offset[: cut + 1],
        first_sheets.tail_z[:tail_at],
    )
    high = LoserSheets(
        cut,
        first_sheets.prefix_offset[cut:] - at,
        first_sheets.prefix_z[at:],
        first_sheets.tail_period[cut:],
        first_sheets.tail_offset[cut:] - tail_at,
        first_sheets.tail_z[tail_at:],
    )
    whole = publish(tmp_path / "a", first_sheets)
    blocks = publish(tmp_path / "b", first_sheets, blocks=[low, high])
    assert whole.checksum == blocks.checksum


def test_readers_keep_what_they_opened(
    published: Path, first_sheets: LoserSheets, publish: Callable[..., Build]
) -> None:
    with Snapshot.open(published) as before:
        for _ in range(3):
            publish(published, first_sheets, GameRow(12, "chomp3{passes=1}", "chomp3", passes=1))
        assert not before.path.exists()
        assert [game.name for game in before.games()] == ["chomp3"]
        assert len(before.read_sheets("chomp3")) == 4
    with Snapshot.open(published) as after:
        assert len(after.games()) == 2


def test_the_current_file_and_two_before_it_are_kept(
    published: Path, first_sheets: LoserSheets, publish: Callable[..., Build]
) -> None:
    for _ in range(4):
        publish(published, first_sheets)
    assert names(published) == {"CURRENT", *(f"oracle-00000{n}.duckdb" for n in (3, 4, 5))}


def test_a_store_may_be_one_file(
    tmp_path: Path, first_sheets: LoserSheets, publish: Callable[..., Build]
) -> None:
    place = tmp_path / "tables.duckdb"
    for _ in range(2):
        publish(place, first_sheets)
        with Snapshot.open(place) as snapshot:
            assert len(snapshot.read_sheets("chomp3")) == 4
    assert names(tmp_path) == {"tables.duckdb", ".tables.duckdb.lock"}


def test_killed_at_any_moment_the_store_stays_whole(tmp_path: Path) -> None:
    place = tmp_path / "data"
    result = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_writer.py")), str(place)],
        cwd=tmp_path,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.stdout == "-9 " * 9 + "0 0", result.stderr
    files = {path.name for path in place.glob("*")}
    assert not [name for name in files if name.startswith(".draft")]
    assert len(files) <= 6
