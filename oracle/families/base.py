"""What a prober is: it answers for one family of games, from arrays, theorems or searches.

As in chess tablebases, probing means looking a position up. Probers know neither transport nor
SQL, never change once made, and may be used from many threads. A family overrides what it can do
better than one position after the other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, current, watched
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.moves import is_endless, moves
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import Model, Perfect
from position_oracle.oracle.answers import (
    Answer,
    Certainty,
    GameInfo,
    Method,
    Turns,
    WinProbability,
)
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.values import NOTHING, ValueTable
from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError
from position_oracle.schema.estimates import Column, Estimates, Opening
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.provenance import BuildRecord

if TYPE_CHECKING:
    from position_oracle.oracle.families.search import Searches
    from position_oracle.schema.snapshot import Snapshot

T = TypeVar("T")

Coordinates = npt.NDArray[np.integer]
Outcomes = npt.NDArray[np.uint8]
Moves = npt.NDArray[np.int32]
Arrays = Mapping[str, npt.NDArray[np.generic]]

SLICE: Final = 32_768
"""Rows of a batch that are answered between two looks at the budget: a few milliseconds' work."""

INT32_MAX: Final = 2**31 - 1

NO_MOVE: Final = -1
"""In a batch of winning moves, a row of these: no move wins, or none is known."""

PASS_ONLY: Final = -2
"""In a batch of winning moves, a row of these: only the pass wins."""

NOT_ALL: Final = "whether another move wins, too, is not known"
"""Ends the reason of an answer whose winning moves are some that are known, not all."""

VALUES: Final = Cost(0.35, 64 << 20)
"""The price of values where a table of them may have to be solved."""

LOOK_UP: Final = Cost(2e-5)
"""The price of an answer from a table or a closed form."""

CELL_SECONDS: Final = 2e-8
SHEET_SECONDS: Final = 6e-6

ROW_SECONDS: Final = 3e-5
"""What a row of a batch takes that is answered by itself, without what its answer rests on."""

MAX_OPEN_ROWS: Final = 256
"""Most rows of a batch that are searched one by one where neither theorem nor table tells."""

MAX_LOOKED_UP: Final = 200
"""Most moves that are looked up where nothing else decides a position."""

KNOWN_CHANCE: Final = Cost(0.8, 64 << 20)
"""What a win probability takes beside a search: a table, or a simulation."""

KNOWN_TURNS: Final = Cost(0.08, 24 << 20)
"""What the mean number of turns takes at most by a closed form."""

SEARCHED_TURNS: Final = Cost(0.8, 64 << 20)
"""What the mean and the distribution take of one search; or a simulation."""

ALL_BY_SEARCH: Final = "all winning moves by a search of all positions that play can come to"
"""What a reason says where a theorem decides, and a search finds the moves."""

EXACT_SECONDS: Final = 0.3
"""What the exact chances of one search take at most."""


@dataclass(frozen=True, eq=False)
class StoredTable:
    """One stored table, as arrays to answer from.

    Attributes:
        build: what it is a table of, and where it comes from.
        arrays: as the loader of its family and kind makes them; mapped from a file, or in memory.
        game: the game of the build.
    """

    build: BuildRecord
    arrays: Arrays = field(repr=False)
    game: GameSpec = field(init=False)

    def __post_init__(self) -> None:
        """Read the game."""
        object.__setattr__(self, "game", parse_game(self.build.game))


Loader = Callable[["Snapshot", BuildRecord], Arrays]
"""Makes the arrays that answer out of the rows of a build."""


class Shelf:
    """What probers have at hand: stored tables, what was computed when asked, and each other.

    Attributes:
        cache: what was computed when asked for.
    """

    def __init__(
        self,
        tables: Iterable[StoredTable],
        prober: Callable[[GameSpec | str], "Prober"],
        cache: Cache,
    ) -> None:
        self.cache = cache
        self.prober = prober
        self._tables = tuple(tables)

    def tables(self, family: str, kind: str) -> tuple[StoredTable, ...]:
        """The stored tables of a family and kind, in the order of their builds."""
        return tuple(
            table
            for table in self._tables
            if table.game.family == family and table.build.kind == kind
        )


class Prober(ABC):
    """Answers for one family.

    Attributes:
        shelf: stored tables, the cache, and the probers of other families.
        rules: the rules of the family.
    """

    family: ClassVar[str]

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.rules: Rules = rules_of(self.family)

    def knows(self, game: GameSpec) -> bool:
        """Whether what the family knows is about this game; else positions are only searched."""
        return not game.is_variant

    @abstractmethod
    def games(self) -> tuple[GameInfo, ...]:
        """What can be answered, and how far."""

    @cached_property
    def search(self) -> "Searches":
        """The last source: a search of small positions."""
        from position_oracle.oracle.families.search import Searches

        return Searches(self.shelf.cache)

    @abstractmethod
    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """What theorems, tables and kernels say of a legal position; the outcome may be unknown."""

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """The outcome of a legal position, with all winning moves if they are asked for.

        What theorems and tables do not say is searched where the position is small. Beyond, a move
        to a P-position that is known by looking up wins.
        """
        found = self.known(position, with_moves=with_moves)
        names_moves = found.winning_moves is not None and self.names_all_wins(found)
        if found.outcome and (names_moves or not with_moves):
            return found
        searched = self.search.answer(position, with_moves=with_moves)
        if not searched.outcome:
            return found if found.outcome else self._by_one_move(found, with_moves=with_moves)
        if not found.outcome:
            return replace(searched, transfinite=found.transfinite)
        moves = dict.fromkeys((*(found.winning_moves or ()), *(searched.winning_moves or ())))
        reason = f"{found.reason}; {ALL_BY_SEARCH}"
        return replace(found, winning_moves=tuple(moves), reason=reason)

    def look_up(self, position: Position) -> Answer:
        """The outcome by a theorem or table, without work; unknown where it takes any."""
        if self.price(position).seconds > LOOK_UP.seconds:
            return unknown(position, "it is not looked up")
        return self.known(position, with_moves=False)

    def _by_one_move(self, found: Answer, *, with_moves: bool) -> Answer:
        """N if one of the first moves leads to a P-position that is looked up; else unknown."""
        position = found.position
        if is_endless(position):
            return found
        for move in islice(moves(position), MAX_LOOKED_UP):
            current().check()
            child = self.look_up(move.child)
            if child.outcome is Outcome.P:
                return Answer(
                    position,
                    Outcome.N,
                    child.certainty,
                    f"a move to {move.child} wins: {child.reason}; {NOT_ALL}",
                    (move,) if with_moves else None,
                    transfinite=found.transfinite,
                )
        return found

    def outcomes(self, game: GameSpec, coordinates: Coordinates) -> Outcomes:
        """Outcomes of many positions of one game.

        Args:
            game: the game, with the passes left in it.
            coordinates: integers (n, k) up to 2^31 - 1.

        Returns:
            uint8 (n,) of `Outcome` values.

        Raises:
            InvalidPositionError: a row is no position; the message names the row.
        """
        found = self.known_outcomes(game, coordinates)
        for row, answer in self._open_rows(game, coordinates, found, with_moves=False):
            found[row] = answer.outcome
        return found

    def known_outcomes(self, game: GameSpec, coordinates: Coordinates) -> Outcomes:
        """What theorems, tables and kernels say of many positions; see `outcomes`."""
        answers = self._row_by_row(game, coordinates, with_moves=False)
        return np.array([answer.outcome for answer in answers], np.uint8)

    def winning_move_batch(
        self, game: GameSpec, coordinates: Coordinates
    ) -> tuple[Outcomes, Moves]:
        """Outcomes of many positions and the first winning move of each.

        Returns:
            Outcomes (n,), and the child's coordinates int32 (n, k), or `NO_MOVE`, or `PASS_ONLY`.

        Raises:
            InvalidPositionError: a row is no position, or too large for its children to fit
                int32; the message names the row.
        """
        found, moves = self.known_move_batch(game, coordinates)
        width = int(coordinates.shape[1])
        for row, answer in self._open_rows(game, coordinates, found, with_moves=True):
            found[row] = answer.outcome
            if answer.winning_moves:
                moves[row] = self._packed_move(answer.winning_moves[0], width, row)
        return found, moves

    def known_move_batch(self, game: GameSpec, coordinates: Coordinates) -> tuple[Outcomes, Moves]:
        """What theorems, tables and kernels say of many positions; see `winning_move_batch`."""
        answers = self._row_by_row(game, coordinates, with_moves=True)
        width = int(coordinates.shape[1])
        moves = np.full((len(coordinates), width), NO_MOVE, np.int32)
        for row, answer in enumerate(answers):
            if answer.winning_moves:
                moves[row] = self._packed_move(answer.winning_moves[0], width, row)
        return np.array([answer.outcome for answer in answers], np.uint8), moves

    def _open_rows(
        self, game: GameSpec, coordinates: Coordinates, found: Outcomes, *, with_moves: bool
    ) -> Iterator[tuple[int, Answer]]:
        """The rows that are not known, each with the answer of a search; few of them only."""
        rows = np.flatnonzero(found == Outcome.UNKNOWN)
        if len(rows) > MAX_OPEN_ROWS:
            return
        for row in watched(rows.tolist(), every=1):
            position = self.rules.position(game, tuple(coordinates[row].tolist()))
            answer = self.search.answer(position, with_moves=with_moves)
            if answer.outcome:
                yield row, answer

    def instant_winners(
        self,
        game: GameSpec,
        x: int,
        size_y: int,
        size_z: int,
        first_y: int = 0,
        first_z: int = 0,
    ) -> npt.NDArray[np.uint8]:
        """A window of the instant-winner sheet W_x; see `engine.solvers.instant_winners`.

        The window begins at y = first_y and z = first_z.

        Returns:
            uint8 (size_y, size_z) of `Origin` flags.

        Raises:
            InvalidPositionError: x, a size or a first coordinate is negative.
            ResourceLimitError: the window is too large.
            UnknownAnswerError: the game has no sheets, or they are not known so far.
        """
        raise no_sheets(game)

    def losers(
        self, game: GameSpec, x: int, size_y: int, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """Part of the loser sheet L_x.

        Returns:
            int32 (size_y,): for y = first_y, first_y + 1, ... the z of the P-position [x, y, z],
            or -1 where there is none.

        Raises:
            InvalidPositionError: x, the size or first_y is negative.
            ResourceLimitError: too many columns.
            UnknownAnswerError: the game has no sheets, or they are not known so far.
        """
        raise no_sheets(game)

    def geometry(self, game: GameSpec) -> Geometry:
        """What the loser sheets of a game look like, as far as that is stored or proved.

        Raises:
            UnknownAnswerError: nothing is known of it; the message says what would measure it.
        """
        raise no_sheets(game)

    def price_of_geometry(self, game: GameSpec) -> Cost:
        """What saying that takes: some hundred numbers are written."""
        return Cost(2e-3, 1 << 20)

    def estimates(self, question: Column | Opening, most: int) -> Estimates:
        """Chances of what no table decides, `most` candidates at most.

        Raises:
            InvalidPositionError: a number is out of range.
            UnknownAnswerError: there are no such chances of this family.
        """
        raise UnknownAnswerError(f"no chances are known of {self.family}")

    def price_of_window(
        self, game: GameSpec, x: int, size_y: int, size_z: int, first_y: int, first_z: int
    ) -> Cost:
        """What a window of W_x takes."""
        size_y, size_z, x = max(size_y, 0), max(size_z, 0), max(x, 0)
        cells = size_y * size_z
        seconds = 0.5 + CELL_SECONDS * (cells + x * (size_y + 1)) + SHEET_SECONDS * x
        return Cost(seconds, 2 * cells + 16 * (size_y + x))

    def names_all_wins(self, answer: Answer) -> bool:
        """Whether the winning moves of an answer, where it has them, are all there are."""
        return NOT_ALL not in answer.reason or ALL_BY_SEARCH in answer.reason

    def known_values(self, position: Position) -> ValueTable:
        """What theorems and tables say of Grundy values and remoteness; see `values`."""
        return NOTHING

    def values(self, position: Position) -> ValueTable:
        """Grundy values and remoteness of a position and of all that one move leads to.

        What theorems and tables do not say is searched where the position is small.
        """
        found = self.known_values(position)
        if found.grundy is not None and found.remoteness is not None:
            return found
        remoteness = found.remoteness or self.search.remoteness(position)
        if found.grundy is not None:
            return replace(found, remoteness=remoteness)
        return replace(self.search.values(position), remoteness=remoteness)

    def price_of_values(self, position: Position) -> Cost:
        """What they take beside the outcome: tables may have to be solved."""
        return VALUES

    def win_probability(self, position: Position, model: Model) -> WinProbability:
        """How likely the player to move is to win, where one player or both play at random.

        Raises:
            UnknownAnswerError: games against chance are not answered for this game.
        """
        known = self.known_chance(position, model)
        if known is not None and (known.best_moves is not None or not model.mover_chooses):
            return known
        exact = self.search.win_probability(position, model, exact=True)
        if exact is not None:
            return exact if known is None else replace(known, best_moves=exact.best_moves)
        found = self.computed_chance(position, model)
        if found is None or found.value is None or found.certainty is Certainty.ESTIMATE:
            found = self.search.win_probability(position, model) or found
        if found is None or (found.value is None and model.perfect is Perfect.NOBODY):
            found = self.search.estimated(position, model)
        return found if known is None or found.best_moves is not None else known

    def known_chance(self, position: Position, model: Model) -> WinProbability | None:
        """What a theorem or the outcome says of a chance; None where they say nothing.

        The outcome decides where a perfect player can win, and then wins for certain.
        """
        if model.perfect is Perfect.NOBODY:
            return None
        answer = self.known(position, with_moves=True)
        decides = Outcome.N if model.mover_chooses else Outcome.P
        if answer.outcome is not decides or answer.certainty is Certainty.ESTIMATE:
            return None
        from position_oracle.oracle.families.chance.answers import exactly

        name = answer.outcome.name
        reason = f"{name}-position: the perfect player wins for certain; {answer.reason}"
        all_known = answer.winning_moves is not None and self.names_all_wins(answer)
        moves = answer.winning_moves if model.mover_chooses and all_known else None
        chance = int(model.mover_chooses)
        return exactly(position, model, chance, answer.certainty, Method.EXACT, reason, moves)

    def computed_chance(self, position: Position, model: Model) -> WinProbability | None:
        """What a table or a simulation says of a chance that no search gives exactly."""
        return None

    def win_probabilities(
        self, game: GameSpec, coordinates: Coordinates, model: Model
    ) -> npt.NDArray[np.float64]:
        """The same of many positions, (n,); NaN where it is not known.

        Raises:
            UnknownAnswerError: games against chance are not answered for this game.
            InvalidPositionError: a row is no position; the message names the row.
        """
        rows = self._read_rows(game, coordinates)
        return np.array(self.search.win_probabilities(rows, model), np.float64)

    def turns(self, position: Position) -> Turns:
        """How long a game lasts if both players move at random.

        The mean is that of a theorem where one holds; else, like the distribution, it comes from a
        search where the position is small. Simulated games estimate the mean of larger ones.
        """
        known = self.known_turns(position)
        if known is None:
            return self.search.turns(position)
        return self.search.with_distribution(known)

    def known_turns(self, position: Position) -> Turns | None:
        """The mean number of turns by a theorem; None where none holds."""
        return None

    def price(self, position: Position) -> Cost:
        """What the outcome and the winning moves of a position take; `LOOK_UP` without a search."""
        return LOOK_UP

    def price_of_rows(
        self, game: GameSpec, coordinates: Coordinates, *, with_moves: bool = True
    ) -> Cost:
        """What outcomes of a batch take, or a winning move of each: the sum of its rows.

        What equal rows have in common is done once. Adding up ends where nobody would let it in.

        Raises:
            InvalidPositionError: a row is no position.
        """
        seconds, memory, budget = 0.0, 0, current()
        rows = list(map(tuple, coordinates.tolist()))
        for number, numbers in enumerate(dict.fromkeys(rows)):
            if number % 256 == 0:
                budget.check()
            price = self.price(self.rules.position(game, numbers))
            seconds += price.seconds
            memory = max(memory, price.memory_bytes)
            if seconds > budget.limit.seconds:
                break
        return Cost(seconds + ROW_SECONDS * len(rows), memory + 1000 * len(rows))

    def price_of_chance(self, position: Position) -> Cost:
        """What one win probability takes: theorems and tables, and a search."""
        return KNOWN_CHANCE + self.search.price(position)

    def price_of_turns(self, position: Position) -> Cost:
        """What a number of turns takes: theorems, and a search or a simulation."""
        return KNOWN_TURNS + self.search.price(position) + SEARCHED_TURNS

    def price_of_chances(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Cost:
        """What win probabilities of a batch take: one search for each group of rows."""
        groups = self.search.groups(self._read_rows(game, coordinates))
        total = Cost(1e-4 * len(coordinates), 1 << 20)
        for hull, _ in groups:
            total += self.search.price(hull) + Cost(EXACT_SECONDS)
            if total.seconds > current().limit.seconds:
                break
        return Cost(total.seconds, min(total.memory_bytes, 1 << 30))

    def warm_up(self) -> None:  # noqa: B027 - many families have nothing to wait for
        """Ask what the first questions would wait for, so that kernels are compiled or loaded."""

    def _row_by_row(
        self, game: GameSpec, coordinates: Coordinates, *, with_moves: bool
    ) -> list[Answer]:
        if coordinates.ndim != 2:
            raise InvalidPositionError(
                f"{self.rules.form}: positions come as an integer array of shape (n, k); got shape"
                f" {coordinates.shape}"
            )
        answers, budget = [], current()
        for position in self._read_rows(game, coordinates):  # all of them before any work
            budget.check()
            answers.append(self.answer(position, with_moves=with_moves))
        return answers

    def _read_rows(self, game: GameSpec, coordinates: Coordinates) -> list[Position]:
        positions = []
        for row, numbers in enumerate(coordinates.tolist()):
            try:
                positions.append(self.rules.position(game, tuple(numbers)))
            except InvalidPositionError as error:
                raise InvalidPositionError(f"row {row}: {error}") from error
        return positions

    def _packed_move(self, move: Move, width: int, row: int) -> npt.NDArray[np.int32]:
        if move.is_pass:
            return np.full(width, PASS_ONLY, np.int32)
        child = move.child.coordinates
        if len(child) > width:
            raise InvalidPositionError(
                f"{self.rules.form}: row {row} has a winning move to {len(child)} numbers, which do"
                f" not fit a row of {width}; fill rows up with zeros"
            )
        if max(child, default=0) > INT32_MAX:
            raise InvalidPositionError(
                f"{self.rules.form}: row {row} has a winning move to {list(child[:8])}; batches"
                " take numbers up to 2^31 - 1, single questions larger ones"
            )
        return np.array(child + (0,) * (width - len(child)), np.int32)


@dataclass(frozen=True, slots=True)
class Family:
    """What the oracle knows of a family; the rules are in `engine.games`.

    Attributes:
        prober: answers its questions.
        loaders: for each kind of table that the oracle answers from, what makes the arrays.
    """

    prober: type[Prober]
    loaders: Mapping[str, Loader] = field(default_factory=dict)


def questions_of(game: GameSpec, *, has_sheets: bool = False) -> tuple[str, ...]:
    """What may be asked of a game; of positions beyond its range some answers are not known."""
    has_values = not game.misere and not game.is_variant
    return (
        *("outcome", "winning_moves", *["grundy"] * has_values),
        *("remoteness", "best_line", "win_probability", "turns"),
        *["losers", "instant_winners"] * has_sheets,
    )


def unknown(position: Position, reason: str) -> Answer:
    """The answer that nothing at hand decides; `reason` says what would."""
    return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, reason)


def in_slices(ask: Callable[[Coordinates], T], rows: Coordinates) -> list[T]:
    """Ask for a batch slice by slice, as long as somebody waits for it.

    Raises:
        InvalidPositionError: a row is no position, counted from the start of the batch.
    """
    answers = []
    for start in range(0, max(len(rows), 1), SLICE):  # an empty batch is checked too
        current().check()
        try:
            answers.append(ask(rows[start : start + SLICE]))
        except InvalidPositionError:
            ask(rows)  # says which row of all it is
            raise
    return answers


def no_sheets(game: GameSpec) -> UnknownAnswerError:
    """The error for sheets of a game that has none; it says which games have."""
    return UnknownAnswerError(
        f"{game.text} has no sheets; there are those of three-row Chomp, of Nim with three heaps,"
        " such as nim{heaps=3,passes=1}, and of Wythoff's game with three heaps in normal play with"
        " an even number of passes, such as wythoff{rule=pairs}"
    )


def packed(coordinates: Coordinates, columns: int, form: str) -> npt.NDArray[np.int32]:
    """Coordinates of a batch as int32 (n, columns), C-contiguous; a view where they are already.

    Raises:
        InvalidPositionError: the array has another shape, or a number does not fit int32.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != columns:
        raise InvalidPositionError(
            f"{form}: positions come as an integer array of shape (n, {columns}); got shape"
            f" {coordinates.shape}"
        )
    narrow = np.ascontiguousarray(coordinates, np.int32)
    if narrow.dtype != coordinates.dtype:
        changed = np.flatnonzero((narrow != coordinates).any(axis=1))
        if len(changed):
            raise InvalidPositionError(
                f"{form}: row {changed[0]} is {coordinates[changed[0]].tolist()}; batches take"
                " numbers up to 2^31 - 1, single questions larger ones"
            )
    return narrow


def check_not_negative(rows: npt.NDArray[np.integer], form: str, what: str) -> None:
    """Raise InvalidPositionError, naming the row, if a number of a batch is negative."""
    negative = np.flatnonzero((rows < 0).any(axis=1))
    if len(negative):
        row = int(negative[0])
        raise InvalidPositionError(
            f"{form}: row {row} is {rows[row].tolist()}; {what} may not be negative"
        )
