"""Every exception of the project, each deriving from a built-in one.

::

    PositionOracleError
    ├── NotationError (ValueError)           text that is not a position, game or ordinal
    │   └── RulesError                       rules from outside that cannot be used
    ├── InvalidPositionError (ValueError)    well-formed, but no position of its game
    │   ├── IllegalMoveError                 no move from the position it is made in
    │   └── InvalidRowError                  a row of a batch that is no position
    ├── ArrayTypeError (TypeError)           positions that are not an array of integers
    ├── OracleClientError                    raised by a client; `clients.errors` has the tree
    ├── UnknownGameError (LookupError)       a game the oracle does not know
    ├── UnknownAnswerError (LookupError)     a question that the game does not have
    │   └── BeyondTablesError                a question beyond what is stored or solved
    ├── StoppedError (RuntimeError)          work ended early: cancelled, or past its deadline
    ├── BuildError (RuntimeError)            a precompute job that failed
    │   ├── ResourceLimitError (MemoryError) refused before work starts: it would not fit
    │   └── BuildInterruptedError            stopped on request, nothing published
    ├── MissingExtraError (ImportError)      a library of an extra is not installed
    └── TableFileError (OSError)             a table file that cannot be used
        ├── MissingTableError (FileNotFoundError)
        ├── DiskFullError                    no room to write it
        ├── MemoryFullError (MemoryError)    no memory to read or write it
        ├── CorruptTableError
        ├── FileTooOldError
        └── FileTooNewError
"""

from collections.abc import Sequence
from typing import Final

_QUOTED: Final = 16
"""Maximum number of numbers of a row that a message quotes."""


class PositionOracleError(Exception):
    """Base of all errors raised on purpose by this project."""


class NotationError(PositionOracleError, ValueError):
    """Raised for text that cannot be read as a position, a game or an ordinal."""


class RulesError(NotationError):
    """Raised for external rules, from a file or an installed package, that cannot be used."""


class InvalidPositionError(PositionOracleError, ValueError):
    """Raised for coordinates that are not a position of the named game."""


class IllegalMoveError(InvalidPositionError):
    """Raised for a move or an action that the rules do not allow in a position."""


class InvalidRowError(InvalidPositionError):
    """Raised for a row of a batch that is not a position of its game.

    Attributes:
        row: index of the row in the array.
        reason: the fault of the row.
        given: the numbers as given; None if not known.
    """

    def __init__(self, row: int, reason: str, given: Sequence[int] | None = None) -> None:
        super().__init__(row, reason, given)
        self.row = row
        self.reason = reason
        self.given = given

    def __str__(self) -> str:
        """Return the fault, with the row as given."""
        if self.given is None:
            return f"row {self.row}: {self.reason}"
        numbers = ", ".join(map(str, self.given[:_QUOTED]))
        more = ", ..." if len(self.given) > _QUOTED else ""
        return f"row {self.row} is [{numbers}{more}]; {self.reason}"


class ArrayTypeError(PositionOracleError, TypeError):
    """Raised for positions that are not an array of integers."""


class UnknownGameError(PositionOracleError, LookupError):
    """Raised for a game that the oracle has no rules for."""


class UnknownAnswerError(PositionOracleError, LookupError):
    """Raised for a question that no available table, search or theorem can decide."""


class BeyondTablesError(UnknownAnswerError):
    """Raised for a question beyond the stored tables, and beyond solutions on demand."""


class StoppedError(PositionOracleError, RuntimeError):
    """Raised for work that ended early: its caller has gone, or its deadline has passed."""


class BuildError(PositionOracleError, RuntimeError):
    """Raised for a precompute job that could not be finished."""


class ResourceLimitError(BuildError, MemoryError):
    """Raised for work that is refused before it starts, because its estimate exceeds a limit."""


class BuildInterruptedError(BuildError):
    """Raised for work that was stopped on request; published tables are unchanged."""


class MissingExtraError(PositionOracleError, ImportError):
    """Raised if a library that an extra of the package installs is missing."""


class TableFileError(PositionOracleError, OSError):
    """Raised for a table file that cannot be used."""


class MissingTableError(TableFileError, FileNotFoundError):
    """Raised if there is no table file where one was expected."""


class DiskFullError(TableFileError):
    """Raised if the disk or its quota is full; published tables are unchanged."""


class MemoryFullError(TableFileError, MemoryError):
    """Raised if memory does not suffice for a table file; the file itself may be intact."""


class CorruptTableError(TableFileError):
    """Raised for a table file that is damaged, incomplete, or of another program."""


class FileTooOldError(TableFileError):
    """Raised for a table file in a format older than this program reads."""


class FileTooNewError(TableFileError):
    """Raised for a table file in a format newer than this program reads."""
