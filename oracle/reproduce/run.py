"""Computing entries, one after another."""

import time
from collections.abc import Iterable, Iterator

from position_oracle.oracle.reproduce.registry import Entry, Finding
from position_oracle.oracle.reproduce.tables import Tables


def compute(
    entries: Iterable[Entry], tables: Tables, *, pictures: bool = True
) -> Iterator[Finding]:
    """The findings of entries, each as soon as it is there.

    Args:
        entries: which.
        tables: what they compute from; what is missing is built.
        pictures: whether figures are drawn, which needs matplotlib.
    """
    for entry in entries:
        begun = time.perf_counter()
        quantities = tuple(entry.compute(tables))
        seconds = time.perf_counter() - begun
        yield Finding(entry, quantities, seconds, _drawn(entry, tables) if pictures else ())


def _drawn(entry: Entry, tables: Tables) -> tuple[bytes, ...]:
    from position_oracle.oracle.reproduce.pictures import pictures_of

    return pictures_of(entry.name, tables)
