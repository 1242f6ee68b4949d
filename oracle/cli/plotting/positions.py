"""`oracle plot` of positions: boards, maps of values, chances, transfinite Chomp."""

import re
from dataclasses import replace
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final

import typer

from position_oracle.oracle.cli.options import Game, whole_number
from position_oracle.oracle.cli.plotting.options import Drawn, Wanted, of_oracle, of_tables, pair
from position_oracle.schema.errors import NotationError, UnknownAnswerError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from position_oracle.schema.answerer import Answerer


MAX_MAP: Final = 128
MAX_SECONDS: Final = 60.0
"""Maximum time in seconds for the values of a map."""
LARGEST_ROW: Final = 300
LARGEST_HEAP: Final = 5_000
_DIMENSIONS: Final = 2
_AXES: Final = {
    "chomp3": ("y (columns of height 2)", "z (columns of height 1)"),
    "": ("a (tokens, first heap)", "b (tokens, second heap)"),
}


class Value(StrEnum):
    """The number drawn for each position."""

    GRUNDY = "grundy"
    REMOTENESS = "remoteness"


_WORDS: Final = {Value.GRUNDY: "Grundy values", Value.REMOTENESS: "remoteness"}
ValueOption = Annotated[Value, typer.Option(help="Grundy value, or plies to the end.")]
PositionText = Annotated[str, typer.Argument(metavar="POSITION", help="e.g. chomp:7/7/7")]


@of_oracle
def board(
    wanted: Wanted,
    position: PositionText,
    what: ValueOption = Value.GRUNDY,
) -> Drawn:
    """Draw a board of Chomp, each cookie coloured by the value of what its bite leaves."""
    from position_oracle.clients.plot import board_values_figure
    from position_oracle.engine.games.chomp3 import to_rows
    from position_oracle.engine.games.notation import parse
    from position_oracle.schema.answers import Outcome

    parsed = parse(position)
    if parsed.game.family not in {"chomp", "chomp3"} or parsed.game.passes:
        raise NotationError(f"{position[:40]}: only chomp and chomp3 without passes have boards")
    rows = parsed.coordinates
    if parsed.game.family == "chomp3":
        rows = to_rows(rows)
    values: dict[tuple[int, int], float | None] = {}
    winning = []
    with wanted.oracle() as oracle:
        found = oracle.analyze(str(parsed))
        for move in found.moves or ():
            if move.move.action is None or move.move.action.bite is None:
                continue
            place = (move.move.action.bite.row, move.move.action.bite.column)
            values[place] = getattr(move.values, what.value)
            if move.outcome is Outcome.P:
                winning.append(place)
    if not any(value is not None for value in values.values()):
        raise UnknownAnswerError(f"no {what} after a bite of {position[:40]} is known")
    figure = board_values_figure(
        rows,
        values,
        what=what,
        winning=winning,
        title=f"{parsed!s}: {_WORDS[what]} after each bite",
        source="framed: bites that win; exact",
        width=wanted.width,
    )
    return Drawn(figure, f"board-{parsed!s}")


@of_oracle
def values(
    wanted: Wanted,
    game: Game,
    x: Annotated[
        int | None,
        typer.Option(
            "--x", parser=whole_number(0), metavar="X", help="The x of positions [x, y, z]."
        ),
    ] = None,
    what: ValueOption = Value.GRUNDY,
    size: Annotated[
        str, typer.Option("--size", help=f"Columns by cells, up to {MAX_MAP}x{MAX_MAP}.")
    ] = "32x32",
) -> Drawn:
    """Draw a map of Grundy values or of remoteness: of two heaps, or of [x, y, z] for one x."""
    from position_oracle.clients.plot import value_map_figure
    from position_oracle.engine.games.game_text import parse_game

    name = parse_game(game).text
    shape = pair(size, "--size")
    if shape is None or not 1 <= min(shape) <= max(shape) <= MAX_MAP:
        raise NotationError(f"--size {size[:40]!r}: 1x1 to {MAX_MAP}x{MAX_MAP}")
    if parse_game(game).passes:
        raise NotationError(f"{name}: only games without passes have maps")
    chomp = name.startswith("chomp3")
    if chomp and x is None:
        raise NotationError(f"{name}: say which sheet, by --x")
    with wanted.oracle() as oracle:
        found = _values(oracle, name, x, shape, what)
    figure = value_map_figure(
        found,
        what=what.value,
        labels=_AXES["chomp3" if chomp else ""]
        if x is None or chomp
        else ("y (tokens)", "z (tokens)"),
        title=f"{_WORDS[what][0].upper()}{_WORDS[what][1:]} of {name}"
        + ("" if x is None else f", x = {x}"),
        source="exact" + ("; dots: P-positions" if what is Value.GRUNDY else ""),
        width=wanted.width,
    )
    return Drawn(figure, f"{what}-{name}")


@of_oracle
def chances(
    wanted: Wanted,
    longest: Annotated[
        int,
        typer.Option(
            "--longest",
            parser=whole_number(3, LARGEST_ROW),
            metavar="INTEGER",
            help="All boards of three rows up to this length.",
        ),
    ] = 60,
) -> Drawn:
    """Draw how far random play leaves the first player below 1/2, with envelopes."""
    import numpy as np

    from position_oracle.clients.plot import chances_figure

    a, b, c = (grid.ravel() for grid in np.indices((longest + 1,) * 3))
    # More than one row and more than one column.
    some = (a >= b) & (b >= c) & (b >= 1) & (a >= 2)
    a, b, c = a[some], b[some], c[some]
    rows = np.stack([c, b - c, a - b], axis=1).astype(np.int32)
    with wanted.oracle() as oracle:
        chance = oracle.win_probabilities("chomp3", rows, "random")
    figure = chances_figure(
        a + b + c,
        chance,
        complete_to=longest + 1,
        source=f"rows up to {longest}",
        width=wanted.width,
    )
    return Drawn(figure, "chances")


@of_tables
def misere(
    wanted: Wanted,
    game: Annotated[str, typer.Argument(metavar="GAME", help="e.g. kayles or 'octal{code=0.15}'")],
    heaps: Annotated[
        int,
        typer.Option(
            "--heaps",
            parser=whole_number(1, LARGEST_HEAP),
            metavar="INTEGER",
            help="The largest heap.",
        ),
    ] = 120,
) -> Drawn:
    """Draw the classes of the heaps of an octal game in misere play: its misere quotient."""
    import numpy as np

    from position_oracle.clients.plot import misere_quotient_figure
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.oracle.core import Oracle
    from position_oracle.oracle.families.octal import OctalProber

    spec = replace(parse_game(game), misere=True)
    with wanted.oracle() as oracle:
        prober = oracle.prober(spec) if isinstance(oracle, Oracle) else None
    if not isinstance(prober, OctalProber) or spec.passes:
        raise NotationError(f"{game[:40]}: only octal games have misere quotients")
    found = prober.quotients.find(spec, heaps)
    order = f"order {found.order}, {'tame' if found.is_tame else 'wild'}"
    figure = misere_quotient_figure(
        found.classes(np.arange(heaps + 1)),
        found.monoid.is_p,
        period=found.period,
        preperiod=found.preperiod,
        title=f"{spec.text}: classes of heaps",
        source=f"misere quotient of {order}; proved",
        width=wanted.width,
    )
    return Drawn(figure, f"misere-{spec.text}")


@of_oracle
def transfinite(
    wanted: Wanted,
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="e.g. 'transfinite:1x(w*3) + 2x(w*2+1)'")
    ],
) -> Drawn:
    """Draw a position of transfinite Chomp in the plane, and the bite that wins."""
    from position_oracle.clients.plot import transfinite_figure
    from position_oracle.clients.plot.transfinite import spelled
    from position_oracle.engine.games.notation import parse
    from position_oracle.engine.games.transfinite import shape_of

    parsed = parse(position)
    if parsed.game.family != "transfinite":
        raise NotationError(f"{position[:40]}: not a position of transfinite Chomp")
    boxes = [tuple(str(side) for side in box) for box in shape_of(parsed).boxes]
    if any(len(box) > _DIMENSIONS for box in boxes) or not boxes:
        raise NotationError(f"{position[:40]}: only non-empty positions in the plane can be drawn")
    with wanted.oracle() as oracle:
        found = oracle.winning_moves(str(parsed))
    bites = [
        tuple(move.action.ordinal_bite)
        for move in found.winning_moves or ()
        if move.action is not None and move.action.ordinal_bite is not None
    ]
    outcome = "not known" if not found.outcome else found.outcome.name
    figure = transfinite_figure(
        [(*box, "1")[:2] for box in boxes],  # type: ignore[misc]
        bites=[(*bite, "0")[:2] for bite in bites],  # type: ignore[misc]
        title=f"{spelled(str(parsed))}: {outcome}",
        source=f"{found.certainty.value.lower().replace('_', ' ')}: {found.reason}",
        width=wanted.width,
    )
    return Drawn(figure, "transfinite")


def _values(
    oracle: "Answerer", game: str, x: int | None, shape: tuple[int, int], what: Value
) -> "npt.NDArray[np.float64]":
    import numpy as np

    found = np.full(shape, np.nan)
    begin = "" if x is None else f"{x},"
    # The position shows the number of heaps; the text of its game may not.
    name = re.sub(r"heaps=\d+,?", "", game).replace(",}", "}").replace("{}", "")
    end = monotonic() + MAX_SECONDS
    for number, place in enumerate(np.ndindex(shape)):
        if monotonic() > end:
            raise NotationError(
                f"{number:,} of the {found.size:,} values took {MAX_SECONDS:g} s; draw fewer, by"
                " --size"
            )
        values = oracle.analyze(f"{name}:[{begin}{place[0]},{place[1]}]", moves=False).values
        value = getattr(values, what.value)
        found[place] = np.nan if value is None else value
    if not np.isfinite(found).any():
        raise UnknownAnswerError(f"no {what} of these positions of {game} is known")
    return found
