"""The checks of loser sheets by the rules: each notices its kind of wrong position."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.moves import options
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.heap_sheets import cut_sheets
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.jobs.sheets_checks import StoredSheets
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot

GOLDEN = Path(__file__).parents[2] / "golden"
LIMIT = "there is every column up to the limit"
REACHES = "no P-position of a sample reaches another"
REACHES_NONE = "every N-position of a sample reaches a P-position"


@pytest.fixture(scope="module")
def sheets(store: Path) -> LoserSheets:
    """The sheets of plain three-row Chomp up to x = 300."""
    with Snapshot.open(store) as snapshot:
        return snapshot.read_sheets("chomp3")


def failing(checks: Sequence[Check]) -> list[str]:
    return [each.name for each in checks if not each.passed]


def test_a_check_shows_its_first_failure() -> None:
    assert check("c", 3, ["one", "two"]) == Check("c", 3, "one")
    assert check("c", 3, ()) == Check("c", 3)
    assert check_equal("c", 1, [1], [2]).detail == "[1] instead of [2]"
    assert check_equal("c", 1, [1], [1]).passed


def test_the_limit_is_compared_with_the_sheets(sheets: LoserSheets) -> None:
    stored = StoredSheets(parse_game("chomp3"), sheets)
    for limit, wrong in (("299", [LIMIT]), ("300", []), ("301", [LIMIT])):
        assert failing(list(stored.checks(limit, Sample(50)))) == wrong


@pytest.mark.parametrize(("x", "y"), [(1, 0), (0, 9), (299, 0), (300, 0), (198, 500)])
def test_a_declared_p_position_is_noticed_among_p_positions_only(
    sheets: LoserSheets, x: int, y: int
) -> None:
    """Declared positions are checked before any sample, in the first and last sheets and tails."""
    declared = x, y, int(sheets.look_up(x, y))
    stored = StoredSheets(GameSpec("chomp3", declared=(declared,)), sheets)
    assert failing(list(stored.checks("300", Sample(10)))) == [REACHES]


def test_missing_p_positions_are_noticed_among_n_positions_only(sheets: LoserSheets) -> None:
    """With every second sheet empty, no P-position reaches another; many N-positions reach none."""
    lengths = sheets.prefix_length * (np.arange(len(sheets)) % 2 == 0)
    kept = np.concatenate([sheets.prefix(x)[: lengths[x]] for x in range(len(sheets))])
    tails = np.where(np.arange(len(sheets)) % 2 == 0, sheets.tail_period, 0)
    thinned = replace(
        sheets,
        prefix_offset=np.concatenate([[0], np.cumsum(lengths)]),
        prefix_z=kept,
        tail_period=tails.astype(np.int32),
    )
    stored = StoredSheets(GameSpec("chomp3"), thinned)
    assert failing(list(stored.checks("300", Sample(500)))) == [REACHES_NONE]


def test_winning_positions_are_those_of_the_golden_cases(sheets: LoserSheets) -> None:
    stored = StoredSheets(GameSpec("chomp3"), sheets)
    for case in map(json.loads, (GOLDEN / "01_chomp3.jsonl").read_text().splitlines()):
        assert stored.reaches_p(tuple(case["position"])) == bool(case["winning_moves"])


@pytest.mark.parametrize(
    "text",
    [
        "chomp3",
        "chomp3{passes=1}",
        "chomp3{declared=[1,1,1]+[2,0,3]}",
        "nim{heaps=3,passes=1}",
        "nim{heaps=3,misere}",
        "wythoff{rule=pairs}",
        "wythoff{rule=all}",
        "wythoff{rule=both}",
    ],
)
def test_moves_are_those_of_the_rules(text: str) -> None:
    game = parse_game(text)
    if game.family == "chomp3":
        known = {n: solve_game(game.with_passes(n), 13) for n in range(game.passes + 1)}
    else:
        every = range(game.passes + 1)
        known = {n: cut_sheets(solve_sheets(game.with_passes(n), 12, 12), 0) for n in every}
    stored = StoredSheets(game, known[game.passes], known.get(game.passes - 1))
    random = np.random.default_rng(5)
    for x, y, z in random.integers(0, 12, (200, 3)).tolist():
        if game.declares((x, y, z)) or x + y + z == 0:
            continue
        children = [child for _, child in options(Position(game, (x, y, z)))]
        expected = any(
            int(known[child.game.passes].look_up(*child.coordinates[:2])) == child.coordinates[2]
            for child in children
        )
        assert stored.reaches_p((x, y, z)) == expected, (x, y, z)
