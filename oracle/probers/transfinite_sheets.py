"""Loser sheets of a loaded table, as the theory of transfinite Chomp asks for them."""

from collections.abc import Iterable

from engine.games.spec import GameSpec
from engine.theory.supermex import loser_sheets
from oracle.index import sheets_of
from oracle.probers.sheet_table import SheetTable
from schema.sheets import LoserSheets

_THREE_ROW = GameSpec("chomp3")

SMALL = 128
"""Sheets that are computed where no table has as many."""


def sheets_for(tables: Iterable[SheetTable]) -> LoserSheets:
    """The sheets of plain three-row Chomp.

    They are those of a loaded table; small ones, computed here, where there is none so large.
    """
    for table in tables:
        if table.game == _THREE_ROW and table.index.limit >= SMALL:
            return sheets_of(table.index)
    return loser_sheets(SMALL)
