"""Costs reflect the work: more heaps cost no less, and random questions take at most their cost."""

import random
from contextlib import suppress
from functools import cache
from itertools import chain, combinations
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.games import moore, nodekayles
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.search import SIMULATING
from tests.clock import takes_at_most
from tests.oracle import mixed
from tests.oracle.test_plans import TIMES, rows_of

# Heaps for different sources, or different branches of one source: small and large, below and
# beyond the limits of work without kernels, with and without passes of their own.
HEAPS = {
    "nim": ("5", "300", "70000"),
    "nim{misere}": ("1", "300", "70000"),
    "nim{heappass}": ("5p", "300p", "70", "70000"),
    "nim{max=3}": ("5", "70000"),
    "nim{take=1+3+4}": ("5", "3000", "500000"),
    "nim{take=1+3+4,misere}": ("5", "3000", "500000"),
    "nim{allbut=1+4}": ("5", "3000", "500000"),
    "kayles": ("5", "3000", "70000"),
    "partition": ("5", "3000", "70000"),
    "partition{parts=3}": ("5", "300", "1000"),
    "octal{code=0.137}": ("5", "4000", "70000"),
    "octal{code=0.137,heappass}": ("4p", "4000p", "4000", "70000"),
    "octal{code=0.7777}": ("5", "4000", "9000", "70000"),
    "octal{code=0.7F}": ("3", "900"),
    "moore{k=2}": ("5", "70000", "5000000"),
}


def cost(text: str, question: str = "outcome") -> float:
    """Return the planned seconds, from an oracle that was asked nothing before."""
    return Oracle().plan(question, parse(text)).cost.seconds


@pytest.mark.parametrize("game", HEAPS)
def test_more_heaps_cost_no_less(game: str) -> None:
    """Each term of a cost has its largest value for some heap, and keeps it beside other heaps."""
    heaps = HEAPS[game]
    some = chain.from_iterable(combinations(heaps, count) for count in range(1, len(heaps) + 1))
    costs = {each: cost(f"{game}:[{','.join(each)}]") for each in some}
    for each, seconds in costs.items():
        for one in each:
            fewer = tuple(heap for heap in each if heap != one)
            assert seconds >= 0.95 * costs.get(fewer, 0.0), (each, fewer)


# Questions and two sizes: the work, and so the cost, grows with the size.
GROWING = [
    ("winning_moves", "kayles:[60,{}]", (50, 1000)),
    ("winning_moves", "octal{{code=0.137}}:[5,{}]", (100, 60_000)),
    ("outcome", "nim{{take=1+3+4}}:[{}]", (100, 100_000)),
    ("outcome", "nim{{take=1+3+4,misere}}:[5,{};1]", (5, 60)),
    ("best_line", "nim{{heappass}}:[{}p,7]", (3, 30)),
    ("outcome", "chomp3:[{},7,5;1]", (50, 800)),
    ("outcome", "toads:TT{}FF", ("..", ".......")),
    ("outcome", "nodekayles:grid(3x{})", (2, 4)),
    ("outcome", "wythoff{{rule=pairs}}:[5,60,{};1]", (10, 100)),
    ("best_line", "endnim:[5,{},4]", (2, 20)),
    ("outcome", "circular{{k=2}}:[2,3,{},3,2]", (2, 20)),
    ("analyze", "nim:[3,{}] + kayles:[5]", (4, 3000)),
    ("winning_moves", "nim:[3,{}] + toads:TT.FF", (4, 3000)),
    ("outcome", "transfinite:{}x(w+1)", (3, 4)),  # theorems decide three columns
    ("outcome", "transfinite:2x{}xw", (1, 2)),
]


@pytest.mark.parametrize(("question", "text", "numbers"), GROWING)
def test_costs_grow_with_what_the_work_grows_with(
    question: str, text: str, numbers: tuple[object, object]
) -> None:
    little, much = (cost(text.format(number), question) for number in numbers)
    assert much > 1.2 * little


def test_the_cost_of_moves_that_leave_three_heaps_grows_with_the_square() -> None:
    small, large = (cost(f"octal{{code=0.7F}}:[{heap}]") for heap in (120, 1000))
    assert large > 8 * small


@pytest.mark.parametrize("game", ["nim{allbut=1+4}", "octal{code=0.137}"])
def test_looking_for_moves_costs_more_where_there_are_more(game: str) -> None:
    """The table of values costs the same with and without moves."""

    def looking(heap: int) -> float:
        text = f"{game}:[{heap},7]"
        return cost(text, "winning_moves") - cost(text)

    assert looking(100_000) > 1.2 * looking(8) > 0


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_the_cost_of_a_graph_bounds_the_parts_that_play_reaches(degree: int) -> None:
    """A circle of vertices, with chords at random."""
    rng, count, known = random.Random(degree), 22, dict[Any, int]()
    edges = [(vertex, vertex % count + 1) for vertex in range(1, count + 1)]
    for _ in range(degree - 2):
        ends = rng.sample(range(1, count + 1), count)
        edges += zip(ends[::2], ends[1::2], strict=True)
    position = parse("nodekayles:" + ",".join(f"{one}-{other}" for one, other in edges))
    for part in nodekayles._parts(position):
        nodekayles._worth(part, known)
    assert len(known) > 10
    work = sum(len(part) ** 2 for part in known)
    assert nodekayles.RULES.seconds(position) >= nodekayles.WORK_SECONDS * work


@pytest.mark.parametrize("model", ["random", "perfect-vs-random"])
@pytest.mark.parametrize("text", ["chomp:60/50/40", "chomp3:[200,100,100]"])
def test_a_chance_costs_as_much_as_each_way_to_it(text: str, model: str) -> None:
    position, oracle = parse(text), Oracle()
    prober, of = oracle.prober(position.game), Model.parse(model)
    known = [source.plan_chance(position, of) for source in prober.sources(position.game)]
    ways = [each for each in (*known, prober.graph.plan_chance(position, of)) if each is not None]
    assert ways
    seconds = oracle.plan("win_probability", position, model).cost.seconds
    assert seconds >= sum(each.cost.seconds for each in ways)


@pytest.mark.parametrize("model", ["perfect-vs-random", "random-vs-perfect"])
def test_chances_of_rows_cost_the_outcomes_that_decide_them(model: str) -> None:
    game, rows, oracle = parse_game("chomp3"), np.array([[3000, 5000, 7], [4, 9, 8]]), Oracle()
    outcomes, chances = (
        oracle.plan(question, game, rows, *more).cost.seconds
        for question, more in (("outcomes", ()), ("win_probabilities", (model,)))
    )
    assert chances >= outcomes


def test_rows_that_share_graphs_take_memory_each() -> None:
    """A position, its place among the different ones, and its number."""
    rows = np.stack(np.divmod(np.arange(40_000), 200), axis=1) + 1
    found = Oracle().plan("values", parse_game("euclid"), rows, "remoteness").cost
    assert found.memory_bytes >= 300 * len(rows)


def test_wide_rows_take_memory_for_each_number() -> None:
    rows = np.repeat(np.arange(60, 20, -1)[None] * 1000, 500, axis=0)
    rows -= np.arange(500)[:, None]
    narrow, wide = (
        Oracle().plan("win_probabilities", parse_game("chomp{passes=1}"), boards, "random").cost
        for boards in (rows[:, :3], rows)
    )
    assert wide.memory_bytes - narrow.memory_bytes >= rows.nbytes - rows[:, :3].nbytes


def test_the_budget_is_checked_before_each_row_is_planned() -> None:
    rows = np.arange(30, 0, -1)[None] + np.arange(60)[:, None]
    with patch.object(Budget, "check") as check, Budget().active():
        Oracle().plan("outcomes", parse_game("chomp{passes=1}"), rows)
    assert check.call_count >= len(rows)


def test_a_move_from_more_heaps_takes_no_less_time_to_find() -> None:
    """All choices of at most k heaps are tried."""
    starts = [parse(f"moore{{k={k}}}:[1,2,3,4,5,6,7,8]") for k in range(1, 9)]
    seconds = [moore.RULES.likely_seconds(start) for start in starts]
    assert seconds == sorted(seconds)
    assert seconds[-1] == pytest.approx(255 * moore.RULES.likely_seconds(parse("moore{k=1}:[1]")))


def test_turns_that_a_theorem_gives_are_not_estimated() -> None:
    """A board whose graph is too large costs the theorem alone."""
    assert cost("chomp:60/50/40/30/20", "turns") < SIMULATING.seconds / 2


@pytest.mark.parametrize("text", ["nim{{max=3}}:[20,15;{}]", "wythoff{{misere}}:[20,15;{}]"])
def test_moves_among_which_is_a_pass_cost_what_it_leaves(text: str) -> None:
    assert cost(text.format(2), "winning_moves") >= cost(text.format(1))


ROWS_WITH_PASSES = (
    ("chomp3", 3),
    ("chomp", 4),
    ("nim{max=3}", 2),
    ("wythoff", 2),
    ("wythoff{rule=pairs}", 3),
    ("kayles", 2),
)
"""Games in which the outcome with a pass fewer shows whether the pass wins."""


@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize(("game", "width"), ROWS_WITH_PASSES)
def test_moves_of_rows_among_which_is_a_pass_cost_what_it_leaves(
    game: str, width: int, passes: int
) -> None:
    rows, spec = rows_of(width, largest=30, count=20), parse_game(game)
    moves = Oracle().plan("winning_move_batch", spec.with_passes(passes), rows).cost
    left = Oracle().plan("outcomes", spec.with_passes(passes - 1), rows).cost
    assert moves.seconds >= left.seconds


def test_rows_whose_children_are_all_visited_cost_more_in_larger_heaps() -> None:
    """Of four heaps with a pass, each child is looked up; outcomes need the search alone."""

    def per_row(heap: int, question: str) -> float:
        few, many = (np.tile([[1, 1, 2, heap]], (count, 1)) for count in (1, 10_001))
        costs = [
            Oracle().plan(question, "nim{passes=1}", rows).cost.seconds for rows in (few, many)
        ]
        return (costs[1] - costs[0]) / 10_000

    small, large = (per_row(heap, "winning_move_batch") for heap in (4, 200))
    assert large > 5 * small
    assert per_row(200, "outcomes") == pytest.approx(per_row(4, "outcomes"))


@pytest.mark.parametrize("x", [3, 70, 300])
@pytest.mark.parametrize(
    "game", ["chomp3", "chomp3{passes=1}", "nim{heaps=3,passes=1}", "wythoff{rule=pairs}"]
)
def test_a_window_of_instant_winners_costs_the_sheets_below_it(game: str, x: int) -> None:
    below = Oracle().plan("losers", game, x - 1, 9).cost
    assert Oracle().plan("instant_winners", game, x, 9, 9).cost.seconds >= below.seconds


def test_no_position_of_a_graph_has_more_moves_than_the_first() -> None:
    size = graph_size(parse("nim:[20,20,20;1]"))  # compiled code lists its moves
    assert size is not None
    assert size.positions < size.moves <= 61 * size.positions


QUICK = (0.004, 0.12)
"""Largest cost, in seconds, of the questions that are answered here."""

MANY, EACH = 140, 3
SLACK = 0.004


@cache
def drawn() -> list[mixed.Question]:
    """Questions about positions of every kind, which are neither long nor over at once."""
    rng, found = random.Random(29), list[mixed.Question]()
    for draw in mixed.DRAWS:
        here = 0
        for _ in range(MANY // len(mixed.DRAWS)):
            name, arguments = mixed.about(rng, draw(rng))
            try:
                seconds = Oracle().plan(name, *arguments).cost.seconds
            except ValueError:
                continue
            if QUICK[0] <= seconds <= QUICK[1] and here < EACH:
                found.append((name, arguments))
                here += 1
    return found


def test_random_questions_take_what_they_cost() -> None:
    asked = drawn()
    assert len(asked) > 20
    for name, arguments in asked:
        cost = Oracle().plan(name, *arguments).cost

        def ask(name: str = name, arguments: tuple[Any, ...] = arguments) -> None:
            with suppress(ValueError):  # the work before the error counts
                Oracle().plan(name, *arguments).run()

        assert takes_at_most(TIMES * cost.seconds + SLACK, ask), (name, arguments, cost)
