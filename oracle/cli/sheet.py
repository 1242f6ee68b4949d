"""`oracle sheet`: a loser sheet or an instant-winner sheet, whole or a window of it."""

import json
import re
import shutil
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import (
    DEFAULT_DB,
    Db,
    ExitCode,
    Game,
    Json,
    Server,
    whole_number,
)
from position_oracle.schema.answers import Origin
from position_oracle.schema.errors import NotationError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SIZE: Final = re.compile(r"([0-9]{1,6})x([0-9]{1,6})")
_FIRST: Final = re.compile(r"([0-9]{1,10})x([0-9]{1,10})")
MAX_CELLS: Final = 1 << 22
_MAX_COORDINATE: Final = 2**31 - 1

_SYMBOLS: Final = (
    (Origin.RECTANGLE, "R"),
    (Origin.HEAPS, "#"),
    (Origin.LOWER, "l"),
    (Origin.UPPER, "u"),
    (Origin.LINE, "+"),
    (Origin.FLAT, "="),
    (Origin.DIAGONAL, "d"),
)
"""Characters of cells, by the first origin of a cell in this list."""

_NAMES: Final = {
    "R": "rectangles",
    "#": "smaller sheets",
    "l": "lower lines",
    "u": "upper lines",
    "+": "lines",
    "=": "tails",
    "d": "deadly diagonals",
}
_USUAL_SIZE: Final = "72x36"
_USUAL_ROOM: Final = (80, 41)
"""Columns and lines to use if the terminal does not give its size."""
MAX_WHOLE_CELLS: Final = 1 << 24
"""Maximum number of cells of a sheet that is drawn whole; of larger sheets a window is drawn."""


class ShownSheet(StrEnum):
    """The kind of sheet to draw for an x."""

    W = "W"
    L = "L"


def run(
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(0), metavar="X", help="Which sheet.")],
    kind: Annotated[
        ShownSheet, typer.Option(help="W: the instant winners, by origin; L: the P-positions.")
    ] = ShownSheet.W,
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            help="Columns by cells of a column, e.g. 72x36; the default is the whole sheet.",
        ),
    ] = None,
    first: Annotated[
        str | None,
        typer.Option("--first", help="The first y and z of the window, e.g. 300000x120."),
    ] = None,
    npy: Annotated[
        Path | None, typer.Option("--npy", help="Write a numpy file, uint8 (y, z), instead.")
    ] = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Draw a sheet of GAME, y to the right and z upwards, as large as the terminal allows.

    With --size or --first a window of it is drawn, one character for each cell.

    In W, l and u are lower and upper loser lines of smaller sheets, = flat lines (tails), d deadly
    diagonals. A census does not tell the two loser lines apart; its cells are +. In L, @ is a
    P-position.
    """
    shape, corner = _size(size or _USUAL_SIZE), _corner(first or "0x0")
    import numpy as np

    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.schema.sheets import whole_window

    if size is None and first is None and npy is None and not as_json:
        whole = whole_window(parse_game(game).text, x)
        if whole[0] * whole[1] <= MAX_WHOLE_CELLS:
            _show_whole(_window(game, x, kind, whole, (0, 0), db, server), kind)
            return ExitCode.ANSWERED
    window = _window(game, x, kind, shape, corner, db, server)
    if npy is not None:
        with npy.open("wb") as file:  # open file, because numpy would add an ending to a name
            np.save(file, window)
    elif as_json:
        cells = np.argwhere(window) + corner
        values = window[window > 0].tolist()
        found = [[*cell, value] for cell, value in zip(cells.tolist(), values, strict=True)]
        typer.echo(
            json.dumps({"game": parse_game(game).text, "x": x, "kind": kind, "cells": found})
        )
    else:
        typer.echo(_drawn(window, kind, corner))
    return ExitCode.ANSWERED


def _size(size: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(size)
    if match is None or not 0 < int(match[1]) * int(match[2]) <= MAX_CELLS:
        raise NotationError(
            f"--size {size[:40]!r}: write columns by cells, e.g. 72x36, at most {MAX_CELLS:,} cells"
        )
    return int(match[1]), int(match[2])


def _corner(first: str) -> tuple[int, int]:
    match = _FIRST.fullmatch(first)
    if match is None or max(map(int, match.groups())) > _MAX_COORDINATE:
        raise NotationError(
            f"--first {first[:40]!r}: write the first y and z, each up to {_MAX_COORDINATE}, e.g."
            " 300000x120"
        )
    return int(match[1]), int(match[2])


def _window(
    game: str,
    x: int,
    kind: ShownSheet,
    size: tuple[int, int],
    corner: tuple[int, int],
    db: Path,
    server: str | None,
) -> "npt.NDArray[np.uint8]":
    _check_end(size, corner)
    first_y, first_z = corner
    with answerer(db, server) as oracle:
        if kind is ShownSheet.W:
            return oracle.instant_winners(game, x, *size, first_y=first_y, first_z=first_z)
        return _losers(oracle.losers(game, x, size[0], first_y=first_y), size[1], first_z)


def _check_end(size: tuple[int, int], corner: tuple[int, int]) -> None:
    if max(each + first for each, first in zip(size, corner, strict=True)) > _MAX_COORDINATE:
        raise NotationError(f"the window ends beyond {_MAX_COORDINATE}")


def _losers(z: "npt.NDArray[np.int32]", size_z: int, first_z: int) -> "npt.NDArray[np.uint8]":
    import numpy as np

    is_p: npt.NDArray[np.uint8] = (z[:, None] == first_z + np.arange(size_z)).astype(np.uint8)
    return is_p


def _show_whole(window: "npt.NDArray[np.uint8]", kind: ShownSheet) -> None:
    """Draw a whole sheet; a character stands for several cells if there is not enough space."""
    room = shutil.get_terminal_size(_USUAL_ROOM)
    columns, lines = max(20, room.columns - 8), max(8, room.lines - 5)
    # A character is about twice as high as it is wide.
    across = max(1, -(-window.shape[0] // columns), -(-window.shape[1] // (2 * lines)))
    if across == 1 and window.shape[1] <= lines:
        typer.echo(_drawn(window, kind, (0, 0)))
        return
    typer.echo(_drawn_small(window, kind, (across, 2 * across)))


def _drawn_small(window: "npt.NDArray[np.uint8]", kind: ShownSheet, step: tuple[int, int]) -> str:
    """Draw a sheet with a character for each block of cells; explain the characters."""
    import numpy as np

    def share(cells: "npt.NDArray[np.bool_]") -> "npt.NDArray[np.float64]":
        found = cells.astype(np.float64)
        for axis, (side, one) in enumerate(zip(cells.shape, step, strict=True)):
            begins = np.arange(0, side, one)
            found = np.add.reduceat(found, begins, axis=axis)
            sizes = np.diff(np.append(begins, side))
            found /= sizes[:, None] if axis == 0 else sizes
        return found

    there = share(window > 0)
    drawn = np.full(there.shape, ".")
    meant = ["." + " none"]
    if kind is ShownSheet.L:
        drawn[there > 0] = "@"
        meant.append("@ some P-position")
    else:
        parts = np.stack([share((window & origin) > 0) for origin, _ in _SYMBOLS])
        symbols = np.array([symbol for _, symbol in _SYMBOLS])
        drawn[there > 0] = ":"
        most = there >= 0.5
        drawn[most] = symbols[parts.argmax(axis=0)][most]
        meant.append(": less than half")
        meant += [
            f"{symbol} mostly {_NAMES[symbol]}" for symbol in symbols.tolist() if symbol in drawn
        ]
    lines = ["".join(column) for column in drawn.T]
    width = max(5, len(str(window.shape[1])))
    labelled = [f"{k * step[1]:>{width}} {line}" for k, line in enumerate(lines)]
    ruler = "".join(str(y * step[0]).ljust(10) for y in range(0, len(drawn), 10)).rstrip()
    legend = f"a character stands for {step[0]} x {step[1]} cells: {', '.join(meant)}"
    return "\n".join([*reversed(labelled), " " * (width + 1) + ruler, legend])


def _drawn(window: "npt.NDArray[np.uint8]", kind: ShownSheet, corner: tuple[int, int]) -> str:
    import numpy as np

    drawn = np.full(window.shape, ".")
    if kind is ShownSheet.L:
        drawn[window > 0] = "@"
    else:
        for origin, symbol in reversed(_SYMBOLS):
            drawn[(window & origin) > 0] = symbol
    lines = ["".join(column) for column in drawn.T]
    width = max(5, len(str(corner[1] + len(lines))))
    labelled = [f"{z:>{width}} {line}" for z, line in enumerate(lines, corner[1])]
    return "\n".join([*reversed(labelled), " " * (width + 1) + _ruler(len(window), corner[0])])


def _ruler(columns: int, first: int) -> str:
    step = 10 * (1 + len(str(first + columns)) // 10)
    marks = (str(y).ljust(step) for y in range(first, first + columns, step))
    return "".join(marks)[: columns + step].rstrip()
