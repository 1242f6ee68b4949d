"""Passes, declared positions and misere play of every family equal recursion by definition."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle import Certainty, Oracle, Outcome
from position_oracle.engine.games import moves
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.jobs.job import job_for
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.search import GraphSource
from position_oracle.oracle.families.sources import KINDS
from position_oracle.schema.errors import NotationError
from tests.reference.game_naive import NaiveGame

STARTS = (
    "chomp3:[1,1,1]",
    "chomp:3/2/1",
    "chomp:2x2x2",
    "divisors:2^2*3",
    "transfinite:2x2",
    "nim:[2,3]",
    "nim:[1,2,3]",
    "wythoff:[2,4]",
    "wythoff{rule=both}:[1,2,3]",
    "kayles:[3,4]",
    "octal{code=4!.0}:[7]",
    "octal{code=0.77,heappass}:[3p,2]",
    "nim{heappass}:[2p,2]",
    "nim{max=2}:[3,4]",
    "toads:TT.FF",
    "euclid:[4,7]",
    "fibonacci:[6]",
    "moore{k=2}:[1,2,2]",
    "partition{parts=3}:[7]",
    "staircase:[1,2,1]",
    "wythoff{a=2}:[3,4]",
    "nodekayles:path(5)",
)


def naive_of(start: Position) -> NaiveGame:
    """Return the game of all positions that follow, from the legal moves alone."""
    found: dict[Position, list[Position]] = {}
    open_ = [start]
    while open_:
        position = open_.pop()
        if position not in found:
            found[position] = [child for _, child in moves.options(position)]
            open_ += found[position]
    won = (each for each in found if moves.winner(each) is Outcome.N)
    eaten = (each for each in found if not start.game.misere and moves.is_eaten(each))
    return NaiveGame(found, frozenset(won), frozenset(eaten))


def text_of(start: str, declared: list[Position], passes: int, *, misere: bool) -> str:
    """Return the text of a start with declared positions, passes and misere play added."""
    name, _, body = start.partition(":")
    name, _, own = name.removesuffix("}").partition("{")
    if "x" in body and name == "chomp" and declared:
        own = "dimensions=3"
    lists = "+".join(f"[{','.join(map(str, each.coordinates))}]" for each in declared)
    options = [own, "misere" * misere, f"declared={lists}" * bool(declared)]
    body = body[:-1] + f";{passes}]" if body.endswith("]") else f"{body};{passes}"
    return f"{name}{{{','.join(filter(None, options))}}}:{body}"


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("start", STARTS)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_wrappers_work_with_every_family(oracle: Oracle, start: str, data: Any) -> None:
    family = rules_of(parse(start).game.family)
    inside = [each for each in naive_of(parse(start)).moves if "declared" in family.allows]
    declared = data.draw(st.lists(st.sampled_from(inside), max_size=3)) if inside else []
    misere = "misere" in family.allows and data.draw(st.booleans())
    passes = data.draw(st.integers(0, 2)) if "passes" in family.allows else 0
    text = text_of(start, declared, passes, misere=misere) if passes else None
    text = text or text_of(start, declared, 0, misere=misere).replace(";0", "")
    position = parse(text)
    assert parse(str(position)) == position
    naive = naive_of(position)
    analysis, line = oracle.analyze(position), oracle.best_line(position)
    assert analysis.answer.outcome is (Outcome.N if naive.wins(position) else Outcome.P)
    wins = {child for child in naive.moves[position] if not naive.wins(child)}
    assert {m.child for m in analysis.answer.winning_moves or ()} == wins - naive.gives_up
    if position not in naive.gives_up:
        assert analysis.values.remoteness == line.remoteness == naive.remoteness(position)
        assert line.complete
    if misere or declared:
        assert analysis.values.grundy is None
    elif position not in naive.gives_up:
        assert analysis.values.grundy == naive.grundy(position)
    assert oracle.win_probability(position, "random").exact == naive.random(position)
    exact = oracle.win_probability(position, "random-vs-perfect").exact
    assert exact == naive.fallible(position, Fraction(1))
    mean = sum(turns * chance for turns, chance in enumerate(naive.turns(position)))
    assert oracle.turns(position).mean_exact == mean


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("nim:[2,3;1] + transfinite:2x2;1", Outcome.N),
        ("misere{kayles:[3;1] + transfinite:2x2;2 + divisors:6;1}", Outcome.P),
    ],
)
def test_components_have_their_passes(oracle: Oracle, text: str, outcome: Outcome) -> None:
    naive = naive_of(parse(text))
    assert naive.wins(parse(text)) == (oracle.outcome(text).outcome is Outcome.N)
    assert oracle.win_probability(text, "random").exact == naive.random(parse(text))
    assert outcome


@pytest.mark.parametrize("options", ["", "misere,", "rule=both,", "rule=both,misere,"])
def test_declared_heaps_stay_in_their_order(oracle: Oracle, options: str) -> None:
    heaps = "[2,1,0]" if "rule" in options else "[2,1]"
    game = f"wythoff{{{options}declared={heaps}}}"
    assert parse_game(game).declared == (tuple(map(int, heaps[1:-1].split(","))),)
    assert oracle.outcome(f"{game}:{heaps}").outcome is Outcome.N
    assert not oracle.moves(f"{game}:{heaps}")
    assert oracle.moves(f"{game}:{heaps.replace('2,1', '1,2')}")


@pytest.mark.parametrize(
    "text",
    [
        "nim{declared=[1]}:[3] + chomp:2/1",
        "chomp3{declared=[1,0,1]}:[1,1,1] + nim{declared=[0]}:[2;1]",
        "transfinite{declared=[2,1,2]}:2x2 + toads:T.F",
        "misere{nim{declared=[1]}:[3] + chomp:2/1}",
        "misere{transfinite{declared=[2,1,2]}:2x2 + nim{declared=[2]}:[2]}",
    ],
)
def test_a_declared_position_of_a_component_ends_the_sum(oracle: Oracle, text: str) -> None:
    """The player to move there has won. In normal play no move leads there."""
    start = parse(text)

    def wins(parts: tuple[Position, ...]) -> bool:
        if any(part.game.declares(part.value) for part in parts):
            return True
        ends = True
        for index, part in enumerate(parts):
            for _, child in moves.options(part, misere=start.game.misere):
                ends = False
                eats = moves.is_eaten(child) and not start.game.misere
                if not eats and not wins((*parts[:index], child, *parts[index + 1 :])):
                    return True
        return ends and start.game.misere

    found = oracle.winning_moves(text)
    children = {move.child for move in moves.moves(start) if not wins(move.child.value.parts)}
    assert {move.child for move in found.winning_moves or ()} == children
    assert (found.outcome is Outcome.N) == wins(start.value.parts)
    assert oracle.win_probability(text, "random").exact == naive_of(start).random(start)


def test_misere_chomp_of_any_size_is_won_by_the_poison(oracle: Oracle) -> None:
    for text, eaten in (
        ("chomp3{misere}:[100000,3,2;1]", "chomp3{misere}:[0,0,0;1]"),
        ("chomp{misere}:9x9x9", "chomp{misere}:0x0x0"),
        ("transfinite{misere}:3xw", "transfinite{misere}:0"),
        ("divisors{misere}:9699690", "divisors{misere}:0"),
    ):
        found = oracle.winning_moves(text)
        assert [str(move.child) for move in found.winning_moves or ()] == [eaten]
        assert oracle.outcome(eaten).outcome is Outcome.P


def test_batches_of_finite_transfinite_positions_are_of_sides(oracle: Oracle) -> None:
    rows = [[2, 2, 2, 0, 0], [2, 1, 3, 2, 2], [3, 2, 2, 2, 0]]
    texts = ["transfinite:2x2", "transfinite:1x3 + 2x2", "transfinite:2x2x2"]
    expected = [int(oracle.outcome(text).outcome) for text in texts]
    assert oracle.outcomes("transfinite", rows).tolist() == expected
    assert [parse(text).coordinates for text in texts] == [(2, 2, 2), (2, 1, 3, 2, 2), (3, 2, 2, 2)]


def test_an_infinite_position_with_passes_is_not_known(oracle: Oracle) -> None:
    infinite = oracle.outcome("transfinite:2xw;1")
    assert infinite.certainty is Certainty.UNKNOWN


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("chomp{declared=[2,1]}", "6"),
        ("octal{code=0.77,misere,declared=[3]}", "20"),
        ("transfinite{passes=1}", "1x1x1"),
        ("transfinite{misere}", "1x1x1"),
    ],
)
def test_no_table_is_made_by_theorems_that_do_not_hold(text: str, limit: str) -> None:
    with pytest.raises(NotationError, match=r"table|stored"):
        job_for(parse_game(text)).read_limit(parse_game(text), limit)


MANY_PASSES = (
    "nim:[2,1;6]",
    "nim{misere}:[2,1;5]",
    "wythoff:[1,2;5]",
    "kayles:[3;7]",
    "toads:T.F;4",
    "nim{declared=[1,1,0]}:[1,1,1;5]",
)


@pytest.mark.parametrize("text", MANY_PASSES)
def test_values_from_one_graph_hold_wherever_play_leads(text: str) -> None:
    """The graph leaves out pairs of passes. Positions with any number of passes are found in it."""
    start = parse(text)
    naive, graph = naive_of(start), GraphSource(Cache())
    for kind, expected in zip(KINDS, (naive.grundy, naive.remoteness), strict=True):
        plan = graph.plan_values(kind, start)
        if plan is not None:
            values = plan.run()
            assert values is not None
            found = {each: values.at(each) for each in naive.moves}
            assert found == {each: expected(each) for each in naive.moves}
