"""Loser sheets of a loaded table, as the theory of transfinite Chomp asks for them."""

from collections.abc import Iterable, Sequence
from typing import cast

from engine.games.spec import GameSpec
from engine.theory.transfinite.sheets import ArraySheets, ThreeRowSheets, small_sheets
from oracle.index import SheetIndex
from oracle.probers.sheet_table import SheetTable

_THREE_ROW = GameSpec("chomp3")

SMALL = 128
"""Sheets that are computed where no table has as many."""

_Numbers = Sequence[int]


def sheets_for(tables: Iterable[SheetTable]) -> ThreeRowSheets:
    """The sheets of plain three-row Chomp.

    They are those of a loaded table; small ones, computed here, where there is none so large.
    """
    for table in tables:
        if table.game == _THREE_ROW and table.index.limit >= SMALL:
            return sheets_of(table.index)
    return small_sheets(SMALL)


def sheets_of(index: SheetIndex) -> ArraySheets:
    """The sheets of an index, without copying them.

    A position of column heights u >= v >= x has these row lengths: it is [x, v - x, u - v].
    """
    arrays = (index.prefix_offset, index.z, index.period, index.tail_offset, index.tail_z)
    return ArraySheets(*cast("tuple[_Numbers, ...]", arrays))
