"""Games of independent heaps: answers from the values of single heaps.

In normal play the nim-sum of the values of the heaps decides, for heaps of any size as far as the
values are known: by a formula, from a table, or beyond it by a certified period. In misere play a
theorem or a misere quotient takes its place. An even number of passes changes no outcome. The rest
is left to the graph.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, first_of, watched
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.even_passes import EvenPasses
from position_oracle.oracle.families.rows import distinct_rows, packed_child
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    SLICE,
    TOO_MANY,
    Found,
    Ints,
    KnownRows,
    Outcomes,
    Rows,
    Source,
    check_not_negative,
    slices,
    unknown,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.arrays import NO_MOVE
from position_oracle.schema.errors import InvalidRowError, UnknownAnswerError

MAX_LISTED: Final = 10_000
"""Maximum number of winning moves that are listed."""

SPRAGUE_GRUNDY: Final = (
    "Sprague and Grundy: P exactly if the nim-sum of the values of the heaps is 0"
)

UNKNOWN: Final = -1
"""Code in arrays for an unknown value of a heap."""

_HEAP_SECONDS: Final = 2e-8
"""Seconds to look up a heap of a batch."""

_ROW_SECONDS: Final = 2e-5
"""Seconds for a row of a batch with its winning move, besides visiting its moves."""

_ROUND_HEAPS: Final = np.array(sorted({head << shift for head in range(32) for shift in range(28)}))
"""Heaps that represent all heaps up to the next one, so that each is off by at most 1/16."""

Heaps = tuple[Any, ...]
"""The value of a position: heaps, by their sizes or with their passes."""


class SingleHeaps(ABC):
    """Values and winning moves of single heaps of a game."""

    misere: bool = False

    @property
    def certificate(self) -> str | None:
        """The certified period and its range; None if values are not periodic, or not proved."""
        return None

    @property
    def theorem(self) -> str:
        """The theorem that gives the outcome."""
        return SPRAGUE_GRUNDY

    @abstractmethod
    def grundy(self, heaps: Heaps) -> int:
        """Return the Grundy value; raise UnknownAnswerError if that of a heap is unknown."""

    def is_p_position(self, heaps: Heaps) -> bool:
        """Return whether the previous player wins, in the kind of play of the game."""
        return self.grundy(heaps) == 0

    @abstractmethod
    def values(self, rows: Ints) -> Ints:
        """Return the values (n, k) of the heaps of a batch, in normal play; some are `UNKNOWN`."""

    def nim_sums(self, rows: Ints) -> Ints:
        """Return the Grundy values (n,) of a batch, in normal play; some are `UNKNOWN`."""
        values = self.values(rows)
        total: Ints = np.bitwise_xor.reduce(values, axis=1)
        total[(values < 0).any(axis=1)] = UNKNOWN
        return total

    def outcomes(self, rows: Ints) -> Outcomes:
        """Return outcomes (n,) of a batch; misere play needs Ferguson's property."""
        values = self.values(rows)
        total = np.bitwise_xor.reduce(values, axis=1)
        is_p = total == ((values.max(axis=1, initial=0) <= 1) if self.misere else 0)
        found = np.where(is_p, np.uint8(Outcome.P), np.uint8(Outcome.N))
        found[(values < 0).any(axis=1)] = Outcome.UNKNOWN
        return found

    @abstractmethod
    def winning_moves(self, heaps: Heaps) -> Iterator[Heaps] | None:
        """Return the winning moves from an N-position; None if there are too many to check."""

    def one_winning_move(self, heaps: Heaps) -> Heaps | None:
        """Return a winning move if there are too many to check; None if none is known."""
        return None


class HeapSumProber(Prober):
    """Answers questions about a family of games of independent heaps."""

    example: ClassVar[GameSpec]
    """A game of the family."""

    about: ClassVar[str]
    """The answered positions in words, for the list of games."""

    width: int = MAX_HEAPS
    """Maximum count of nonzero numbers in a row."""

    @abstractmethod
    def plan_heaps(self, game: GameSpec, heaps: Heaps) -> Plan[SingleHeaps] | None:
        """Plan the values of heaps and smaller ones; None if no theorem decides the play.

        Running the plan raises UnknownAnswerError for heaps beyond all sources. A plan that is not
        sure leaves such positions to the graph.
        """

    def moves_in(self, game: GameSpec, heap: int) -> float:
        """Return an upper bound of the moves of a heap that are checked for winning ones."""
        return 1.0

    move_seconds: float = 4e-6
    """Seconds to examine a move."""

    max_moves: float = MAX_LISTED
    """Maximum number of moves that are checked to list all winning ones; of more moves, one is
    named."""

    def games(self) -> tuple[Covered, ...]:
        """Return one entry for the family."""
        limits = {"heaps": MAX_HEAPS}
        return (covered(self.example, self.about, Certainty.THEOREM, limits=limits),)

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The sources: an even number of passes, then the heaps."""
        return EvenPasses(self), HeapSumSource(self)

    def sizes(self, rows: Rows) -> Rows:
        """Return the sizes of the heaps of a batch."""
        return rows

    def sizes_of(self, heaps: Heaps) -> tuple[int, ...]:
        """Return the sizes of the heaps of a position."""
        return heaps

    def largest(self, rows: Rows) -> Heaps:
        """Return heaps that are at least as large as all heaps of a batch."""
        return (int(rows.max(initial=0)),)

    def checked(self, game: GameSpec, coordinates: Rows) -> tuple[GameSpec, Rows]:
        """Check for at most 64 heaps in a row, none negative."""
        check_not_negative(coordinates, "heaps")
        if coordinates.shape[1] > self.width:
            many = np.count_nonzero(self.sizes(coordinates), axis=1) > MAX_HEAPS
            if many.any():
                row = int(np.argmax(many))
                raise InvalidRowError(
                    row,
                    f"{self.family}: got {np.count_nonzero(coordinates[row])} heaps; allowed are"
                    f" at most {MAX_HEAPS}",
                )
        return game, coordinates


class HeapSumSource(Source):
    """The source that decides positions without passes from single heaps."""

    def __init__(self, prober: HeapSumProber) -> None:
        self._prober = prober

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the outcome by the heaps, and all winning moves if there are few moves to check."""
        game, heaps = position.game, position.value
        made = None if game.passes else self._prober.plan_heaps(game, heaps)
        if made is None:
            return None
        looked = (
            sum(self._prober.moves_in(game, each) for each in set(self._prober.sizes_of(heaps)))
            if with_moves
            else 0
        )

        def run() -> Answer:
            try:
                return _answer(position, made.run(), with_moves=with_moves)
            except UnknownAnswerError as error:
                return unknown(position, str(error))

        cost = made.cost + LOOK_UP + self._looking(looked)
        return Plan(cost, run, is_sure=made.is_sure and looked <= MAX_LISTED)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan Grundy values in normal play without passes."""
        game = position.game
        if kind != "grundy" or game.misere or game.passes:
            return None
        made = self._prober.plan_heaps(game, position.value)
        return None if made is None else Plan(made.cost + LOOK_UP, lambda: _values(made))

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows | None:
        """Plan rows by array operations, and winning moves of different rows one by one."""
        if game.passes % 2 or (game.passes and with_moves):
            return None
        game = game.with_passes(0)
        made = self._prober.plan_heaps(game, self._prober.largest(rows))
        if made is None:
            return None
        cost = made.cost + Cost(_HEAP_SECONDS * rows.size, 32 * SLICE * rows.shape[1])
        if with_moves:
            cost += self._cost_of_moves(game, self._prober.sizes(rows))

        def run() -> Found:
            try:
                heaps = made.run()
            except UnknownAnswerError:
                nothing = np.zeros(len(rows), np.uint8)
                return nothing, np.full(rows.shape, NO_MOVE, np.int32) if with_moves else None
            found = np.zeros(len(rows), np.uint8)
            for part in slices(len(rows)):
                found[part] = heaps.outcomes(rows[part].astype(np.int64))
            return found, self._moves(heaps, game, rows, found) if with_moves else None

        return np.ones(len(rows), np.bool_), Plan(cost, run, is_sure=made.is_sure)

    def plan_value_rows(self, kind: ValueKind, game: GameSpec, rows: Rows) -> Plan[Ints] | None:
        """Plan Grundy values of rows in normal play with an even number of passes."""
        if kind != "grundy" or game.misere or game.passes % 2:
            return None
        made = self._prober.plan_heaps(game.with_passes(0), self._prober.largest(rows))
        if made is None:
            return None

        def run() -> Ints:
            found = np.full(len(rows), UNKNOWN, np.int64)
            with suppress(UnknownAnswerError):
                heaps = made.run()
                for part in slices(len(rows)):
                    found[part] = heaps.nim_sums(rows[part].astype(np.int64))
            return found

        return Plan(made.cost + Cost(_HEAP_SECONDS * rows.size, 32 * SLICE * rows.shape[1]), run)

    def _looking(self, looked: float) -> Cost:
        return Cost(self._prober.move_seconds * min(looked, self._prober.max_moves))

    def _cost_of_moves(self, game: GameSpec, sizes: Rows) -> Cost:
        in_heap = np.zeros(len(_ROUND_HEAPS))
        looked = 0.0
        for part in slices(len(sizes), max(1, SLICE // max(1, sizes.shape[1]))):
            place = np.searchsorted(_ROUND_HEAPS, sizes[part])
            for each in np.flatnonzero(np.bincount(place.ravel())).tolist():
                if not in_heap[each]:
                    in_heap[each] = self._prober.moves_in(game, int(_ROUND_HEAPS[each]))
            of_rows = in_heap[place].sum(axis=1)
            looked += float(np.minimum(of_rows, self._prober.max_moves).sum())
        seconds = looked * self._prober.move_seconds + _ROW_SECONDS * len(sizes)
        return Cost(seconds, 16 * sizes.size)

    def _moves(
        self, heaps: SingleHeaps, game: GameSpec, rows: Rows, found: Outcomes
    ) -> npt.NDArray[np.int32]:
        moves = np.full(rows.shape, NO_MOVE, np.int32)
        wins = np.flatnonzero(found == Outcome.N)
        first, place = distinct_rows(rows[wins])
        children = np.full((len(first), rows.shape[1]), NO_MOVE, np.int32)
        rules = self._prober.rules
        for number, line in enumerate(watched(wins[first].tolist())):
            position = rules.position(game, tuple(rows[line].tolist()))
            child = _first_move(heaps, position.value)
            if child is not None:
                numbers = rules.numbers(child)
                children[number] = packed_child(rules.form, numbers, rows.shape[1], line)
        moves[wins] = children[place]
        return moves


def _answer(position: Position, heaps: SingleHeaps, *, with_moves: bool) -> Answer:
    is_p = heaps.is_p_position(position.value)
    moves: tuple[Move, ...] | None = () if with_moves else None
    reason = heaps.theorem
    if with_moves and not is_p:
        listed = _listed(heaps, position.value)
        if listed is None:
            reason += f"; {TOO_MANY}"
            one = heaps.one_winning_move(position.value)
            listed = None if one is None else [one]
        moves = None
        if listed is not None:
            moves = tuple(Move(position.child(child)) for child in watched(listed))
    return Answer(
        position=position,
        outcome=Outcome.P if is_p else Outcome.N,
        certainty=Certainty.THEOREM,
        reason=reason,
        winning_moves=moves,
        certificate=heaps.certificate,
    )


def _listed(heaps: SingleHeaps, value: Heaps) -> list[Heaps] | None:
    """Return all winning moves; None if there are too many."""
    found = heaps.winning_moves(value)
    few = None if found is None else first_of(found, MAX_LISTED + 1)
    return None if few is None or len(few) > MAX_LISTED else few


def _first_move(heaps: SingleHeaps, value: Heaps) -> Heaps | None:
    found = heaps.winning_moves(value)
    return heaps.one_winning_move(value) if found is None else next(found, None)


def _values(made: Plan[SingleHeaps]) -> Values | None:
    try:
        heaps = made.run()
    except UnknownAnswerError:
        return None

    def grundy(child: Position) -> int | None:
        try:
            return heaps.grundy(child.value)
        except UnknownAnswerError:
            return None

    return Values(grundy, Certainty.THEOREM, heaps.theorem)
