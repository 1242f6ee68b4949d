"""Every exception of the clients, each deriving from a built-in one.

Those with a counterpart in `schema.errors`, which an `Oracle` raises for the same fault, derive
from it. So `except UnknownGameError`, imported from `position_oracle`, catches both.

::

    OracleClientError (PositionOracleError)
    ├── InvalidQuestionError (ValueError)         the question breaks a rule; `field` says where
    │   └── IllegalMoveError                      a move that the rules do not allow
    ├── ArrayTypeError (TypeError)                positions that are not an array of integers
    ├── UnknownGameError (LookupError)            a game that the server does not know
    ├── UnsupportedQuestionError (NotImplementedError)   not answered for this game
    ├── ServerLimitError (RuntimeError)           too large for the server, or it is full
    ├── ServerUnavailableError (ConnectionError)  unreachable, also after the retries
    ├── DeadlineError (TimeoutError)              no answer in time
    ├── AccessDeniedError (PermissionError)       no token, or nobody's
    ├── TablesChangedError (RuntimeError)         an array that no one state of tables answers
    ├── ServerError (RuntimeError)                a fault of the server
    └── ClientClosedError (RuntimeError)          a client used after it was closed

That a position is not decided is no error: it is an answer with `Outcome.UNKNOWN`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from position_oracle.schema import errors

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class OracleClientError(errors.PositionOracleError):
    """Base of all errors that clients raise on purpose.

    Attributes:
        code: name of the gRPC status, e.g. `INVALID_ARGUMENT`; empty where no server has said it.
        reason: a stable word for programs, e.g. `INVALID_POSITION` (docs/service.md lists them).
        facts: what else the server says for programs, e.g. `request_id`, and amounts and limits.
        retry_seconds: after which time to try again; None where that is of no use.
    """

    code: str = ""
    reason: str = ""
    facts: Mapping[str, str] = _NOTHING
    retry_seconds: float | None = None

    @property
    def limits(self) -> dict[str, float]:
        """What is allowed, by what it limits: `seconds` and `bytes` of work, `request_bytes`..."""
        return self._numbers("limit_")

    @property
    def amounts(self) -> dict[str, float]:
        """How much of that the question has, or would take."""
        priced = self._numbers("price_")
        asked = {name: self.facts[name] for name in self.limits if name in self.facts}
        return priced | {name: float(value) for name, value in asked.items()}

    def _numbers(self, prefix: str) -> dict[str, float]:
        return {
            name.removeprefix(prefix): float(value)
            for name, value in self.facts.items()
            if name.startswith(prefix)
        }


class InvalidQuestionError(OracleClientError, errors.InvalidPositionError):
    """A question that breaks a rule of the contract or of the game.

    Attributes:
        field: path of the field of the request that is wrong; empty where it is not about one.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class IllegalMoveError(InvalidQuestionError, errors.IllegalMoveError):
    """A move that the rules of the game do not allow."""


class ArrayTypeError(OracleClientError, errors.ArrayTypeError):
    """Positions given as something else than an array of integers."""


class UnknownGameError(OracleClientError, errors.UnknownGameError):
    """A game that the server does not know."""


class UnsupportedQuestionError(OracleClientError, errors.UnknownAnswerError, NotImplementedError):
    """A question that the server does not answer for this game, or does not know at all."""


class ServerLimitError(OracleClientError, RuntimeError):
    """A question of more than the server takes, or a quota that is used up; `reason` says which."""


class AccessDeniedError(OracleClientError, PermissionError):
    """A server that wants a token, or does not know the one that was sent."""


class TablesChangedError(OracleClientError, RuntimeError):
    """An array whose parts were answered from different tables, however often they were asked."""


class ServerUnavailableError(OracleClientError, ConnectionError):
    """A server that cannot be reached, also after the retries."""


class DeadlineError(OracleClientError, TimeoutError):
    """No answer before the deadline."""


class ServerError(OracleClientError, RuntimeError):
    """A fault of the server, or an answer that breaks the contract."""


class ClientClosedError(OracleClientError, RuntimeError):
    """A client used after it was closed."""
