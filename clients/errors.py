"""Every exception of the clients, each deriving from a built-in one.

Errors that an `Oracle` raises, too, for the same fault are those of `schema.errors`: `except
UnknownGameError`, imported from `position_oracle`, catches both. Clients raise them as a class that
is an `OracleClientError` as well, the one whose name begins with `Client`.

::

    OracleClientError (PositionOracleError)
    ├── InvalidArgumentError (ValueError)         an argument that cannot be used: timeout=0
    ├── ClientTypeError (ArrayTypeError)          an argument of a wrong type
    ├── CredentialsFileError (OSError)            a file for TLS that cannot be read
    ├── InvalidQuestionError (InvalidPositionError)  the question breaks a rule; `field` says where
    │   └── ClientIllegalMoveError (IllegalMoveError)   a move that the rules do not allow
    ├── ClientUnknownGameError (UnknownGameError)    a game that the server does not know
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

from collections.abc import Iterator, Mapping
from math import isfinite
from types import MappingProxyType
from typing import Final, SupportsIndex

from position_oracle.schema import errors
from position_oracle.schema.errors import ArrayTypeError, IllegalMoveError, UnknownGameError
from position_oracle.schema.numbers import whole

_NO_FACTS: Final[Mapping[str, str]] = MappingProxyType({})


class OracleClientError(errors.PositionOracleError):
    """Base of all errors that clients raise.

    Attributes:
        code: name of the gRPC status, e.g. `INVALID_ARGUMENT`; empty if no server sent one.
        reason: a stable word for programs, e.g. `INVALID_POSITION` (docs/service.md lists them).
        facts: further facts from the server for programs, unchanged.
        retry_seconds: seconds to wait before a retry; None if a retry is useless.
    """

    code: str = ""
    reason: str = ""
    facts: Mapping[str, str] = _NO_FACTS
    retry_seconds: float | None = None

    @property
    def request_id(self) -> str:
        """The id of the request in the logs of the server; empty if no server sent one."""
        return self.facts.get("request_id", "")

    @property
    def limits(self) -> dict[str, float]:
        """The limits by name: `seconds` and `bytes` of work, `request_bytes`, ..."""
        return {
            name.removeprefix("limit_"): value
            for name, value in self._numbers()
            if name.startswith("limit_")
        }

    @property
    def amounts(self) -> dict[str, float]:
        """The amounts of the question, by the names of `limits`."""
        limits = self.limits
        return {
            name.removeprefix("price_"): value
            for name, value in self._numbers()
            if name.startswith("price_") or name in limits
        }

    def _numbers(self) -> Iterator[tuple[str, float]]:
        for name, text in self.facts.items():
            try:
                value = float(text)
            except ValueError:
                continue
            if isfinite(value):
                yield name, value


class InvalidArgumentError(OracleClientError, ValueError):
    """Raised for an argument that cannot be used: a timeout of 0, a text that is not an address."""


class ClientTypeError(OracleClientError, ArrayTypeError):
    """Raised for an argument of a wrong type: a position that is not text, or not numbers."""


class CredentialsFileError(OracleClientError, OSError):
    """Raised for a file of certificates or keys that cannot be read."""


class InvalidQuestionError(OracleClientError, errors.InvalidPositionError):
    """Raised for a question that breaks a rule of the contract or of the game.

    Attributes:
        field: path of the wrong field of the request; empty if the error concerns no field.
        row: index of the wrong row of an array; None if the error concerns no row.
    """

    def __init__(self, message: str, field: str = "", row: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.row = row


class ClientIllegalMoveError(InvalidQuestionError, IllegalMoveError):
    """Raised for a move that the rules of the game do not allow."""


class ClientUnknownGameError(OracleClientError, UnknownGameError):
    """Raised for a game that the server does not know."""


class UnsupportedQuestionError(OracleClientError, errors.UnknownAnswerError, NotImplementedError):
    """Raised for a question that the server does not answer for this game, or does not know."""


class ServerLimitError(OracleClientError, RuntimeError):
    """Raised for a question above a limit of the server or of a quota; `reason` says which."""


class AccessDeniedError(OracleClientError, PermissionError):
    """Raised if the server requires a token, or does not know the token that was sent."""


class TablesChangedError(OracleClientError, RuntimeError):
    """Raised if different tables answered parts of an array in every attempt."""


class ServerUnavailableError(OracleClientError, ConnectionError):
    """Raised if the server cannot be reached, even after the retries."""


class DeadlineError(OracleClientError, TimeoutError):
    """Raised if there is no answer before the deadline."""


class ServerError(OracleClientError, RuntimeError):
    """Raised for a fault of the server, or a response that breaks the contract."""


class ClientClosedError(OracleClientError, RuntimeError):
    """Raised if a client is used after it was closed."""


def integer(value: SupportsIndex, name: str) -> int:
    """Return the integer that an argument is.

    Raises:
        ClientTypeError: the argument is not an integer.
        InvalidQuestionError: it has too many digits.
    """
    try:
        return whole(value, name)
    except errors.InvalidPositionError as error:
        raise InvalidQuestionError(str(error), name) from None
    except ArrayTypeError as error:
        raise ClientTypeError(str(error)) from None
