"""Moves, best first: one total order for every game, as the tablebases of chess have it.

Outcomes are seen by the player who is to choose the move. In this order of precedence:

1. winning moves (to P-positions), then moves of unknown outcome, then losing ones; a move that ends
   the game at once is the very best of those that win, the very worst of those that lose;
2. among winning moves the least remoteness first (win soon), among losing ones the greatest (lose
   late); moves whose remoteness is not known follow those where it is;
3. the greatest known probability of winning first; moves without one follow;
4. the order of the rules (``engine.games.rules.Rules.moves``), so that no two moves are equal.

Eating the poison is a move that ends the game, so it comes last whatever is known about the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

MoveT = TypeVar("MoveT")

OrderKey = tuple[int, bool, int, bool, float, int]

_UNKNOWN: Final = 2
_CATEGORY: Final = {(True, True): 0, (True, False): 1, (False, False): 3, (False, True): 4}
"""By whether the move wins, and whether it ends the game."""


@dataclass(frozen=True, slots=True)
class MoveFacts:
    """What is known about a move.

    Attributes:
        wins: whether the move wins for the player who makes it; None if that is not known.
        remoteness: plies to the end of the game from the position that the move leads to; None if
            it is not known or, as for the empty Chomp board, there is none.
        win_probability: probability, 0 to 1, that the player who makes the move wins, estimated
            or under some model of play; None if there is none.
        ends_game: whether the game is over after the move, as when the poison is eaten.

    Raises:
        ValueError: a negative remoteness, a probability outside 0..1, or a remoteness or the end of
            the game without the outcome, which follows from either.
    """

    wins: bool | None
    remoteness: int | None = None
    win_probability: float | None = None
    ends_game: bool = False

    def __post_init__(self) -> None:
        if self.wins is None and (self.ends_game or self.remoteness is not None):
            raise ValueError("the outcome of a move is known where the end of the game is")
        if self.remoteness is not None and self.remoteness < 0:
            raise ValueError(f"remoteness {self.remoteness} is negative")
        if self.win_probability is not None and not 0 <= self.win_probability <= 1:
            raise ValueError(f"win probability {self.win_probability} is not in 0..1")


def order_key(facts: MoveFacts, place: int) -> OrderKey:
    """Sort key of a move; smaller is better, and keys differ wherever places do.

    Args:
        facts: what is known about the move.
        place: its place in the order of the rules.
    """
    category = _UNKNOWN if facts.wins is None else _CATEGORY[facts.wins, facts.ends_game]
    plies = facts.remoteness or 0
    probability = facts.win_probability
    return (
        category,
        facts.remoteness is None,
        plies if facts.wins else -plies,
        probability is None,
        -(probability or 0.0),
        place,
    )


def best_first(moves: Sequence[MoveT], facts: Callable[[MoveT], MoveFacts]) -> list[MoveT]:
    """The moves in the order of this module.

    Args:
        moves: all of them, in the order of the rules.
        facts: what is known about a move; asked once for each.
    """
    keys = [order_key(facts(move), place) for place, move in enumerate(moves)]
    return [moves[place] for place in sorted(range(len(moves)), key=keys.__getitem__)]
