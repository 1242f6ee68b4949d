"""The records of `schema.answers` as the oracle holds them: with positions of the engine."""

from typing import TYPE_CHECKING

from schema import answers
from schema.answers import (
    MAX_MOVES,
    Build,
    Certainty,
    Limits,
    Method,
    Origin,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)

if TYPE_CHECKING:
    from typing import TypeAlias

    from engine.games.position import Move, Position
    from engine.games.spec import GameSpec

    Answer: TypeAlias = answers.Answer[Position]
    AnalyzedMove: TypeAlias = answers.AnalyzedMove[Position]
    Analysis: TypeAlias = answers.Analysis[Position]
    WinProbability: TypeAlias = answers.WinProbability[Position]
    GameInfo: TypeAlias = answers.GameInfo[GameSpec]
else:
    from schema.answers import Analysis, AnalyzedMove, Answer, GameInfo, Move, WinProbability

__all__ = [
    "MAX_MOVES",
    "Analysis",
    "AnalyzedMove",
    "Answer",
    "Build",
    "Certainty",
    "GameInfo",
    "Limits",
    "Method",
    "Move",
    "Origin",
    "Outcome",
    "PositionValues",
    "Tables",
    "TransfiniteFacts",
    "WinProbability",
]
