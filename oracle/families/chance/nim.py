"""Nim against chance, normal and misere: closed forms, and exact recursion for small heaps."""

from itertools import zip_longest

import numpy as np

from position_oracle.engine.budget import Price, current
from position_oracle.engine.games.nim import MAX_HEAPS
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import Model, Perfect, nim
from position_oracle.oracle.answers import Certainty, Method, WinProbability
from position_oracle.oracle.families.base import Coordinates, Shelf, check_not_negative, packed
from position_oracle.oracle.families.chance.answers import Floats, exactly, moves_to, unknown
from position_oracle.oracle.families.chance.batches import SECONDS
from position_oracle.oracle.families.chance.recursions import (
    MAX_MOVES,
    chances_bytes,
    heap_chances,
    is_small,
)
from position_oracle.schema.errors import InvalidPositionError

Heaps = tuple[int, ...]


class NimChances:
    """Nim against chance, normal and misere."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def closed_form(self, position: Position, model: Model) -> WinProbability | None:
        """Both random, by Theorem 1.7; None in other models."""
        if model.perfect is not Perfect.NOBODY:
            return None
        chance = nim.win_probability(position.coordinates, misere=position.game.misere)
        reason = "Devlin & Trifonova, Theorem 1.7"
        return exactly(position, model, chance, Certainty.THEOREM, Method.CLOSED_FORM, reason)

    def computed(self, position: Position, model: Model) -> WinProbability:
        """One player perfect, by recursion over all positions."""
        heaps, misere = position.coordinates, position.game.misere
        chances = heap_chances(self._shelf, heaps, model.epsilon, misere=misere)
        if chances is None:
            return unknown(position, model, "too many positions inside for exact recursion")
        chance = chances.to_move if model.mover_chooses else 1 - chances.waiting
        best = moves_to(position, chances.best_moves) if model.mover_chooses else None
        reason = "recursion over all positions that play can come to, in whole numbers"
        return exactly(position, model, chance, Certainty.EXACT_SEARCH, Method.EXACT, reason, best)

    def batch(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Floats:
        """Probabilities (n,) that the player to move wins; NaN where they are not known."""
        heaps = _checked(game, coordinates)
        if model.perfect is Perfect.NOBODY:
            parity = (heaps.sum(axis=1, dtype=np.int64) + game.misere) % 2
            return np.where(heaps.max(axis=1, initial=0) > 1, 0.5, parity)
        rows = _without_empty_heaps(heaps)
        known: dict[Heaps, float] = {}
        outers = self._outers(sorted(set(rows)))
        current().admit(_price(outers), f"{len(outers)} recursions over all heaps below")
        for outer in outers:
            known |= self._inside(outer, model, misere=game.misere)
        return np.array([known.get(row, np.nan) for row in rows], np.float64)

    def price_of_rows(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Price:
        """What `batch` takes: recursions where one player is perfect."""
        heaps = _checked(game, coordinates)
        if model.perfect is Perfect.NOBODY:
            return Price()
        rows = _without_empty_heaps(heaps)
        return _price(self._outers(sorted(set(rows)))) + Price(1e-5 * len(rows))

    def warm_up(self) -> None:
        """Nothing here is compiled."""

    def _outers(self, rows: list[Heaps]) -> list[Heaps]:
        """Positions small enough for a recursion below which are all rows that are."""
        groups, outers = [rows], []
        while groups:
            group = groups.pop()
            outer = tuple(max(column) for column in zip_longest(*group, fillvalue=0))
            if is_small(outer):
                outers.append(outer)
            elif len(group) > 1:
                middle = len(group) // 2
                groups += [group[middle:], group[:middle]]
        return outers

    def _inside(self, outer: Heaps, model: Model, *, misere: bool) -> dict[Heaps, float]:
        def solve() -> dict[Heaps, float]:
            from position_oracle.engine.solvers.random_play import nim_chances_inside

            return nim_chances_inside(
                outer,
                model.epsilon,
                misere=misere,
                perfect_to_move=model.mover_chooses,
                max_moves=MAX_MOVES,
            )

        key = (outer, model, misere)
        return self._shelf.cache.find("nim chances inside", key, solve, chances_bytes)


def _price(outers: list[Heaps]) -> Price:
    return Price(SECONDS * len(outers), 300 * MAX_MOVES * min(len(outers), 1))


def _without_empty_heaps(heaps: Coordinates) -> list[Heaps]:
    """The heaps of each row, the largest first."""
    ordered = -np.sort(-heaps, axis=1)
    return [tuple(heap for heap in row if heap) for row in ordered.tolist()]


def _checked(game: GameSpec, coordinates: Coordinates) -> Coordinates:
    width = coordinates.shape[1] if coordinates.ndim == 2 else 0
    if not 1 <= (game.heaps or width) <= MAX_HEAPS:
        raise InvalidPositionError(f"nim: got {width} heaps; nim is played with 1 to {MAX_HEAPS}")
    heaps = packed(coordinates, game.heaps or width, rules_of("nim").form)
    check_not_negative(heaps, "nim", "heaps")
    return heaps
