"""`oracle sheet`: a window of a loser sheet or of an instant-winner sheet."""

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Game, Json, Server, whole_number
from schema.answers import Origin, Outcome
from schema.errors import NotationError, UnknownAnswerError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SIZE: Final = re.compile(r"([0-9]{1,6})x([0-9]{1,6})")
MAX_CELLS: Final = 1 << 22

_SYMBOLS: Final = (
    (Origin.RECTANGLE, "R"),
    (Origin.HEAPS, "#"),
    (Origin.LOWER, "l"),
    (Origin.UPPER, "u"),
    (Origin.FLAT, "="),
    (Origin.DIAGONAL, "d"),
)
"""How a cell is drawn, by the first of its origins that is listed here."""


class Kind(StrEnum):
    """Which sheet of an x."""

    W = "W"
    L = "L"


def run(
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(0), metavar="X", help="Which sheet.")],
    kind: Annotated[
        Kind, typer.Option(help="W: the instant winners, by origin; L: the P-positions.")
    ] = Kind.W,
    size: Annotated[
        str, typer.Option("--size", help="Columns by cells of a column: y < 72, z < 36 is 72x36.")
    ] = "72x36",
    npy: Annotated[
        Path | None, typer.Option("--npy", help="Write a numpy file, uint8 (y, z), instead.")
    ] = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Draw a window of a sheet of GAME, y to the right and z upwards.

    In W, l and u are lower and upper loser lines of smaller sheets, = flat lines (tails), d deadly
    diagonals; in L, @ is a P-position.
    """
    match = _SIZE.fullmatch(size)
    if match is None or not 0 < int(match[1]) * int(match[2]) <= MAX_CELLS:
        raise NotationError(
            f"--size {size[:40]!r}: write columns by cells, e.g. 72x36, at most {MAX_CELLS:,} cells"
        )
    import numpy as np

    from engine.games.game_text import parse_game

    window = _window(game, x, kind, (int(match[1]), int(match[2])), db, server)
    if npy is not None:
        np.save(npy, window)
    elif as_json:
        cells = np.argwhere(window)
        values = window[tuple(cells.T)].tolist()
        found = [[*cell, value] for cell, value in zip(cells.tolist(), values, strict=True)]
        typer.echo(
            json.dumps({"game": parse_game(game).text, "x": x, "kind": kind, "cells": found})
        )
    else:
        typer.echo(_drawn(window, kind))
    return ExitCode.ANSWERED


def _window(
    game: str, x: int, kind: Kind, size: tuple[int, int], db: Path, server: str | None
) -> "npt.NDArray[np.uint8]":
    import numpy as np

    from engine.games.game_text import parse_game

    y, z = np.indices(size, np.int32).reshape(2, -1)
    cells = np.stack((np.full_like(y, x), y, z), axis=1)
    if server is not None:
        from oracle.cli.remote import remote_client

        with remote_client(server) as client:
            if kind is Kind.W:
                return client.instant_winners(game, x, *size)
            return _losers(client.outcomes(game, cells), size, game)
    from oracle.cli.local import open_oracle

    oracle = open_oracle(db)
    if kind is Kind.W:
        return oracle.instant_winners(parse_game(game), x, *size)
    return _losers(oracle.outcomes(parse_game(game), cells), size, game)


def _losers(
    outcomes: "npt.NDArray[np.uint8]", size: tuple[int, int], game: str
) -> "npt.NDArray[np.uint8]":
    if (outcomes == Outcome.UNKNOWN).any():
        raise UnknownAnswerError(f"the sheet of {game} is not known so far; build its tables")
    import numpy as np

    is_p: npt.NDArray[np.uint8] = (outcomes == Outcome.P).astype(np.uint8)
    return is_p.reshape(size)


def _drawn(window: "npt.NDArray[np.uint8]", kind: Kind) -> str:
    import numpy as np

    drawn = np.full(window.shape, ".")
    if kind is Kind.L:
        drawn[window > 0] = "@"
    else:
        for origin, symbol in reversed(_SYMBOLS):
            drawn[(window & origin) > 0] = symbol
    lines = ["".join(column) for column in drawn.T]
    labelled = [f"{z:>5} {line}" for z, line in enumerate(lines)]
    return "\n".join([*reversed(labelled), "      " + _ruler(window.shape[0])])


def _ruler(columns: int) -> str:
    marks = (str(y).ljust(10) for y in range(0, columns, 10))
    return "".join(marks)[: columns + 4].rstrip()
