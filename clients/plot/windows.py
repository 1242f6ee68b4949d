"""Windows of sheets for pictures, from a client, an oracle, or arrays."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from position_oracle.clients.plot.style import COLUMN
from position_oracle.schema.answerer import Answerer
from position_oracle.schema.answers import Certainty
from position_oracle.schema.errors import NotationError, ResourceLimitError, UnknownAnswerError
from position_oracle.schema.games import Build, GameInfo
from position_oracle.schema.sheets import NO_Z, LoserSheets, whole_window

__all__ = [
    "MAX_AGED_X",
    "MAX_WINDOW_CELLS",
    "Sheet",
    "ages_of",
    "family_of",
    "read_sheet",
    "sheet",
    "source_of",
]

MAX_WINDOW_CELLS: Final = 1 << 27
"""Maximum number of cells of a window that is drawn: a little more than W_12000 has."""
MAX_AGED_X: Final = 4_096
"""Maximum x of a sheet that is drawn by age, because that needs all smaller sheets."""
_PART_CELLS: Final = 1 << 20
"""Number of cells of a window below which it is not divided further when it is refused."""
_SWEPT_SIZE: Final = (720, 540)
"""Size of the window drawn of a sheet that is too large to be shown whole."""
_HEAPS: Final = re.compile(r"heaps=\d+,?")
_WHOLE_X: Final = 12_000


@dataclass(frozen=True, eq=False)
class Sheet:
    """A window of the sheets W_x and L_x of a game, with corner (first_y, first_z).

    Attributes:
        game: text of the game, for the title.
        x: the number of the sheet.
        winners: uint8 (columns, cells), `Origin` flags of W_x, 0 if a cell is not an instant
            winner; or any array of that shape with the same zeros. None if not drawn.
        losers: integers (columns,), z of the P-position [x, y, z] of each column, -1 without one,
            also outside of the window. None: not to be drawn.
        ages: int32 (columns, cells), x minus the smallest sheet that marks the cell of W_x, 0 if
            the cell is not an instant winner; see `ages_of`.
        diagonal: z of [x, 0, z], which separates the lines of L_x; None if unknown.
        size: (columns, cells) of the window.
        first_y: the first column.
        first_z: the first cell of a column.
        source: the table and its certainty; the second line of the title.
    """

    game: str
    x: int
    winners: npt.NDArray[np.integer[Any]] | None = field(repr=False)
    losers: npt.NDArray[np.integer[Any]] | None = field(repr=False)
    size: tuple[int, int]
    ages: npt.NDArray[np.int32] | None = field(default=None, repr=False)
    diagonal: int | None = None
    first_y: int = 0
    first_z: int = 0
    source: str = ""

    @property
    def is_chomp(self) -> bool:
        """Return whether a sheet is one of three-row Chomp or a variant."""
        return family_of(self.game) == "chomp3"

    @property
    def points(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The y and z of the P-positions within the window."""
        if self.losers is None:
            raise UnknownAnswerError(f"sheet {self.x} of {self.game} came without P-positions")
        z = self.losers.astype(np.int64)
        inside = (z >= self.first_z) & (z < self.first_z + self.size[1])
        y = np.flatnonzero(inside)
        return y + self.first_y, z[y]

    @classmethod
    def of(
        cls,
        game: str,
        sheets: LoserSheets,
        x: int,
        *,
        winners: npt.NDArray[np.integer[Any]] | None = None,
        size: tuple[int, int] | None = None,
        source: str = "",
        ages: bool = False,
    ) -> "Sheet":
        """Make a sheet from arrays of loser sheets and of a window of W_x from y = z = 0."""
        size = size or (winners.shape if winners is not None else whole_window(game, x))
        assert size is not None  # noqa: S101
        return cls(
            game,
            x,
            winners,
            sheets.look_up(x, np.arange(size[0])),
            size,
            ages_of(sheets, x, size, heaps=family_of(game) != "chomp3") if ages else None,
            sheets.z_at(x, 0) if sheets.covers(x, 0) else None,
            source=source,
        )


def family_of(game: str) -> str:
    """Return the family of a game by its text."""
    return game.partition("{")[0]


def read_sheet(
    oracle: Answerer,
    game: str,
    x: int,
    *,
    size: tuple[int, int] | None = None,
    first: tuple[int, int] | None = None,
    winners: bool = True,
    losers: bool = True,
    lines: bool = True,
    ages: bool = False,
) -> Sheet:
    """Ask for a window of the sheets of one x.

    Args:
        oracle: a client, or an oracle in this process.
        game: text of the game.
        x: the number of the sheet.
        size: columns and cells; by default the whole sheet, or a window of a very large one.
        first: the corner of the window; by default (0, 0), or the place at which the lines of a
            very large sheet meet its tail.
        winners: whether to ask for W_x.
        losers: whether to ask for L_x.
        lines: whether to ask for its diagonal, too, which separates its lines.
        ages: whether to ask for all smaller sheets, to colour W_x by age.

    Raises:
        NotationError: the window is too large, or ages are requested for another game or a sheet
            that is too large.
        UnknownAnswerError, PositionOracleError: the sheet is not available.
    """
    window, corner = _window_of(game, x, size, first)
    if window[0] * window[1] > MAX_WINDOW_CELLS:
        raise NotationError(
            f"a window of {window[0]} x {window[1]} cells is too large to draw; the limit is"
            f" {MAX_WINDOW_CELLS:,} cells"
        )
    found = _asked_winners(oracle, game, x, window, corner) if winners else None
    z = _asked_losers(oracle, game, x, window[0], corner[0]) if losers else None
    diagonal = None
    if losers and lines and family_of(game) == "chomp3":
        start = z if z is not None and corner[0] == 0 else oracle.losers(game, x, 1)
        diagonal = int(start[0]) if len(start) else None
    return Sheet(
        game,
        x,
        found,
        z,
        window,
        _asked_ages(oracle, game, x, window, corner) if ages else None,
        diagonal,
        *corner,
        source=source_of(oracle.games(), game, x),
    )


def sheet(
    oracle: Answerer,
    game: str,
    x: int,
    *,
    kind: str = "W",
    by: str = "outcome",
    size: tuple[int, int] | None = None,
    first: tuple[int, int] | None = None,
    lines: bool = False,
    regions: bool = False,
    scaled: bool = False,
    width: float = COLUMN,
    title: str | None = None,
    axes: Axes | None = None,
) -> Figure:
    """Draw the sheets of one x from a client or an oracle: `read_sheet`, then `sheet_figure`."""
    from position_oracle.clients.plot.sheets import SheetKind, sheet_figure

    found = read_sheet(
        oracle,
        game,
        x,
        size=size,
        first=first,
        winners=kind != SheetKind.L,
        losers=kind != SheetKind.W,
        lines=lines or by in {"line", "origin"},
        ages=by == "age",
    )
    return sheet_figure(
        found,
        kind=kind,
        by=by,
        lines=lines,
        regions=regions,
        scaled=scaled,
        width=width,
        title=title,
        axes=axes,
    )


def ages_of(
    sheets: LoserSheets,
    x: int,
    size: tuple[int, int],
    first: tuple[int, int] = (0, 0),
    *,
    heaps: bool = False,
) -> npt.NDArray[np.int32]:
    """Return the ages of the cells of W_x as instant winners: x minus the sheet they come from.

    Args:
        sheets: at least the loser sheets 0 .. x - 1.
        x: the number of the sheet.
        size: columns and cells of the window.
        first: the corner of the window.
        heaps: True for a game of three heaps, False for three-row Chomp.

    Returns:
        int32, of that shape: 0 if a cell is not an instant winner, else the greatest age.
    """

    def losers(smaller: int, columns: int, first_y: int) -> npt.NDArray[np.int64]:
        return sheets.look_up(smaller, np.arange(first_y, first_y + columns))

    return _ages(losers, x, size, first, heaps=heaps)


class _Losers(Protocol):
    def __call__(self, x: int, columns: int, first_y: int, /) -> npt.NDArray[Any]: ...


def _ages(
    losers: _Losers, x: int, size: tuple[int, int], first: tuple[int, int], *, heaps: bool
) -> npt.NDArray[np.int32]:
    ages = np.zeros(size, np.int32)
    columns = np.arange(size[0])
    # The oldest sheet is written last, so that a cell keeps its first origin.
    for smaller in range(x - 1, -1, -1):
        shift = 0 if heaps else x - smaller
        z = losers(smaller, size[0], first[0] + shift)
        _mark(ages, columns, z - first[1], x - smaller)
        if not heaps:
            top = int(losers(smaller, 1, 0)[0])
            if top != NO_Z:
                diagonal = smaller + top - x - sum(first)
                _mark(ages, columns, diagonal - columns, x - smaller)
    return ages


def _mark(
    ages: npt.NDArray[np.int32], columns: npt.NDArray[Any], cell: npt.NDArray[Any], age: int
) -> None:
    inside = (cell >= 0) & (cell < ages.shape[1])
    ages[columns[inside], cell[inside]] = age


def _asked_ages(
    oracle: Answerer, game: str, x: int, size: tuple[int, int], first: tuple[int, int]
) -> npt.NDArray[np.int32]:
    family = family_of(game)
    if family not in {"chomp3", "nim"}:
        raise NotationError(f"{game}: ages are drawn for sheets of chomp3 and nim")
    if x > MAX_AGED_X:
        raise NotationError(f"W_{x}: ages are drawn for sheets up to x = {MAX_AGED_X:,}")

    def losers(smaller: int, columns: int, first_y: int) -> npt.NDArray[np.int32]:
        # A z that does not fit becomes the least number of the type, or -1.
        return oracle.losers(game, smaller, columns, first_y=first_y)

    return _ages(losers, x, size, first, heaps=family == "nim")


def _window_of(
    game: str, x: int, size: tuple[int, int] | None, first: tuple[int, int] | None
) -> tuple[tuple[int, int], tuple[int, int]]:
    if size is None and first is None and (x <= _WHOLE_X or family_of(game) != "chomp3"):
        return whole_window(game, x), (0, 0)
    size = size or _SWEPT_SIZE
    if first is None:
        from position_oracle.clients.plot.lines import LINE_END, TAIL_HEIGHT

        far = x > _WHOLE_X and family_of(game) == "chomp3"
        middle = (LINE_END * x, TAIL_HEIGHT * x) if far else (0, 0)
        first = (
            max(0, int(middle[0]) - size[0] // 2),
            max(0, int(middle[1]) - size[1] // 2),
        )
    if min(*size, x, *first) < 0 or min(size) < 1:
        raise NotationError(
            f"W_{x}: a window of {size[0]} x {size[1]} from {first} is empty or has negative"
            " numbers"
        )
    return size, first


def _asked_winners(
    oracle: Answerer, game: str, x: int, size: tuple[int, int], first: tuple[int, int]
) -> npt.NDArray[np.uint8]:
    """Return a window asked for as a whole, or in halves if it is refused as too large."""
    from position_oracle.clients.errors import ServerLimitError

    try:
        return oracle.instant_winners(game, x, *size, first_y=first[0], first_z=first[1])
    except (ServerLimitError, ResourceLimitError):
        if size[0] < 2 or size[0] * size[1] <= _PART_CELLS:
            raise
    half = size[0] // 2
    parts = ((half, first[0]), (size[0] - half, first[0] + half))
    return np.concatenate(
        [
            _asked_winners(oracle, game, x, (columns, size[1]), (first_y, first[1]))
            for columns, first_y in parts
        ]
    )


def _asked_losers(
    oracle: Answerer, game: str, x: int, columns: int, first_y: int
) -> npt.NDArray[np.int32]:
    return oracle.losers(game, x, columns, first_y=first_y)


def source_of(games: Iterable[GameInfo[Any]], game: str, x: int | None = None) -> str:
    """Return the table of a sheet and its certainty in a few words."""
    of_game = [
        source
        for one in games
        if _any_heaps(one.game) == _any_heaps(game)
        for source in one.sources
    ]
    builds = [one.build for one in of_game if one.build is not None]
    for build in builds:
        if build.kind == "sheets" and (x is None or x <= _last_sheet(build)):
            return f"table to x = {_last_sheet(build):,}, exact"
    for build in builds:
        if build.kind == "census":
            return f"census to x = {_last_sheet(build):,}, swept, exact"
    if any(one.certainty is Certainty.THEOREM for one in of_game):
        return "by theorem, exact"
    return "solved on demand, exact"


def _last_sheet(build: Build) -> int:
    return int(build.limit.partition("x")[0])


def _any_heaps(game: object) -> str:
    """Return the text of a game without its number of heaps."""
    return _HEAPS.sub("", str(getattr(game, "text", game))).replace("{}", "")
