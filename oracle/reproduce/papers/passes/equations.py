"""Equations (1) to (20): recursions of Nim and Chomp, with a pass, and generic."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.oracle.reproduce.operators import (
    Columns,
    Window,
    chomp_step,
    left_shift,
    marked,
    nim_step,
    sheets_of_heaps,
    with_diagonal,
)
from position_oracle.oracle.reproduce.papers.passes.shapes import (
    CHOMP_PASSING,
    GENERIC,
    PASSING,
    PLAIN,
)
from position_oracle.oracle.reproduce.registry import Chapter, Paper, Quantity, equal, every
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.PASSES)

Declared = Callable[[int], Window | None]


def nim_recursion(last: int, declared: Declared) -> list[Columns]:
    """Return sheets of Nim by W_(x+1) = W_x + M(W_x + V_x), in 2 last columns."""
    window, sheets = np.zeros((2 * last, 4 * last + 8), bool), []
    for x in range(last):
        losers, window = nim_step(window, declared(x))
        sheets.append(losers)
    return sheets


def chomp_recursion(last: int, declared: Declared) -> list[Columns]:
    """Return sheets of Chomp by W_(x+1) = L W_x + L D M(W_x + V_x), the first `last` columns."""
    window, sheets = np.zeros((2 * last, 2 * last + 16), bool), []
    window[0, 0] = True  # the empty board is N
    for x in range(last):
        losers, window = chomp_step(window, declared(x))
        sheets.append(losers[:last])
    return sheets


def nim_winners(tables: ReportTables, last: int, *, terminal: bool) -> Declared:
    """Return the pass-winners of Nim: P-positions without the pass, with or without the end."""
    z = tables.heaps(PLAIN, 2 * last - 1)

    def declared(x: int) -> Window:
        columns = z[x].astype(np.int64)
        if x == 0 and not terminal:
            columns[0] = -1
        return marked(columns, 4 * last + 8)

    return declared


def chomp_winners(tables: ReportTables, last: int, *, terminal: bool) -> Declared:
    """Return the pass-winners of Chomp, with or without the poison alone."""
    plain = tables.variant("chomp3", 400)

    def declared(x: int) -> Window:
        width = 2 * last - x
        columns = plain.look_up(x, np.arange(width))
        if x == 0 and not terminal:
            columns[0] = -1
        return marked(columns, 2 * last + 16)

    return declared


def nothing(_: int) -> None:
    """Declare no position."""


def agreeing(ours: list[Columns], table: Callable[[int], Columns]) -> int:
    """Return the number of sheets that agree with a table."""
    return sum(bool(np.array_equal(columns, table(x))) for x, columns in enumerate(ours))


def heap_table(tables: ReportTables, game: str, last: int) -> Callable[[int], Columns]:
    """Return the sheets of a game of three heaps, 2 last columns."""
    z = tables.heaps(game, 2 * last - 1)
    return lambda x: z[x].astype(np.int64)


def chomp_table(tables: ReportTables, game: str, last: int) -> Callable[[int], Columns]:
    """Return the sheets of a variant of three-row Chomp, `last` columns."""
    sheets = tables.variant(game, 400)
    return lambda x: sheets.look_up(x, np.arange(last))


@chapter.entry(
    "Equation (1); Equation (2); Equation (3); Equation (4)",
    "Nim: W_x = L_0 + ... + L_(x-1), L_x = M W_x, W_(x+1) = W_x + M W_x = R W_x with R = I + M.",
)
def _nim(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(80, 40)
    found = nim_recursion(last, nothing)
    yield every(
        "sheets of Nim that the recursion gives, y xor x",
        last,
        agreeing(found, lambda x: np.arange(2 * last) ^ x),
    )
    yield every(
        "sheets of the table that it gives", last, agreeing(found, heap_table(tables, PLAIN, last))
    )
    z, differing = tables.heaps(PLAIN, 2 * last - 1), 0
    for x in (1, last // 3, last - 1):
        by_moves = np.zeros((2 * last, 4 * last), bool)
        for k in range(x):
            by_moves[np.arange(2 * last), z[k]] = True
        differing += int(np.count_nonzero(by_moves != sheets_of_heaps(z, x, 4 * last)))
    yield equal(
        "cells of W_x that differ from the positions with a move to a lower sheet", 0, differing
    )


@chapter.entry(
    "Equation (5)", "With the pass used, the sheets of Nim with a pass are those of Nim."
)
def _used(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.games import nim
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.engine.games.tree import tree_of
    from position_oracle.engine.solvers import folds
    from position_oracle.engine.solvers.graph import build

    side = tables.size(8, 6)
    last = nim.RULES.position(parse_game(PLAIN), (side - 1,) * 3)
    tree = tree_of(last)
    graph = build(tree, tree.node(last))
    wins = folds.wins(graph)
    positions = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)]
    same = sum(
        bool(wins[graph.number[tuple(sorted(p))]]) == (p[0] ^ p[1] ^ p[2] != 0) for p in positions
    )
    yield every(
        f"positions with heaps below {side} and no pass left: P by game tree", len(positions), same
    )


def _end_left_out(
    game: str, end: str, last: int, right: Callable[[bool], int]
) -> Iterator[Quantity]:
    """Compare the recursion with and without the end of the game in L_0, where no pass is allowed.

    Args:
        game: the name of the game.
        end: the last position.
        last: number of sheets.
        right: returns the number of right sheets of the recursion, with or without the end in L_0.
    """
    found = {"with": right(True), "without": right(False)}
    yield equal(
        f"L_0 with or without {end}: which gives all {last} sheets of {game} with a pass",
        "with",
        ", ".join(name for name, sheets in found.items() if sheets == last),
        corrected="without",
    )
    yield every(f"sheets that it gives without {end}", last, found["without"])


@chapter.entry(
    "Equation (6); Equation (7); Equation (8)",
    "Nim with a pass: hatted sheets add up, L^_x = M(W^_x + L_x), W^_(x+1) = W^_x + M(W^_x + L_x),"
    " L_x being those without a pass.",
    correction="At x = 0 the empty heaps are to be left out of L_0: no pass is allowed there (rule"
    " M7), so that [0, 0, 0] is not a pass-winner. With it, the recursion gives another game.",
)
def _nim_pass(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(80, 40)
    table = heap_table(tables, PASSING, last)
    yield from _end_left_out(
        "Nim",
        "[0, 0, 0]",
        last,
        lambda with_end: agreeing(
            nim_recursion(last, nim_winners(tables, last, terminal=with_end)), table
        ),
    )


@chapter.entry(
    "Equation (9); Equation (10); Equation (11)",
    "Chomp: W_x is a sum of shifted D L_k, L_x = M W_x, W_(x+1) = L W_x + L D M W_x.",
)
def _chomp(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(100, 50)
    found = chomp_recursion(last, nothing)
    yield every(
        "sheets of Chomp that the recursion gives",
        last,
        agreeing(found, chomp_table(tables, "chomp3", last)),
    )
    sheets, x = tables.variant("chomp3", 400), last
    total = np.zeros((x, 3 * x), bool)
    for k in range(x):
        diagonal = with_diagonal(sheets.look_up(k, np.arange(2 * x - k)), 3 * x)
        total |= left_shift(diagonal, x - k)[:x]
    yield equal(
        f"cells of W_{x} that differ from that sum",
        0,
        int(np.count_nonzero(total != (instant_winners(sheets, x, x, 3 * x) > 0))),
    )


@chapter.entry(
    "Equation (12); Equation (13); Equation (14); Equation (20)",
    "Chomp with a pass: the same with hats, L^_x = M(W^_x + L_x), said to follow for W^ from rules"
    " M7 to M9.",
    correction="As in Nim, the poison alone, [0, 0, 1], is to be left out of L_0 (rule M13). And"
    " the moves to smaller x are M10 to M12.",
)
def _chomp_pass(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(100, 50)
    table = chomp_table(tables, CHOMP_PASSING, last)
    yield from _end_left_out(
        "Chomp",
        "[0, 0, 1]",
        last,
        lambda with_end: agreeing(
            chomp_recursion(last, chomp_winners(tables, last, terminal=with_end)), table
        ),
    )
    x, y, z, t = 4, 4, 4, 2
    moves = {
        "M7": (x, y, z - t),
        "M8": (x, y - t, z + t),
        "M9": (x, y - t, 0),
        "M10": (x - t, y + t, z),
        "M11": (x - t, 0, z + y + t),
        "M12": (x - t, 0, 0),
    }
    lower = tuple(name for name, left in moves.items() if left[0] < x)
    yield equal(
        "rules that lead to smaller x", ("M7", "M8", "M9"), lower, corrected=("M10", "M11", "M12")
    )


@chapter.entry(
    "Equation (15); Equation (16); Equation (17)",
    "Generic Nim: W~_x is the sum of the L~_k, L~_x = M(W~_x + V_x), W~_(x+1) = W~_x + M(W~_x +"
    " V_x), V_x being what is declared N.",
)
def _generic_nim(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(80, 40)

    def declared(x: int) -> Window | None:
        if x != 9:
            return None
        sheet = np.zeros((2 * last, 4 * last + 8), bool)
        sheet[13, 4] = True
        return sheet

    yield every(
        "sheets of Nim with [9, 13, 4] declared that the recursion gives",
        last,
        agreeing(nim_recursion(last, declared), heap_table(tables, GENERIC, last)),
    )


@chapter.entry(
    "Equation (18); Equation (19)",
    "Generic Chomp: W~_(x+1) = L W~_x + L D M(W~_x + V_x).",
    correction="As long as no rectangle becomes a P-position. If [1, 1, 0] is declared, [2, 0, 0]"
    " is P, and every position with larger x is N by move M6, which D leaves out.",
)
def _generic_chomp(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(60, 30)
    plain = tables.variant("chomp3", 400)
    for position in ((3, 2, plain.z_at(3, 2)), (5, 4, plain.z_at(5, 4))):
        game = "chomp3{declared=[" + ",".join(map(str, position)) + "]}"
        found = chomp_recursion(last, _declared(position, last))
        yield every(
            f"{game}: sheets that the recursion gives",
            last,
            agreeing(found, chomp_table(tables, game, last)),
        )
    closed = "chomp3{declared=[1,1,0]}"
    found = chomp_recursion(last, _declared((1, 1, 0), last))
    beyond = sum(int(np.count_nonzero(columns >= 0)) for columns in found[3:])
    truth = tables.variant(closed, 400)
    there = int(truth.prefix_length[3:].sum())
    yield equal(
        f"{closed}: P-positions with x > 2, by the rules of the game", beyond, there, corrected=0
    )


def _declared(position: tuple[int, int, int | None], last: int) -> Declared:
    def declared(x: int) -> Window | None:
        if x != position[0] or position[2] is None:
            return None
        sheet = np.zeros((2 * last - x, 2 * last + 16), bool)
        sheet[position[1], position[2]] = True
        return sheet

    return declared


@chapter.entry(
    "Equivalence of passes and generic games; Section 4",
    "Games with a pass are infinite-generic games whose variant sheets are said to be the loser"
    " sheets of the game with a pass.",
    correction="They are the loser sheets of the game without a pass, as equations (7) and (13)"
    " have it.",
)
def _equivalence(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(60, 30)
    nim, chomp = heap_table(tables, PASSING, last), chomp_table(tables, CHOMP_PASSING, last)
    for name, table, pure, own in (
        (
            "Nim",
            nim,
            nim_recursion(last, nim_winners(tables, last, terminal=False)),
            nim_recursion(last, _own_nim(tables, last)),
        ),
        (
            "Chomp",
            chomp,
            chomp_recursion(last, chomp_winners(tables, last, terminal=False)),
            chomp_recursion(last, _own_chomp(tables, last)),
        ),
    ):
        givers = [
            who
            for who, found in (("with a pass", own), ("without a pass", pure))
            if agreeing(found, table) == last
        ]
        yield equal(
            f"{name}: whose loser sheets give the game with a pass as variant sheets",
            "with a pass",
            ", ".join(givers) or "neither",
            corrected="without a pass",
        )


def _own_nim(tables: ReportTables, last: int) -> Declared:
    z = tables.heaps(PASSING, 2 * last - 1)
    return lambda x: marked(z[x].astype(np.int64), 4 * last + 8) if x else None


def _own_chomp(tables: ReportTables, last: int) -> Declared:
    sheets = tables.variant(CHOMP_PASSING, 400)

    def declared(x: int) -> Window | None:
        return marked(sheets.look_up(x, np.arange(2 * last - x)), 2 * last + 16) if x else None

    return declared
