"""Octal games with a pass on one heap: values, certified regularity, a naive reference."""

import random
from dataclasses import replace

import numpy as np
import pytest

from position_oracle.engine.games.octal_heap_pass import RULES
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import octal, octal_pass
from position_oracle.engine.theory.heap_pass import PassHeap
from tests.reference.heap_rules_naive import NaiveGame, octal_children, with_own_passes

CODES = ("0.77", "0.07", "0.75", "0.57", "4.7", "0.517", "0.26", "0.127", "0.3", "0.1")

RISING = [
    # Code, period, saltus, number of residues that rise. The program found the numbers; they are
    # compared below with longer tables. Horrocks and Nowakowski have three kinds: periodic,
    # arithmetic periodic, and both by residue.
    ("0.75", 4, 4, 4),
    ("0.57", 12, 8, 12),
    ("4.7", 6, 8, 6),
    ("0.517", 18, 8, 6),
    ("0.77", 12, 0, 0),
]


@pytest.mark.parametrize("code", CODES)
def test_values_by_the_definition(code: str) -> None:
    naive = NaiveGame(with_own_passes(octal_children(code)))
    found = octal_pass.solve_pass_sequence(octal.parse_code(code), 300)
    for heap in range(1, 13):
        assert found.at(heap) == naive.grundy(((heap, True),), 0)


@pytest.mark.parametrize(("code", "period", "saltus", "rising"), RISING)
def test_regular_values_are_certified_and_go_on(
    code: str, period: int, saltus: int, rising: int
) -> None:
    rules = octal.parse_code(code)
    found = octal_pass.solve_pass_sequence(rules, 2000)
    proof = found.certificate
    assert proof is not None
    assert (proof.saltus, sum(proof.rising)) == (saltus, rising)
    assert proof.period % period == 0
    plain = octal.extend_values(rules, np.zeros(0, dtype=np.int64), 4000)
    longer = octal_pass.extend_pass_values(rules, plain, np.zeros(0, dtype=np.int64), 4000)
    assert longer.tolist() == [found.at(heap) for heap in range(4000)]


def test_every_certificate_of_two_digits_holds_in_a_longer_table() -> None:
    kinds = set()
    for number in range(64):
        rules = octal.OctalCode((0, number // 8, number % 8))
        found = octal_pass.solve_pass_sequence(rules, 511)
        if found.certificate is not None:
            kinds.add(found.certificate.kind)
            count = 3 * len(found.values)
            plain = octal.extend_values(rules, np.zeros(0, dtype=np.int64), count)
            longer = octal_pass.extend_pass_values(rules, plain, found.values, count)
            assert longer.tolist() == [found.at(heap) for heap in range(count)]
    assert kinds == {"periodic", "arithmetic periodic"}


def test_a_wrong_value_is_not_certified() -> None:
    rules = octal.parse_code("0.75")
    plain = octal.solve_sequence(rules, 500)
    plain = replace(plain, values=octal.extend_values(rules, plain.values, 500))
    values = octal_pass.extend_pass_values(rules, plain.values, np.zeros(0, dtype=np.int64), 500)
    assert octal_pass.certify_pass(rules, plain, values) is not None
    values[495:] += 1
    assert octal_pass.certify_pass(rules, plain, values) is None


@pytest.mark.parametrize("code", [code for code, _, saltus, _ in RISING if saltus])
def test_values_that_rise_but_do_not_follow_from_the_options_are_not_certified(code: str) -> None:
    """From some heap on, the test adds the saltus, or twice the saltus, to the values."""
    rules = octal.parse_code(code)
    plain = octal.solve_sequence(rules, 500)
    plain = replace(plain, values=octal.extend_values(rules, plain.values, 500))
    values = octal_pass.extend_pass_values(rules, plain.values, np.zeros(0, dtype=np.int64), 500)
    proof = octal_pass.certify_pass(rules, plain, values)
    assert proof is not None
    for times in (1, 2):
        raised = values.copy()
        raised[60:] += times * proof.saltus
        assert octal_pass.certify_pass(rules, plain, raised) is None


def test_random_positions() -> None:
    random.seed(13)
    games = {code: NaiveGame(with_own_passes(octal_children(code))) for code in CODES}
    plain = {code: octal.solve_sequence(octal.parse_code(code), 300) for code in CODES}
    passed = {code: octal_pass.solve_pass_sequence(octal.parse_code(code), 300) for code in CODES}
    for _ in range(2000):
        code = random.choice(CODES)
        sizes = [random.randrange(1, 7) for _ in range(random.randrange(3))]
        heaps = tuple(sorted((size, random.random() < 0.6) for size in sizes))
        position = tuple(PassHeap(size, has_pass=has_pass) for size, has_pass in heaps)
        game = GameSpec("octal_heap_pass", options=(("code", code),))
        children = {child for _, child in RULES.actions(position, game)}
        as_pairs = {tuple((h.size, h.has_pass) for h in child) for child in children}
        assert as_pairs == with_own_passes(octal_children(code))(heaps)
        value = octal_pass.grundy(position, plain[code], passed[code])
        assert value == games[code].grundy(heaps, 0)


@pytest.mark.parametrize("code", ["0.52", "0.71", "0.77", "0.07"])
def test_a_table_one_heap_too_short_certifies_nothing(code: str) -> None:
    """Theorem 3 of docs/octal.md needs both sequences to repeat before its last period begins.

    In 0.52 and 0.71 the last exception is one of the values without a pass.
    """
    rules = octal.parse_code(code)
    found, plain = octal_pass.solve_pass_sequence(rules, 600), octal.solve_sequence(rules, 600)
    proof = found.certificate
    assert proof is not None
    assert plain.certificate is not None
    start = max(proof.last_exception, plain.certificate.last_exception) + 1
    needed = 2 * (start + proof.period) + rules.length
    values = octal.extend_values(rules, plain.values, needed)
    passed = octal_pass.extend_pass_values(rules, values, found.values, needed)

    def certifies(count: int) -> bool:
        known = replace(plain, values=values[:count])
        return octal_pass.certify_pass(rules, known, passed[:count]) is not None

    assert certifies(needed)
    assert not certifies(needed - 1)


Pairs = tuple[tuple[int, bool], ...]

STARTS: tuple[Pairs, ...] = (
    ((7, True),),
    ((2, False), (6, True)),
    ((5, True), (5, True)),
    ((4, False), (5, False)),
)


@pytest.mark.parametrize("code", CODES)
def test_the_bound_on_positions_is_one_and_is_reached(code: str) -> None:
    """In 4.7, a heap and its pass become whatever has no more tokens and passes."""
    rules = octal.parse_code(code)
    least, children = octal.least_heap(rules), with_own_passes(octal_children(code))
    for heaps in STARTS:
        seen, todo = {heaps}, [heaps]
        while todo:
            new = children(todo.pop()) - seen
            seen |= new
            todo += new
        for smallest in {1, least}:
            reached = {tuple(h for h in position if h[0] >= smallest) for position in seen}
            start = tuple(PassHeap(size, has_pass=has_pass) for size, has_pass in heaps)
            bound = octal_pass.position_bound(rules, start, smallest)
            assert len(reached) <= bound
            assert code != "4.7" or len(heaps) > 1 or len(reached) == bound
