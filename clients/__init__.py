"""What users import: synchronous and asyncio clients of a position oracle.

Bots that play are in `clients.bots` and `clients.play`, the rules of the games in `clients.rules`;
what these need is imported without gRPC, which comes with a client.
"""

from typing import TYPE_CHECKING

from clients.errors import (
    AccessDeniedError,
    ArrayTypeError,
    ClientClosedError,
    DeadlineError,
    IllegalMoveError,
    InvalidQuestionError,
    OracleClientError,
    ServerError,
    ServerLimitError,
    ServerUnavailableError,
    TablesChangedError,
    UnknownGameError,
    UnsupportedQuestionError,
)
from schema.analyses import Analysis, AnalyzedMove, Method, WinProbability
from schema.answers import (
    Answer,
    Certainty,
    Origin,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from schema.estimates import Calibration, Candidate, Estimate, Estimates
from schema.games import Build, GameInfo, Limits
from schema.geometry import Geometry, Measure, Shape
from schema.lines import BestLine
from schema.moves import Move

if TYPE_CHECKING:
    from clients._aio import AsyncOracleClient
    from clients._channel import tls
    from clients._sync import OracleClient


def __getattr__(name: str) -> object:
    """What needs gRPC, imported when it is first asked for."""
    if name == "AsyncOracleClient":
        from clients._aio import AsyncOracleClient

        return AsyncOracleClient
    if name == "OracleClient":
        from clients._sync import OracleClient

        return OracleClient
    if name == "tls":
        from clients._channel import tls

        return tls
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AccessDeniedError",
    "Analysis",
    "AnalyzedMove",
    "Answer",
    "ArrayTypeError",
    "AsyncOracleClient",
    "BestLine",
    "Build",
    "Calibration",
    "Candidate",
    "Certainty",
    "ClientClosedError",
    "DeadlineError",
    "Estimate",
    "Estimates",
    "GameInfo",
    "Geometry",
    "IllegalMoveError",
    "InvalidQuestionError",
    "Limits",
    "Measure",
    "Method",
    "Move",
    "OracleClient",
    "OracleClientError",
    "Origin",
    "Outcome",
    "PositionValues",
    "ServerError",
    "ServerLimitError",
    "ServerUnavailableError",
    "Shape",
    "Tables",
    "TablesChangedError",
    "TransfiniteFacts",
    "UnknownGameError",
    "UnsupportedQuestionError",
    "WinProbability",
    "tls",
]
