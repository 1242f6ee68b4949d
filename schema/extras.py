"""The error for a missing library of an extra."""

from collections.abc import Iterator
from contextlib import contextmanager

from position_oracle.schema.errors import MissingExtraError

__all__ = ["from_extra"]


@contextmanager
def from_extra(name: str) -> Iterator[None]:
    """Import libraries of an extra of the package inside the block.

    >>> with from_extra("plot"):
    ...     import matplotlib

    Args:
        name: the extra, as in `pip install '.[plot]'`.

    Raises:
        MissingExtraError: a library is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library == __name__.partition(".")[0]:  # a fault of this project
            raise
        raise MissingExtraError(
            f"{library} is not installed; it comes with the extra {name}:"
            f" pip install '.[{name}]' in a clone, or the wheel: pip install 'FILE.whl[{name}]'",
            name=error.name,
        ) from error
