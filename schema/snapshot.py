"""The entry point to table files: open, verify and publish them.

Reading::

    with Snapshot.open("data") as snapshot:
        sheets = snapshot.read_sheets("chomp3")

Writing::

    with begin_draft("data") as draft:
        writer = draft.replace(game, "sheets", ["p_position", "sheet"])
        writer.append("p_position", {"x": x, "y": y, "z": z})
        ...
        writer.finish(limit="10000", started_at=..., seconds=..., environment="{}")
        draft.publish()
"""

from position_oracle.schema.reading import Snapshot, identity_of
from position_oracle.schema.records import ChecksumRecord, FileInfo, GameRow
from position_oracle.schema.sheet_rows import rows_of_sheets
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.store import (
    DEFAULT_PLACE,
    PLACE_VARIABLE,
    Store,
    current_file,
    default_place,
)
from position_oracle.schema.writing import (
    Draft,
    TableWriter,
    begin_draft,
    program,
    upgrade,
    utc_now,
)

__all__ = [
    "DEFAULT_PLACE",
    "PLACE_VARIABLE",
    "ChecksumRecord",
    "Draft",
    "FileInfo",
    "GameRow",
    "LoserSheets",
    "Snapshot",
    "Store",
    "TableWriter",
    "begin_draft",
    "current_file",
    "default_place",
    "identity_of",
    "program",
    "rows_of_sheets",
    "upgrade",
    "utc_now",
]
