"""Three-row Chomp and sums of games by their definitions, position by position.

Boards are tuples of row lengths, poison row first, without zeros at the end. Children come from
cutting rows, values from a list of all children. It shares nothing with the tables.
"""

from collections.abc import Iterator
from functools import cache

Board = tuple[int, ...]
Rows = tuple[int, int, int]

EMPTY: Rows = (0, 0, 0)


def from_xyz(x: int, y: int, z: int) -> Rows:
    """Return the row lengths of a position in Zeilberger's coordinates."""
    return x + y + z, x + y, x


def to_xyz(rows: Rows) -> tuple[int, int, int]:
    """Return Zeilberger's coordinates of row lengths."""
    a, b, c = rows
    return c, b - c, a - b


def positions(limit: int) -> Iterator[Rows]:
    """All three-row positions with a first row of at most `limit`, children before parents."""
    for a in range(limit + 1):
        for b in range(a + 1):
            for c in range(b + 1):
                yield a, b, c


def children(rows: Rows) -> Iterator[Rows]:
    """Return the positions after one bite, including the empty board."""
    a, b, c = rows
    for row, length in enumerate(rows):
        for cut in range(length):
            yield (
                min(a, cut) if row == 0 else a,
                min(b, cut) if row <= 1 else b,
                min(c, cut),
            )


def mex(values: set[int]) -> int:
    """The least number from 0 on that is not in the set."""
    number = 0
    while number in values:
        number += 1
    return number


def unrestricted_values(limit: int) -> dict[Rows, int]:
    """The Grundy values if every bite is allowed; 0 for the empty board."""
    values: dict[Rows, int] = {}
    for rows in positions(limit):
        values[rows] = mex({values[child] for child in children(rows)})
    return values


def restricted_values(limit: int) -> dict[Rows, int]:
    """The Grundy values if the poison cannot be eaten, without the empty board."""
    values: dict[Rows, int] = {}
    for rows in positions(limit):
        if rows != EMPTY:
            values[rows] = mex({values[child] for child in children(rows) if child != EMPTY})
    return values


def p_positions(limit: int) -> set[Rows]:
    """Positions from which the player who has just moved wins."""
    found: set[Rows] = set()
    for rows in positions(limit):
        if rows != EMPTY and found.isdisjoint(children(rows)):
            found.add(rows)
    return found


def remoteness_values(limit: int) -> dict[Rows, int]:
    """Plies until only the poison is left, if the winner hurries and the loser delays."""
    lost = p_positions(limit)
    plies: dict[Rows, int] = {}
    for rows in positions(limit):
        if rows == EMPTY:
            continue
        following = [child for child in children(rows) if child != EMPTY]
        wins = [plies[child] for child in following if child in lost]
        if wins:
            plies[rows] = 1 + min(wins)
        else:
            plies[rows] = 1 + max((plies[child] for child in following), default=-1)
    return plies


def board_children(board: Board) -> list[Board]:
    """Return the boards after one bite of a board of any shape, including the empty board ()."""
    found = []
    for row, length in enumerate(board):
        for cut in range(length):
            rows = board[:row] + tuple(min(cut, other) for other in board[row:])
            found.append(tuple(other for other in rows if other))
    return found


Component = tuple[Board, bool]
"""A board, and whether its poison may be eaten. A heap of Nim is a row with edible poison."""

Sum = tuple[Component, ...]


def component_children(component: Component) -> list[Component]:
    """Return the positions after a move in one component."""
    board, edible = component
    return [(child, edible) for child in board_children(board) if child or edible]


@cache
def component_value(component: Component) -> int:
    """The Grundy value of one component in normal play."""
    return mex({component_value(child) for child in component_children(component)})


def sum_children(components: Sum) -> Iterator[tuple[int, Component, Sum]]:
    """Every move as the number of a component, its new position, and the new sum."""
    for index, component in enumerate(components):
        for child in component_children(component):
            yield index, child, (*components[:index], child, *components[index + 1 :])


@cache
def sum_is_p(components: Sum, misere: bool) -> bool:
    """Return whether a sum is P, by its whole game tree.

    In normal play the player who cannot move loses, in misere play that player wins.
    """
    options = {tuple(sorted(child)) for _, _, child in sum_children(components)}
    if not options:
        return not misere
    return not any(sum_is_p(child, misere) for child in options)
