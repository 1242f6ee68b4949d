"""Outcomes of Chomp boards: conversion between arrays and rows of P-positions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from position_oracle.schema import tables
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.reading import Snapshot

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class OuterBoard:
    """A bounding board whose inside is stored.

    Attributes:
        name: box as `13x13`, or a number of cookies.
        row_lengths: row lengths of the bounding board, poison row first.
        boards: number of boards inside.
        p_positions: number of P-positions inside.
        complete_cookies: every board of at most this number of cookies is inside.
    """

    name: str
    row_lengths: tuple[int, ...]
    boards: int
    p_positions: int
    complete_cookies: int


@dataclass(frozen=True, slots=True)
class StoredBoards:
    """A bounding board and the P-positions inside.

    Attributes:
        outer: the bounding board.
        p_ranks: int64, ranks of the P-positions inside, strictly ascending.
    """

    outer: OuterBoard
    p_ranks: IntArray


def rows_of_outer_boards(outer_boards: list[OuterBoard]) -> pa.Table:
    """Return the rows of the table `outer_board`, numbered in the given order."""
    columns = {
        "outer_id": range(len(outer_boards)),
        "name": [outer.name for outer in outer_boards],
        "row_lengths": [list(outer.row_lengths) for outer in outer_boards],
        "boards": [outer.boards for outer in outer_boards],
        "p_positions": [outer.p_positions for outer in outer_boards],
        "complete_cookies": [outer.complete_cookies for outer in outer_boards],
    }
    return pa.table(columns, schema=tables.arrow_schema(tables.outer_board))


def rows_of_p_positions(outer_id: int, ranks: IntArray, boards: IntArray) -> pa.Table:
    """Return rows of the table `board_p_position`.

    Args:
        outer_id: number of the bounding board.
        ranks: int64 (k,), ascending.
        boards: int64 (k, rows), row lengths of the same boards, zeros for empty rows.
    """
    lengths = np.count_nonzero(boards, axis=1)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    values = boards[boards > 0]
    return pa.table(
        {
            "outer_id": np.full(len(ranks), outer_id, np.int32),
            "rank": ranks,
            "row_lengths": pa.ListArray.from_arrays(
                offsets.astype(np.int32), values.astype(np.int32)
            ),
        }
    )


def read_boards(snapshot: Snapshot, game: str, *, check: bool = True) -> list[StoredBoards]:
    """Return all stored outcomes of a game, by number of the bounding board.

    Args:
        snapshot: an open table file.
        game: canonical text of the game.
        check: whether to compare the data with their checksums.

    Raises:
        UnknownGameError: the file has no results for the game.
        CorruptTableError: the file is damaged, or its parts do not fit together.
    """
    table = tables.board_p_position.name
    outer_ids = snapshot.read_column(table, "outer_id", game, check=check)
    ranks = snapshot.read_column(table, "rank", game, check=check)
    stored, done = [], 0
    for number, outer in enumerate(_read_outer_boards(snapshot, game)):
        part = slice(done, done + outer.p_positions)
        done = part.stop
        p_ranks = ranks[part]
        fits = (
            len(p_ranks) == outer.p_positions
            and bool((outer_ids[part] == number).all())
            and bool((np.diff(p_ranks) > 0).all())
            and (not len(p_ranks) or 0 <= p_ranks[0] <= p_ranks[-1] < outer.boards)
        )
        if not fits:
            raise CorruptTableError(
                f"{snapshot.path}: {game}: the P-positions inside {outer.name} do not fit it"
            )
        stored.append(StoredBoards(outer, p_ranks))
    if done != len(ranks):
        raise CorruptTableError(f"{snapshot.path}: {game}: P-positions inside no bounding board")
    return stored


def read_p_boards(snapshot: Snapshot, game: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield bounding board (its number), rank and row lengths of every P-position, as stored.

    Raises:
        UnknownGameError: the file has no results for the game.
        CorruptTableError: the file is damaged.
    """
    names = tables.arrow_schema(tables.board_p_position).names
    for batch in snapshot.stream(tables.board_p_position.name, game, names):
        columns = (batch.column(name).to_pylist() for name in names)
        for outer_id, rank, lengths in zip(*columns, strict=True):
            yield outer_id, rank, tuple(lengths)


def read_board_counts(snapshot: Snapshot, game: str, outer_id: int) -> dict[str, IntArray]:
    """Return the columns of `board_count` for one bounding board, without `outer_id`; int64.

    Raises:
        UnknownGameError: the file has no results for the game.
        CorruptTableError: the file is damaged.
    """
    table = tables.board_count
    chosen = snapshot.read_column(table.name, "outer_id", game, check=False) == outer_id
    return {
        column.name: snapshot.read_column(table.name, column.name, game, check=False)[
            chosen
        ].astype(np.int64)
        for column in tables.value_columns(table)
        if column.name != "outer_id"
    }


def _read_outer_boards(snapshot: Snapshot, game: str) -> list[OuterBoard]:
    names = tables.arrow_schema(tables.outer_board).names
    rows = [
        row
        for batch in snapshot.stream(tables.outer_board.name, game, names)
        for row in batch.to_pylist()
    ]
    if [row.pop("outer_id") for row in rows] != list(range(len(rows))):
        raise CorruptTableError(f"{snapshot.path}: {game}: bounding boards are not numbered from 0")
    return [OuterBoard(**row | {"row_lengths": tuple(row["row_lengths"])}) for row in rows]
