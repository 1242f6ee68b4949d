"""Sheets of instant winners, compared with golden windows and with the moves themselves."""

import json
from pathlib import Path

import numpy as np
import pytest

from position_oracle.engine.games.chomp3 import RULES
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.schema.answers import Origin
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)

GOLDEN = Path(__file__).parents[2] / "golden"


def test_golden_windows() -> None:
    plain = solve(64)
    games = {"chomp3": plain, "chomp3_pass1": solve(64, exclusions=plain)}
    lines = (GOLDEN / "10_sheets.jsonl").read_text().splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "W"]
    cases = [case for case in cases if case["game"] in games]
    assert len(cases) == 8
    for case in cases:
        size = case["window"]
        window = instant_winners(games[case["game"]], case["x"], size, size)
        assert np.argwhere(window).tolist() == sorted(case["W"]), case["x"]


def test_an_instant_winner_has_a_move_to_a_p_position_of_smaller_x() -> None:
    sheets = solve(30)
    for x in (1, 2, 7, 17, 29):
        window = instant_winners(sheets, x, 15, 15)
        for y, z in np.ndindex(*window.shape):
            children = [c for _, c in RULES.actions((x, y, z), GameSpec("chomp3"))]
            lower = [c for c in children if c[0] < x and sheets.z_at(c[0], c[1]) == c[2]]
            assert bool(window[y, z]) == bool(lower), (x, y, z)
            by_diagonal = any(c[1] == 0 and sum(c) == x + y + z for c in lower)
            assert bool(window[y, z] & Origin.DIAGONAL) == by_diagonal


def test_loser_sheets_avoid_instant_winners() -> None:
    sheets = solve(200)
    window = instant_winners(sheets, 199, 300, 300)
    for y in range(300):
        z = sheets.z_at(199, y)
        assert z is None or z >= 300 or not window[y, z]


def test_every_origin_occurs_in_a_large_sheet() -> None:
    window = instant_winners(solve(300), 300, 300, 300)
    for origin in (Origin.LOWER, Origin.UPPER, Origin.FLAT, Origin.DIAGONAL):
        assert (window & origin).any()
    assert not (window & Origin.RECTANGLE).any()


def test_beyond_a_rectangle_in_p_everything_is_an_instant_winner() -> None:
    sheets = solve(20, declared=[(1, 1, 0)])
    assert sheets.closed_by == 2
    for x in (0, 1, 2):
        assert not (instant_winners(sheets, x, 4, 4) & Origin.RECTANGLE).any()
    for x in (3, 50):
        assert (instant_winners(sheets, x, 4, 4) & Origin.RECTANGLE).all()


def test_refusals() -> None:
    sheets = solve(10)
    with pytest.raises(UnknownAnswerError, match="below 10"):
        instant_winners(sheets, 11, 4, 4)
    with pytest.raises(InvalidPositionError, match="negative"):
        instant_winners(sheets, 3, -1, 4)
    with pytest.raises(ResourceLimitError, match="too large"):
        instant_winners(sheets, 3, 1 << 20, 1 << 20)
