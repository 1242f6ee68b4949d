"""The protocol of everything that answers questions: oracles in this process, and clients.

Write bots, pictures and programs against `Answerer`. They then accept an `Oracle`, which answers
from local tables, or an `OracleClient`, which asks a server:

>>> def who_wins(oracle: Answerer, position: str) -> str:
...     return str(oracle.outcome(position).outcome)

Positions, games and models are texts (docs/notation.md); a position may also be an object such as a
`rules.State`. Arrays of positions are array-likes of integers. Errors derive from
`PositionOracleError`. An undecided position is not an error: its answer has `Outcome.UNKNOWN`.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from position_oracle.schema.analyses import Analysis, AnalyzedMove, Turns, WinProbability
from position_oracle.schema.answers import Answer, Outcome, Tables
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.estimates import Estimates
from position_oracle.schema.games import GameInfo
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.graphs import SolvedGraph
from position_oracle.schema.lines import DEFAULT_PLIES, BestLine
from position_oracle.schema.moves import Move
from position_oracle.schema.positions import PositionLike

if TYPE_CHECKING:
    # With a default `Answerer` alone means `Answerer[Any]`; Python knows defaults from 3.13 on.
    from typing_extensions import TypeVar

    P = TypeVar("P", default=Any)
else:
    from typing import TypeVar

    P = TypeVar("P")

T = TypeVar("T")

Outcomes = npt.NDArray[np.uint8]
"""The numbers of `Outcome`, one for each position of an array."""

ValueKind = Literal["grundy", "remoteness"]
"""The kinds of values that are answered in arrays."""

NO_RESULTS: Final[Mapping[int, Outcome]] = MappingProxyType({})

MAX_SERIES: Final = 1_000_000
"""Maximum number of values of a series."""

DEFAULT_MOVES: Final = 100_000
"""Default number of moves that `moves` returns."""

DEFAULT_CANDIDATES: Final = 8
"""Default number of candidates of a column."""

MAX_OPENINGS: Final = 6
"""Default number of candidates of an opening; there are six."""


@runtime_checkable
class Answerer(Protocol[P]):
    """Answers questions about positions; threads may share an instance.

    `P` is the type of positions in answers: text (`str`) from a client, `Position` from an oracle
    in this process. `str()` of either is the canonical text.

    A client's methods also take `timeout`, in seconds for each request.
    """

    def outcome(self, position: PositionLike) -> Answer[P]:
        """Return the outcome of a position, e.g. `chomp3:[4,3,2]`.

        Args:
            position: text of a position, or of a sum: `chomp3:[2,1,0] + nim:[3,5]`.
        """

    def winning_moves(self, position: PositionLike) -> Answer[P]:
        """Return the outcome of a position, and every winning move.

        Args:
            position: text of a position, or of a sum.
        """

    def analyze(self, position: PositionLike, *, moves: bool = True) -> Analysis[P]:
        """Return everything known about a position, and about its moves, the best first.

        Args:
            position: text of a position, or of a sum.
            moves: whether to list all moves.
        """

    def moves(
        self, position: PositionLike, *, most: int = DEFAULT_MOVES
    ) -> tuple[AnalyzedMove[P], ...]:
        """Return the legal moves, with the values of the positions after them.

        The best moves come first. If there are more than 10,000, the winning ones come first, then
        the others in the order of the rules.

        Args:
            position: text of a position, or of a sum.
            most: the maximum number of moves.
        """

    def best_move(self, position: PositionLike) -> Move[P] | None:
        """Return the move to make, at about the cost of `winning_moves`.

        If a winning move is known, the result is the one that wins soonest (if remoteness is known
        at no extra cost), else the first of `winning_moves`. If all moves lose, it is the one that
        loses latest (if remoteness is known), else one that takes few tokens or cookies. Otherwise
        it is a move that is not known to lose. The result loses by rule (in Chomp, eats the poison)
        only if every move does.

        Args:
            position: text of a position, or of a sum.

        Returns:
            The move; None if the game is over.
        """

    def best_line(self, position: PositionLike, plies: int = DEFAULT_PLIES) -> BestLine[P]:
        """Return a best line of play, ply by ply: the winner hurries and the loser delays.

        Args:
            position: text of a position, or of a sum.
            plies: the maximum number of moves of the line, 1 to 10,000.

        Returns:
            The line; `complete` says whether it reaches the end, `reason` why it does not.
        """

    def outcomes(self, game: str, positions: npt.ArrayLike) -> Outcomes:
        """Return the outcomes of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`; it includes the number of passes left.
            positions: integers (n, k) within int32.

        Returns:
            uint8 (n,), the numbers of `Outcome`; 0 if unknown. One state of the tables answers all
            of them.
        """

    def winning_move_batch(
        self, game: str, positions: npt.ArrayLike
    ) -> tuple[Outcomes, npt.NDArray[np.int32]]:
        """Return the outcomes of many positions of one game, and the first winning move of each.

        Args:
            game: text of the game, e.g. `chomp3`; it includes the number of passes left.
            positions: integers (n, k) within int32.

        Returns:
            Outcomes uint8 (n,), and the positions after the moves, int32 (n, k). A row of -1 means
            that no move wins or no winning move is known; a row of -2, that only the pass wins.
        """

    def values(
        self, game: str, positions: npt.ArrayLike, kind: ValueKind = "grundy"
    ) -> npt.NDArray[np.int64]:
        """Return Grundy values, or remoteness, of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`; it includes the number of passes left.
            positions: rows of integers within int32.
            kind: `grundy` (in Chomp, without eating the poison) or `remoteness`; `PositionValues`
                defines both.

        Returns:
            int64 (n,); -1 if a value is unknown or does not exist.
        """

    def series(self, game: str, first: int, last: int) -> npt.NDArray[np.int64]:
        """Return the Grundy values g(first), ..., g(last) of single heaps of a game.

        Args:
            game: text of a game of heaps, e.g. `kayles`.
            first: the first heap.
            last: the last heap, at most `first` + `MAX_SERIES` - 1, and within int32.

        Returns:
            int64 (last - first + 1,): -1 if a value is unknown or does not exist.
        """

    def answers(
        self, positions: Sequence[PositionLike]
    ) -> tuple[Answer[P] | PositionOracleError, ...]:
        """Answer or refuse each of many positions of any games.

        Args:
            positions: texts of at most `MAX_MIXED_POSITIONS` positions, or of sums.

        Returns:
            For each position, in order, its answer or the error that refuses it.
        """

    def solve_graph(
        self,
        moves: npt.ArrayLike,
        *,
        nodes: int | None = None,
        results: Mapping[int, Outcome] = NO_RESULTS,
        misere: bool = False,
    ) -> SolvedGraph:
        """Return outcomes, values and chances of all nodes of a finite game given as a graph.

        Args:
            moves: integers (m, 2), the nodes that each move leads from and to. A pair may stand
                twice: then two actions lead to the same node, which matters in random play.
            nodes: number of nodes, which are 0 .. nodes - 1; None for as many as `moves` names.
            results: the winners at some final nodes, with `Outcome.N` for the player to move; other
                final nodes follow the kind of play.
            misere: whether the player who cannot move wins.
        """

    def win_probability(self, position: PositionLike, model: str) -> WinProbability[P]:
        """Return the probability that the player to move wins, with one or two random players.

        Args:
            position: text of a position.
            model: how each player chooses moves, the player to move first: `random`,
                `perfect-vs-random`, `random-vs-perfect`, `perfect-vs-sloppy(0.1)` or
                `sloppy(0.1)-vs-perfect`.
        """

    def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str
    ) -> npt.NDArray[np.float64]:
        """Return the probabilities that the player to move wins, for many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`.
            positions: integers (n, k) within int32.
            model: as in `win_probability`.

        Returns:
            float64 (n,), NaN if unknown; no entry is an estimate.
        """

    def turns(self, position: PositionLike) -> Turns[P]:
        """Return the number of turns of a random game: mean and distribution.

        Args:
            position: text of a position, or of a sum.
        """

    def instant_winners(
        self, game: str, x: int, size_y: int, size_z: int, *, first_y: int = 0, first_z: int = 0
    ) -> npt.NDArray[np.uint8]:
        """Return a window of the instant-winner sheet W_x.

        An instant winner is a position [x, y, z] with a move to a P-position of smaller x. A
        declared position is judged by the moves that it would have.

        Args:
            game: text of the game, e.g. `chomp3`.
            x: the number of the sheet.
            size_y: the window has y = first_y .. first_y + size_y - 1.
            size_z: the window has z = first_z .. first_z + size_z - 1.
            first_y: the first y.
            first_z: the first z.

        Returns:
            uint8 (size_y, size_z): `Origin` flags, 0 if the position is not an instant winner.
        """

    def losers(self, game: str, x: int, size_y: int, *, first_y: int = 0) -> npt.NDArray[np.int32]:
        """Return a part of the loser sheet L_x: the P-positions [x, y, z] of consecutive y.

        Args:
            game: text of the game, e.g. `chomp3`.
            x: the number of the sheet.
            size_y: the number of y, which are first_y .. first_y + size_y - 1.
            first_y: the first y.

        Returns:
            int32 (size_y,): z, or -1 if there is none.
        """

    def geometry(self, game: str) -> Geometry:
        """Return the shape of the loser sheets of a game, over ranges of x.

        Args:
            game: text of the game, e.g. `chomp3` or `chomp3{passes=1}`.
        """

    def estimate_column(self, x: int, y: int, *, most: int = DEFAULT_CANDIDATES) -> Estimates:
        """Return chances of the P-positions [x, y, z] of three-row Chomp, beyond every table.

        Args:
            x: number of columns of height three.
            y: number of columns of height two.
            most: the maximum number of candidates, the likeliest first.
        """

    def estimate_opening(self, n: int, *, most: int = MAX_OPENINGS) -> Estimates:
        """Return chances of the winning first bites of the 3 x n rectangle, beyond every table.

        Args:
            n: the number of columns.
            most: the maximum number of candidates, the likeliest first; there are six.
        """

    def games(self) -> tuple[GameInfo[Any], ...]:
        """Return the answered games with their ranges and tables."""

    def tables(self) -> Tables | None:
        """Return the identity of the tables in use; None if an older server does not report it."""


@runtime_checkable
class AsyncAnswerer(Protocol[P]):
    """The questions of `Answerer` with the same arguments and results, for asyncio."""

    async def outcome(self, position: PositionLike) -> Answer[P]:
        """See `Answerer.outcome`."""

    async def winning_moves(self, position: PositionLike) -> Answer[P]:
        """See `Answerer.winning_moves`."""

    async def analyze(self, position: PositionLike, *, moves: bool = True) -> Analysis[P]:
        """See `Answerer.analyze`."""

    async def moves(
        self, position: PositionLike, *, most: int = DEFAULT_MOVES
    ) -> tuple[AnalyzedMove[P], ...]:
        """See `Answerer.moves`."""

    async def best_move(self, position: PositionLike) -> Move[P] | None:
        """See `Answerer.best_move`."""

    async def best_line(self, position: PositionLike, plies: int = DEFAULT_PLIES) -> BestLine[P]:
        """See `Answerer.best_line`."""

    async def outcomes(self, game: str, positions: npt.ArrayLike) -> Outcomes:
        """See `Answerer.outcomes`."""

    async def winning_move_batch(
        self, game: str, positions: npt.ArrayLike
    ) -> tuple[Outcomes, npt.NDArray[np.int32]]:
        """See `Answerer.winning_move_batch`."""

    async def values(
        self, game: str, positions: npt.ArrayLike, kind: ValueKind = "grundy"
    ) -> npt.NDArray[np.int64]:
        """See `Answerer.values`."""

    async def series(self, game: str, first: int, last: int) -> npt.NDArray[np.int64]:
        """See `Answerer.series`."""

    async def answers(
        self, positions: Sequence[PositionLike]
    ) -> tuple[Answer[P] | PositionOracleError, ...]:
        """See `Answerer.answers`."""

    async def solve_graph(
        self,
        moves: npt.ArrayLike,
        *,
        nodes: int | None = None,
        results: Mapping[int, Outcome] = NO_RESULTS,
        misere: bool = False,
    ) -> SolvedGraph:
        """See `Answerer.solve_graph`."""

    async def win_probability(self, position: PositionLike, model: str) -> WinProbability[P]:
        """See `Answerer.win_probability`."""

    async def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str
    ) -> npt.NDArray[np.float64]:
        """See `Answerer.win_probabilities`."""

    async def turns(self, position: PositionLike) -> Turns[P]:
        """See `Answerer.turns`."""

    async def instant_winners(
        self, game: str, x: int, size_y: int, size_z: int, *, first_y: int = 0, first_z: int = 0
    ) -> npt.NDArray[np.uint8]:
        """See `Answerer.instant_winners`."""

    async def losers(
        self, game: str, x: int, size_y: int, *, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """See `Answerer.losers`."""

    async def geometry(self, game: str) -> Geometry:
        """See `Answerer.geometry`."""

    async def estimate_column(self, x: int, y: int, *, most: int = DEFAULT_CANDIDATES) -> Estimates:
        """See `Answerer.estimate_column`."""

    async def estimate_opening(self, n: int, *, most: int = MAX_OPENINGS) -> Estimates:
        """See `Answerer.estimate_opening`."""

    async def games(self) -> tuple[GameInfo[Any], ...]:
        """See `Answerer.games`."""

    async def tables(self) -> Tables | None:
        """See `Answerer.tables`."""


def described(kind: type[T]) -> type[T]:
    """Give the questions of a class the docstrings of `Answerer`, which describes each once."""
    for name, question in vars(Answerer).items():
        if not name.startswith("_"):
            vars(kind)[name].__doc__ = question.__doc__
    return kind
