"""Any small game by search: outcomes, winning moves, Grundy values, remoteness; passes; misere.

Positions are whatever the rules make them, as long as equal ones are equal keys: sorted heaps, row
lengths, strips. Passes are shared: either player may give one back instead of a move wherever a
move is left (Morrison, Friedman and Landsberg, section 1.2). Two more passes change neither an
outcome nor a Grundy value (docs/nim-passes.md, theorems 1 and 2), so that none and one are all that
is searched; what they add to the remoteness of normal play is known (theorem 3).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from threading import RLock
from typing import Final, Generic, TypeAlias, TypeVar

from position_oracle.schema.errors import ResourceLimitError

POSITIONS_MAX: Final = 1_000_000
CHECK_EVERY: Final = 256

PositionT = TypeVar("PositionT", bound=Hashable)

Key: TypeAlias = tuple[PositionT, int]
"""A position, and the passes left."""


@dataclass(frozen=True, slots=True)
class WinningMoves(Generic[PositionT]):
    """All moves that win.

    Attributes:
        children: The positions that a regular winning move leads to, in the order of the rules.
        pass_wins: Whether giving back a pass wins.
    """

    children: tuple[PositionT, ...]
    pass_wins: bool


@dataclass(slots=True)
class _Known(Generic[PositionT]):
    """What is known of one question, and the moves looked at for it."""

    results: dict[Key[PositionT], int] = field(default_factory=dict)
    moves_seen: int = 0


@dataclass(slots=True)
class GameSearch(Generic[PositionT]):
    """Searches one game, and keeps what it found; safe to use from many threads.

    Attributes:
        moves: The children by regular moves; none exactly at the end of the game.
        misere: Whether who cannot move wins.
        reduce: Brings a position to a smaller one of the same game, passes included, such as heaps
            without those that nobody can move in; equal positions need not be searched twice.
        positions_max: Most positions kept, counted once for each number of passes and question;
            and most that wait for one another.
        moves_max: Most moves looked at for Grundy values, and as many for remoteness: these take
            all moves of a position, where an outcome mostly takes few.
        outcome_moves_max: Most moves looked at for outcomes.
        check: Called every few hundred moves looked at; what it raises ends the search. What was
            found by then stays.
    """

    moves: Callable[[PositionT], Iterable[PositionT]]
    misere: bool = False
    reduce: Callable[[PositionT], PositionT] = field(default=lambda position: position)
    positions_max: int = POSITIONS_MAX
    moves_max: float = inf
    outcome_moves_max: float = inf
    check: Callable[[], None] = field(default=lambda: None)
    _wins: _Known[PositionT] = field(default_factory=_Known)
    _values: _Known[PositionT] = field(default_factory=_Known)
    _plies: _Known[PositionT] = field(default_factory=_Known)
    _moves_seen: int = 0
    _lock: RLock = field(default_factory=RLock)

    def is_p_position(self, position: PositionT, passes: int = 0) -> bool:
        """Whether the previous player wins.

        Args:
            position: A position of the game.
            passes: Shared passes left.

        Raises:
            ResourceLimitError: More positions than allowed.
        """
        asked = self.reduce(position), passes % 2
        with self._lock:
            return not self._solve(asked, self._wins, self._outcome, stops_at_zero=True)

    def winning_moves(self, position: PositionT, passes: int = 0) -> WinningMoves[PositionT]:
        """All moves that win, passing included; none at a P-position.

        Raises:
            ResourceLimitError: More positions than allowed.
        """
        children = list(self.moves(position))
        wins = tuple(child for child in children if self.is_p_position(child, passes))
        may_pass = passes > 0 and bool(children)
        return WinningMoves(wins, may_pass and self.is_p_position(position, passes - 1))

    def grundy(self, position: PositionT, passes: int = 0) -> int:
        """The Grundy value in normal play.

        Raises:
            ValueError: The game is played in misere play.
            ResourceLimitError: More positions than allowed.
        """
        if self.misere:
            raise ValueError("Grundy values belong to normal play")
        with self._lock:
            return self._solve((self.reduce(position), passes % 2), self._values, _mex)

    def remoteness(self, position: PositionT, passes: int = 0) -> int:
        """Plies to the end of the game, a pass among them, when the winner hurries.

        The loser delays. It is even at P-positions in normal play and at N-positions in misere
        play, and 0 at the end. In misere play every number of passes is searched by itself.

        Raises:
            ResourceLimitError: More positions than allowed.
        """
        searched = passes if self.misere else passes % 2
        asked = self.reduce(position), searched
        with self._lock:
            plies = self._solve(asked, self._plies, self._plies_of, stops_at_zero=not self.misere)
        # docs/nim-passes.md, theorem 3: two passes more are two plies more, but next to the end.
        return plies + passes - searched if plies > 1 else plies

    def _solve(
        self,
        asked: Key[PositionT],
        known: _Known[PositionT],
        settle: Callable[[set[int]], int],
        *,
        stops_at_zero: bool = False,
    ) -> int:
        """Settle a position and all it rests on, the deepest first; depth is no limit.

        Args:
            asked: The position.
            known: What was settled before of this question; filled.
            settle: The result of a position by those of its options.
            stops_at_zero: Whether an option of result 0 settles a position by itself.
        """
        results, before = known.results, self._moves_seen - known.moves_seen
        moves_max = self.outcome_moves_max if known is self._wins else self.moves_max
        stack = [] if asked in results else [self._frame(asked)]
        while stack:
            frame = stack[-1]
            missing = frame.first_unknown(results, stops_at_zero=stops_at_zero)
            known.moves_seen = self._moves_seen - before
            if known.moves_seen > moves_max:
                raise ResourceLimitError(f"the search takes more than {moves_max} moves, its limit")
            if missing is not None:
                if len(stack) >= self.positions_max:
                    raise ResourceLimitError(
                        f"the search goes deeper than {self.positions_max} positions, its limit"
                    )
                stack.append(self._frame(missing))
                continue
            stack.pop()
            results[frame.key] = settle(frame.results)
            if len(results) > self.positions_max:
                raise ResourceLimitError(
                    f"the search keeps more than {self.positions_max} positions, its limit"
                )
        return results[asked]

    def _frame(self, key: Key[PositionT]) -> "_Frame[PositionT]":
        return _Frame(key, self._options(*key))

    def _options(self, position: PositionT, passes: int) -> Iterator[Key[PositionT]]:
        is_over = True
        for child in self.moves(position):
            is_over = False
            self._moves_seen += 1
            if self._moves_seen % CHECK_EVERY == 0:
                self.check()
            yield self.reduce(child), passes
        if passes and not is_over:
            yield position, passes - 1

    def _outcome(self, results: set[int]) -> int:
        """1 if the player to move wins."""
        return int(0 in results if results else self.misere)

    def _plies_of(self, results: set[int]) -> int:
        """One more than the least of the P-positions among the options, else than the greatest."""
        lost = [plies for plies in results if plies % 2 == self.misere]
        return 1 + (min(lost) if lost else max(results, default=-1))


def _mex(results: set[int]) -> int:
    value = 0
    while value in results:
        value += 1
    return value


@dataclass(slots=True)
class _Frame(Generic[PositionT]):
    """A position under search: what is left to look at, and the results found so far."""

    key: Key[PositionT]
    options: Iterator[Key[PositionT]]
    results: set[int] = field(default_factory=set)
    waits_for: Key[PositionT] | None = None

    def first_unknown(
        self, known: dict[Key[PositionT], int], *, stops_at_zero: bool
    ) -> Key[PositionT] | None:
        """The next option without a result; None once all are looked at, or one won by moving."""
        if self.waits_for is not None:
            self.results.add(known[self.waits_for])
            self.waits_for = None
        while not (stops_at_zero and 0 in self.results):
            option = next(self.options, None)
            if option is None:
                return None
            if option not in known:
                self.waits_for = option
                return option
            self.results.add(known[option])
        return None
