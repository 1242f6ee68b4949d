"""One protocol for everything that answers questions: the oracle in this process, and the clients.

Write bots, pictures and programs against `Answerer`. They then take an `Oracle`, which answers from
tables here, or an `OracleClient`, which asks a server:

>>> def who_wins(oracle: Answerer, position: str) -> str:
...     return str(oracle.outcome(position).outcome)

Positions, games and models are texts (docs/notation.md); a position may also be typed, as a
`rules.State` is. Arrays of positions are array-likes of integers. Errors derive from
`PositionOracleError`. A position that nobody can decide is no error but an answer with
`Outcome.UNKNOWN`.
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
"""The numbers of positions that are answered in arrays."""

NO_RESULTS: Final[Mapping[int, Outcome]] = MappingProxyType({})

MAX_SERIES: Final = 1_000_000
"""Most values of a series."""

MAX_POSITIONS: Final = 10_000
"""Most positions of a list."""

MAX_MOVES: Final = 100_000
"""Moves that `moves` gives unless more are wanted."""

MAX_COLUMN: Final = 8
"""Candidates of a column unless more are wanted."""

MAX_OPENINGS: Final = 6
"""Candidates of an opening unless more are wanted; there are six."""


@runtime_checkable
class Answerer(Protocol[P]):
    """Answers questions about positions. Safe to use from many threads.

    `P` is how answers hold positions: text (`str`) in those of a client, `Position` in those of an
    oracle in this process. `str()` of either is the canonical text.

    A client's methods also take `timeout`, in seconds for each request.
    """

    def outcome(self, position: PositionLike) -> Answer[P]:
        """The outcome of a position, e.g. `chomp3:[4,3,2]`.

        Args:
            position: text of a position, or of a sum: `chomp3:[2,1,0] + nim:[3,5]`.
        """

    def winning_moves(self, position: PositionLike) -> Answer[P]:
        """The outcome of a position, and every winning move.

        Args:
            position: text of a position, or of a sum.
        """

    def analyze(self, position: PositionLike, *, moves: bool = True) -> Analysis[P]:
        """Everything known about a position, and about its moves, best first.

        Args:
            position: text of a position, or of a sum.
            moves: whether to list all moves.
        """

    def moves(
        self, position: PositionLike, *, most: int = MAX_MOVES
    ) -> tuple[AnalyzedMove[P], ...]:
        """The legal moves with what they lead to.

        Best first; of more than 10,000 the winning ones come first, then the others in the order of
        the rules.

        Args:
            position: text of a position, or of a sum.
            most: the most moves that are wanted.
        """

    def best_move(self, position: PositionLike) -> Move[P] | None:
        """The move to make. It costs about as much as `winning_moves` where that names a move.

        A move that wins, where one is known: the one that wins soonest where remoteness is known at
        no greater cost, else the first that `winning_moves` names. Where all moves lose, the one
        that loses latest where remoteness is known, else one that takes little. Else a move that is
        not known to lose. A move that loses by rule (in Chomp, eating the poison) is made only
        where every move does.

        Args:
            position: text of a position, or of a sum.

        Returns:
            The move; None where there is none, since the game is over.
        """

    def best_line(self, position: PositionLike, plies: int = DEFAULT_PLIES) -> BestLine[P]:
        """A best line of play, ply by ply: the winner hurries and the loser delays.

        Args:
            position: text of a position, or of a sum.
            plies: the most moves of the line, 1 to 10,000.

        Returns:
            The line; `complete` says whether it goes to the end, `reason` why it does not.
        """

    def outcomes(self, game: str, positions: npt.ArrayLike) -> Outcomes:
        """The outcomes of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`; it says how many passes are left.
            positions: integers (n, k) within int32.

        Returns:
            uint8 (n,), the numbers of `Outcome`; 0 where it is not known. All from one state of the
            tables.
        """

    def winning_move_batch(
        self, game: str, positions: npt.ArrayLike
    ) -> tuple[Outcomes, npt.NDArray[np.int32]]:
        """The outcomes of many positions of one game, and the first winning move of each.

        Args:
            game: text of the game, e.g. `chomp3`; it says how many passes are left.
            positions: integers (n, k) within int32.

        Returns:
            Outcomes uint8 (n,), and the positions after the moves, int32 (n, k): all -1 where no
            move wins or none is known, all -2 where only the pass wins.
        """

    def values(
        self, game: str, positions: npt.ArrayLike, kind: ValueKind = "grundy"
    ) -> npt.NDArray[np.int64]:
        """Grundy values, or remoteness, of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`; it says how many passes are left.
            positions: rows of integers within int32.
            kind: `grundy`, in Chomp with the poison not to be eaten, or `remoteness`, as
                `PositionValues` has them.

        Returns:
            int64 (n,): -1 where a value is not known, or there is none.
        """

    def series(self, game: str, first: int, last: int) -> npt.NDArray[np.int64]:
        """The Grundy values g(first), ..., g(last) of single heaps of a game.

        Args:
            game: text of a game of heaps, e.g. `kayles`.
            first: the first heap.
            last: the last heap, at most `MAX_SERIES` heaps on, and within int32.

        Returns:
            int64 (last - first + 1,): -1 where a value is not known, or there is none.
        """

    def answers(
        self, positions: Sequence[PositionLike]
    ) -> tuple[Answer[P] | PositionOracleError, ...]:
        """Answer or refuse many positions of any games, each on its own.

        Args:
            positions: texts of at most `MAX_POSITIONS` positions, or of sums.

        Returns:
            For each position, in their order, its answer or the error that refuses it.
        """

    def solve_graph(
        self,
        moves: npt.ArrayLike,
        *,
        nodes: int | None = None,
        results: Mapping[int, Outcome] = NO_RESULTS,
        misere: bool = False,
    ) -> SolvedGraph:
        """Outcomes, values and chances of all nodes of a finite game that is given as a graph.

        Args:
            moves: integers (m, 2), the nodes that each move leads from and to. A pair may stand
                twice: then two actions lead to the same node, which matters in random play.
            nodes: how many nodes there are, 0 .. nodes - 1; None for as many as `moves` name.
            results: who wins at some final nodes, `Outcome.N` the player to move, where play does
                not say it.
            misere: whether the player who cannot move wins, else loses.
        """

    def win_probability(self, position: PositionLike, model: str) -> WinProbability[P]:
        """The probability that the player to move wins, where one player or both play at random.

        Args:
            position: text of a position.
            model: how both players choose their moves, the one to move first: `random`,
                `perfect-vs-random`, `random-vs-perfect`, `perfect-vs-sloppy(0.1)` or
                `sloppy(0.1)-vs-perfect`.
        """

    def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str
    ) -> npt.NDArray[np.float64]:
        """The probabilities that the player to move wins, for many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`.
            positions: integers (n, k) within int32.
            model: as in `win_probability`.

        Returns:
            float64 (n,), NaN where it is not known; there are no estimates among them.
        """

    def turns(self, position: PositionLike) -> Turns[P]:
        """The number of turns of a game if both players move at random: mean and distribution.

        Args:
            position: text of a position, or of a sum.
        """

    def instant_winners(
        self, game: str, x: int, size_y: int, size_z: int, *, first_y: int = 0, first_z: int = 0
    ) -> npt.NDArray[np.uint8]:
        """A window of the instant-winner sheet W_x: from where a move reaches a P-position below x.

        Args:
            game: text of the game, e.g. `chomp3`.
            x: which sheet.
            size_y: the window holds y = first_y .. first_y + size_y - 1.
            size_z: the window holds z = first_z .. first_z + size_z - 1.
            first_y: where it begins.
            first_z: the same in a column.

        Returns:
            uint8 (size_y, size_z): 0 where the position is not an instant winner, else `Origin`
            flags.
        """

    def losers(self, game: str, x: int, size_y: int, *, first_y: int = 0) -> npt.NDArray[np.int32]:
        """Part of the loser sheet L_x: the P-positions [x, y, z] of consecutive y.

        Args:
            game: text of the game, e.g. `chomp3`.
            x: which sheet.
            size_y: how many y, first_y .. first_y + size_y - 1.
            first_y: the first.

        Returns:
            int32 (size_y,): z, or -1 where there is none.
        """

    def geometry(self, game: str) -> Geometry:
        """The shape of the loser sheets of a game, over ranges of x.

        Args:
            game: text of the game, e.g. `chomp3` or `chomp3{passes=1}`.
        """

    def estimate_column(self, x: int, y: int, *, most: int = MAX_COLUMN) -> Estimates:
        """Chances of the P-positions [x, y, z] of three-row Chomp, beyond every table.

        Args:
            x: columns of height three.
            y: columns of height two.
            most: the most candidates, likeliest first.
        """

    def estimate_opening(self, n: int, *, most: int = MAX_OPENINGS) -> Estimates:
        """Chances of the winning first bites of the 3 x n rectangle, beyond every table.

        Args:
            n: how many columns.
            most: the most candidates, likeliest first; there are six.
        """

    def games(self) -> tuple[GameInfo[Any], ...]:
        """The games answered, how far, and from which tables."""

    def tables(self) -> Tables | None:
        """The identity of the tables that answer now; None where an older server does not tell."""


@runtime_checkable
class AsyncAnswerer(Protocol[P]):
    """The same questions as `Answerer`, with the same arguments and results, for asyncio."""

    async def outcome(self, position: PositionLike) -> Answer[P]:
        """See `Answerer.outcome`."""

    async def winning_moves(self, position: PositionLike) -> Answer[P]:
        """See `Answerer.winning_moves`."""

    async def analyze(self, position: PositionLike, *, moves: bool = True) -> Analysis[P]:
        """See `Answerer.analyze`."""

    async def moves(
        self, position: PositionLike, *, most: int = MAX_MOVES
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

    async def estimate_column(self, x: int, y: int, *, most: int = MAX_COLUMN) -> Estimates:
        """See `Answerer.estimate_column`."""

    async def estimate_opening(self, n: int, *, most: int = MAX_OPENINGS) -> Estimates:
        """See `Answerer.estimate_opening`."""

    async def games(self) -> tuple[GameInfo[Any], ...]:
        """See `Answerer.games`."""

    async def tables(self) -> Tables | None:
        """See `Answerer.tables`."""


def described(kind: type[T]) -> type[T]:
    """A class whose questions have the docstrings of `Answerer`, which describes each once."""
    for name, question in vars(Answerer).items():
        if not name.startswith("_") and name in vars(kind):
            vars(kind)[name].__doc__ = question.__doc__
    return kind
