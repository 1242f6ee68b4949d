"""Grids of ordinals: complete, sortable, and in agreement with the theorems."""

from collections import Counter

import pytest

from position_oracle.engine.jobs.transfinite.grids import (
    FragmentPlan,
    Grid,
    Row,
    fragment_rows,
)
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import ZERO, natural
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.schema.answers import Outcome

SMALL = FragmentPlan(
    two_wide=Grid((parse_ordinal("w"), natural(1), ZERO), 1),
    three_wide=Grid((natural(1), ZERO), 2),
    two_by_two=Grid((natural(2), natural(1), ZERO), 1),
)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(fragment_rows(SMALL))


def test_the_default_plan_has_a_hundred_thousand_rows() -> None:
    assert len(FragmentPlan.of("2x3x2")) >= 100_000


def test_all_positions_once(rows: list[Row]) -> None:
    assert len(rows) == len(SMALL)
    assert len({(row["base"], row["position"]) for row in rows}) == len(rows)
    assert set(Counter(row["base"] for row in rows)) == {"two_wide", "three_wide", "two_by_two"}


def test_rows_say_what_the_position_is(rows: list[Row]) -> None:
    for row in rows:
        position = parse_position(row["position"].removeprefix("transfinite:"))
        found = decide(position)
        assert row["outcome"] == (None if found.outcome is Outcome.UNKNOWN else str(found.outcome))
        assert row["size"] == str(found.size)
        assert row["grundy_unrestricted"] is not None or row["base"] != "two_wide"
        assert row["grundy_unrestricted"] is None or row["grundy_unrestricted"] == str(found.grundy)
        assert (row["bite"] is None) == (found.bite is None)
        heights = [parse_ordinal(text) for text in row["heights"]]
        if row["base"] == "two_by_two":
            u, v, y, z = heights
            assert parse_position(f"[{v} {z}; {u} {y}]") == position
            assert row["block_type"] in set("ABCDEF")
        else:
            assert [position.height(column) for column in range(len(heights))] == heights
            assert row["block_type"] is None


def test_keys_sort_like_ordinals(rows: list[Row]) -> None:
    pairs = {
        (key, text)
        for row in rows
        for key, text in zip(row["height_keys"], row["heights"], strict=True)
    }
    pairs |= {(row["size_key"], row["size"]) for row in rows}
    pairs |= {
        (row["grundy_key"], row["grundy_unrestricted"])
        for row in rows
        if row["grundy_unrestricted"] and row["grundy_key"]
    }
    by_key = [parse_ordinal(text) for _, text in sorted(pairs)]
    assert by_key == sorted(by_key)


def test_grids() -> None:
    grid = Grid((natural(1), ZERO), 2)
    assert [str(x) for x in grid.ordinals()] == [
        "1",
        "2",
        "w",
        "w+1",
        "w+2",
        "w*2",
        "w*2+1",
        "w*2+2",
    ]
    assert len(grid) == 8
