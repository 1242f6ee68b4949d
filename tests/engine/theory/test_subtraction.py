"""Subtraction games: sets, certified periods, normal and misere play against a naive reference."""

import random
from functools import partial

import numpy as np
import pytest

from position_oracle.engine.theory import heap_sums, misere, subtraction
from position_oracle.engine.theory.subtraction import BoundedValues, SubtractionSet
from position_oracle.schema.errors import NotationError
from tests.reference.heap_rules_naive import NaiveGame, subtraction_children

SETS = (
    SubtractionSet(bound=2),
    SubtractionSet(bound=3),
    SubtractionSet((1, 3, 4)),
    SubtractionSet((2, 5, 7)),
    SubtractionSet((1, 4, 9, 16)),
    SubtractionSet((3,)),
    SubtractionSet((2, 3)),
    SubtractionSet((4, 6, 9)),
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
    return set(rules.numbers) or set(range(1, rules.largest + 1))


@pytest.mark.parametrize(("numbers", "period"), PUBLISHED)
def test_periods(numbers: tuple[int, ...], period: int) -> None:
    found = subtraction.solve_sequence(SubtractionSet(numbers), 10_000)
    assert found.certificate is not None
    assert found.certificate.period == period


@pytest.mark.parametrize("numbers", [numbers for numbers, _ in PUBLISHED])
def test_no_more_values_are_computed_than_allowed_or_needed(numbers: tuple[int, ...]) -> None:
    rules = SubtractionSet(numbers)
    assert len(subtraction.solve_sequence(rules, 5).values) == 6
    assert len(subtraction.solve_sequence(rules, 100_000).values) < 1000


@pytest.mark.parametrize("rules", SETS, ids=lambda rules: rules.option)
def test_certified_values_go_on(rules: SubtractionSet) -> None:
    found = subtraction.solve_sequence(rules, 10_000)
    assert found.certificate is not None
    longer = subtraction.extend_values(rules, np.zeros(0, dtype=np.int64), 3000)
    assert longer.tolist() == [found.at(heap) for heap in range(3000)]


def test_one_window_more_is_needed_than_the_period() -> None:
    rules = SubtractionSet((2, 5, 7))
    proof = subtraction.solve_sequence(rules, 10_000).certificate
    assert proof is not None
    needed = max(1, proof.last_exception + 1) + proof.period + 7
    values = subtraction.extend_values(rules, np.zeros(0, dtype=np.int64), needed)
    assert subtraction.certify(rules, values) is not None
    assert subtraction.certify(rules, values[:-1]) is None


def test_bounded_nim_needs_no_table() -> None:
    values = subtraction.solve(SubtractionSet(bound=10**12), 10)
    assert isinstance(values, BoundedValues)
    assert values.at(3 * 10**12 + 5) == 2
    heaps = (5, 3 * 10**12 + 5)
    assert list(subtraction.winning_moves(SubtractionSet(bound=10**12), heaps, values)) == [
        (2, 3 * 10**12 + 5),
        (5, 3 * 10**12 + 5 - (10**12 + 1 - 3)),
    ]


@pytest.mark.parametrize("misere_play", [False, True])
def test_random_positions(misere_play: bool) -> None:
    random.seed(17)
    games = [NaiveGame(subtraction_children(numbers_of(s)), misere=misere_play) for s in SETS]
    values = [subtraction.solve(rules, 1000) for rules in SETS]
    for _ in range(2000):
        index = random.randrange(len(SETS))
        rules, naive = SETS[index], games[index]
        heaps = tuple(sorted(random.randrange(1, 15) for _ in range(random.randrange(4))))
        children = list(heap_sums.moves(heaps, partial(subtraction.left_of, rules)))
        assert len(children) == len(set(children))
        assert set(children) == subtraction_children(numbers_of(rules))(heaps)
        is_p = subtraction.is_p_position(heaps, values[index], misere_play=misere_play)
        assert is_p != naive.is_n(heaps, 0)
        if not misere_play:
            assert heap_sums.grundy(heaps, values[index]) == naive.grundy(heaps, 0)
        winning = list(
            subtraction.winning_moves(rules, heaps, values[index], misere_play=misere_play)
        )
        assert {(child, 0) for child in winning} == naive.winning(heaps, 0)
        assert winning == [child for child in children if child in winning]


def test_misere_play_of_random_sets() -> None:
    """Ferguson's theorem for sets that are listed nowhere."""
    random.seed(19)
    for _ in range(150):
        numbers = set(random.sample(range(1, 9), random.randrange(1, 4)))
        naive = NaiveGame(subtraction_children(numbers), misere=True)
        values = subtraction.solve(SubtractionSet(tuple(numbers)), 500)
        for _ in range(10):
            heaps = tuple(sorted(random.randrange(1, 13) for _ in range(3)))
            is_p = subtraction.is_p_position(heaps, values, misere_play=True)
            assert is_p != naive.is_n(heaps, 0), (numbers, heaps)


def test_misere_nim() -> None:
    assert [misere.is_p_position(v) for v in ([], [1], [1, 1], [2], [2, 2], [1, 2, 3])] == [
        False,
        True,
        False,
        False,
        True,
        True,
    ]


def test_one_game_has_one_form() -> None:
    assert subtraction.parse_numbers("3+1+2+1") == SubtractionSet(bound=3)
    assert subtraction.parse_numbers("4 + 1 + 3").option == "take=1+3+4"
    assert SubtractionSet(bound=3).option == "max=3"


@pytest.mark.parametrize(
    "text",
    ["", "0", "1+0", "-1", "1++2", "1,2", "x", "1+" * 9999 + "1", "9" * 20, str(2**63), "٣"],
)
def test_texts_that_are_no_set(text: str) -> None:
    with pytest.raises(NotationError) as raised:
        subtraction.parse_numbers(text)
    assert len(str(raised.value)) < 200


def test_sets_that_are_refused() -> None:
    for wrong in ({"bound": 0}, {"bound": 2**63}, {}, {"numbers": (1,), "bound": 1}):
        with pytest.raises(NotationError):
            SubtractionSet(**wrong)
    with pytest.raises(NotationError, match="at most 64"):
        SubtractionSet(tuple(range(1, 67)))


def test_dead_heaps_are_left_out() -> None:
    assert subtraction.without_dead_heaps(SubtractionSet((2, 5, 7)), (1, 2, 3)) == (2, 3)


def test_work_can_be_stopped() -> None:
    def stop() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        subtraction.solve_sequence(SubtractionSet((5, 99_999)), 10**6, stop)
