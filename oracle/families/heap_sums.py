"""Games of independent heaps: answered from the Grundy values of single heaps, and by search.

In normal play the nim-sum of the values decides, for heaps of any size as far as the values are
known: by a formula, from a table, or beyond it by a certified period. An even number of passes
changes no outcome. The rest (an odd number of passes, misere play where no theorem holds) is
searched where it is small.
"""

from abc import abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, Protocol

from position_oracle.engine.budget import Cost, current
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.unordered import MAX_HEAPS
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import (
    ALL_BY_SEARCH,
    LOOK_UP,
    ROW_SECONDS,
    Prober,
    questions_of,
    unknown,
)
from position_oracle.oracle.families.base import Coordinates as Rows
from position_oracle.oracle.families.search import TOO_LARGE, answer_even_passes
from position_oracle.oracle.families.values import NOTHING, ValueTable
from position_oracle.schema.errors import UnknownAnswerError

MAX_LISTED: Final = 10_000
"""Most winning moves that are listed."""

_HEAPS: Final = Cost(0.02, 1 << 20)
"""Values of single heaps: mostly known already."""


Heaps = tuple[Any, ...]
"""The value of a position: heaps, by their sizes or with their passes."""


class SingleHeaps(Protocol):
    """What is known of single heaps of a game in normal play."""

    @property
    def certificate(self) -> str | None:
        """The certified period and its range; None where values are not periodic, or not proved."""

    @property
    def theorem(self) -> str:
        """What the values of heaps rest on."""

    def grundy(self, heaps: Heaps) -> int:
        """The Grundy value of a position; UnknownAnswerError where a heap's is not known."""

    def is_p_position(self, heaps: Heaps) -> bool:
        """Whether the previous player wins, in the play of the game."""

    def winning_moves(self, heaps: Heaps) -> Iterator[Heaps] | None:
        """The winning moves from an N-position; None where there are too many to look at."""

    def one_winning_move(self, heaps: Heaps) -> Heaps | None:
        """One of them, where there are too many to look at; None where none is known."""


class HeapSumProber(Prober):
    """Answers for a family of games of independent heaps."""

    @abstractmethod
    def heaps_of(self, position: Position) -> SingleHeaps | None:
        """What is known of the heaps of a position; None where no theorem decides its play.

        Passes are none here.

        Raises:
            UnknownAnswerError: nothing at hand goes so far.
        """

    @abstractmethod
    def describe(self) -> tuple[GameSpec, str]:
        """A game of the family, and what is answered of the family in words."""

    def games(self) -> tuple[GameInfo, ...]:
        """One entry for the family."""
        game, what = self.describe()
        asked, limits = questions_of(game), Limits(heaps=MAX_HEAPS)
        return (GameInfo(game, asked, what, None, Certainty.THEOREM, None, limits),)

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """As of other games; no search goes beyond the values of heaps in normal play."""
        if not position.game.passes and not position.game.misere:
            found = self.known(position, with_moves=with_moves)
            if not found.outcome or not with_moves:
                return found
            if found.winning_moves is not None and self.names_all_wins(found):
                return found
        return super().answer(position, with_moves=with_moves)

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """By the values of the heaps, else by a search."""
        game = position.game
        if game.passes and game.passes % 2 == 0:
            return answer_even_passes(self, position, with_moves=with_moves)
        beyond = ""
        if not game.passes:
            try:
                heaps = self.heaps_of(position)
                if heaps is not None:
                    return self._by_values(position, heaps, with_moves=with_moves)
            except UnknownAnswerError as error:
                beyond = str(error)
        return unknown(position, beyond or TOO_LARGE)

    def names_all_wins(self, answer: Answer) -> bool:
        """Of large heaps that may be split only one winning move is named."""
        return "too many moves" not in answer.reason or ALL_BY_SEARCH in answer.reason

    def known_values(self, position: Position) -> ValueTable:
        """Grundy values by those of heaps in normal play without passes; the rest by a search."""
        game = position.game
        if game.misere or game.passes:
            return NOTHING
        try:
            heaps = self.heaps_of(position)
        except UnknownAnswerError:
            heaps = None
        if heaps is None:
            return NOTHING

        def grundy(child: Position) -> int | None:
            try:
                return heaps.grundy(child.value)
            except UnknownAnswerError:
                return None

        return ValueTable(grundy, None, Certainty.THEOREM, heaps.theorem)

    def price_of_values(self, position: Position) -> Cost:
        """Values of the heaps, and a search."""
        heaps = self.price_of_heaps(position.game, max(position.coordinates, default=0))
        return heaps + self.search.price(position)

    def price(self, position: Position) -> Cost:
        """The values of the heaps and looking at moves, and a search where they do not decide."""
        game = position.game
        total = self.price_of_moves(game, position.coordinates)
        if game.passes % 2 == 0:
            total += self.price_of_heaps(game, max(position.coordinates, default=0))
        return total + self.search.price(position) if game.passes or game.misere else total

    def price_of_rows(self, game: GameSpec, coordinates: Rows, *, with_moves: bool = True) -> Cost:
        """Values for the largest heap once; the rest row by row."""
        rows = list(map(tuple, coordinates.tolist()))
        total = Cost(2 * ROW_SECONDS * len(rows), 1000 * len(rows))
        if game.passes % 2 == 0:
            total += self.price_of_heaps(game, max(0, int(coordinates.max(initial=0))))
        for row in dict.fromkeys(rows):
            current().check()
            total += self.price_of_moves(game, row)
            if game.passes or game.misere:
                search = self.search.price(self.rules.position(game, row))
                total = Cost(
                    total.seconds + search.seconds, max(total.memory_bytes, search.memory_bytes)
                )
            if total.seconds > current().limit.seconds:
                break
        return total

    def price_of_heaps(self, game: GameSpec, largest: int) -> Cost:
        """What the values of heaps up to one take."""
        return _HEAPS

    def price_of_moves(self, game: GameSpec, heaps: tuple[int, ...]) -> Cost:
        """What looking at the moves of a position takes."""
        return LOOK_UP

    def _by_values(self, position: Position, heaps: SingleHeaps, *, with_moves: bool) -> Answer:
        value = position.value
        is_p = heaps.is_p_position(value)
        moves: tuple[Move, ...] | None = () if with_moves else None
        reason = heaps.theorem
        if with_moves and not is_p:
            moves = None
            found = heaps.winning_moves(value)
            if found is not None:
                listed = list(islice(found, MAX_LISTED + 1))
                if len(listed) <= MAX_LISTED:
                    moves = tuple(Move(position.child(child)) for child in listed)
            if moves is None:
                reason += "; there are too many moves to list all that win"
                one = heaps.one_winning_move(value)
                moves = None if one is None else (Move(position.child(one)),)
        return Answer(
            position=position,
            outcome=Outcome.P if is_p else Outcome.N,
            certainty=Certainty.THEOREM,
            reason=reason,
            winning_moves=moves,
            certificate=heaps.certificate,
        )
