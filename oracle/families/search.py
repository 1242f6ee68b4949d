"""Small games by search, the same for every family: passes, misere play, whatever has no theory.

The search is `engine.solvers.game_search`, over the rules of the family. It needs no compiled code.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Final, Literal

from position_oracle.engine.budget import Price, current
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.solvers.game_search import GameSearch
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober, Shelf, unknown
from position_oracle.oracle.families.values import NOTHING, Value, ValueTable
from position_oracle.schema.errors import ResourceLimitError

MAX_BOUND: Final = 3_000_000
"""Most positions that may be met, by the bound of the family, for a search to be tried."""

MAX_POSITIONS: Final = 100_000
"""Most positions that a search keeps: about a second."""

MAX_MOVES: Final = 500_000
"""Most moves looked at for Grundy values, and for remoteness: about a second each."""

MAX_OUTCOME_MOVES: Final = 3_000_000
"""Most moves looked at for outcomes: a few seconds, where positions have many moves."""

MAX_COUNTED: Final = 100
"""Moves that are counted for the price of a search."""

_MOVE_SECONDS: Final = 2e-6
_OPTION_SECONDS: Final = 3e-7
_LOOK_SECONDS: Final = 1e-6
_POSITION_SECONDS: Final = 2.5e-5
_POSITION_BYTES: Final = 300

Bound = Callable[[Position], float]
"""At least as many positions as can be reached from one, whatever the passes."""


class Searches:
    """Searches of one family, kept in the cache of a shelf."""

    def __init__(
        self,
        shelf: Shelf,
        rules: Rules,
        bound: Bound,
        reduce: Callable[[GameSpec, Coordinates], Coordinates] | None = None,
    ) -> None:
        """Search by the rules of a family.

        Args:
            shelf: where results are kept.
            rules: the rules.
            bound: how many positions a search may meet.
            reduce: see `GameSearch.reduce`.
        """
        self._cache = shelf.cache
        self._rules = rules
        self._bound = bound
        self._reduce = reduce

    def fits(self, position: Position) -> bool:
        """Whether a position is small enough to be tried."""
        return self._bound(position) <= MAX_BOUND

    def price(self, position: Position) -> Price:
        """What a search takes at most; nothing where it is not tried."""
        if not self.fits(position):
            return Price(1e-5)
        count = min(int(self._bound(position)), MAX_POSITIONS)
        moves = self._rules.regular_moves(position.coordinates, position.game)
        counted = sum(1 for _ in islice(moves, MAX_COUNTED))
        seconds = 1e-4 + (_POSITION_SECONDS + _OPTION_SECONDS * counted) * count
        if counted == MAX_COUNTED:
            looked_at = min(count * (sum(position.coordinates) + 1), MAX_OUTCOME_MOVES)
            seconds += _LOOK_SECONDS * looked_at
        return Price(seconds, _POSITION_BYTES * count)

    def price_of_values(self, position: Position) -> Price:
        """What Grundy values and remoteness take at most, beside the outcome.

        Remoteness depends on how many passes are left, not on their parity alone.
        """
        if not self.fits(position):
            return Price(1e-5)
        count = min(self._bound(position) * (position.game.passes + 1), MAX_POSITIONS)
        moves = min(count * (sum(position.coordinates) + 1), MAX_MOVES)
        return Price(1e-4 + 2 * _MOVE_SECONDS * moves, int(2 * _POSITION_BYTES * count))

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """The outcome and all winning moves; unknown where there are too many positions."""
        if not self.fits(position):
            return unknown(position, self._too_large())
        try:
            search = self._searched(position)
            coordinates, passes = position.coordinates, position.game.passes
            if self._rules.is_won(coordinates, position.game):
                return _found(position, Outcome.N, () if with_moves else None)
            if search.is_p_position(coordinates, passes):
                return _found(position, Outcome.P, () if with_moves else None)
            moves = self._winning(position, search) if with_moves else None
        except ResourceLimitError:
            return unknown(position, self._too_large())
        return _found(position, Outcome.N, moves)

    def values(self, position: Position) -> ValueTable:
        """Grundy values of a position and of its children, in normal play, and remoteness."""
        if not self.fits(position):
            return NOTHING
        try:
            search = self._searched(position)
            grundy = None if position.game.misere else partial(_grundy_at, self._rules, search)
            if grundy is not None and grundy(position) is None:
                return NOTHING
        except ResourceLimitError:
            return NOTHING
        plies = _known(partial(_plies_at, search), position)
        return ValueTable(grundy, plies, Certainty.EXACT_SEARCH, _REASON)

    def remoteness(self, position: Position) -> Value | None:
        """Looks up the remoteness of a small position and of its children; None for others."""
        if not self.fits(position):
            return None
        try:
            return _known(partial(_plies_at, self._searched(position, "remoteness")), position)
        except ResourceLimitError:
            return None

    def _searched(
        self, position: Position, question: Literal["outcome", "remoteness"] = "outcome"
    ) -> GameSearch[Coordinates]:
        """A search that has found this of a position.

        Raises:
            ResourceLimitError: it is too large; also known the next time.
        """
        coordinates, passes = position.coordinates, position.game.passes % 2
        game = position.game.with_passes(passes)

        looked_at = 0

        def children(position: Coordinates) -> Iterator[Coordinates]:
            nonlocal looked_at
            looked_at += 1
            return self._children(game, position)

        def solve() -> GameSearch[Coordinates] | None:
            search = GameSearch(
                children,
                misere=game.misere,
                positions_max=MAX_POSITIONS,
                moves_max=MAX_MOVES,
                outcome_moves_max=MAX_OUTCOME_MOVES,
                check=lambda: current().check(),
            )
            if self._reduce is not None:
                search.reduce = partial(self._reduce, game)
            ask = search.is_p_position if question == "outcome" else search.remoteness
            try:
                ask(coordinates, passes)
            except ResourceLimitError:
                return None
            return search

        def size(found: GameSearch[Coordinates] | None) -> int:
            # What a search goes on to find is counted beforehand: it keeps outcomes and values.
            return 64 if found is None else 2 * _POSITION_BYTES * (1000 + looked_at)

        key = (position.game, coordinates, question)  # not to go on where another one ended
        found = self._cache.find("search", key, solve, size)
        if found is None:
            raise ResourceLimitError(self._too_large())
        return found

    def _children(self, game: GameSpec, coordinates: Coordinates) -> Iterator[Coordinates]:
        """Children by regular moves; where poison loses, without taking it."""
        rules = self._rules
        spares_poison = rules.has_poison and not game.misere
        for child in rules.regular_moves(coordinates, game):
            if not (spares_poison and rules.is_won(child, game)):
                yield child

    def _winning(self, position: Position, search: GameSearch[Coordinates]) -> tuple[Move, ...]:
        found = search.winning_moves(position.coordinates, position.game.passes)
        moves = [Move(position.child(child)) for child in found.children]
        if found.pass_wins:
            moves.append(Move(position.passed(), is_pass=True))
        return tuple(moves)

    @staticmethod
    def _too_large() -> str:
        return (
            f"no theorem decides it, and a search when asked for goes to {MAX_POSITIONS:,}"
            " positions; a search of all smaller positions would decide it"
        )


_REASON: Final = "search of all positions that play can come to"


def _found(position: Position, outcome: Outcome, moves: tuple[Move, ...] | None) -> Answer:
    return Answer(position, outcome, Certainty.EXACT_SEARCH, _REASON, moves)


def _grundy_at(rules: Rules, search: GameSearch[Coordinates], position: Position) -> int | None:
    if rules.is_won(position.coordinates, position.game):
        return None
    try:
        return search.grundy(position.coordinates, position.game.passes)
    except ResourceLimitError:
        return None


def _known(look_up: Value, position: Position) -> Value | None:
    """The look-up, if it knows the number of a position."""
    return None if look_up(position) is None else look_up


def _plies_at(search: GameSearch[Coordinates], position: Position) -> int | None:
    try:
        return search.remoteness(position.coordinates, position.game.passes)
    except ResourceLimitError:
        return None


def answer_even_passes(prober: Prober, position: Position, *, with_moves: bool) -> Answer:
    """The answer with an even number of passes, from that without: docs/nim-passes.md, theorem 1.

    Two more passes change no outcome in any game in which the end allows no pass. Whether the pass
    wins, too, is the outcome with an odd number of passes.
    """
    game = position.game
    plain = Position(game.with_passes(0), position.coordinates)
    found = prober.answer(plain, with_moves=with_moves)
    if not found.outcome:
        return unknown(position, found.reason)
    reason = f"{found.reason}; an even number of passes changes no outcome"
    moves = None
    if found.winning_moves is not None:
        regular = [
            Move(prober.rules.position(game, move.child.coordinates))
            for move in found.winning_moves
        ]
        regular = list(dict.fromkeys(regular))
        passed = Outcome.N
        if found.outcome is Outcome.N and not prober.rules.ends_at(position):
            passed = prober.answer(position.passed(), with_moves=False).outcome
        if passed is Outcome.P:
            regular.append(Move(position.passed(), is_pass=True))
        if passed is Outcome.UNKNOWN:
            reason += "; whether the pass wins, too, is not known"
        else:
            moves = tuple(regular)
    return Answer(position, found.outcome, found.certainty, reason, moves)
