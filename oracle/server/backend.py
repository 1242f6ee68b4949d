"""What the service needs of an oracle; `oracle.core.Oracle` is one."""

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Price
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import Model
from position_oracle.oracle.analysis import Analysis
from position_oracle.oracle.answers import Answer, Build, GameInfo, Tables, Turns, WinProbability
from position_oracle.oracle.line import BestLine
from position_oracle.schema.estimates import Estimates
from position_oracle.schema.geometry import Geometry

Outcomes = npt.NDArray[np.uint8]
Coordinates = npt.NDArray[np.int32]


QUICK: Final = 0.0005
"""Questions of at most so many seconds are answered on the event loop."""


class Backend(Protocol):
    """Answers questions; read-only and safe to use from many threads.

    Whatever takes longer than a millisecond looks at `engine.budget.current()` and ends with
    `StoppedError` within 50 ms after it was cancelled.
    """

    def tables(self) -> Tables:
        """The identity of the stored tables."""

    @property
    def builds(self) -> tuple[Build, ...]:
        """Where the stored tables come from."""

    @property
    def cache_bytes(self) -> int:
        """Memory of results that are kept."""

    def warm_up(self, *, usual: bool = False) -> None:
        """Compile or load what the first questions would wait for; `usual`: those asked most."""

    def games(self) -> tuple[GameInfo, ...]:
        """The games answered."""

    def outcome(self, position: Position, /) -> Answer:
        """Who wins; an answer without winning moves."""

    def winning_moves(self, position: Position, /) -> Answer:
        """Who wins, and every move that wins where they are known."""

    def analyze_page(
        self, position: Position, /, *, moves: bool, first: int, most: int | None
    ) -> Analysis:
        """Everything known about a position, with a page of its moves if they are asked for."""

    def best_line(self, position: Position, plies: int, /) -> BestLine:
        """How the game goes on if nobody errs, up to a number of plies."""

    def outcomes(self, game: GameSpec, coordinates: Coordinates, /) -> Outcomes:
        """Outcomes (n,) of coordinates (n, k)."""

    def winning_move_batch(
        self, game: GameSpec, coordinates: Coordinates, /
    ) -> tuple[Outcomes, Coordinates]:
        """Outcomes (n,) and one winning child for each (n, k), -1s where there is none."""

    def win_probability(self, position: Position, model: Model, /) -> WinProbability:
        """How likely the player to move is to win."""

    def win_probabilities(
        self, game: GameSpec, coordinates: Coordinates, model: Model, /
    ) -> npt.NDArray[np.float64]:
        """How likely the player to move is to win (n,), NaN where it is not known."""

    def win_probability_error(self, model: Model, /) -> float:
        """Bound on the error of the numbers that `win_probabilities` gives."""

    def turns(self, position: Position, /) -> Turns:
        """How many turns a game at random lasts."""

    def instant_winners(
        self,
        game: GameSpec,
        x: int,
        size_y: int,
        size_z: int,
        *,
        first_y: int = 0,
        first_z: int = 0,
    ) -> npt.NDArray[np.uint8]:
        """A window (size_y, size_z) of the instant-winner sheet W_x from (first_y, first_z) on."""

    def losers(
        self, game: GameSpec, x: int, size_y: int, *, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """The z (size_y,) of the loser sheet L_x from first_y on, -1 where there is none."""

    def geometry(self, game: GameSpec, /) -> Geometry:
        """What the loser sheets of a game look like."""

    def estimate_column(self, x: int, y: int, *, most: int) -> Estimates:
        """Chances of a column of three-row Chomp."""

    def estimate_opening(self, n: int, *, most: int) -> Estimates:
        """Chances of an opening of three-row Chomp."""

    def price(self, question: str, /, *arguments: object) -> Price:
        """What `getattr(self, question)(*arguments)` takes.

        The door asks this before it accepts a question: on its event loop for short requests, so
        it takes microseconds for a position and for a row of a batch; in a thread for long ones,
        under the budget of the call. It never searches or loads. It is an upper
        bound in the sense that the work takes at most three times as long. Work answered from
        tables or closed forms has a price of at most `QUICK`, and is then done
        on the event loop itself.

        Args:
            question: the name of a question of `Backend`: `outcome`, `winning_moves`, `analyze`,
                `best_line`, `outcomes`, `winning_move_batch`, `win_probability`,
                `win_probabilities`, `turns`, `instant_winners`, `losers`, `geometry`,
                `estimate_column`, `estimate_opening`.
            arguments: the positional arguments of that question.

        Raises:
            PositionOracleError: the question would be refused in any case.
        """
