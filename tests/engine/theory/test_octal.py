"""Octal games: codes, moves, published periods; values compared with a naive reference."""

import random
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.theory import heap_sums, octal
from position_oracle.engine.theory.periodicity import PeriodCertificate, ValueSequence
from position_oracle.schema.errors import (
    NotationError,
    StoppedError,
    UnknownAnswerError,
)
from tests.reference.heap_rules_naive import NaiveGame, code_children, octal_children

CODES = ("0.77", "0.07", "0.137", "0.127", "4.3", "0.26", "0.6", "0.351", "4.05", "0.0003", "0.1")

PUBLISHED = [
    # Code, period and last exception. Kayles and Dawson's Chess are OEIS A002186 and A002187. The
    # others are from Guy and Smith 1956 and Winning Ways, chapter 4, tables of octal games,
    # recomputed in the tables of A. Flammenkamp and T. Czajka (github.com/tczajka/octal-games).
    # These count from heap 1 if no single token can be taken: heap 0 is then an exception here.
    ("0.77", 12, 70),
    ("0.137", 34, 51),
    ("0.07", 34, 52),
    ("0.02", 4, 0),
    ("0.12", 4, 0),
    ("0.15", 10, 0),
    ("0.17", 34, 32),
    ("0.22", 3, 0),
    ("0.26", 4, 0),
    ("0.31", 2, 2),
    ("0.34", 8, 6),
    ("0.35", 6, 0),
    ("0.53", 9, 10),
    ("0.57", 4, 0),
    ("0.75", 2, 0),
    ("0.115", 14, 0),
    ("0.116", 96, 138),
    ("0.117", 48, 46),
    ("0.124", 62, 121),
    ("0.134", 62, 59),
    ("0.156", 349, 3478),
    ("0.165", 1550, 5180),
    ("0.173", 40, 20),
    ("0.176", 8, 23),
    ("0.177", 20, 496),
    ("0.356", 142, 7314),
    ("0.373", 28, 1),
    ("0.375", 18, 36),
    ("0.524", 52, 0),
    ("0.644", 442, 3255),
    ("0.772", 4, 7),
]


def octal_moves(code: octal.OctalCode, heaps: heap_sums.Heaps) -> Iterator[heap_sums.Heaps]:
    for heap, others in heap_sums.distinct(heaps):
        for left in octal.splits_of(code, heap):
            yield tuple(sorted(others + left))


@pytest.mark.parametrize(("code", "period", "last_exception"), PUBLISHED)
def test_periods_are_the_published_ones(code: str, period: int, last_exception: int) -> None:
    proof = octal.solve_sequence(octal.parse_code(code), 16383).certificate
    assert proof is not None
    assert (proof.period, proof.last_exception) == (period, last_exception)


def test_values_of_kayles_and_dawson() -> None:
    kayles = octal.solve_sequence(octal.parse_code("0.77"), 500)
    assert kayles.values[:13].tolist() == [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]  # A002186
    chess = octal.solve_sequence(octal.parse_code("0.137"), 500)
    assert chess.values[:13].tolist() == [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2]  # A002187
    dawson = octal.solve_sequence(octal.parse_code("0.07"), 500)
    assert dawson.values[1:60].tolist() == chess.values[:59].tolist()


@pytest.mark.parametrize("code", CODES)
def test_values_by_the_definition(code: str) -> None:
    rules, naive = octal.parse_code(code), NaiveGame(octal_children(code))
    values = octal.extend_values(rules, np.zeros(0, dtype=np.int64), 18)
    assert values.tolist() == [naive.grundy((heap,) if heap else (), 0) for heap in range(18)]


@pytest.mark.parametrize("code", CODES)
def test_a_certified_period_holds_in_a_longer_table(code: str) -> None:
    rules = octal.parse_code(code)
    sequence = octal.solve_sequence(rules, 2000)
    if sequence.certificate is not None:
        longer = octal.extend_values(rules, np.zeros(0, dtype=np.int64), 3000)
        assert longer.tolist() == [sequence.at(heap) for heap in range(3000)]
        proof = sequence.certificate
        if proof.last_exception >= 0:
            there = proof.last_exception
            assert sequence.at(there) != sequence.at(there + proof.period)


def test_heaps_of_any_size_have_a_value_where_a_period_is_certified() -> None:
    kayles = octal.solve_sequence(octal.parse_code("0.77"), 500)
    assert kayles.at(10**30) == kayles.at(72 + (10**30 - 72) % 12)
    assert kayles.certificate is not None
    assert kayles.certificate.statement == (
        "periodic with period 12, last exception 70; computed up to heap 255, certain beyond by the"
        " periodicity theorem of Guy and Smith (1956)"
    )


def test_values_beyond_the_table_are_unknown_without_a_certificate() -> None:
    officers = octal.solve_sequence(octal.parse_code("0.6"), 300)
    assert officers.certificate is None
    assert officers.at(300) >= 0
    with pytest.raises(UnknownAnswerError, match="computed up to heap 300"):
        officers.at(301)


@pytest.mark.parametrize("code", ["0.77", "0.45", "0.3", "0.123"])
def test_a_table_just_too_short_certifies_nothing(code: str) -> None:
    """The theorem needs 2 n0 + 2 p + t values if heaps can split, and n0 + p + t otherwise."""
    rules = octal.parse_code(code)
    proof = octal.solve_sequence(rules, 4000).certificate
    assert proof is not None
    start = max(1, proof.last_exception + 1)
    needed = start * (1 + rules.splits) + proof.period * (1 + rules.splits) + rules.length
    values = octal.extend_values(rules, np.zeros(0, dtype=np.int64), needed)
    found = octal.certify(rules, values)
    assert found is not None
    assert (found.period, found.last_exception) == (proof.period, proof.last_exception)
    assert octal.certify(rules, values[:-1]) is None


def test_a_sequence_that_repeats_too_late_is_not_certified() -> None:
    values = octal.extend_values(octal.parse_code("0.77"), np.zeros(0, dtype=np.int64), 400)
    values[200] += 1
    assert octal.certify(octal.parse_code("0.77"), values) is None


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0.77", "0.77"),
        (".137", "0.137"),
        ("4.7", "4.7"),
        ("0.770", "0.77"),
        (" 0.07 ", "0.07"),
        ("4", "4.0"),
        ("0.0000000000000001", "0.0000000000000001"),
        ("0." + "0" * 40 + "7", "0." + "0" * 40 + "7"),
        ("4!.0", "4!.0"),
        ("4!.", "4!.0"),
        ("4!", "4!.0"),
        ("0.3!7!", "0.37!"),
        ("c.3f", "C.3F"),
        ("0.[3]", "0.[3]"),
        ("0.3[3]", "0.[3]"),
        ("0.[33]", "0.[3]"),
        ("4.[37]", "4.[37]"),
        ("4.7[37]", "4.[73]"),
        ("0.3003330[3]", "0.3003330[3]"),
        ("0.77[0]", "0.77"),
        ("4.[0]", "4.0"),
    ],
)
def test_codes(text: str, canonical: str) -> None:
    assert str(octal.parse_code(text)) == canonical
    assert octal.parse_code(canonical) == octal.parse_code(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "0.G", "1.7", "2.0", "0,77", "0.", "-0.7", "0.7.7", "0.7_1", "0.7?", "!0.7", "0.!7"),
        *("0.[]", "[4].0", "0.[3]7", "0.[3", "0.3]", "0.[3][3]", "4!!.0", "0." + "7" * 1025),
        *("9" * 10**6, "0.٧", "٤.7", "0.[٣]"),
    ],
)
def test_invalid_codes_are_refused(text: str) -> None:
    with pytest.raises(NotationError) as raised:
        octal.parse_code(text)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def test_moves_come_in_their_order_and_once() -> None:
    kayles = octal.parse_code("0.77")
    assert list(octal_moves(kayles, (1, 4))) == [
        (4,),
        (1, 2),
        (1, 1, 1),
        (1, 3),
        (1, 1, 2),
    ]
    assert list(octal_moves(kayles, (2, 2))) == [(2,), (1, 2)]
    assert list(islice(octal_moves(kayles, (10**30,)), 2)) == [(10**30 - 2,), (1, 10**30 - 3)]


def test_canonical_positions() -> None:
    assert heap_sums.canonical([5, 0, 3]) == (3, 5)


def test_the_bound_on_positions_is_one() -> None:
    random.seed(7)
    for code in CODES:
        children = octal_children(code)
        heaps = tuple(sorted(random.randrange(1, 8) for _ in range(2)))
        reached, todo = {heaps}, [heaps]
        while todo:
            new = children(todo.pop()) - reached
            reached |= new
            todo += new
        assert len(reached) <= octal.position_bound(octal.parse_code(code), heaps)
    assert octal.position_bound(octal.parse_code("0.77"), (10**18,)) > 10**12


def test_the_bound_on_positions_is_that_of_heaps_and_of_partitions() -> None:
    assert octal.position_bound(octal.parse_code("0.3"), (2, 3)) == 9  # from (0, 0) on, ascending
    partitions_of_6 = 11  # A000041: partitions of the numbers up to 6 into parts of at least 2
    assert octal.position_bound(octal.parse_code("0.77"), (5,)) == partitions_of_6
    assert (
        octal.position_bound(octal.parse_code("0.77"), (1, 5)) == 20
    )  # partitions of the numbers up to 8 into parts of 2 to 6


@pytest.mark.parametrize("code", ["0.77", "0.777", "0.07", "0.137", "4.3", "4!.0", "0.3F", "8.0"])
def test_the_bound_on_positions_is_close(code: str) -> None:
    rules = octal.parse_code(code)
    heaps: tuple[int, ...] = (4, 7, 7)
    least, children = octal.least_heap(rules), code_children(code.replace(".", ""))

    def with_moves(heaps: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(heap for heap in heaps if heap >= least)

    reached, todo = {with_moves(heaps)}, [heaps]
    while todo:
        new = set(map(with_moves, children(todo.pop()))) - reached
        reached |= new
        todo += new
    assert len(reached) <= octal.position_bound(rules, heaps, least) <= 3 * len(reached)


def test_random_positions_without_passes() -> None:
    random.seed(11)
    games = {code: NaiveGame(octal_children(code)) for code in CODES}
    sequences = {code: octal.solve_sequence(octal.parse_code(code), 300) for code in CODES}
    for _ in range(2000):
        code = random.choice(CODES)
        heaps = tuple(sorted(random.randrange(1, 8) for _ in range(random.randrange(3))))
        rules, naive = octal.parse_code(code), games[code]
        assert set(octal_moves(rules, heaps)) == octal_children(code)(heaps)
        assert heap_sums.grundy(heaps, sequences[code]) == naive.grundy(heaps, 0)
        winning = list(octal.winning_moves(rules, heaps, sequences[code]))
        assert {(child, 0) for child in winning} == naive.winning(heaps, 0)
        assert winning == [child for child in octal_moves(rules, heaps) if child in winning]


def test_a_winning_move_of_a_huge_heap_is_found_within_the_period() -> None:
    rules = octal.parse_code("0.77")
    sequence = octal.solve_sequence(rules, 500)
    assert sequence.certificate is not None
    within = sequence.certificate.last_exception + sequence.certificate.period
    heaps = (10**18 + 7, 3 * 10**18)
    child = next(octal.winning_moves(rules, heaps, sequence, part_max=within))
    assert heap_sums.grundy(heaps, sequence) != 0
    assert heap_sums.grundy(child, sequence) == 0


def test_work_can_be_stopped() -> None:
    budget = Budget()
    budget.cancel()
    with budget.active(), pytest.raises(StoppedError):
        octal.solve_sequence(octal.parse_code("0.6"), 10**6)


def test_a_certificate_may_rise() -> None:
    proof = PeriodCertificate("a test", 2, 0, 3, saltus=4, rising=(True, False))
    sequence = ValueSequence(np.array([9, 1, 2, 1]), proof)
    assert [sequence.at(heap) for heap in range(8)] == [9, 1, 2, 1, 6, 1, 10, 1]
    assert proof.kind == "periodic and arithmetic periodic"


@pytest.mark.parametrize("code", [*CODES, "0.5", "4.0", "0.0", "0.001", "0.04"])
def test_a_heap_is_dead_exactly_if_it_has_no_move(code: str) -> None:
    rules = octal.parse_code(code)
    for heap in range(1, 25):
        assert octal.has_move(rules, heap) == bool(octal_children(code)((heap,)))


BROKEN = {
    # each code, and its digits and repeated digits for the naive reference
    "4!.0": ("4!", ""),
    "4.[3]": ("4", "3"),
    "0.[3]": ("0", "3"),
    "0.[7!2]": ("0", "7!2"),
    "4.[30]": ("43", "03"),
    "0.[01]": ("0", "01"),
    "0.3F": ("03F", ""),
    "8.0": ("8", ""),
    "8!.0": ("8!", ""),
    "C!.2": ("C!2", ""),
    "0.0[B!]": ("00", "B!"),
    "0.[C]": ("0", "C"),
    "0.[8]": ("0", "8"),
    "4!.06!": ("4!06!", ""),
}


@pytest.mark.parametrize(("code", "naive"), BROKEN.items())
def test_take_and_break_by_the_definition(code: str, naive: tuple[str, str]) -> None:
    rules, children = octal.parse_code(code), code_children(*naive)
    assert str(rules) == code
    game = NaiveGame(children)
    values = octal.extend_values(rules, np.zeros(0, dtype=np.int64), 13)
    assert values.tolist() == [game.grundy((heap,) if heap else (), 0) for heap in range(13)]
    longer = octal.extend_values(rules, values[:6], 13)
    assert longer.tolist() == values.tolist()
    for heap in range(1, 13):
        left = list(octal.splits_of(rules, heap))
        assert len(left) == len(set(left)) <= octal.options_bound(rules, heap)
        assert set(left) == children((heap,))
        assert octal.has_move(rules, heap) == bool(left)
        assert all(octal.may_leave(rules, heap, parts) for parts in left)
        smaller = {parts for rest in range(heap + 1) for parts in octal.splits_of(EVERY, rest)}
        refused = smaller - set(left) - {(heap,)}
        assert not any(octal.may_leave(rules, heap, parts) for parts in refused)


EVERY = octal.parse_code("C.[F]")


def test_published_values_of_take_and_break_games() -> None:
    def first(code: str, count: int) -> list[int]:
        values = octal.solve_sequence(octal.parse_code(code), count - 1).values
        return [int(value) for value in values[:count]]

    grundy = [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4, 1]
    assert first("4!.0", 29) == grundy  # OEIS A002188
    zeros = [0, 1, 2, 4, 7, 10, 20, 23, 26, 50, 53, 270, 273, 276, 282, 285, 288, 316]
    found = np.flatnonzero(np.array(first("4!.0", 2000)) == 0)
    assert found[:18].tolist() == zeros  # OEIS A036685
    assert found[-1] == 1222
    # The values that CGSuite's tests give for 0.3F.
    assert first("0.3F", 21) == [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9, 10, 11]
    assert first("0.15", 10) == [0, 1, 1, 0, 1, 1, 2, 2, 1, 2]  # Guiles, Winning Ways, chapter 4
    assert first("0.6", 8) == [0, 0, 1, 2, 0, 1, 2, 3]  # Officers, Winning Ways, chapter 4


def test_a_truncated_game_is_another_one() -> None:
    short, lasker = octal.parse_code("4.333333333333333"), octal.parse_code("4.[3]")
    assert short != lasker
    values = [octal.solve_sequence(code, 40).values.tolist() for code in (short, lasker)]
    assert next(n for n in range(41) if values[0][n] != values[1][n]) == 17


@pytest.mark.parametrize("code", ["0.[3]", "4.[3]"])
def test_closed_forms(code: str) -> None:
    rules = octal.parse_code(code)
    form = octal.CLOSED_FORMS[rules]
    values = octal.extend_values(rules, np.zeros(0, dtype=np.int64), 700)
    assert [form.at(heap) for heap in range(700)] == values.tolist()
    random.seed(29)
    for size in (9, 10**18):
        for _ in range(300):
            heaps = tuple(sorted(random.randrange(1, size) for _ in range(random.randrange(1, 4))))
            found = list(octal.winning_moves_by_form(rules, heaps, form))
            assert bool(found) == (heap_sums.grundy(heaps, form) != 0)
            assert all(heap_sums.grundy(child, form) == 0 for child in found)
            if size < 10:
                assert set(found) <= code_children(code[0], "3")(heaps)


def test_nothing_is_certified_of_heaps_that_differ_and_digits_that_repeat() -> None:
    for code in ("0.1!3", "0.7!7", "0.[12]", "4!.0"):
        rules = octal.parse_code(code)
        assert (octal.solve_sequence(rules, 1000).certificate is None) != rules.has_theorem


@pytest.mark.parametrize("code", ["0.09", "0.0A1", "0.8", "0.001B"])
def test_periods_where_three_heaps_may_be_left(code: str) -> None:
    rules = octal.parse_code(code)
    found = octal.solve_sequence(rules, 400)
    longer = octal.extend_values(rules, np.zeros(0, dtype=np.int64), 500)
    if found.certificate is not None:
        assert longer.tolist() == [found.at(heap) for heap in range(500)]
        needed = 3 * (max(1, found.certificate.last_exception + 1) + found.certificate.period)
        assert octal.certify(rules, longer[: needed + rules.length]) is not None
        assert octal.certify(rules, longer[: needed + rules.length - 1]) is None


def test_what_a_huge_heap_has_is_found_at_once() -> None:
    assert not octal.has_move(octal.parse_code("0.[01]"), 10**18 + 1)
    assert list(octal.splits_of(octal.parse_code("0.[01]"), 10**18)) == [()]
    assert next(octal.splits_of(octal.parse_code("0.[3]"), 10**18)) == ()
    assert octal.may_leave(octal.parse_code("4.[37]"), 10**18, (1, 3))
    assert not octal.may_leave(octal.parse_code("4.[37]"), 10**18, (1, 2))
