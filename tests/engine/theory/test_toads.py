"""Toads and Frogs on a strip: notation and moves."""

import random

import pytest

from position_oracle.engine.theory import toads
from position_oracle.schema.errors import NotationError
from tests.reference.heap_rules_naive import toads_children


def test_moves_come_in_the_order_of_the_animals_moved() -> None:
    assert list(toads.moves("TF.TF")) == [".FTTF", "TFFT."]
    assert list(toads.moves("T.F")) == [".TF", "TF."]
    assert list(toads.moves("TT.FF")) == ["T.TFF", "TTF.F"]
    assert list(toads.moves("FFTT")) == []


def test_random_strips() -> None:
    random.seed(23)
    for _ in range(2000):
        strip = "".join(random.choice("TF..") for _ in range(random.randrange(1, 12)))
        children = list(toads.moves(strip))
        assert len(children) == len(set(children))
        assert set(children) == toads_children(strip)
        assert toads.is_terminal(strip) == (not children)


def test_the_bound_on_positions_is_one() -> None:
    for strip in ("TT..FF", "T.T.F.F", "TFTF...", "T......F"):
        reached, todo = {strip}, [strip]
        while todo:
            new = toads_children(todo.pop()) - reached
            reached |= new
            todo += new
        assert len(reached) <= toads.position_bound(strip)


def test_notation() -> None:
    assert toads.parse(" TT.FF ") == "TT.FF"
    for wrong in ("", "tt.ff", "T F", "T-F", "T" * 65, "T.Ф"):
        with pytest.raises(NotationError) as raised:
            toads.parse(wrong)
        assert "\n" not in str(raised.value)
    assert toads.parse("." * 64) == "." * 64
