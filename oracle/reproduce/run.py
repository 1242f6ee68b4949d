"""Computing entries, one after another."""

import io
import time
from collections.abc import Callable, Iterable, Iterator

from oracle.reproduce.registry import Entry, Finding
from oracle.reproduce.tables import Tables

DPI = 150


def compute(
    entries: Iterable[Entry],
    tables: Tables,
    *,
    pictures: bool = True,
    started: Callable[[Entry], None] = lambda _: None,
) -> Iterator[Finding]:
    """The findings of entries, each as soon as it is there.

    Args:
        entries: which.
        tables: what they compute from; what is missing is built.
        pictures: whether figures are drawn.
        started: called before each entry.
    """
    for entry in entries:
        started(entry)
        begun = time.perf_counter()
        quantities = tuple(entry.compute(tables))
        seconds = time.perf_counter() - begun
        picture = _png(entry, tables) if pictures and entry.picture else None
        yield Finding(entry, quantities, seconds, picture)


def _png(entry: Entry, tables: Tables) -> bytes | None:
    if entry.picture is None:
        return None
    figure = entry.picture(tables)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    return buffer.getvalue()
