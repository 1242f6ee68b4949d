"""All entries, in the order of the report."""

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from position_oracle.oracle.reproduce.registry import Entry, Paper
from position_oracle.schema.errors import NotationError

_MODULES: Final = (
    *("chomp.figures", "chomp.equations", "chomp.claims", "preprint"),
    *("passes.figures", "passes.equations", "passes.claims", "random_play"),
    *("transfinite.basics", "transfinite.wide", "transfinite.blocks", "transfinite.frontier"),
    *("facts", "beyond", "beyond_random_play"),
)
"""The modules of entries, in the order of the report."""


def all_entries() -> list[Entry]:
    """Return every entry, paper by paper."""
    papers = "position_oracle.oracle.reproduce.papers"
    modules = [import_module(f"{papers}.{name}") for name in _MODULES]
    return [entry for module in modules for entry in module.chapter.entries]


def chosen(papers: Iterable[str], names: Iterable[str]) -> list[Entry]:
    """Return entries of some papers and entries with some names; all if neither is given.

    Args:
        papers: names of chapters.
        names: names of entries, or references, upper or lower case.

    Raises:
        NotationError: there is no such paper or entry.
    """
    entries, wanted = all_entries(), {_paper(name) for name in papers}
    named = [_named(entries, name) for name in names]
    if not wanted and not named:
        return entries
    kept = {entry.name for found in named for entry in found}
    return [entry for entry in entries if entry.paper in wanted or entry.name in kept]


def _paper(name: str) -> Paper:
    try:
        return Paper(name)
    except ValueError:
        known = ", ".join(Paper)
        raise NotationError(f"{name[:40]!r} is not a paper; there are {known}") from None


def _named(entries: list[Entry], name: str) -> list[Entry]:
    text = name.casefold()
    found = [
        entry
        for entry in entries
        if text == entry.name or text in (reference.casefold() for reference in entry.references)
    ]
    if not found:
        raise NotationError(f"{name[:60]!r} is not an entry; oracle reproduce --list shows them")
    return found
