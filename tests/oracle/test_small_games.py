"""Games with small positions, with passes and in misere play: golden cases and naive game trees."""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import pytest

from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Outcome
from tests.reference.heap_rules_naive import (
    NaiveGame,
    board_children,
    code_children,
    divisor_children,
    octal_children,
    partition_children,
    subtraction_children,
    toads_children,
    with_own_passes,
    wythoff_children,
)

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = ("11_octal", "12_subtraction", "13_passes", "14_toads")


@cache
def bare() -> Oracle:
    return Oracle()


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", FILES)
def test_golden_cases(name: str) -> None:
    for case in cases(name):
        analysis = bare().analyze(case["position"])
        answer = analysis.answer
        assert str(answer.outcome) == case["outcome"], case
        assert answer.winning_moves is not None
        assert {str(move) for move in answer.winning_moves} == set(case["winning_moves"]), case
        assert str(bare().outcome(case["position"]).outcome) == case["outcome"]
        if "grundy" in case:
            assert analysis.values.grundy == case["grundy"], case
        assert analysis.moves is not None
        wins = {str(each.move) for each in analysis.moves if each.outcome is Outcome.P}
        assert wins == set(case["winning_moves"])


@pytest.mark.parametrize("family", ["kayles", "dawson", "octal{code=0.156}"])
def test_of_large_heaps_one_winning_move_is_named(family: str) -> None:
    """If a period is proved, one winning move splits off a heap below the start of the period."""
    for heap in range(10**9, 10**9 + 12):
        for other in range(1, 9):
            answer = bare().winning_moves(f"{family}:[{other},{heap}]")
            assert answer.winning_moves is not None
            assert len(answer.winning_moves) == (answer.outcome is Outcome.N)
            for move in answer.winning_moves:
                assert bare().outcome(str(move)).outcome is Outcome.P


@dataclass(frozen=True)
class Kind:
    """A game, its text, and its moves in the naive reference."""

    prefix: str
    children: Callable[[Any], set[Any]]
    source: Callable[[random.Random], Any]
    body: Callable[[Any], str]
    misere: bool = False
    passes: int = 0
    ends: str = ""

    def text(self, position: Any, passes: int) -> str:
        return f"{self.prefix}:{self.body(position)}{f';{passes}' if passes else ''}{self.ends}"


def heaps(most: int, count: int) -> Callable[[random.Random], Any]:
    return lambda rng: tuple(
        sorted(rng.randrange(1, most + 1) for _ in range(rng.randrange(count + 1)))
    )


def joined(position: Any) -> str:
    return "[" + ",".join(map(str, position))


def own_passes(position: Any) -> str:
    return joined(f"{size}{'p' if has_pass else ''}" for size, has_pass in position)


def marked(source: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
    return lambda rng: tuple(sorted((size, rng.random() < 0.6) for size in source(rng)))


def board(rng: random.Random) -> Any:
    return tuple(sorted((rng.randrange(1, 6) for _ in range(rng.randrange(1, 6))), reverse=True))


def numbers_left(text: str) -> frozenset[int]:
    """Return the divisors of the numbers of a text such as `2^3,2*3^2`; none for `0`."""
    found = set()
    for top in text.split(","):
        number = prod(
            int(base) ** int(power or 1) for base, power in re.findall(r"(\d+)(?:\^(\d+))?", top)
        )
        found |= {d for d in range(1, number + 1) if number % d == 0}
    return frozenset(found)


def left_over(rng: random.Random) -> frozenset[int]:
    left = numbers_left(str(rng.choice((rng.randrange(2, 73), 36, 60, 72))))
    for _ in range(rng.randrange(3)):
        left = rng.choice(sorted(divisor_children(one=False)(left), key=sorted) or [left])
    return left


def tops(left: Any) -> str:
    """Return the numbers that divide no other one. `oracle` sorts them."""
    return ",".join(str(n) for n in left if not any(m > n and m % n == 0 for m in left)) or "0"


def strip(rng: random.Random) -> str:
    return "".join(rng.choice("TF..") for _ in range(rng.randrange(1, 9)))


def bigger(children: Callable[[Any], set[Any]]) -> Callable[[Any], set[Any]]:
    """Return the children without heaps of 1, which have no moves."""
    return lambda heaps: {tuple(n for n in child if n > 1) for child in children(heaps)}


def kinds() -> Iterator[Kind]:
    for misere in (False, True):
        word = ",misere" if misere else ""
        braces = "{misere}" if misere else ""
        for code in ("0.77", "0.07", "0.137", "4.3", "0.351", "0.0053"):
            prefix = f"octal{{code={code}{word}}}"
            rules = octal_children(code)
            yield Kind(prefix, rules, heaps(7, 3), joined, ends="]", misere=misere, passes=3)
            if code in {"0.77", "4.3", "0.137"}:
                own = with_own_passes(rules)
                name = f"octal{{code={code}{word},heappass}}"
                yield Kind(name, own, marked(heaps(5, 3)), own_passes, misere, ends="]")
        for code, naive in (
            ("4!.0", ("4!", "")),
            ("4.[3]", ("4", "3")),
            ("C!.5", ("C!5", "")),
            ("0.[1A]", ("0", "1A")),
        ):
            rules, name = code_children(*naive), f"octal{{code={code}{word}"
            yield Kind(f"{name}}}", rules, heaps(7, 3), joined, misere, passes=3, ends="]")
            own = with_own_passes(rules)
            yield Kind(f"{name},heappass}}", own, marked(heaps(5, 3)), own_passes, misere, ends="]")
        for parts, digit in ((2, "4"), (3, "C"), (4, "4")):
            rules = code_children(digit) if parts < 4 else partition_children(parts)
            name = f"partition{{parts={parts}{word}}}"
            yield Kind(name, bigger(rules), heaps(7, 3), joined, misere, passes=3, ends="]")
        for option, taken in (
            ("max=3", {1, 2, 3}),
            ("take=1-3+7", {1, 2, 3, 7}),
            ("allbut=1+4", {2, 3, 5, 6, 7, 8, 9}),
            ("take=1+3+4", {1, 3, 4}),
            ("take=2+5", {2, 5}),
        ):
            prefix = f"nim{{{option}{word}}}"
            yield Kind(
                prefix,
                subtraction_children(taken),
                heaps(9, 3),
                joined,
                ends="]",
                misere=misere,
                passes=3,
            )
        nim = with_own_passes(subtraction_children(set(range(1, 20))))
        name = f"nim{{heappass{word}}}"
        yield Kind(name, nim, marked(heaps(6, 3)), own_passes, misere, ends="]")
        pairs, all_three = ((0, 1), (0, 2), (1, 2)), ((0, 1, 2),)
        single = ((0,), (1,), (2,))
        for rule, lines in (("pairs", pairs), ("all", all_three), ("both", pairs + all_three)):
            yield Kind(
                f"wythoff{{rule={rule}{word}}}",
                wythoff_children(single + lines),
                lambda rng: tuple(sorted(rng.randrange(6) for _ in range(3))),
                joined,
                ends="]",
                misere=misere,
                passes=3,
            )
        yield Kind(
            f"wythoff{braces}",
            wythoff_children(((0,), (1,), (0, 1))),
            lambda rng: tuple(sorted(rng.randrange(12) for _ in range(2))),
            joined,
            ends="]",
            misere=misere,
            passes=3,
        )
        yield Kind(f"toads{braces}", toads_children, strip, str, misere=misere, passes=3)
        # In misere play a player may eat the poison, and then wins.
        boards = board_children(poison=misere)
        rows = lambda position: "/".join(map(str, position)) or "0"  # noqa: E731
        yield Kind(f"chomp{braces}", boards, board, rows, passes=3)
        yield Kind(f"divisors{braces}", divisor_children(one=misere), left_over, tops, passes=3)


KINDS = {kind.prefix: kind for kind in kinds()}


def check(kind: Kind, seed: int, count: int) -> None:
    rng = random.Random(seed)
    naive: NaiveGame[Any] = NaiveGame(kind.children, misere=kind.misere)
    oracle = bare()
    has_plies = not kind.prefix.startswith(("chomp{misere", "divisors"))
    for _ in range(count):
        position, passes = kind.source(rng), rng.randrange(kind.passes + 1)
        ordered = kind.prefix.startswith("wythoff") and (passes or kind.misere)
        if kind.prefix.startswith("wythoff") and not ordered:
            passes = 1  # heaps in order are tested elsewhere
        analysis = oracle.analyze(kind.text(position, passes))
        answer = analysis.answer
        said = str(answer.position)
        wins = naive.is_n(position, passes)
        assert str(answer.outcome) == ("N" if wins else "P"), said
        expected = {
            "pass" if left < passes else str(oracle.outcome(kind.text(child, left)).position)
            for child, left in (naive.winning(position, passes) if wins else ())
        }
        assert answer.winning_moves is not None, said
        assert {str(move) for move in answer.winning_moves} == expected, said
        assert len(answer.winning_moves) == len(expected), said
        # Games of divisors with three primes and without passes have no values here.
        has_values = "misere" not in kind.prefix and kind.children(position)
        if has_values and (passes or kind.prefix != "divisors"):
            assert analysis.values.grundy == naive.grundy(position, passes), said
        if has_plies:
            assert analysis.values.remoteness == naive.remoteness(position, passes), said


@pytest.mark.parametrize("prefix", KINDS)
def test_random_positions_by_the_definition(prefix: str) -> None:
    check(KINDS[prefix], 11, 7)


def test_numbers_are_named_in_the_order_of_the_rules() -> None:
    for text in ("2^2*3,3^2", "2^2*3^2,2*3^5", "2^3*3,3^3"):
        wins = bare().winning_moves(f"divisors:{text}").winning_moves or ()
        legal = [move.child for move in legal_moves(parse(f"divisors:{text}"))]
        found = [move.child for move in wins]
        assert len(found) > 1
        assert found == [child for child in legal if child in found]


@pytest.mark.slow
@pytest.mark.parametrize("prefix", KINDS)
def test_many_random_positions_by_the_definition(prefix: str) -> None:
    check(KINDS[prefix], 12, 2000)
