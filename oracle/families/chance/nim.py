"""Random play in Nim, normal and misere: closed forms; the graph does the rest."""

import numpy as np

from position_oracle.engine.budget import Cost, Plan, watched
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import nim
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.answers import Certainty, Method, Turns, WinProbability
from position_oracle.oracle.families.chance.answers import exactly, plan_turns_by_theorem
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    Floats,
    KnownChances,
    Rows,
    Source,
)

_REASON = "Devlin & Trifonova, Theorem 1.7"
BY_THEOREM = "with one pass, docs/random-play.md, theorem 1"


class NimChances(Source):
    """Source for Nim with at most one pass, without declared positions, with random players."""

    def plan_known_chance(
        self, position: Position, model: Model
    ) -> Plan[WinProbability | None] | None:
        """Plan by Theorem 1.7."""
        if not _has_chances(position.game) or model.perfect is not Perfect.NOBODY:
            return None

        def run() -> WinProbability:
            game = position.game
            passes, misere = game.passes, game.misere
            chance = nim.win_probability(position.coordinates, misere=misere, passes=passes)
            reason = BY_THEOREM if passes else _REASON
            known, method = Certainty.THEOREM, Method.CLOSED_FORM
            return exactly(position, model, chance, known, method, reason)

        return Plan(LOOK_UP, run)

    def plan_turns(self, position: Position) -> Plan[Turns | None] | None:
        """Plan by Theorem 1.7, for heaps of any size."""
        if not _has_chances(position.game):
            return None
        reason = _REASON + f"; {BY_THEOREM}" * position.game.passes
        means = nim.expected_turns, nim.expected_turns_float
        return plan_turns_by_theorem(position, position.coordinates, means, reason)

    def plan_chances(self, game: GameSpec, rows: Rows, model: Model) -> KnownChances | None:
        """Plan by Theorem 1.7; None if one player is perfect, for whom outcomes may decide."""
        if not _has_chances(game):
            return None
        random = model.perfect is Perfect.NOBODY

        def run() -> Floats:
            if game.passes:
                heaps, misere = map(tuple, rows.tolist()), game.misere
                found = (nim.win_probability(each, misere=misere, passes=1) for each in heaps)
                return np.fromiter(map(float, watched(found)), np.float64, len(rows))
            parity = (rows.sum(axis=1, dtype=np.int64) + game.misere) % 2
            return np.where(rows.max(axis=1, initial=0) > 1, 0.5, parity)

        seconds = (1e-5 if game.passes else 1e-7) * len(rows)
        plan = Plan(Cost(seconds), run if random else lambda: np.zeros(0))
        return np.full(len(rows), random), plan


def _has_chances(game: GameSpec) -> bool:
    return game.passes <= 1 and not game.is_variant
