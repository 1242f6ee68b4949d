"""The tables that an answer depends on, and their limits, as programs read them."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.oracle.answers import GameSource, Limits, Outcome, Tables
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.heaps.arrays import load_sheets
from position_oracle.oracle.families.resources import StoredTable
from position_oracle.schema.errors import CorruptTableError, InvalidPositionError
from position_oracle.schema.games import Build
from tests.oracle.tables import board_table, heap_table


@pytest.fixture(scope="module")
def tables(store: Path) -> list[StoredTable]:
    from position_oracle.oracle.loading import load_tables

    return list(load_tables(store))


def relabelled(table: StoredTable, **changes: object) -> StoredTable:
    return StoredTable(replace(table.build, **changes), table.arrays)  # type: ignore[arg-type]


def test_every_answer_names_its_tables(store: Path) -> None:
    oracle = Oracle.open(store)
    expected = oracle.tables()
    assert len(expected.version) == 16
    assert len(expected.build_ids) > 3
    assert oracle.outcome("chomp3:[4,3,2]").tables == expected
    assert oracle.winning_moves("nim:[3,5]").tables == expected
    assert oracle.analyze("nim:[3,5]").answer.tables == expected
    assert oracle.win_probability("nim:[3,5]", "random").tables == expected
    assert oracle.winning_moves("nim:[3,5]").as_json()["tables"] == expected.version


def test_equal_tables_have_one_version_in_any_order(tables: list[StoredTable]) -> None:
    """The version depends on the content of tables, not on when and how they were built."""
    version = Oracle(tables).tables().version
    renumbered = [relabelled(table, build_id=99, seconds=7.5, rows=0) for table in tables[::-1]]
    assert Oracle(renumbered).tables().version == version
    assert Oracle(tables).tables().build_ids == tuple(sorted(t.build.build_id for t in tables))


@pytest.mark.parametrize(
    "change", [{"checksum": "0" * 16}, {"limit": "299"}, {"kind": "other"}, {"game": "chomp"}]
)
def test_other_tables_have_another_version(
    tables: list[StoredTable], change: dict[str, str]
) -> None:
    builds = [table.build for table in tables]
    changed: list[Build] = [replace(builds[0], **change), *builds[1:]]  # type: ignore[arg-type]
    assert Tables.of(changed).version != Tables.of(builds).version
    assert Tables.of(builds[1:]).version != Tables.of(builds).version


def within(game: GameSpec, limits: Limits, chance: random.Random) -> Iterator[Position]:
    """Random positions inside limits. Numbers without a limit are small or very large."""

    def number(*most: int | None) -> int:
        bound = min((value for value in most if value is not None), default=10**12)
        return min(int(bound * 2 ** -chance.uniform(0, 40)), bound)

    columns, cells = limits.get("columns"), limits.get("cells")
    while True:
        match game.family:
            case "chomp3":
                x = number(limits.get("x"), columns)
                y = number(limits.get("y"), None if columns is None else columns - x)
                z = number(limits.get("z"), None if columns is None else columns - x - y)
                numbers: tuple[int, ...] = (x, y, z)
            case "chomp":
                rows = number(min(limits.get("rows") or cells or 6, 12)) or 1
                longest = columns or (cells or 12) // rows or 1
                board = sorted((number(longest) for _ in range(rows)), reverse=True)
                if "x" in limits:
                    board[2:] = [min(row, limits["x"]) for row in board[2:]]
                numbers = tuple(row for row in board if row)
            case _:
                count = game.heaps or number(limits.get("heaps")) or 1
                if game.family == "wythoff":
                    count = limits["heaps"]
                heap, others = limits.get("heap"), limits.get("other_heaps")
                small = [number(heap, others) for _ in range(count - 1)]
                numbers = (*small, number(heap))
        try:
            yield rules_of(game.family).position(game, numbers)
        except InvalidPositionError:
            continue


def is_answered(oracle: Oracle, source: GameSource, position: Position) -> bool:
    if "outcome" in source.questions:
        return oracle.outcome(position).outcome is not Outcome.UNKNOWN
    values = oracle.analyze(position, moves=False).values
    return getattr(values, source.questions[0]) is not None


HEAPS_OR_BOARDS = {"chomp3", "chomp", "nim", "wythoff", "subtraction", "nim_heap_pass"}


def test_what_is_inside_the_limits_is_answered(tables: list[StoredTable]) -> None:
    more = [
        board_table(Outer.parse("6x6")),
        board_table(Outer.parse("20")),
        heap_table(parse("wythoff{rule=pairs}:[0,0,0]").game, 40, 40),
    ]
    oracle, chance = Oracle([*tables, *more]), random.Random(5)
    checked = 0
    sources = ((info.game, source) for info in oracle.games() for source in info.sources)
    for game, source in sources:
        limits = source.limits
        if limits is None or "positions" in limits or game.family not in HEAPS_OR_BOARDS:
            continue
        positions = within(game, limits, chance)
        for position in (next(positions) for _ in range(60)):
            if source.questions[0] != "outcome" and not any(position.coordinates):
                continue  # the empty board, which has no value
            assert is_answered(oracle, source, position), (source, str(position))
        checked += 1
    assert checked >= 12


def test_limits_of_tables_are_their_own(tables: list[StoredTable]) -> None:
    (info,) = (info for info in Oracle(tables).games() if info.game.text == "chomp3")
    sheets = [each for each in info.sources if each.build and each.build.kind == "sheets"]
    assert [source.limits for source in sheets] == [{"x": 300}]
    values = [source for source in info.sources if source.questions[0] == "grundy"]
    assert [source.limits for source in values] == [{"columns": 30}]


def test_every_listed_game_has_a_position_to_begin_with(tables: list[StoredTable]) -> None:
    games = Oracle(tables).games()
    starts = [parse(info.introduction.start).game for info in games]
    assert [replace(game, heaps=None) for game in starts] == [info.game for info in games]


@pytest.mark.parametrize("lengths", [[3, 2, 4], [0, 0, 0]])
def test_sheets_of_heaps_that_differ_in_length_are_refused(lengths: list[int]) -> None:
    sheets = SimpleNamespace(
        prefix_length=np.array(lengths), prefix_z=np.zeros(sum(lengths), np.int32)
    )
    snapshot: Any = SimpleNamespace(path="file", read_sheets=lambda _: sheets)
    build: Any = SimpleNamespace(game="nim{heaps=3,passes=1}")
    with pytest.raises(CorruptTableError, match="differ in length"):
        load_sheets(snapshot, build)
