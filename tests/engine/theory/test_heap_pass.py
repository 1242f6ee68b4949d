"""Nim in which heaps have passes of their own."""

import random

import pytest

from position_oracle.engine.games.nim_heap_pass import RULES
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import heap_pass
from position_oracle.engine.theory.heap_pass import PassHeap
from position_oracle.schema.errors import NotationError
from tests.reference.heap_rules_naive import NaiveGame, subtraction_children, with_own_passes

NIM = with_own_passes(subtraction_children(set(range(1, 30))))


def test_one_heap() -> None:
    naive = NaiveGame(NIM)
    for size in range(1, 20):
        assert heap_pass.nim_value(PassHeap(size, has_pass=True)) == naive.grundy(
            ((size, True),), 0
        )
    assert heap_pass.nim_value(PassHeap(10**30, has_pass=True)) == 10**30 - 1


@pytest.mark.parametrize("misere_play", [False, True])
def test_random_positions(misere_play: bool) -> None:
    random.seed(29)
    naive = NaiveGame(NIM, misere=misere_play)
    for _ in range(2000):
        sizes = sorted(random.randrange(1, 7) for _ in range(random.randrange(4)))
        heaps = tuple((size, random.random() < 0.6) for size in sizes)
        key = tuple(sorted(heaps))
        position = tuple(PassHeap(size, has_pass=has_pass) for size, has_pass in heaps)
        assert heap_pass.is_p_position(position, misere_play=misere_play) != naive.is_n(key, 0)
        winning = heap_pass.winning_moves(position, misere_play=misere_play)
        assert len(winning) == len(set(winning))
        won = {child for child in NIM(key) if not naive.is_n(child, 0)}
        assert {normalised(child) for child in winning} == won


def normalised(child: heap_pass.PassHeaps) -> tuple[tuple[int, bool], ...]:
    return tuple(sorted((heap.size, heap.has_pass) for heap in child if heap.size))


def test_notation() -> None:
    position = RULES.parse_body("[5, 3p,0p]", GameSpec("nim_heap_pass"))
    assert position.value == (PassHeap(3, has_pass=True), PassHeap(5))
    assert RULES.format_body(position) == "[3p,5]"
    assert RULES.parse_body("[]", position.game).value == ()
    for wrong in ("", "[", "]", "[p]", "[3q]", "[3,]", "[-1]", "[1;2]", "[" + "1," * 99 + "1]"):
        with pytest.raises(NotationError) as raised:
            RULES.parse_body(wrong, position.game)
        assert len(str(raised.value)) < 200
