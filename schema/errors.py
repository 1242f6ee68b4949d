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
"""Most numbers of a row that a message quotes."""


class PositionOracleError(Exception):
    """Base of all errors raised on purpose by this project."""


class NotationError(PositionOracleError, ValueError):
    """Text that cannot be read as a position, a game or an ordinal."""


class RulesError(NotationError):
    """Rules from outside, given by a file or an installed package, that cannot be used."""


class InvalidPositionError(PositionOracleError, ValueError):
    """Coordinates that are not a position of the game named."""


class IllegalMoveError(InvalidPositionError):
    """A move or an action that the rules of the game do not allow in a position."""


class InvalidRowError(InvalidPositionError):
    """A row of a batch that is no position of its game.

    Attributes:
        row: which row of the array, from 0.
        reason: the fault of the row.
        given: its numbers as they were given; None where that is not told.
    """

    def __init__(self, row: int, reason: str, given: Sequence[int] | None = None) -> None:
        super().__init__(row, reason, given)
        self.row = row
        self.reason = reason
        self.given = given

    def __str__(self) -> str:
        """The fault, with the row as given."""
        if self.given is None:
            return f"row {self.row}: {self.reason}"
        numbers = ", ".join(map(str, self.given[:_QUOTED]))
        more = ", ..." if len(self.given) > _QUOTED else ""
        return f"row {self.row} is [{numbers}{more}]; {self.reason}"


class ArrayTypeError(PositionOracleError, TypeError):
    """Positions given as something else than an array of integers."""


class UnknownGameError(PositionOracleError, LookupError):
    """A game that the oracle has no rules for."""


class UnknownAnswerError(PositionOracleError, LookupError):
    """A question that no available table, search or theorem can decide."""


class BeyondTablesError(UnknownAnswerError):
    """A question beyond what is stored, and beyond what is solved on demand."""


class StoppedError(PositionOracleError, RuntimeError):
    """Work that ended before it was done: nobody waits for it, or its deadline has passed."""


class BuildError(PositionOracleError, RuntimeError):
    """A precompute job that could not be finished."""


class ResourceLimitError(BuildError, MemoryError):
    """Work refused before it starts, because the estimate exceeds what is allowed."""


class BuildInterruptedError(BuildError):
    """Work stopped on request; what was published before is untouched."""


class MissingExtraError(PositionOracleError, ImportError):
    """A library that an extra of the package installs is not there."""


class TableFileError(PositionOracleError, OSError):
    """A table file that cannot be used."""


class MissingTableError(TableFileError, FileNotFoundError):
    """No table file where one was expected."""


class DiskFullError(TableFileError):
    """No room on the disk, or in its quota; what was published before is untouched."""


class MemoryFullError(TableFileError, MemoryError):
    """Not enough memory to read or write a table file; the file itself may be sound."""


class CorruptTableError(TableFileError):
    """A table file that is damaged, incomplete, or not ours."""


class FileTooOldError(TableFileError):
    """A table file written in a format older than this program reads."""


class FileTooNewError(TableFileError):
    """A table file written in a format newer than this program reads."""
