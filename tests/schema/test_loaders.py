"""Rows that do not fit together are noticed by their readers, also behind correct checksums."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from position_oracle.schema import tables
from position_oracle.schema.boards import read_boards
from position_oracle.schema.census import read_census
from position_oracle.schema.errors import CorruptTableError, UnknownGameError
from position_oracle.schema.reading import Snapshot


@dataclass
class Stored:
    """A stand-in for an open file: rows by the name of their table."""

    rows: dict[str, list[dict[str, Any]]]
    path: Path = field(default=Path("tables.duckdb"))

    def read_table(self, table: str, _game: str, *, check: bool) -> pa.Table:
        schema = tables.arrow_schema(tables.result_tables()[table])
        return pa.Table.from_pylist(self.rows[table], schema=schema)

    def read_column(self, table: str, column: str, _game: str, *, check: bool) -> Any:
        return np.array([row[column] for row in self.rows[table]], np.int64)

    def stream(self, table: str, _game: str, _columns: list[str]) -> Iterator[pa.RecordBatch]:
        return iter(self.read_table(table, _game, check=False).to_batches())


def snapshot(**rows: list[dict[str, Any]]) -> Snapshot:
    return cast("Snapshot", Stored(rows))


def census_rows() -> list[dict[str, Any]]:
    tails: list[list[int]] = [[1], [], [4], [6, 7]]
    numbers = ("prefix_length", "diagonal_z", "max_z", "lower", "upper")
    return [
        {"x": x, "tail_period": len(tail), "tail_z": tail, **dict.fromkeys(numbers, 3 * x)}
        for x, tail in enumerate(tails)
    ]


def test_a_census_is_read() -> None:
    found = read_census(snapshot(census=census_rows()), "chomp3")
    assert [found.tail(x).tolist() for x in range(4)] == [[1], [], [4], [6, 7]]
    assert found.prefix_length.tolist() == found.upper.tolist() == [0, 3, 6, 9]
    assert (found.limit, found.positions, found.counts()) == (3, 18, {0: 1, 1: 2, 2: 1})
    with pytest.raises(UnknownGameError, match="has no census of chomp3"):
        read_census(snapshot(census=[]), "chomp3")


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("column", ["x", "tail_period", "tail_z"])
def test_a_census_that_does_not_fit_together_is_not_read(column: str, row: int) -> None:
    rows = census_rows()
    rows[row][column] += [9] if column == "tail_z" else 1
    with pytest.raises(CorruptTableError, match="does not fit together"):
        read_census(snapshot(census=rows), "chomp3")


def board_rows() -> dict[str, list[dict[str, Any]]]:
    """Two bounding boards, with ranks up to the least and the largest."""
    ranks = [(0, 1), (0, 4), (0, 9), (1, 0), (1, 3)]
    return {
        "board_p_position": [
            {"outer_id": outer, "rank": rank, "row_lengths": [1]} for outer, rank in ranks
        ],
        "outer_board": [
            {
                "outer_id": number,
                "name": f"{number}",
                "row_lengths": [4, 2],
                "boards": boards,
                "p_positions": count,
                "complete_cookies": 1,
            }
            for number, (boards, count) in enumerate([(10, 3), (4, 2)])
        ],
    }


def test_boards_are_read() -> None:
    found = read_boards(snapshot(**board_rows()), "chomp")
    assert [each.p_ranks.tolist() for each in found] == [[1, 4, 9], [0, 3]]
    assert [each.outer.boards for each in found] == [10, 4]


@pytest.mark.parametrize(
    ("table", "row", "column", "value"),
    [
        ("board_p_position", 1, "rank", 9),  # as large as the next
        ("board_p_position", 1, "rank", 0),  # smaller than the one before
        ("board_p_position", 2, "rank", 10),  # outside the first bounding board
        ("board_p_position", 3, "rank", -1),
        ("board_p_position", 4, "rank", 4),
        ("board_p_position", 2, "outer_id", 1),
        ("board_p_position", 3, "outer_id", 0),
        ("outer_board", 0, "p_positions", 2),
        ("outer_board", 1, "p_positions", 1),
        ("outer_board", 1, "p_positions", 3),
        ("outer_board", 0, "outer_id", 1),
        ("outer_board", 1, "outer_id", 2),
        ("outer_board", 1, "boards", 3),
    ],
)
def test_boards_that_do_not_fit_together_are_not_read(
    table: str, row: int, column: str, value: int
) -> None:
    rows = board_rows()
    rows[table][row][column] = value
    with pytest.raises(CorruptTableError):
        read_boards(snapshot(**rows), "chomp")
