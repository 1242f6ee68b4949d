from position_oracle.clients import adapters as adapters
from position_oracle.clients import annotate as annotate
from position_oracle.clients import bots as bots
from position_oracle.clients import errors as errors
from position_oracle.clients import play as play
from position_oracle.clients import plot as plot
from position_oracle.clients import record as record
from position_oracle.clients import rules as rules
from position_oracle.clients._aio import AsyncOracleClient as AsyncOracleClient
from position_oracle.clients._channel import tls as tls
from position_oracle.clients._sync import OracleClient as OracleClient
from position_oracle.clients.errors import (
    AccessDeniedError as AccessDeniedError,
)
from position_oracle.clients.errors import (
    ArrayTypeError as ArrayTypeError,
)
from position_oracle.clients.errors import (
    ClientClosedError as ClientClosedError,
)
from position_oracle.clients.errors import (
    DeadlineError as DeadlineError,
)
from position_oracle.clients.errors import (
    IllegalMoveError as IllegalMoveError,
)
from position_oracle.clients.errors import (
    InvalidQuestionError as InvalidQuestionError,
)
from position_oracle.clients.errors import (
    OracleClientError as OracleClientError,
)
from position_oracle.clients.errors import (
    ServerError as ServerError,
)
from position_oracle.clients.errors import (
    ServerLimitError as ServerLimitError,
)
from position_oracle.clients.errors import (
    ServerUnavailableError as ServerUnavailableError,
)
from position_oracle.clients.errors import (
    TablesChangedError as TablesChangedError,
)
from position_oracle.clients.errors import (
    UnknownGameError as UnknownGameError,
)
from position_oracle.clients.errors import (
    UnsupportedQuestionError as UnsupportedQuestionError,
)
from position_oracle.oracle.core import (
    Oracle as Oracle,
)
from position_oracle.schema.analyses import (
    Analysis as Analysis,
)
from position_oracle.schema.analyses import (
    AnalyzedMove as AnalyzedMove,
)
from position_oracle.schema.analyses import (
    Method as Method,
)
from position_oracle.schema.analyses import (
    WinProbability as WinProbability,
)
from position_oracle.schema.answers import (
    Answer as Answer,
)
from position_oracle.schema.answers import (
    Certainty as Certainty,
)
from position_oracle.schema.answers import (
    Origin as Origin,
)
from position_oracle.schema.answers import (
    Outcome as Outcome,
)
from position_oracle.schema.answers import (
    PositionValues as PositionValues,
)
from position_oracle.schema.answers import (
    Tables as Tables,
)
from position_oracle.schema.answers import (
    TransfiniteFacts as TransfiniteFacts,
)
from position_oracle.schema.errors import (
    PositionOracleError as PositionOracleError,
)
from position_oracle.schema.estimates import (
    Calibration as Calibration,
)
from position_oracle.schema.estimates import (
    Candidate as Candidate,
)
from position_oracle.schema.estimates import (
    Estimate as Estimate,
)
from position_oracle.schema.estimates import (
    Estimates as Estimates,
)
from position_oracle.schema.games import (
    Build as Build,
)
from position_oracle.schema.games import (
    GameInfo as GameInfo,
)
from position_oracle.schema.games import (
    Limits as Limits,
)
from position_oracle.schema.geometry import (
    Geometry as Geometry,
)
from position_oracle.schema.geometry import (
    Measure as Measure,
)
from position_oracle.schema.geometry import (
    Shape as Shape,
)
from position_oracle.schema.lines import (
    BestLine as BestLine,
)
from position_oracle.schema.moves import (
    Action as Action,
)
from position_oracle.schema.moves import (
    Bite as Bite,
)
from position_oracle.schema.moves import (
    HeapChange as HeapChange,
)
from position_oracle.schema.moves import (
    Move as Move,
)

__all__: list[str]
__version__: str
