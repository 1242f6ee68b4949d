"""Small sheets to store, invented or random, and a way to publish them."""

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from position_oracle.schema.games import Build
from position_oracle.schema.snapshot import GameRow, LoserSheets, begin_draft, rows_of_sheets

GAME = GameRow(game_id=11, name="chomp3", family="chomp3")

Publisher = Callable[..., Build]


def make_sheets(
    prefixes: Sequence[Sequence[int]], tails: Sequence[Sequence[int] | None]
) -> LoserSheets:
    """Make sheets from lists.

    A tail is a period, an empty list if the sheet stops, None if it is cut.
    """
    known = [tail or [] for tail in tails]
    return LoserSheets(
        first_x=0,
        prefix_offset=np.cumsum([0, *map(len, prefixes)], dtype=np.int64),
        prefix_z=np.array([z for prefix in prefixes for z in prefix], np.int32),
        tail_period=np.array([-1 if t is None else len(t) for t in tails], np.int32),
        tail_offset=np.cumsum([0, *map(len, known)], dtype=np.int64),
        tail_z=np.array([z for tail in known for z in tail], np.int32),
    )


def publish_sheets(
    place: Path,
    sheets: LoserSheets,
    game: GameRow = GAME,
    blocks: Sequence[LoserSheets] | None = None,
    between: Callable[[], None] = lambda: None,
) -> Build:
    """Publish sheets of a game, in one block or in several."""
    with begin_draft(place) as draft:
        writer = draft.replace(game, "sheets", ["p_position", "sheet"])
        for block in blocks or [sheets]:
            for table_name, rows in rows_of_sheets(block).items():
                writer.append(table_name, rows)
        record = writer.finish(
            limit=str(len(sheets) - 1),
            started_at=datetime.now(UTC).replace(tzinfo=None),
            seconds=0.5,
            environment="{}",
        )
        draft.publish(between)
    return record


# The first sheets of three-row Chomp: (1), (3, 0), (2, 4, 4, 4, ...), ...
FIRST_SHEETS = make_sheets(
    [[], [2, 0], [2, 1, 5, 3], [3, 1, 0]],
    [[1], [], [4], []],
)


@pytest.fixture
def first_sheets() -> LoserSheets:
    """Four small sheets, two of which stop."""
    return FIRST_SHEETS


@pytest.fixture
def publish() -> Publisher:
    """Publishes sheets: `publish(place, sheets, game)`."""
    return publish_sheets


@pytest.fixture(scope="session")
def published_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one publication of four small sheets; tests get copies."""
    place = tmp_path_factory.mktemp("published") / "data"
    publish_sheets(place, FIRST_SHEETS)
    return place


@pytest.fixture
def published(published_once: Path, tmp_path: Path) -> Path:
    """A store with one publication of four small sheets."""
    return Path(shutil.copytree(published_once, tmp_path / "data"))
