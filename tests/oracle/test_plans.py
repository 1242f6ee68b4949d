"""A question is planned before its work: the cost holds within a factor of 3."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import isfinite
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.registry import FAMILIES, rules_of
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.rows import Spending
from position_oracle.oracle.families.sources import KINDS
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError
from tests.clock import cpu_seconds, takes_at_most

POSITIONS = (
    "chomp3:[40,3,2]",
    "chomp3:[500,10,20]",
    "chomp3:[4000,0,0]",
    "chomp3:[300,2,2;1]",
    "chomp3{declared=[1,2,3]}:[60,1,0]",
    "chomp3{noise=normal(8),seed=7}:[30,20,0]",
    "chomp3{noise=normal(8),seed=7}:[200,100,0]",
    "chomp3:[50000,0,0]",
    "chomp:7/6/5/4",
    "chomp:12/12/12/11/10/9/8/7",
    "chomp:13/13/13/13/13/13/13/13/13/13/13/13/13",
    "chomp:900/1/1",
    "nim:[3,4,5]",
    "nim:[60,61,900;1]",
    "nim:[900,901,5000;1]",
    "nim:[9,9,9,9;1]",
    "nim:[5,6,7,8,9;1]",
    "nim{declared=[1,6,7]}:[200,300,20]",
    "nim{noise=normal(8),seed=7}:[100,50,20]",
    "wythoff:[1000000,1618033]",
    "wythoff{rule=all}:[50,60,70]",
    "wythoff{rule=both}:[500,600,700]",
    "chomp:4x4x3;1",
    "divisors:2^7*3^7;1",
    "chomp:3x3x3 + chomp:3x3x2",
    "euclid:[5,13]",
    "moore{k=2}:[3,5,7]",
    "moore{k=2}:[3,5,7;1]",
    "fibonacci:[20]",
    "fibonacci:[200;1]",
    "staircase:[1,2,3]",
    "endnim:[3,1,2]",
    "circular{k=2}:[3,4,5,4]",
    "wythoff{a=2}:[40,60]",
    "nodekayles:path(9)",
    "nodekayles:grid(6x6)",
    "chomp:3x3x3",
    "chomp:5x5x5",
    "divisors:2^9*3^8",
    "divisors:2^2*3^2*5",
    "divisors:2^4*3^3",
    "transfinite:2x(w+1)",
    "transfinite:2x2x2",
    "transfinite:5x9 + 7x4",
    "chomp:4/3/2 + nim:[5]",
    "nim:[3,5] + wythoff:[4,7]",
    "kayles:[5,700]",
    "octal{code=0.77}:[50,70]",
    "octal{code=0.127}:[40,50000]",
    "octal{code=0.77,heappass}:[50p,70]",
    "nim{max=3}:[10,200]",
    "nim{take=1+3+4}:[10,5]",
    "nim{heappass}:[3p,5]",
    "partition:[9,4]",
    "toads:TT..FF",
)
BATCHES = (
    ("chomp3", 3),
    ("chomp3{passes=1}", 3),
    ("chomp", 6),
    ("nim", 4),
    ("nim{passes=1}", 3),
    ("wythoff", 2),
    ("wythoff{rule=pairs}", 3),
)
TIMES = 3
FLOOR = 0.002
"""Seconds below which other programs disturb the clock too much."""


@cache
def warm() -> Oracle:
    oracle = Oracle()
    oracle.warm_up()
    return oracle


def rows_of(heaps: int, largest: int = 40, count: int = 300) -> np.ndarray:
    rows = np.random.default_rng(1).integers(0, largest, (count, heaps), np.int32)
    return -np.sort(-rows, axis=1)


def is_a_cost(cost: Cost) -> bool:
    return isfinite(cost.seconds) and cost.seconds > 0 and cost.memory_bytes >= 0


@pytest.mark.parametrize("text", POSITIONS)
def test_every_question_about_a_position_has_a_cost(text: str) -> None:
    oracle, position = Oracle(), parse(text)
    outcome, moves, all_of_it = (
        oracle.plan(question, position).cost for question in ("outcome", "winning_moves", "analyze")
    )
    assert all(map(is_a_cost, (outcome, moves, all_of_it)))
    assert all_of_it.seconds > moves.seconds >= outcome.seconds
    assert is_a_cost(oracle.plan("win_probability", position, "random").cost)
    assert is_a_cost(oracle.plan("turns", position).cost)


def test_every_family_is_among_them() -> None:
    assert {parse(text).game.family for text in POSITIONS} == set(FAMILIES)


@pytest.mark.parametrize(("text", "heaps"), BATCHES)
def test_the_cost_of_a_batch_grows_with_its_rows(text: str, heaps: int) -> None:
    oracle, game = Oracle(), parse_game(text)
    for question in ("outcomes", "winning_move_batch", "win_probabilities"):
        models = [Model.parse("random")] if question == "win_probabilities" else []
        few, many = (
            oracle.plan(question, game, rows_of(heaps, count=count), *models).cost
            for count in (10, 10_000)
        )
        assert is_a_cost(few)
        assert many.seconds > few.seconds
        assert many.memory_bytes > few.memory_bytes


def test_a_plan_is_made_without_the_work() -> None:
    oracle = Oracle()
    positions = [parse(text) for text in POSITIONS]
    assert cpu_seconds(lambda: [oracle.plan("outcome", each) for each in positions]) < 1.0
    assert oracle._resources.cache.nbytes == 0


@pytest.mark.parametrize("text", POSITIONS)
def test_what_was_asked_before_changes_neither_cost_nor_answer(text: str) -> None:
    """Reasons stay the same, too."""
    oracle, position = Oracle(), parse(text)
    plan = oracle.plan("outcome", position)
    if plan.cost.seconds < 0.05:
        first, again = plan.run(), oracle.plan("outcome", position)
        assert replace(again.cost, saved_seconds=0.0) == plan.cost
        assert again.run() == first == oracle.outcome(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("kayles", [[5, 7], [7, 5], [5, 5], [0, 0], [100, 3]]),
        ("octal{code=0.77,misere}", [[5, 7], [5, 5], [1, 0]]),
        ("nim{max=3}", [[9, 4], [4, 9], [8, 8]]),
        ("nim{take=1+4+9,misere}", [[9, 4], [1, 0], [30, 2]]),
        ("nim{heappass}", [[3, 1, 4, 0], [4, 0, 3, 1], [0, 1, 2, 1]]),
        ("octal{code=0.77,heappass}", [[3, 1, 4, 0, 0, 0], [5, 1, 5, 0, 0, 0]]),
        ("octal{code=0.137,heappass}", [[4, 1, 9, 0], [5, 0, 9, 0], [3000, 1, 3001, 0]]),
        ("toads", [[1, 0, 2], [1, 0, 2], [0, 0, 2]]),
    ],
)
def test_rows_of_a_batch_are_answered_as_positions_are(text: str, rows: list[list[int]]) -> None:
    oracle, game = Oracle(), parse_game(text)
    found = oracle.outcomes(game, np.array(rows, np.int32))
    rules = oracle.prober(game.family).rules
    positions = [rules.position(game, tuple(row)) for row in rows]
    assert found.tolist() == [oracle.outcome(position).outcome for position in positions]


def test_a_million_rows_of_dawsons_kayles() -> None:
    """The answer of Project Euler, problem 306."""
    plan = Oracle().plan("outcomes", "dawson", np.arange(1, 1_000_001, dtype=np.int32)[:, None])
    assert plan.cost.seconds < 10
    assert int((plan.run() == Outcome.N).sum()) == 852_938


def test_equal_rows_are_planned_once() -> None:
    game = parse_game("toads")
    few = np.array([[1, 1, 0, 0, 2, 2], [1, 0, 0, 2, 1, 2]], np.int32)
    once, often = (Oracle().plan("outcomes", game, np.tile(few, (n, 1))).cost for n in (1, 300))
    assert often.seconds < 2 * once.seconds


def test_what_many_rows_cost_follows_from_some() -> None:
    oracle, game = Oracle(), parse_game("euclid{passes=1}")
    rows = np.stack(np.divmod(np.arange(1_500), 40), axis=1) + 1
    plan, rules = oracle.plan("outcomes", game, rows), oracle.prober(game).rules
    positions = [rules.position(game, tuple(row)) for row in rows[::100].tolist()]
    singles = [oracle.plan("outcome", each) for each in positions]
    total = 100 * sum(each.cost.seconds for each in singles)
    assert total / 3 < plan.cost.seconds < 3 * total
    assert plan.run()[::100].tolist() == [each.run().outcome for each in singles]


def test_rows_that_cost_far_more_than_the_sample_end_the_batch() -> None:
    spending = Spending(Cost(1.0))
    spending.spend(Cost(2.9))
    with pytest.raises(ResourceLimitError, match="ask about fewer at a time"):
        spending.spend(Cost(0.2))


def test_grundy_values_and_remoteness_are_planned_apart() -> None:
    """Grundy values of heaps follow from a table; remoteness needs a search of all positions."""
    prober, position = Oracle().prober("octal"), parse("kayles:[40]")
    grundy, remoteness = (prober.plan_values(kind, position) for kind in KINDS)
    assert grundy.cost.seconds < 0.1
    assert (found := grundy.run()) is not None
    assert found.at(position) == 1
    assert remoteness.cost.seconds > 1


@pytest.mark.parametrize(
    "window",
    [(10_001, 2**31 - 1, 0), (10_001, 2**31 - 1, 1), (2**40, 10, 10), (5, 10**6, 10**6)],
)
def test_huge_windows_are_refused_before_any_work(window: tuple[int, int, int]) -> None:
    with pytest.raises((ResourceLimitError, UnknownAnswerError)):
        Oracle().plan("instant_winners", parse_game("chomp3"), *window)


def test_small_windows_are_cheap() -> None:
    assert Oracle().plan("instant_winners", parse_game("chomp3"), 10, 100, 100).cost.seconds < 2


def test_chances_that_need_no_recursion_pay_for_none() -> None:
    rows = np.array([[0, 8454, 5674], [0, 1, 10**6], [0, 0, 0]], np.int32)
    price = (
        Oracle().plan("win_probabilities", parse_game("chomp3"), rows, Model.parse("random")).cost
    )
    assert price.seconds < 0.02
    assert price.memory_bytes < 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize("text", POSITIONS)
def test_no_position_takes_three_times_its_cost(text: str) -> None:
    warm()
    position = parse(text)
    price = Oracle().plan("winning_moves", position).cost
    most = max(TIMES * price.seconds, FLOOR)
    assert takes_at_most(most, lambda: Oracle().winning_moves(position)), (text, price)


@pytest.mark.slow
@pytest.mark.parametrize("text", POSITIONS)
def test_no_analysis_takes_three_times_its_cost(text: str) -> None:
    warm().analyze(text)
    position = parse(text)
    price = Oracle().plan("analyze", position).cost
    most = max(TIMES * price.seconds, FLOOR)
    assert takes_at_most(most, lambda: Oracle().analyze(position)), (text, price)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "heaps"), BATCHES)
def test_no_batch_takes_three_times_its_cost(text: str, heaps: int) -> None:
    game, rows = parse_game(text), rows_of(heaps, largest=12)
    warm().winning_move_batch(game, rows)
    price = Oracle().plan("winning_move_batch", game, rows).cost
    most = TIMES * price.seconds + FLOOR
    assert takes_at_most(most, lambda: Oracle().winning_move_batch(game, rows)), (text, price)


@pytest.mark.parametrize(
    "text", ["moore{k=1}:[299999;1]", "endnim:[290000,2]", "circular{k=3}:[70,70,70]"]
)
def test_planning_looks_at_few_moves(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning is not charged, and delays all other callers."""
    rules = type(rules_of(parse(text).game.family))
    looked, actions = 0, rules.actions

    def counted(self: Rules, value: Any, game: GameSpec) -> Iterator[Any]:
        nonlocal looked
        for action in actions(self, value, game):
            looked += 1
            yield action

    monkeypatch.setattr(rules, "actions", counted)
    graph_size.cache_clear()
    Oracle().plan("win_probability", parse(text), "random")
    assert 0 < looked < 4_000


def test_a_look_up_plans_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(position: object) -> None:
        raise AssertionError(position)

    monkeypatch.setattr("position_oracle.oracle.families.search.graph_size", refuse)
    for text in ("divisors:2^3*3*5;2", "kayles:[5,6;2]", "toads:TT..FF;2"):
        position = parse(text)
        Oracle().prober(position.game).look_up(position)
    kayles = parse("kayles:[5,5;2]")
    assert Oracle().prober(kayles.game).look_up(kayles).outcome is Outcome.UNKNOWN


def test_rows_that_no_search_covers_cost_no_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr(
        "position_oracle.oracle.families.heaps.tables.search_cost",
        lambda _, limits: looked.append(limits),
    )
    rows = np.random.default_rng(1).integers(1_000, 5_000_000, (3_000, 4))
    Oracle().plan("outcomes", "nim{passes=1}", rows)
    assert not looked
