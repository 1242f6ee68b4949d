"""New results: the effect of a pass, and of a declared position, on random play.

Passes and declared positions are those of Morrison, Friedman and Landsberg; random play is that of
Devlin and Trifonova. docs/random-play.md has the proofs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.graph import Graph, build
from position_oracle.engine.theory.random_play import nim, turns
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_least,
    at_most,
    equal,
    every,
    near,
)
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.BEYOND)

HALF = Fraction(1, 2)


def graph_of(text: str) -> Graph[Any]:
    """Return the graph of all positions that play can reach."""
    tree, position = tree_of(parse(text)), parse(text)
    return build(tree, tree.node(position))


@dataclass(frozen=True, slots=True)
class DeclaredChanges:
    """The effects of one declared position, for every position i and declared position d.

    Attributes:
        chance: float (n, n): [i, d] is the change of the win probability of the player to move at
            i, in random play.
        outcome: bool (n, n): whether the outcome of i changes.
        inside: bool (n, n): whether play from i can reach d, which is not i.
        is_end: bool (n,): whether a position ends the game anyway.
        is_p: bool (n,): whether it is a P-position.
    """

    chance: NDArray[np.float64]
    outcome: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    is_end: NDArray[np.bool_]
    is_p: NDArray[np.bool_]


def declare_each(graph: Graph[Any]) -> DeclaredChanges:
    """Declare each position of a graph in turn."""
    n = graph.positions
    lead = np.asarray(folds.random_chance(graph)) - 0.5
    wins = np.asarray(folds.wins(graph)).astype(bool)
    chance = np.zeros((n, n))
    won, inside = np.zeros((n, n), bool), np.zeros((n, n), bool)
    for i in range(n):
        children = graph.children(i)
        won[i] = graph.won[i]
        if children:
            chance[i] = -chance[children].mean(axis=0)
            won[i] = (~won[children]).any(axis=0)
            inside[i] = inside[children].any(axis=0)
            inside[i, children] = True
        chance[i, i] = 0.5 - lead[i]
        won[i, i] = True
    return DeclaredChanges(
        chance, won != wins[:, np.newaxis], inside, np.diff(graph.first) == 0, ~wins
    )


@chapter.entry(
    "Random Nim with one pass",
    "With k heaps and n > k tokens the player to move wins with 1/2 + (-1)^(k+1) / ((n+1) C(n,k)),"
    " and the pass is used with probability k / (k+1). Without a pass the chance is 1/2.",
    evidence="A proof, in docs/random-play.md, theorem 1; here the recursion in fractions.",
    refuted_by="Heaps whose chance or length is another one.",
)
def _nim(tables: ReportTables) -> Iterable[Quantity]:
    most = tables.size(7, 5)
    count = right = lasting = 0
    for heaps in combinations_with_replacement(range(most + 1), 3):
        graph = graph_of(f"nim:[{','.join(map(str, heaps))};1]")
        count += 1
        right += folds.exact_random_chance(graph)[-1] == nim.win_probability(heaps, passes=1)
        lasting += folds.exact_expected_turns(graph)[-1] == nim.expected_turns(heaps, passes=1)
    yield every(f"three heaps to {most} whose chance it is", count, right)
    yield every(f"three heaps to {most} whose length it is", count, lasting)
    single = [nim.win_probability((heap,), passes=1) - HALF for heap in range(2, 8)]
    yield equal(
        "one heap h = 2 .. 7: 1 / (h (h+1)) above 1/2",
        tuple(Fraction(1, heap * (heap + 1)) for heap in range(2, 8)),
        tuple(single),
    )


@chapter.entry(
    "Random Chomp with one pass",
    "The pass is used with probability 5/12 on every board of several rows and columns, 1/3 on"
    " other boards of several cookies. Conjecture 1.5 holds with a pass, too: on boards of several"
    " rows and columns the first player wins with less than 1/2.",
    evidence="A proof of the first, in docs/random-play.md, theorem 2; of the second all boards"
    " inside a square.",
    refuted_by="Another probability of use; a board of several rows and columns with 1/2 or more.",
)
def _chomp(tables: ReportTables) -> Iterable[Quantity]:
    leads = chomp_leads(tables)
    side = tables.size(8, 6)
    yield at_most(f"inside {side} x {side}: the greatest P - 1/2", -1e-3, max(leads.values()))
    plain = {
        board: chance - 0.5
        for board, chance in _chances(f"chomp:{square(side)}").items()
        if board in leads
    }
    shares = [leads[board] / plain[board] for board in leads]
    yield equal(
        "1/2 - P, with a pass to without, is least on 2/1: one half", 0.5, round(min(shares), 9)
    )
    whole = (side,) * side
    yield at_least("the same on the whole square", 0.99, leads[whole] / plain[whole])
    boards = ("4", "3/1", "1/1/1", "3/3/3", "5/4/2/1")
    used = tuple(
        folds.exact_expected_turns(graph_of(f"chomp:{board};1"))[-1]
        - turns.expected_turns(tuple(map(int, board.split("/"))))
        for board in boards
    )
    third, other = Fraction(1, 3), Fraction(5, 12)
    yield equal(
        f"turns that the pass adds on {', '.join(boards)}",
        (third, other, third, other, other),
        used,
    )


def square(side: int) -> str:
    """Return the text of a square board."""
    return "/".join([str(side)] * side)


def _chances(text: str) -> dict[Any, float]:
    graph = graph_of(text)
    chances = folds.random_chance(graph)
    return {node: float(chances[number]) for node, number in graph.number.items()}


def chomp_leads(tables: ReportTables) -> dict[tuple[int, ...], float]:
    """Return P - 1/2 with one pass of all boards of several rows and columns inside a square."""
    side = tables.size(8, 6)
    found = _chances(f"chomp:{square(side)};1")
    return {
        board: chance - 0.5
        for (board, passes), chance in found.items()
        if passes == 1 and len(board) > 1 < board[0]
    }


@chapter.entry(
    "A declared position in random play",
    "Add up what each declared position alone changes in the first player's chance. In Nim with two"
    " heaps of at least 2 the sum is -1/4. So a declared position chosen at random among N changes"
    " the chance by -1/(4N) on average: random play forgets it, while perfect play may not.",
    evidence="A proof for Nim, in docs/random-play.md, theorem 3; for Chomp the sums computed.",
    refuted_by="Such heaps with another sum; a square or three-row board whose sum is not near"
    " -1/4.",
)
def _declared(tables: ReportTables) -> Iterable[Quantity]:
    heaps = ("[2,2]", "[4,5]", "[3,3,3]", "[1,2,7]", "[1,1,4,4]", "[6,6,6]")
    found = [_sum_of_changes(declare_each(graph_of(f"nim:{each}"))) for each in heaps]
    far = max(abs(each + 0.25) for each in found)
    yield near(f"Nim {' '.join(heaps)}: the largest |sum + 1/4|", 0, far, 1e-12)
    single = _sum_of_changes(declare_each(graph_of("nim:[5]")))
    yield near("one heap of 5: the sum", -9 / 40, single, 1e-12)
    boards = ("4/4/4/4", "5/5/5/5/5", "12/12/12")
    for board in boards[: tables.size(3, 2)]:
        changes = declare_each(graph_of(f"chomp:{board}"))
        yield at_most(f"Chomp {board}: |sum + 1/4|", 0.001, abs(_sum_of_changes(changes) + 0.25))
        pairs = changes.inside & (changes.is_p & ~changes.is_end)
        positions = int(np.count_nonzero(~changes.is_end))
        yield at_least(
            f"{board}, a declared P-position: share of outcomes changed around it",
            0.09,
            float(changes.outcome[pairs].mean()),
        )
        yield at_most(
            "in random play, the mean change of the chance there, times the number of positions",
            2.2,
            float(np.abs(changes.chance[pairs]).mean()) * positions,
        )


def _sum_of_changes(changes: DeclaredChanges) -> float:
    """Return the sum of the changes at the start by declared positions between start and end."""
    proper = ~changes.is_end
    proper[-1] = False
    return float(changes.chance[-1, proper].sum())
