"""Random play with one pass: closed forms, compared with the recursion in fractions."""

from itertools import combinations_with_replacement

import pytest

from position_oracle.engine.solvers import folds
from position_oracle.engine.theory.random_play import nim, turns
from position_oracle.oracle.reproduce.papers.beyond_random_play import declare_each, graph_of
from position_oracle.schema.errors import InvalidPositionError


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_nim_with_a_pass(count: int, misere: bool) -> None:
    for heaps in combinations_with_replacement(range(4), count):
        name = "nim{misere}" if misere else "nim"
        graph = graph_of(f"{name}:[{','.join(map(str, heaps))};1]")
        chance = nim.win_probability(heaps, misere=misere, passes=1)
        assert folds.exact_random_chance(graph)[-1] == chance
        assert folds.exact_expected_turns(graph)[-1] == nim.expected_turns(heaps, 1)
        assert nim.expected_turns_float(heaps, 1) == pytest.approx(
            float(nim.expected_turns(heaps, 1)), rel=1e-15
        )


@pytest.mark.parametrize("board", ["0", "1", "2", "5", "1/1", "2/1", "2/2", "4/3/1", "1/1/1"])
def test_turns_of_chomp_with_a_pass(board: str) -> None:
    rows = tuple(map(int, board.split("/")))
    found = folds.exact_expected_turns(graph_of(f"chomp:{board};1"))[-1]
    assert found == turns.expected_turns(rows, 1)
    assert turns.expected_turns_float(rows, 1) == pytest.approx(float(found), rel=1e-15)


def test_more_passes_have_no_closed_form() -> None:
    for ask in (nim.win_probability, nim.expected_turns, turns.expected_turns):
        with pytest.raises(InvalidPositionError, match="2 passes"):
            ask((3,), passes=2)


@pytest.mark.parametrize("heaps", ["[2,2]", "[3,5]", "[1,2,3]", "[1,1,2,2]"])
def test_declared_positions_of_nim_add_up_to_minus_a_quarter(heaps: str) -> None:
    changes = declare_each(graph_of(f"nim:{heaps}"))
    proper = ~changes.is_end
    proper[-1] = False
    assert changes.chance[-1, proper].sum() == pytest.approx(-1 / 4, abs=1e-12)


def test_what_a_declared_position_changes() -> None:
    """The changes equal those found by a search of the game with the position declared."""
    graph = graph_of("chomp3:[1,1,2]")
    changes = declare_each(graph)
    start = graph.positions - 1
    before = folds.exact_random_chance(graph)[start], bool(folds.wins(graph)[start])
    for coordinates, d in graph.number.items():
        if changes.is_end[d] or d == start:
            continue
        declared = graph_of(f"chomp3{{declared={list(coordinates)}}}:[1,1,2]".replace(" ", ""))
        chance = folds.exact_random_chance(declared)[-1]
        assert changes.chance[start, d] == pytest.approx(float(chance - before[0]), abs=1e-15)
        assert changes.outcome[start, d] == (bool(folds.wins(declared)[-1]) is not before[1])
        assert changes.inside[start, d]
