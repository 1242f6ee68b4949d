"""`oracle compare`: the difference of the sheets of two games."""

import json
from typing import TYPE_CHECKING, Annotated, Final

import typer

from position_oracle.oracle.cli.options import ExitCode, Json, whole_number
from position_oracle.schema.errors import NotationError, UnknownAnswerError

if TYPE_CHECKING:
    from position_oracle.engine.games.spec import GameSpec
    from position_oracle.oracle.cli.comparison import Comparison
    from position_oracle.schema.sheets import LoserSheets

LARGEST_X: Final = 2_000
"""Largest x of sheets that are solved on demand: about two seconds for each game, and 100 MB."""
LEAST_X: Final = 50
_USUAL_X: Final = 500
_FAMILIES: Final = ("chomp3", "nim", "wythoff")


def run(
    first: Annotated[str, typer.Argument(metavar="A", help="A game with sheets, e.g. chomp3.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other game, or a variant.")],
    x: Annotated[
        int,
        typer.Option(
            "--x",
            parser=whole_number(LEAST_X, LARGEST_X),
            metavar="INTEGER",
            help="The last sheet to compare; shapes use the upper half of the sheets.",
        ),
    ] = _USUAL_X,
    as_json: Json = False,
) -> int:
    """Compare the shapes of two games of one family, at the shift at which they agree best.

    Sheets are solved on demand; stored tables are not used.
    """
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.oracle.cli.comparison import SHIFTS, compare

    games = [parse_game(text) for text in (first, second)]
    for game in games:
        if game.family not in _FAMILIES or game.family != games[0].family:
            raise NotationError(
                f"{game.text}: give two games of three-row Chomp, of Nim with three heaps, or of"
                " Wythoff's game with three heaps"
            )
    before, after = (_solved(game, x, x + SHIFTS + 1) for game in games)
    _show(games, compare(before, after, x), as_json=as_json)
    return ExitCode.ANSWERED


def _solved(game: "GameSpec", x: int, count: int) -> "LoserSheets":
    if game.family != "chomp3":
        return _heap_sheets(game, count)
    from position_oracle.engine.solvers.three_row_games import solve_game

    found = solve_game(game, count, None if game.noise is None else 2 * count)
    if found.closed_by is not None:
        raise UnknownAnswerError(
            f"{game.text} is closed by sheet {found.closed_by}: there is no sheet {x} to compare"
        )
    return found


def _heap_sheets(game: "GameSpec", count: int) -> "LoserSheets":
    """Return sheets of three heaps with twice as many columns, as shapes need."""
    from position_oracle.engine.jobs.heap_sheets import cut_sheets
    from position_oracle.engine.solvers.heap_games import has_sheets, solve_sheets
    from position_oracle.engine.theory.nim import third_heap_table

    if game.family == "nim" and game.heaps == 3 and game.is_plain and not game.passes:
        return cut_sheets(third_heap_table(count, 2 * count, misere=game.misere), 0)
    if not has_sheets(game):
        raise NotationError(f"{game.text} has no sheets: write three heaps, as in nim{{heaps=3}}")
    return cut_sheets(solve_sheets(game, count - 1, 2 * count - 1), 0)


def _show(games: "list[GameSpec]", found: "Comparison", *, as_json: bool) -> None:
    names = [game.text for game in games]
    if as_json:
        typer.echo(json.dumps({"games": names, **found.as_json()}))
        return
    typer.echo(f"{names[0]} and {names[1]}, sheets {found.first_x} to {found.last_x}")
    typer.echo(f"  distance of shapes  {found.distance:.4f}  (0 equal, 1 nothing in common)")
    share = found.moved / max(1, found.positions)
    typer.echo(
        f"  sheet {found.last_x} is nearest to sheet {found.last_x + found.shift}:"
        f" {found.moved} of {found.positions} P-positions moved ({share:.3f})"
    )
    where = "" if found.sheet < 0 else f", sheet {found.sheet}"
    typer.echo(f"  as a change of rules: {found.fate}{where}")
