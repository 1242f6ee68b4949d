"""Toads and Frogs on a strip: notation and moves."""

import random

import pytest

from position_oracle.engine.games import toads
from position_oracle.engine.games.spec import GameSpec
from position_oracle.schema.errors import NotationError
from tests.reference.heap_rules_naive import toads_children

GAME = GameSpec("toads")


def test_moves_come_in_the_order_of_the_animals_moved() -> None:
    assert list(toads.moves("TF.TF")) == [(0, ".FTTF"), (4, "TFFT.")]
    assert list(toads.moves("T.F")) == [(0, ".TF"), (2, "TF.")]
    assert list(toads.moves("TT.FF")) == [(1, "T.TFF"), (3, "TTF.F")]
    assert list(toads.moves("FFTT")) == []


def test_random_strips() -> None:
    random.seed(23)
    for _ in range(2000):
        strip = "".join(random.choice("TF..") for _ in range(random.randrange(1, 12)))
        moves = list(toads.moves(strip))
        assert {child for _, child in moves} == toads_children(strip)
        assert len({cell for cell, _ in moves}) == len(moves) == len(toads_children(strip))
        for cell, child in moves:
            goal = toads.target(strip, cell)
            assert goal is not None
            assert (strip[goal], child[cell], child[goal]) == (".", ".", strip[cell])


def test_the_bound_on_positions_is_one() -> None:
    for strip in ("TT..FF", "T.T.F.F", "TFTF...", "T......F"):
        reached, todo = {strip}, [strip]
        while todo:
            new = toads_children(todo.pop()) - reached
            reached |= new
            todo += new
        assert len(reached) <= toads.position_bound(strip)


def test_notation() -> None:
    assert toads.RULES.parse_body(" TT.FF ", GAME).value == "TT.FF"
    for wrong in ("", "tt.ff", "T F", "T-F", "T" * 65, "T.Ф"):
        with pytest.raises(NotationError) as raised:
            toads.RULES.parse_body(wrong, GAME)
        assert "\n" not in str(raised.value)
    assert toads.RULES.parse_body("." * 64, GAME).value == "." * 64
