"""The records of answers inside the oracle, with positions of the engine."""

from typing import TYPE_CHECKING

from position_oracle.schema import analyses, answers, games
from position_oracle.schema.analyses import MAX_LISTED_MOVES, Method
from position_oracle.schema.answers import (
    Certainty,
    Origin,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.games import Build, GameSource, Limits

if TYPE_CHECKING:
    from typing import TypeAlias

    from position_oracle.engine.games.position import Move, Position
    from position_oracle.engine.games.spec import GameSpec

    Answer: TypeAlias = answers.Answer[Position]
    AnalyzedMove: TypeAlias = analyses.AnalyzedMove[Position]
    Analysis: TypeAlias = analyses.Analysis[Position]
    Turns: TypeAlias = analyses.Turns[Position]
    WinProbability: TypeAlias = analyses.WinProbability[Position]
    GameInfo: TypeAlias = games.GameInfo[GameSpec]
else:
    from position_oracle.schema.analyses import Analysis, AnalyzedMove, Turns, WinProbability
    from position_oracle.schema.answers import Answer
    from position_oracle.schema.games import GameInfo
    from position_oracle.schema.moves import Move

__all__ = [
    "MAX_LISTED_MOVES",
    "Analysis",
    "AnalyzedMove",
    "Answer",
    "Build",
    "Certainty",
    "GameInfo",
    "GameSource",
    "Limits",
    "Method",
    "Move",
    "Origin",
    "Outcome",
    "PositionValues",
    "Tables",
    "TransfiniteFacts",
    "Turns",
    "WinProbability",
]
