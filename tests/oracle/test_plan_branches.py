"""The tested questions reach every branch of every plan; branches are counted."""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import PositionOracleError
from tests.builds import build_all
from tests.clock import takes_at_most
from tests.mutation.reach import blocks
from tests.oracle import mixed
from tests.oracle.test_batches import tabled
from tests.oracle.test_costs import HEAPS
from tests.oracle.test_plans import BATCHES, POSITIONS, TIMES, rows_of

ROOT = Path(__file__).parents[2]
FAMILIES = "oracle/families/"
WORK = {"run", "look", "plan_look_up", "value", "grundy", "solve", "known", "unknown_turns"}
"""Functions inside plans that do the work."""

LARGE = (
    "chomp:40/39/38/37/36/35/34/33/32/31",
    "chomp:9x9x2;1",
    "chomp:" + "/".join(["60"] * 40),
    "chomp:" + "/".join(["2000"] * 4),
    "chomp3:[900,40,3]",
    "chomp3:[900,40,3;2]",
    "chomp3:[2000000,5,0]",
    "lasker:[5,9]",
    "nim:[5,6,7,8,9,9;1]",
    "nim:[99,99,99,99;1]",
    "wythoff{rule=pairs,misere}:[1,2,4611686018427387904]",
    "wythoff{rule=pairs,misere}:[700,800,900]",
    "octal{code=0.77,misere,heappass}:[3p,4]",
    "kayles{misere}:[5,7]",
    "grundy{misere}:[9]",
    "nim:[3,4;1]",
    "nim:[30,4;1]",
    "chomp:3000000/5/4",
    "chomp:0",
    "chomp3{declared=[1,2,3]}:[900,1,1]",
    "divisors:2^3*3^2*5;1",
    "divisors:2^9*3^8*5^3;1",
    "circular{k=2}:[1,1,2,1,2]",
)
"""Positions that few sources know."""

GAMES = (
    *("nim{declared=[1,6,7]}", "nim{heaps=2,passes=1}", "nim{passes=2}", "nim{misere,passes=1}"),
    *("kayles{passes=1}", "grundy{misere}", "kayles{misere}", "octal{code=0.77,misere,heappass}"),
    *("wythoff{rule=all}", "chomp3{declared=[1,2,3]}", "toads"),
)
WINDOWS = (
    *("chomp3", "chomp3{passes=1}", "chomp3{noise=normal(8),seed=7}", "toads", "wythoff"),
    *("nim{heaps=3}", "nim{heaps=3,passes=1}", "nim{heaps=2}", "nim{declared=[1,6,7]}"),
    *("wythoff{rule=all}", "wythoff{rule=pairs}"),
)

NOT_HERE = {
    "CensusTable.cost_of_window",
    "CensusTable.plan",
    "ChanceTables.cost",
    "HeapSumSource.plan_value_rows",
    "SearchedNim.plan_outcomes",
    "BoardTheorems.plan",
    "cost_of",
    "ThreeRowProber.plan_instant_winners",
    "ThreeRowProber.plan_losers",
}
"""Functions with a branch that no question here reaches; most need large tables."""

Question = tuple[str, tuple[Any, ...]]


def questions() -> Iterator[Question]:
    """Questions about positions and rows of all families, windows and shapes."""
    rng = random.Random(29)
    texts = [*POSITIONS, *LARGE, *(draw(rng) for draw in mixed.DRAWS for _ in range(2))]
    texts += [f"{game}:[{heap}]" for game, heaps in HEAPS.items() for heap in heaps]
    for position in map(parse, texts):
        for name in ("outcome", "winning_moves", "analyze", "turns"):
            yield name, (position,)
        for model in mixed.MODELS:
            yield "win_probability", (position, model)
    widths = [*BATCHES, *((game, width) for game, width, _ in mixed.ROWS)]
    widths += [(game, parse_game(game).heaps or 3) for game in GAMES]
    for game, rows in ((parse_game(text), rows_of(width, count=60)) for text, width in widths):
        for name in ("outcomes", "winning_move_batch"):
            yield name, (game, rows)
        for kind in ("grundy", "remoteness"):
            yield "values", (game, rows, kind)
        for model in mixed.MODELS:
            yield "win_probabilities", (game, rows, Model.parse(model))
    yield "outcomes", (parse("nim:[3] + nim:[4]").game, rows_of(2))
    yield "outcomes", (parse_game("chomp"), rows_of(30, largest=3000))
    yield "outcomes", (parse_game("nim{passes=1}"), rows_of(4, largest=6))
    yield "values", (parse_game("euclid"), rows_of(2, largest=60, count=900), "remoteness")
    for text in WINDOWS:
        yield "geometry", (text,)
        for x in (3, 70, 900, 3000, 2**30):
            yield "instant_winners", (text, x, 9, 9)
            yield "losers", (text, x, 20)
    for name in ("chomp3", "chomp3{passes=1}", "nim"):
        yield "estimate_column", (10**6, 5, 3, name)


@pytest.fixture(scope="module")
def oracles(tmp_path_factory: pytest.TempPathFactory) -> list[Oracle]:
    """Oracles without tables, with small tables, and with tables that few questions need."""
    place = tmp_path_factory.mktemp("plans") / "data"
    build_all(
        (
            ("chomp3", "1000x128", "census"),
            ("nim{heaps=2,passes=1}", "6x6", "values"),
            ("circular{k=2}", "1x1x2x1x2", "values"),
            ("chomp3", "12", "grundy"),
            ("chomp", "4x4", "grundy"),
        ),
        place,
    )
    return [Oracle(), tabled(), Oracle.open(place)]


@cache
def branches() -> dict[str, dict[int, str]]:
    """Return the first line of each block of all functions that plan or compute costs, by file."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for path in sorted((ROOT / FAMILIES).rglob("*.py")):
        name, source = path.relative_to(ROOT).as_posix(), path.read_bytes()
        lines = source.splitlines()
        for block in blocks(name, source):
            function = block.key.split(":")[1]
            parts = function.split(".")
            tells = any("plan" in part or "cost" in part for part in parts)
            if block.line is None or not tells or parts[-1] in WORK:
                continue
            if not lines[block.line].strip().startswith(b'"""'):  # a method without a body
                found[name][block.line + 1] = function
    return found


@contextmanager
def traced(reached: set[tuple[str, int]]) -> Iterator[None]:
    """Note the lines of the families that run."""
    files = branches()

    def called(frame: FrameType, _: str, __: object) -> Any:
        _, middle, end = frame.f_code.co_filename.rpartition(FAMILIES)
        name = middle + end
        if not middle or name not in files:
            return None

        def line(inner: FrameType, event: str, _: object) -> Any:
            if event == "line":
                reached.add((name, inner.f_lineno))
            return line

        return line

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


@pytest.mark.slow
def test_every_branch_of_every_plan_is_reached(oracles: list[Oracle]) -> None:
    reached: set[tuple[str, int]] = set()
    with traced(reached):
        for oracle in oracles:
            for name, arguments in questions():
                with suppress(PositionOracleError):
                    oracle.plan(name, *arguments)
    every = {(name, line): said for name, at in branches().items() for line, said in at.items()}
    assert len(every) > 250
    missing = {place: said for place, said in every.items() if place not in reached}
    assert set(missing.values()) <= NOT_HERE, missing


QUICK_SECONDS = 0.3
SLACK = 0.01


@pytest.mark.slow
def test_no_question_takes_three_times_its_cost(oracles: list[Oracle]) -> None:
    wrong = []
    for oracle in oracles:
        for name, arguments in questions():
            with suppress(PositionOracleError):
                plan = oracle.plan(name, *arguments)
                most = TIMES * plan.cost.seconds + SLACK
                if plan.cost.seconds <= QUICK_SECONDS and not takes_at_most(most, plan.run):
                    wrong.append((name, arguments, plan.cost))
    assert not wrong
