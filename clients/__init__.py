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
    "IllegalMoveError",
    "InvalidQuestionError",
    "Limits",
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
    "Tables",
    "TransfiniteFacts",
    "UnknownGameError",
    "UnsupportedQuestionError",
    "WinProbability",
]
