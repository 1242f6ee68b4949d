"""Computes entries, one after another."""

import time
from collections.abc import Iterable, Iterator

from position_oracle.oracle.reproduce.registry import Entry, Finding, Quantity
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.errors import StoppedError


def compute(
    entries: Iterable[Entry], tables: ReportTables, *, pictures: bool = True
) -> Iterator[Finding]:
    """Yield the findings of entries, each when it is done; a failure affects only its entry.

    Args:
        entries: the entries to compute.
        tables: the tables for the computations; missing ones are built.
        pictures: whether figures are drawn, which needs matplotlib.
    """
    for entry in entries:
        yield _computed(entry, tables, pictures=pictures)


def _computed(entry: Entry, tables: ReportTables, *, pictures: bool) -> Finding:
    begun = time.perf_counter()
    quantities: list[Quantity] = []
    drawn: tuple[bytes, ...] = ()
    failure = ""
    tables.take_reduced()
    try:
        quantities.extend(entry.compute(tables))
        seconds = time.perf_counter() - begun
        if not quantities:
            failure = "nothing was compared"
        elif pictures:
            drawn = _drawn(entry, tables)
    except StoppedError:
        raise
    except Exception as error:
        seconds = time.perf_counter() - begun
        failure = f"{type(error).__name__}: {error}"
    return Finding(entry, tuple(quantities), seconds, drawn, failure, tables.take_reduced())


def _drawn(entry: Entry, tables: ReportTables) -> tuple[bytes, ...]:
    from position_oracle.oracle.reproduce.pictures import pictures_of

    return pictures_of(entry.name, tables)
