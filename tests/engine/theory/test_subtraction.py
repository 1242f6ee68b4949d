"""Subtraction games: sets, certified periods; normal and misere play, and a naive reference."""

import random
from collections.abc import Iterable

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.theory import heap_sums, subtraction, sums
from position_oracle.engine.theory.subtraction import SubtractionSet
from position_oracle.schema.errors import NotationError, StoppedError
from tests.reference.heap_rules_naive import NaiveGame, subtraction_children


def set_of(numbers: Iterable[int]) -> SubtractionSet:
    return SubtractionSet(tuple((number, number) for number in numbers))


SETS = (
    SubtractionSet(((1, 2),)),
    SubtractionSet(((1, 3),)),
    set_of((1, 3, 4)),
    set_of((2, 5, 7)),
    set_of((1, 4, 9, 16)),
    set_of((3,)),
    set_of((2, 3)),
    set_of((4, 6, 9)),
    set_of(range(3, 40)),
    SubtractionSet(((1, 2), (4, 36), (38, 38), (50, 60))),
    SubtractionSet.all_but(((2, 2),)),
    SubtractionSet.all_but(((1, 1), (4, 4))),
    SubtractionSet.all_but(((2, 3), (7, 7))),
    SubtractionSet.all_but(((1, 3), (8, 9), (12, 12))),
)

PUBLISHED = [
    # Winning Ways, chapter 4, table of subtraction games; {2, 5, 7} has period 22.
    ((1, 3, 4), 7),
    ((2, 5, 7), 22),
    ((2, 3), 5),
    ((3,), 6),
    ((1, 4), 5),
    ((2, 4, 7), 3),
]


def numbers_of(rules: SubtractionSet) -> set[int]:
    return set(rules.takes_from(40))


@pytest.mark.parametrize(("numbers", "period"), PUBLISHED)
def test_periods(numbers: tuple[int, ...], period: int) -> None:
    found = subtraction.solve_sequence(set_of(numbers), 10_000)
    assert found.certificate is not None
    assert found.certificate.period == period


@pytest.mark.parametrize("numbers", [numbers for numbers, _ in PUBLISHED])
def test_no_more_values_are_computed_than_allowed_or_needed(numbers: tuple[int, ...]) -> None:
    rules = set_of(numbers)
    assert len(subtraction.solve_sequence(rules, 5).values) == 6
    assert len(subtraction.solve_sequence(rules, 100_000).values) < 1000


@pytest.mark.parametrize("rules", SETS, ids=lambda rules: rules.option)
def test_certified_values_go_on(rules: SubtractionSet) -> None:
    found = subtraction.solve_sequence(rules, 10_000)
    assert found.certificate is not None
    longer = subtraction.extend_values(rules, np.zeros(0, dtype=np.int64), 3000)
    assert longer.tolist() == [found.at(heap) for heap in range(3000)]


def test_one_window_more_is_needed_than_the_period() -> None:
    rules = set_of((2, 5, 7))
    proof = subtraction.solve_sequence(rules, 10_000).certificate
    assert proof is not None
    needed = max(1, proof.last_exception + 1) + proof.period + 7
    values = subtraction.extend_values(rules, np.zeros(0, dtype=np.int64), needed)
    assert subtraction.certify(rules, values) is not None
    assert subtraction.certify(rules, values[:-1]) is None


def test_bounded_nim_needs_no_table() -> None:
    values = subtraction.bounded_values(10**12)
    assert values.at(3 * 10**12 + 5) == 2
    heaps = (5, 3 * 10**12 + 5)
    assert list(subtraction.winning_moves(SubtractionSet(((1, 10**12),)), heaps, values)) == [
        (2, 3 * 10**12 + 5),
        (5, 3 * 10**12 + 5 - (10**12 + 1 - 3)),
    ]


@pytest.mark.parametrize("misere_play", [False, True])
def test_random_positions(misere_play: bool) -> None:
    random.seed(17)
    games = [NaiveGame(subtraction_children(numbers_of(s)), misere=misere_play) for s in SETS]
    values = [subtraction.solve_sequence(rules, 1000) for rules in SETS]
    for _ in range(2000):
        index = random.randrange(len(SETS))
        rules, naive = SETS[index], games[index]
        heaps = tuple(sorted(random.randrange(1, 15) for _ in range(random.randrange(4))))
        children = [
            heap_sums.canonical((*others, heap - taken))
            for heap, others in heap_sums.distinct(heaps)
            for taken in rules.takes_from(heap)
        ]
        assert len(children) == len(set(children))
        assert set(children) == subtraction_children(numbers_of(rules))(heaps)
        is_p = sums.is_p_position(map(values[index].at, heaps), misere=misere_play)
        assert is_p != naive.is_n(heaps, 0)
        if not misere_play:
            assert heap_sums.grundy(heaps, values[index]) == naive.grundy(heaps, 0)
        winning = list(
            subtraction.winning_moves(rules, heaps, values[index], misere_play=misere_play)
        )
        assert {(child, 0) for child in winning} == naive.winning(heaps, 0)
        assert winning == [child for child in children if child in winning]


def test_misere_play_of_random_sets() -> None:
    """Ferguson's theorem holds for random sets, which no paper lists."""
    random.seed(19)
    for _ in range(150):
        numbers = set(random.sample(range(1, 9), random.randrange(1, 4)))
        naive = NaiveGame(subtraction_children(numbers), misere=True)
        values = subtraction.solve_sequence(set_of(numbers), 500)
        for _ in range(10):
            heaps = tuple(sorted(random.randrange(1, 13) for _ in range(3)))
            is_p = sums.is_p_position(map(values.at, heaps), misere=True)
            assert is_p != naive.is_n(heaps, 0), (numbers, heaps)


def test_misere_nim() -> None:
    positions: list[list[int]] = [[], [1], [1, 1], [2], [2, 2], [1, 2, 3]]
    assert [sums.is_p_position(values, misere=True) for values in positions] == [
        False,
        True,
        False,
        False,
        True,
        True,
    ]


def test_one_game_has_one_form() -> None:
    assert subtraction.parse_set("take", "3+1+2+1") == SubtractionSet(((1, 3),))
    assert subtraction.parse_set("take", "4 + 1 + 3").option == "take=1+3+4"
    assert SubtractionSet(((1, 3),)).option == "max=3"


@pytest.mark.parametrize(
    "text",
    ["", "0", "1+0", "-1", "1++2", "1,2", "x", "1+" * 9999 + "1", "9" * 20, str(2**63), "٣"],
)
def test_invalid_sets_are_refused(text: str) -> None:
    with pytest.raises(NotationError) as raised:
        subtraction.parse_set("take", text)
    assert len(str(raised.value)) < 200


def test_sets_that_are_refused() -> None:
    for wrong in ((), ((0, 1),), ((1, 2**63),), ((5, 4),)):
        with pytest.raises(NotationError):
            SubtractionSet(wrong)
    with pytest.raises(NotationError):
        SubtractionSet.all_but(((1, 2**63 - 1),))


def test_work_can_be_stopped() -> None:
    budget = Budget()
    budget.cancel()
    with budget.active(), pytest.raises(StoppedError):
        subtraction.solve_sequence(set_of((5, 99_999)), 10**6)


def test_all_but_games_have_the_published_values() -> None:
    """All but 2, 3 and 7: the values in CGSuite's tests of `Subtraction(.., allbut)`."""
    rules = SubtractionSet.all_but(((2, 3), (7, 7)))
    values = subtraction.solve_sequence(rules, 1000)
    published = [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 8, 9, 10]
    assert values.values[:21].tolist() == published
    assert values.certificate is not None
    assert (values.certificate.period, values.certificate.saltus) == (4, 2)
    assert values.at(10**18 + 3) == 10**18 // 2 + 1


def test_every_all_but_game_is_certified_and_goes_on_so() -> None:
    random.seed(23)
    for _ in range(60):
        barred = random.sample(range(1, 12), random.randrange(1, 6))
        rules = SubtractionSet.all_but(tuple((number, number) for number in barred))
        found = subtraction.solve_sequence(rules, 10_000)
        assert found.certificate is not None, barred
        longer = subtraction.extend_values(rules, np.zeros(0, dtype=np.int64), 2500)
        assert longer.tolist() == [found.at(heap) for heap in range(2500)]
        proof = found.certificate
        if proof.last_exception >= 0:
            there = proof.last_exception
            assert found.at(there) + proof.saltus != found.at(there + proof.period)


def test_an_all_but_table_just_too_short_certifies_nothing() -> None:
    rules = SubtractionSet.all_but(((1, 3), (8, 9), (12, 12)))
    values = subtraction.extend_values(rules, np.zeros(0, dtype=np.int64), 400)
    lengths = [n for n in range(1, 400) if subtraction.certify(rules, values[:n]) is not None]
    assert lengths == list(range(lengths[0], 400))
    proof = subtraction.certify(rules, values)
    assert proof is not None
    assert lengths[0] >= proof.last_exception + 1 + proof.period + 12
    values[395] += 1
    assert subtraction.certify(rules, values) is None


def test_winning_moves_of_huge_heaps_where_all_but_some_may_be_taken() -> None:
    rules = SubtractionSet.all_but(((2, 3), (7, 7)))
    values = subtraction.solve_sequence(rules, 1000)
    heaps = (10**17, 10**18)
    wins = list(subtraction.winning_moves(rules, heaps, values))
    assert wins == [(10**17, 10**17), (10**17, 10**17 + 2)]


@pytest.mark.parametrize(
    ("option", "text", "canonical"),
    [
        ("take", "1-5", "max=5"),
        ("take", "1-5+9", "take=1+2+3+4+5+9"),
        ("take", "9+ 4 - 6 +1", "take=1+4+5+6+9"),
        ("take", "1-70+72-80", "take=1-70+72-80"),
        ("take", "3-200+400", "take=3-200+400"),
        ("take", f"5-{2**63 - 1}", "allbut=1+2+3+4"),
        ("allbut", "4+1", "allbut=1+4"),
        ("allbut", "2-100", "allbut=2-100"),
        ("allbut", f"4-{2**63 - 1}", "max=3"),
        ("allbut", f"1+2+9-{2**63 - 1}", "take=3+4+5+6+7+8"),
    ],
)
def test_sets_have_one_text(option: str, text: str, canonical: str) -> None:
    rules = subtraction.parse_set(option, text)
    assert rules.option == canonical
    name, _, written = canonical.partition("=")
    if name != "max":
        assert subtraction.parse_set(name, written) == rules


def test_a_set_knows_its_numbers() -> None:
    rules = SubtractionSet(((2, 3), (5, 5), (9, 2**63 - 1)))
    assert [n for n in range(15) if rules.allows(n)] == [2, 3, 5, 9, 10, 11, 12, 13, 14]
    assert list(rules.takes_from(10)) == [10, 9, 5, 3, 2]
    assert rules.upto(10).tolist() == [2, 3, 5, 9, 10]
    assert rules.count(10) == 5
    assert rules.barred == ((1, 1), (4, 4), (6, 8))
