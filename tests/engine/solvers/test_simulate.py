"""Options by number equal the listed options; simulated games agree with the folds."""

from collections import Counter
from collections.abc import Iterator
from itertools import count, islice

import pytest

from position_oracle.engine.games.choices import MAX_LISTED, by_list, in_lines
from position_oracle.engine.games.moves import options
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers import simulate as simulation
from position_oracle.engine.solvers.graph import build
from position_oracle.engine.solvers.simulate import Simulation, simulate
from position_oracle.schema.errors import ResourceLimitError

SMALL = (
    "chomp:4/3/1;1",
    "chomp{misere}:3/2;2",
    "chomp3:[1,2,1]",
    "chomp3{declared=[1,0,1]}:[1,2,1;1]",
    "nim:[2,2,3;1]",
    "nim{misere}:[4,3]",
    "wythoff{rule=both}:[2,2,3]",
    "kayles:[4,5;1]",
    "octal{code=0.77,heappass}:[5p,4p]",
    "toads:TT.F.F;1",
    "divisors:2^2*3*5;1",
    "transfinite:2x2x3",
    "misere{chomp:2/1 + kayles:[3;1] + divisors:6}",
    "divisors:12 + transfinite:2x2 + toads:T.F",
    "chomp:1 + nim:[2] + chomp3:[0,1,1;1]",
    "chomp3{declared=[1,0,1]}:[1,2,1;1] + nim:[1]",
    "misere{nim{declared=[1,1]}:[2,2;1] + kayles:[2]}",
    "nim{declared=[1,1]}:[2,2] + chomp3{declared=[0,1,0]}:[1,0,1]",
)


@pytest.mark.parametrize("text", SMALL)
def test_options_by_number_are_the_options(text: str) -> None:
    tree = tree_of(parse(text))
    for node in build(tree, tree.node(parse(text))).number:
        found = tree.choices(node)
        numbered = [found.option(number) for number in range(found.number)]
        assert Counter(numbered) == Counter(tree.options(node))
        assert not any(map(tree.gives_up, numbered[1:]))


@pytest.mark.parametrize("text", SMALL)
def test_options_are_the_moves_of_the_rules(text: str) -> None:
    start = parse(text)
    tree, seen = tree_of(start), {start: None}
    for position in islice(seen_as_they_come(seen), 150):
        after = [child for _, child in options(position)]
        assert Counter(map(tree.node, after)) == Counter(tree.options(tree.node(position)))
        seen |= dict.fromkeys(after)


def seen_as_they_come(seen: dict[Position, None]) -> Iterator[Position]:
    """Yield the keys of a dictionary that grows."""
    for number in count():
        if number == len(seen):
            return
        yield next(islice(seen, number, None))


def test_the_work_of_a_turn_grows_with_the_components() -> None:
    sums = [parse(" + ".join(["nim:[1]"] * components)) for components in (2, 64)]
    few, many = (tree_of(each).choices(tree_of(each).node(each)).listed for each in sums)
    assert many == 32 * few > 0


@pytest.mark.parametrize("text", SMALL)
def test_simulated_games_agree_with_the_folds(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty intervals at 99.9 %: with one in thirty sets of seeds, one misses the true value."""
    position = parse(text)
    tree = tree_of(position)
    graph = build(tree, tree.node(position))
    monkeypatch.setattr(simulation, "GAMES", 2_000)
    found = simulate(tree, tree.node(position), seed=3)
    assert folds.random_chance(graph)[-1] in found.win_interval(0.999)
    assert folds.expected_turns(graph)[-1] in found.turns_interval(0.999)


def test_a_seed_decides_all_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "GAMES", 500)
    tree = tree_of(parse("toads:TTT.FFF"))
    node = tree.node(parse("toads:TTT.FFF"))
    first, again, other = (simulate(tree, node, seed) for seed in (8, 8, 9))
    assert first == again
    assert first != other
    assert first == simulate(tree, node, 8)


@pytest.mark.parametrize("weight", [2, 5])
def test_heavy_moves_allow_fewer_games(monkeypatch: pytest.MonkeyPatch, weight: int) -> None:
    monkeypatch.setattr(simulation, "MAX_WORK", 100_000)
    tree = tree_of(parse("nim:[20,30]"))
    node = tree.node(parse("nim:[20,30]"))
    light, heavy = (simulate(tree, node, weight=each).games for each in (1, weight))
    assert 0.8 * light < weight * heavy < 1.25 * light


def test_wilson_interval_of_a_textbook_case() -> None:
    """Ten successes in twenty at 95 %: 0.299 to 0.701; none in ten: 0 to 0.278."""
    interval = Simulation(20, 0, 10, 0, 0).win_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    interval = Simulation(10, 0, 0, 0, 0).win_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((0.0, 0.2775), abs=1e-4)


def test_interval_of_a_mean() -> None:
    """Lengths 1, 2, 3 and 4 have variance 5/3, so the error of the mean is sqrt(5/12)."""
    interval = Simulation(4, 0, 2, 10, 30).turns_interval(0.95)
    assert interval.high - 2.5 == pytest.approx(1.95996 * (5 / 12) ** 0.5, abs=1e-4)
    assert interval.low + interval.high == pytest.approx(5)


def test_as_many_options_as_allowed_are_numbered() -> None:
    assert by_list(range(MAX_LISTED)).number == MAX_LISTED
    with pytest.raises(ResourceLimitError, match="more than 20,000 moves"):
        by_list(range(MAX_LISTED + 1))
    empty = in_lines([0, 0], lambda line, place: (line, place))
    lines = in_lines([0, 2, 0, 3, 0], lambda line, place: (line, place), listed=7)
    assert (empty.number, lines.number, lines.listed) == (0, 5, 7)
    assert [lines.option(n) for n in range(5)] == [(1, 0), (1, 1), (3, 0), (3, 1), (3, 2)]


def test_bad_arguments_and_games_that_are_too_large() -> None:
    def play(text: str) -> Simulation:
        tree = tree_of(parse(text))
        return simulate(tree, tree.node(parse(text)))

    for text in ("euclid:[5,1000000000]", "octal{code=0.77}:[1000000000]"):
        with pytest.raises(ResourceLimitError, match="more than 20,000 moves"):
            play(text)
    with pytest.raises(ResourceLimitError, match="100 games"):
        play("nim{max=3}:[10000]")
