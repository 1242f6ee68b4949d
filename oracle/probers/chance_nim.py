"""Nim against chance, normal and misere: closed forms, and exact recursion for small heaps."""

from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from engine.games.nim import MAX_HEAPS
from engine.games.position import Position
from engine.games.registry import rules_of
from engine.games.spec import GameSpec
from engine.solvers.random_play import Chances, nim_chances, nim_chances_inside
from engine.theory.random_play import Model, Perfect, nim
from oracle.answers import Certainty, Method, WinProbability
from oracle.probers.base import Coordinates, packed
from oracle.probers.chance_answers import exactly, moves_to, unknown
from oracle.probers.chance_tables import Floats
from schema.errors import InvalidPositionError, ResourceLimitError

MAX_MOVES: Final = 2**20
"""Positions times moves of a recursion that is made when asked: 0.3 s."""

Heaps = tuple[int, ...]


def closed_form(position: Position, model: Model) -> WinProbability | None:
    """Both random, by Theorem 1.7; None in other models."""
    if model.perfect is not Perfect.NOBODY:
        return None
    chance = nim.win_probability(position.coordinates, misere=position.game.misere)
    reason = "Devlin & Trifonova, Theorem 1.7"
    return exactly(position, model, chance, Certainty.THEOREM, Method.CLOSED_FORM, reason)


def by_recursion(position: Position, model: Model) -> WinProbability:
    """One player perfect, by recursion over all positions."""
    heaps, misere = position.coordinates, position.game.misere
    chances = _chances(heaps, model.epsilon, misere)
    if chances is None:
        return unknown(position, model, "too many positions inside for exact recursion")
    chance = chances.to_move if model.mover_chooses else 1 - chances.waiting
    best = moves_to(position, chances.best_moves) if model.mover_chooses else None
    reason = "recursion over all positions that play can come to, in whole numbers"
    return exactly(position, model, chance, Certainty.EXACT_SEARCH, Method.EXACT, reason, best)


def batch(game: GameSpec, coordinates: Coordinates, model: Model) -> Floats:
    """Probabilities (n,) that the player to move wins; NaN where only the outcome could tell."""
    heaps = _checked(game, coordinates)
    if model.perfect is Perfect.NOBODY:
        parity = (heaps.sum(axis=1, dtype=np.int64) + game.misere) % 2
        return np.where(heaps.max(axis=1, initial=0) > 1, 0.5, parity)
    ordered = -np.sort(-heaps, axis=1)
    outer = tuple(ordered.max(axis=0, initial=0).tolist())
    known = _inside(outer, model, game.misere)
    if known is None:
        return np.full(len(heaps), np.nan)
    return np.array([known[tuple(h for h in row if h)] for row in ordered.tolist()], np.float64)


@lru_cache(maxsize=256)
def _chances(heaps: Heaps, epsilon: Fraction, misere: bool) -> Chances | None:
    try:
        return nim_chances(heaps, epsilon, misere=misere, max_moves=MAX_MOVES)
    except ResourceLimitError:
        return None


@lru_cache(maxsize=8)
def _inside(outer: Heaps, model: Model, misere: bool) -> dict[Heaps, float] | None:
    try:
        return nim_chances_inside(
            outer,
            model.epsilon,
            misere=misere,
            perfect_to_move=model.mover_chooses,
            max_moves=MAX_MOVES,
        )
    except ResourceLimitError:
        return None


def _checked(game: GameSpec, coordinates: Coordinates) -> Coordinates:
    width = coordinates.shape[1] if coordinates.ndim == 2 else 0
    if not 1 <= (game.heaps or width) <= MAX_HEAPS:
        raise InvalidPositionError(f"nim: got {width} heaps; nim is played with 1 to {MAX_HEAPS}")
    heaps = packed(coordinates, game.heaps or width, rules_of("nim").form)
    negative = np.flatnonzero((heaps < 0).any(axis=1))
    if len(negative):
        row = int(negative[0])
        raise InvalidPositionError(
            f"nim: row {row} is {heaps[row].tolist()}; heaps may not be negative"
        )
    return heaps
