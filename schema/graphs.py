"""Answers about a finite game given as a graph: arrays with a number for every node."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import ArrayTypeError, InvalidPositionError
from position_oracle.schema.numbers import shown_value, whole

MAX_NODES: Final = 1_000_000
"""Maximum number of nodes of a graph."""

MAX_GRAPH_MOVES: Final = 5_000_000
"""Maximum number of moves of a graph."""


@dataclass(frozen=True, slots=True, eq=False)
class SolvedGraph:
    """Values of every node of a graph, each an array (nodes,) in the order of the nodes.

    Attributes:
        outcomes: uint8, the numbers of `Outcome`, if nobody errs.
        remoteness: int32, plies to the end if the winner hurries and the loser delays.
        random: float64, the chance of the player to move if both move at random.
        perfect: float64, the chance of the player to move, who never errs, against a random player.
        grundy: int32, the Grundy values; None in misere play, and if the graph has results.
        error_bound: bound on the rounding error of every chance.
    """

    outcomes: npt.NDArray[np.uint8]
    remoteness: npt.NDArray[np.int32]
    random: npt.NDArray[np.float64]
    perfect: npt.NDArray[np.float64]
    grundy: npt.NDArray[np.int32] | None
    error_bound: float


def checked_results(results: Mapping[int, Outcome]) -> dict[int, Outcome]:
    """Return the results of nodes from a caller; the numbers 1 and 2 mean P and N.

    Raises:
        ArrayTypeError: the results are not a mapping, or a node is not an integer.
        InvalidPositionError: a result is neither N nor P.
    """
    if not isinstance(results, Mapping):
        raise ArrayTypeError(
            f"results are a {type(results).__name__}; give a mapping from nodes to N or P"
        )
    found = {whole(node, "a node of results"): given for node, given in results.items()}
    return {node: _checked_result(node, given) for node, given in found.items()}


def _checked_result(node: int, given: Outcome) -> Outcome:
    try:
        outcome = Outcome(given)
    except ValueError:
        outcome = Outcome.UNKNOWN
    if not outcome:
        raise InvalidPositionError(f"the result of node {node} is {shown_value(given)}, not N or P")
    return outcome
