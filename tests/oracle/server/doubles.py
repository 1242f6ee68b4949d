"""Oracles with faults made on purpose, and raw calls that no client library would make."""

import threading
import time
from typing import Any

import grpc
import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games.introductions import introduction_of_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.analysis import Analysis
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, GameSource, WinProbability
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import Moves, Outcomes, slices
from position_oracle.oracle.line import BestLine
from position_oracle.oracle.server.errors import ErrorStatus
from position_oracle.oracle.server.telemetry import CallRecord
from position_oracle.schema.errors import StoppedError, UnknownAnswerError
from position_oracle.schema.positions import PositionLike
from tests.clock import PATIENCE

SERVICE = "position_oracle.v1.PositionOracle"
CHOMP3 = GameSpec("chomp3")


class SlowOracle(Oracle):
    """Answers N to everything, after `seconds` of waiting.

    Each slice of a batch, and each position of other games than chomp3, waits `seconds` and is
    counted. Nothing waits after `done` is set. Other questions go to no prober.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__([])
        self.seconds = seconds
        self.asked = 0
        self.started = threading.Event()
        self.done = threading.Event()

    def plan(self, question: str, /, *arguments: Any) -> Plan[Any]:
        """Return a plan with the usual cost that calls this class's own method."""
        usual = super().plan(question, *arguments)
        own = getattr(type(self), question, None)
        if own is getattr(Oracle, question, None):
            return usual
        return Plan(usual.cost, lambda: getattr(self, question)(*arguments))

    def warm_up(self, *, if_cold: bool = False) -> None:
        """Do nothing: no kernel has to be compiled, and a question would take `seconds`."""

    def games(self) -> tuple[GameInfo, ...]:
        source = GameSource("all", Certainty.THEOREM, ("outcome",))
        return (GameInfo(CHOMP3, (source,), introduction_of_game(CHOMP3)),)

    def outcome(self, position: PositionLike) -> Answer:
        position = position if isinstance(position, Position) else parse(str(position))
        if position.game != CHOMP3:
            self._work()
        return Answer(position, Outcome.N, Certainty.THEOREM, "says so")

    def winning_moves(self, position: PositionLike) -> Answer:
        return self.outcome(position)

    def outcomes(self, game: GameSpec | str, positions: npt.ArrayLike) -> Outcomes:
        rows = np.asarray(positions)
        for _ in slices(len(rows)):
            self._work()
        return np.full(len(rows), Outcome.N, np.uint8)

    def winning_move_batch(
        self, game: GameSpec | str, positions: npt.ArrayLike
    ) -> tuple[Outcomes, Moves]:
        return self.outcomes(game, positions), np.full(np.asarray(positions).shape, -1, np.int32)

    def _work(self) -> None:
        self.asked += 1
        self.started.set()
        self.done.wait(self.seconds)


class PricedOracle(SlowOracle):
    """Answers N to everything at a cost: a heap of n tokens costs n ms, chomp3 nothing.

    Searches wait `pace` times their cost without using the processor. They check their budget,
    except those of Chomp boards. All end when `done` is set.
    """

    def __init__(self, pace: float = 1.0) -> None:
        super().__init__()
        self.pace = pace
        self.stopped = 0

    def plan(self, question: str, /, *arguments: Any) -> Plan[Any]:
        cost = Cost(1e-5)
        if arguments and isinstance(arguments[0], Position):
            cost = Cost(self._milliseconds(arguments[0]) / 1000)
        elif question in {"outcomes", "winning_move_batch"}:
            cost = Cost(len(arguments[1]) * 1e-6)
        name = "analyze_page" if question == "analyze" else question
        if name in vars(PricedOracle) or name in vars(SlowOracle):
            return Plan(cost, lambda: getattr(self, name)(*arguments))
        return Plan(cost, super().plan(question, *arguments).run)

    def outcome(self, position: PositionLike) -> Answer:
        position = position if isinstance(position, Position) else parse(str(position))
        if milliseconds := self._milliseconds(position):
            self.asked += 1
            self.started.set()
            end = time.monotonic() + self.pace * milliseconds / 1000
            while (left := end - time.monotonic()) > 0:
                if self.done.wait(min(left, 0.01)):
                    break
                if position.game.family == "nim":
                    self._look()
        return Answer(position, Outcome.N, Certainty.THEOREM, "says so")

    def analyze_page(
        self,
        position: PositionLike,
        moves: bool = True,
        first: int = 0,
        most: int | None = None,
    ) -> Analysis:
        raise UnknownAnswerError("no values are known here")

    def best_move(self, position: PositionLike) -> Move | None:
        raise UnknownAnswerError("no best moves are known here")

    def best_line(self, position: PositionLike, plies: int = 100) -> BestLine:
        raise UnknownAnswerError("no lines are known here")

    def win_probability(self, position: PositionLike, model: Model | str) -> WinProbability:
        raise UnknownAnswerError("no chances are known here")

    def win_probabilities(
        self, game: GameSpec | str, positions: npt.ArrayLike, model: Model | str
    ) -> npt.NDArray[np.float64]:
        raise UnknownAnswerError("no chances are known here")

    def _look(self) -> None:
        try:
            current().check()
        except StoppedError:
            self.stopped += 1
            raise

    def _milliseconds(self, position: Position) -> int:
        return 0 if position.game == CHOMP3 else sum(position.coordinates[:1])


class BrokenOracle(SlowOracle):
    """Fails at every question."""

    def outcome(self, position: PositionLike) -> Answer:
        raise ZeroDivisionError("secret")

    def outcomes(self, game: GameSpec | str, positions: npt.ArrayLike) -> Outcomes:
        raise ZeroDivisionError("secret")


def raw_call(port: int, method: str, message: bytes, timeout: float = PATIENCE) -> bytes:
    """Send bytes to a method of the service by a new connection; raises grpc.RpcError."""
    # a channel without a pool of its own may use the connection of a closed channel
    options = (("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1))
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/{method}"
        )
        return call(message, timeout=timeout)


class Someone:
    """A caller with the given headers and without a deadline."""

    def __init__(self, *headers: tuple[str, str | bytes]) -> None:
        self._headers = headers

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    def time_remaining(self) -> None:
        return None

    def invocation_metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        return self._headers


def ended(
    *headers: tuple[str, str | bytes], seconds: float = 0.0, error: ErrorStatus | None = None
) -> CallRecord:
    """Return the record of a call that has ended."""
    call = CallRecord("GetOutcome", Someone(*headers))
    call.seconds, call.error = seconds, error
    if error is not None:
        call.code = error.code
    return call
