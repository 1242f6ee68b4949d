"""The prober of games known only by their rules, such as variants of a family."""

from collections.abc import Sequence

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.choice import notable_moves
from position_oracle.engine.games.moves import is_eaten
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered
from position_oracle.oracle.families.sources import LOOK_UP, Source


class EatingThePoison(Source):
    """Source for misere Chomp in every form: a player who can eat the poison wins."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan N, unless the poison has been eaten."""

        def run() -> Answer:
            outcome = Outcome.P
            wins: tuple[Move, ...] = ()
            if not is_eaten(position):
                outcome = Outcome.N
                wins = (next(m for m in notable_moves(position) if is_eaten(m.child)),)
            reason = "in misere play eating the poison wins, and it can always be eaten"
            return Answer(
                position, outcome, Certainty.THEOREM, reason, wins if with_moves else None
            )

        return Plan(LOOK_UP, run)


class SearchProber(Prober):
    """Answers questions by the graph, and about misere Chomp by the poison."""

    def games(self) -> tuple[Covered, ...]:
        """Return none: the family lists the games."""
        return ()

    def sources(self, game: GameSpec) -> Sequence[Source]:
        """Return the source about the poison, which declared positions may exclude, or none."""
        eats = game.misere and self.rules.has_poison and not game.is_variant
        return (EatingThePoison(),) if eats else ()


def search_prober_of(name: str) -> type[Prober]:
    """Return a prober of any family that knows no theorem and no table."""
    return type(f"{name.title()}SearchProber", (SearchProber,), {"family": name})
