"""The search of any small game: golden cases, a naive reference, bounds, and stopping."""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from position_oracle.engine.solvers.game_search import GameSearch
from position_oracle.engine.theory import heap_sums, octal, subtraction, toads
from position_oracle.engine.theory.octal import parse_code
from position_oracle.engine.theory.subtraction import SubtractionSet
from position_oracle.schema.errors import ResourceLimitError
from tests.reference.heap_rules_naive import (
    NaiveGame,
    octal_children,
    subtraction_children,
    toads_children,
)

GOLDEN = Path(__file__).parents[2] / "golden"

Heaps = tuple[int, ...]
Moves = Callable[[Any], Iterable[Any]]


def octal_moves(code: octal.OctalCode, heaps: heap_sums.Heaps) -> Iterator[heap_sums.Heaps]:
    return heap_sums.moves(heaps, partial(octal.splits_of, code))


def subtraction_moves(rules: SubtractionSet, heaps: heap_sums.Heaps) -> Iterator[heap_sums.Heaps]:
    return heap_sums.moves(heaps, partial(subtraction.left_of, rules))


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]


def wythoff_moves(heaps: Heaps) -> Iterable[Heaps]:
    x, y = heaps
    found = [(x - n, y) for n in range(1, x + 1)] + [(x, y - n) for n in range(1, y + 1)]
    found += [(x - n, y - n) for n in range(1, min(x, y) + 1)]
    return dict.fromkeys(tuple(sorted(child)) for child in found)


def chomp_moves(rows: Heaps) -> Iterable[Heaps]:
    """Bites of a board of descending rows, the poison excepted."""
    for row, length in enumerate(rows):
        for column in range(length):
            if (row, column) != (0, 0):
                left = [*rows[:row], *(min(other, column) for other in rows[row:])]
                yield tuple(size for size in left if size)


class Family:
    """How the golden cases write the positions of one game."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        name, _, options = prefix.partition("{")
        self.misere = "misere" in options
        numbers = re.search(r"(code|max|take)=([0-9.+]+)", options)
        self.moves: Moves
        self.reduce: Callable[[Any], Any] = lambda position: position
        self.separator = ","
        if name == "octal" and numbers:
            rules = parse_code(numbers[2])
            self.moves = lambda heaps: octal_moves(rules, heaps)
            self.reduce = lambda heaps: octal.without_dead_heaps(rules, heaps)
        elif name == "nim" and numbers:
            bound = SubtractionSet(bound=int(numbers[2])) if numbers[1] == "max" else None
            taken = bound or subtraction.parse_numbers(numbers[2])
            self.moves = lambda heaps: subtraction_moves(taken, heaps)
            self.reduce = lambda heaps: subtraction.without_dead_heaps(taken, heaps)
        elif name == "wythoff":
            self.moves = wythoff_moves
        elif name == "toads":
            self.moves = toads.moves
        else:
            self.moves, self.separator = chomp_moves, "/"
        self.search = GameSearch(self.moves, misere=self.misere, reduce=self.reduce)

    def parse(self, body: str) -> tuple[Any, int]:
        if self.prefix == "toads":
            return toads.parse(body), 0
        text, _, passes = body.strip("[]").partition(";")
        return tuple(map(int, text.split(self.separator))) if text else (), int(passes or 0)

    def format(self, position: Any, passes: int) -> str:
        if self.prefix == "toads":
            return f"toads:{position}"
        text = self.separator.join(map(str, position)) + (f";{passes}" if passes else "")
        return f"{self.prefix}:{text}" if self.separator == "/" else f"{self.prefix}:[{text}]"


@pytest.mark.parametrize("name", ["11_octal", "12_subtraction", "13_passes", "14_toads"])
def test_golden_cases(name: str) -> None:
    families: dict[str, Family] = {}
    for case in cases(name):
        prefix, _, body = case["position"].partition(":")
        family = families.setdefault(prefix, Family(prefix))
        position, passes = family.parse(body)
        found = family.search.winning_moves(position, passes)
        texts = {family.format(child, passes) for child in found.children}
        texts |= {"pass"} if found.pass_wins else set()
        assert texts == set(case["winning_moves"]), case
        assert ("P" if family.search.is_p_position(position, passes) else "N") == case["outcome"]
        assert (found.pass_wins or bool(found.children)) == (case["outcome"] == "N") or not list(
            family.moves(position)
        )
        if "grundy" in case:
            assert family.search.grundy(position, passes) == case["grundy"]


def positions_of(
    seed: int, kind: str
) -> tuple[Moves, Callable[[Any], set[Any]], Callable[[Any], Any], Callable[[], Any]]:
    """Moves of the product and of the reference, the reduction, and a source of positions."""
    rng = random.Random(seed)
    if kind == "toads":
        return (
            toads.moves,
            toads_children,
            lambda strip: strip,
            lambda: "".join(rng.choice("TF..") for _ in range(rng.randrange(1, 9))),
        )
    heaps = lambda: tuple(sorted(rng.randrange(1, 8) for _ in range(rng.randrange(4))))  # noqa: E731
    if kind.startswith("take"):
        rules = subtraction.parse_numbers(kind[5:])
        numbers = set(map(int, kind[5:].split("+")))
        return (
            lambda p: subtraction_moves(rules, p),
            subtraction_children(numbers),
            lambda p: subtraction.without_dead_heaps(rules, p),
            heaps,
        )
    code = parse_code(kind)
    return (
        lambda p: octal_moves(code, p),
        octal_children(kind),
        lambda p: octal.without_dead_heaps(code, p),
        heaps,
    )


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("kind", ["0.77", "0.07", "0.127", "4.3", "take=1+3+4", "take=3", "toads"])
def test_random_positions(kind: str, misere: bool) -> None:
    moves, children, reduce, source = positions_of(37, kind)
    search = GameSearch(moves, misere=misere, reduce=reduce)
    naive = NaiveGame(children, misere=misere)
    for count in range(1000 if kind == "toads" else 300):
        position, passes = source(), count % 5
        assert search.is_p_position(position, passes) != naive.is_n(position, passes)
        found = search.winning_moves(position, passes)
        options = {(child, passes) for child in found.children}
        options |= {(position, passes - 1)} if found.pass_wins else set()
        assert options == naive.winning(position, passes)
        assert search.remoteness(position, passes) == naive.remoteness(position, passes)
        if not misere:
            assert search.grundy(position, passes) == naive.grundy(position, passes)


def test_a_long_game_needs_no_deep_stack() -> None:
    search = GameSearch(lambda heaps: subtraction_moves(SubtractionSet((1,)), heaps))
    assert search.is_p_position((20_000,))
    assert search.grundy((20_001,)) == 1


def test_a_search_has_a_limit() -> None:
    search = GameSearch(
        lambda heaps: octal_moves(parse_code("0.77"), heaps), misere=True, positions_max=100
    )
    with pytest.raises(ResourceLimitError, match="more than 100 positions"):
        search.is_p_position((30, 30))


def test_values_and_remoteness_have_a_limit_each_on_moves() -> None:
    search = GameSearch(lambda heaps: octal_moves(parse_code("0.77"), heaps), moves_max=2000)
    assert search.grundy((5, 6)) == heap_sums.grundy(
        (5, 6), octal.solve_sequence(parse_code("0.77"), 7)
    )
    assert search.remoteness((5, 6)) > 0
    for question in (search.grundy, search.remoteness):
        with pytest.raises(ResourceLimitError, match="more than 2000 moves"):
            question((12, 13, 14))
    assert search.is_p_position((12, 13, 14)) == (search.is_p_position((14, 13, 12)))


def test_a_search_can_be_stopped_and_goes_on() -> None:
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyError

    search = GameSearch(lambda heaps: octal_moves(parse_code("0.77"), heaps), check=check)
    with pytest.raises(KeyError):
        search.grundy((9, 10, 11))
    values = octal.solve_sequence(parse_code("0.77"), 300)
    assert search.grundy((9, 10, 11)) == heap_sums.grundy((9, 10, 11), values)


def test_misere_play_has_no_grundy_value() -> None:
    with pytest.raises(ValueError, match="normal play"):
        GameSearch(toads.moves, misere=True).grundy("T.F")


def test_depth_is_held_to_the_most_positions() -> None:
    """Nothing is settled on the way down, so that positions waiting are counted, too."""

    def moves(heap: int) -> list[int]:
        return [heap - 1] if heap else []

    assert not GameSearch[int](moves, positions_max=100).is_p_position(99)
    with pytest.raises(ResourceLimitError, match="deeper than 100 positions"):
        GameSearch[int](moves, positions_max=100).is_p_position(10**9)


def test_outcomes_may_have_a_limit_of_moves() -> None:
    def moves(heap: int) -> range:
        return range(heap - 1, max(-1, heap - 6), -1)  # at most five tokens

    assert GameSearch[int](moves, outcome_moves_max=1000).is_p_position(60)
    with pytest.raises(ResourceLimitError, match="more than 50 moves"):
        GameSearch[int](moves, outcome_moves_max=50).is_p_position(60)
