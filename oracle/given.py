"""Everything about every node of a finite game that somebody gives as a graph."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from position_oracle.engine.games.given import GivenGame
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.graph import Graph, from_lists
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import ResourceLimitError

MAX_EXACT: Final = 100_000
"""Most moves of a graph whose chances are given as fractions, too."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What is known of a node.

    Attributes:
        name: its name.
        outcome: who wins if nobody errs.
        winning_moves: the nodes that the moves that win lead to, each once.
        grundy: the Grundy value; None in misere play and where results are given.
        remoteness: plies to the end if the winner hurries and the loser delays.
        random: the chance of the player to move if both move at random.
        perfect: that chance if the player to move never errs and the other moves at random.
        exact: `random` as a fraction; None where fractions grow too long.
    """

    name: str
    outcome: Outcome
    winning_moves: tuple[str, ...]
    grundy: int | None
    remoteness: int
    random: float
    perfect: float
    exact: Fraction | None

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs."""
        return {
            "node": self.name,
            "outcome": self.outcome.name,
            "winning_moves": list(self.winning_moves),
            "grundy": self.grundy,
            "remoteness": self.remoteness,
            "random": self.random,
            "random_exact": None if self.exact is None else str(self.exact),
            "perfect_vs_random": self.perfect,
        }


def solve(game: GivenGame) -> Iterator[NodeFacts]:
    """The facts of every node, in the order in which they are given.

    Raises:
        StoppedError: the current budget is spent.
    """
    graph: Graph[int] = from_lists(game.moves, game.won)
    wins = folds.wins(graph)
    has_values = not game.misere and not game.has_results
    values = folds.grundy(graph) if has_values else None
    plies = folds.remoteness(graph)
    chances = folds.random_chance(graph)
    loss, _ = folds.perfect_chances(graph, 1.0)
    exact = None
    if graph.moves <= MAX_EXACT:
        with suppress(ResourceLimitError):  # numbers that are too long
            exact = folds.exact_random_chance(graph)
    for number in game.order:
        found = dict.fromkeys(each for each in game.moves[number] if not wins[each])
        yield NodeFacts(
            name=game.names[number],
            outcome=Outcome.N if wins[number] else Outcome.P,
            winning_moves=tuple(game.names[each] for each in found),
            grundy=None if values is None else int(values[number]),
            remoteness=int(plies[number]),
            random=float(chances[number]),
            perfect=1.0 - float(loss[number]),
            exact=None if exact is None else exact[number],
        )
