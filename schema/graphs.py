"""Answers about a finite game given as a graph: arrays with a number for every node."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import ArrayTypeError, InvalidPositionError
from position_oracle.schema.numbers import whole

MAX_NODES: Final = 1_000_000
"""Most nodes of a graph."""

MAX_GRAPH_MOVES: Final = 5_000_000
"""Most moves of a graph."""


@dataclass(frozen=True, slots=True, eq=False)
class SolvedGraph:
    """Numbers of every node of a graph, each an array (nodes,) in the order of the nodes.

    Attributes:
        outcomes: uint8, the numbers of `Outcome`: who wins if nobody errs.
        remoteness: int32, plies to the end if the winner hurries and the loser delays.
        random: float64, the chance of the player to move if both move at random.
        perfect: float64, that chance if the player to move never errs and the other is random.
        grundy: int32, the Grundy values; None in misere play, and where results are given.
        error_bound: bound on the rounding error of every chance.
    """

    outcomes: npt.NDArray[np.uint8]
    remoteness: npt.NDArray[np.int32]
    random: npt.NDArray[np.float64]
    perfect: npt.NDArray[np.float64]
    grundy: npt.NDArray[np.int32] | None
    error_bound: float


def checked_results(results: Mapping[int, Outcome]) -> dict[int, Outcome]:
    """The results of nodes as a caller gives them; numbers 1 and 2 are P and N.

    Raises:
        ArrayTypeError: they are no mapping, or a node is no integer.
        InvalidPositionError: a result is neither N nor P.
    """
    if not isinstance(results, Mapping):
        raise ArrayTypeError(
            f"results are a {type(results).__name__}; give a mapping from nodes to N or P"
        )
    found = {whole(node, "a node of results"): given for node, given in results.items()}
    for node, given in found.items():
        if given not in (Outcome.N, Outcome.P):
            raise InvalidPositionError(f"the result of node {node} is {given!r}, not N or P")
    return {node: Outcome(given) for node, given in found.items()}
