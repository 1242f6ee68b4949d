"""The records of answers as the oracle holds them: with positions of the engine."""

from typing import TYPE_CHECKING

from schema import analyses, answers, games
from schema.analyses import MAX_MOVES, Method
from schema.answers import Certainty, Origin, Outcome, PositionValues, Tables, TransfiniteFacts
from schema.games import Build, Limits

if TYPE_CHECKING:
    from typing import TypeAlias

    from engine.games.position import Move, Position
    from engine.games.spec import GameSpec

    Answer: TypeAlias = answers.Answer[Position]
    AnalyzedMove: TypeAlias = analyses.AnalyzedMove[Position]
    Analysis: TypeAlias = analyses.Analysis[Position]
    WinProbability: TypeAlias = analyses.WinProbability[Position]
    GameInfo: TypeAlias = games.GameInfo[GameSpec]
else:
    from schema.analyses import Analysis, AnalyzedMove, WinProbability
    from schema.answers import Answer
    from schema.games import GameInfo
    from schema.moves import Move

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
