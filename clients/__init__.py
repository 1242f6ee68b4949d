"""What users import: synchronous and asyncio clients of a position oracle.

Bots that play are in `clients.bots` and `clients.play`.
"""

from clients._aio import AsyncOracleClient
from clients._sync import OracleClient
from clients.errors import (
    ArrayTypeError,
    ClientClosedError,
    DeadlineError,
    IllegalMoveError,
    InvalidQuestionError,
    OracleClientError,
    ServerError,
    ServerLimitError,
    ServerUnavailableError,
    UnknownGameError,
    UnsupportedQuestionError,
)
from schema.answers import (
    Analysis,
    AnalyzedMove,
    Answer,
    Build,
    Certainty,
    GameInfo,
    Limits,
    Method,
    Move,
    Origin,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
    WinProbability,
)
from schema.geometry import Geometry, Measure, Shape

__all__ = [
    "Analysis",
    "AnalyzedMove",
    "Answer",
    "ArrayTypeError",
    "AsyncOracleClient",
    "Build",
    "Certainty",
    "ClientClosedError",
    "DeadlineError",
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
    "TransfiniteFacts",
    "UnknownGameError",
    "UnsupportedQuestionError",
    "WinProbability",
]
