"""Every exception of the clients, each deriving from a built-in one.

::

    OracleClientError
    ├── InvalidQuestionError (ValueError)         the question breaks a rule; `field` says where
    │   └── IllegalMoveError                      a move that the rules do not allow
    ├── ArrayTypeError (TypeError)                positions that are not an array of integers
    ├── UnknownGameError (LookupError)            a game that the server does not know
    ├── UnsupportedQuestionError (NotImplementedError)   not answered for this game
    ├── ServerLimitError (RuntimeError)           too large for the server, or it is full
    ├── ServerUnavailableError (ConnectionError)  unreachable, also after the retries
    ├── DeadlineError (TimeoutError)              no answer in time
    ├── ServerError (RuntimeError)                a fault of the server
    └── ClientClosedError (RuntimeError)          a client used after it was closed

That a position is not decided is no error: it is an answer with `Outcome.UNKNOWN`.
"""


class OracleClientError(Exception):
    """Base of all errors that clients raise on purpose."""


class InvalidQuestionError(OracleClientError, ValueError):
    """A question that breaks a rule of the contract or of the game.

    Attributes:
        field: path of the field of the request that is wrong; empty where it is not about one.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class IllegalMoveError(InvalidQuestionError):
    """A move that the rules of the game do not allow."""


class ArrayTypeError(OracleClientError, TypeError):
    """Positions given as something else than an array of integers."""


class UnknownGameError(OracleClientError, LookupError):
    """A game that the server does not know."""


class UnsupportedQuestionError(OracleClientError, NotImplementedError):
    """A question that the server does not answer for this game, or does not know at all."""


class ServerLimitError(OracleClientError, RuntimeError):
    """A request larger than the server accepts, or a server that is answering too many calls."""


class ServerUnavailableError(OracleClientError, ConnectionError):
    """A server that cannot be reached, also after the retries."""


class DeadlineError(OracleClientError, TimeoutError):
    """No answer before the deadline."""


class ServerError(OracleClientError, RuntimeError):
    """A fault of the server, or an answer that breaks the contract."""


class ClientClosedError(OracleClientError, RuntimeError):
    """A client used after it was closed."""
