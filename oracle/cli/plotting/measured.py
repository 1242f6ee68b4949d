"""`oracle plot` of measurements: scatter, convergence, openings, tails, sensitivity."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from position_oracle.oracle.cli.options import Seed, whole_number
from position_oracle.oracle.cli.plotting.options import Drawn, Wanted, of_oracle, of_tables
from position_oracle.schema.errors import NotationError, UnknownAnswerError

if TYPE_CHECKING:
    import numpy.typing as npt

    from position_oracle.schema.answerer import Answerer
    from position_oracle.schema.snapshot import Snapshot

GameOfSheets = Annotated[str, typer.Argument(metavar="GAME", help="A game of three-row Chomp.")]
LARGEST_X0: Final = 2_000
LARGEST_OVERLAP: Final = 512
_ROOT: Final = 2**0.5


@of_tables
def scatter(
    wanted: Wanted,
    game: GameOfSheets = "chomp3",
    linear: Annotated[bool, typer.Option("--linear", help="Draw shares on a linear axis.")] = False,
) -> Drawn:
    """Draw how far P-positions lie from their lines, over the last stored range of sheets."""
    from position_oracle.clients.plot import scatter_figure
    from position_oracle.schema.snapshot import Snapshot

    with Snapshot.open(wanted.db) as snapshot:
        name = _text(game)
        rows = _rows(snapshot, "geometry_scatter", name, "--replace")
    last = max(rows["first_x"])
    of_range = [k for k, first in enumerate(rows["first_x"]) if first == last]
    distances = {}
    for line in ("upper", "lower"):
        on = [k for k in of_range if rows["line"][k] == line]
        distances[line] = ([rows["distance"][k] for k in on], [rows["positions"][k] for k in on])
    end = rows["last_x"][of_range[0]]
    figure = scatter_figure(
        distances,
        title=f"P-positions of {name} around their lines",
        source=f"sheets {last:,} to {end:,}, exact; bins of 1/4",
        logarithmic=not linear,
        width=wanted.width,
    )
    return Drawn(figure, f"scatter-{name}")


@of_tables
def convergence(
    wanted: Wanted,
    game: GameOfSheets = "chomp3",
) -> Drawn:
    """Draw how slopes, densities and shares approach equation (5) as x grows."""
    from position_oracle.clients.plot import convergence_figure
    from position_oracle.schema.shapes import read_shapes
    from position_oracle.schema.snapshot import Snapshot

    name = _text(game)
    with Snapshot.open(wanted.db) as snapshot:
        shapes = read_shapes(snapshot, name)
    if not shapes:
        raise UnknownAnswerError(
            f"no shape of {name} is stored; oracle build '{name}' --replace measures it"
        )
    sources = " and ".join(sorted({shape.source for shape in shapes}))
    figure = convergence_figure(
        shapes,
        title=f"Constants of {name} against equation (5)",
        source=f"{sources} to x = {shapes[-1].last_x:,}; errors by a block jackknife",
        width=wanted.width,
    )
    return Drawn(figure, f"convergence-{name}")


@of_tables
def openings(
    wanted: Wanted,
    last: Annotated[
        int | None,
        typer.Option("--last", parser=whole_number(10), metavar="N", help="The last rectangle."),
    ] = None,
    places: Annotated[
        bool, typer.Option("--places", help="Draw where they bite, in units of n.")
    ] = False,
) -> Drawn:
    """Draw the winning openings of 3 x n Chomp: residuals, and how evenly kinds are mixed."""
    from position_oracle.clients.plot import opening_places_figure, openings_figure
    from position_oracle.engine.theory.openings import openings as openings_of
    from position_oracle.oracle.reproduce.shape.sequence import Sequence
    from position_oracle.schema.snapshot import Snapshot

    with Snapshot.open(wanted.db) as snapshot:
        diagonal, length, period, where = _summaries(snapshot)
    found = Sequence.of(openings_of(diagonal, length, period), last)
    if len(found) < 2:
        raise UnknownAnswerError("too few sheets are stored to find openings")
    draw = opening_places_figure if places else openings_figure
    words = f"{where}, n = {found.first} to {found.n[-1]:,}"
    figure = draw(found.first, found.kind, found.place, source=words, width=wanted.width)
    return Drawn(figure, "openings")


@of_tables
def census(
    wanted: Wanted,
    game: GameOfSheets = "chomp3",
    phases: Annotated[
        bool, typer.Option("--phases", help="Draw where tails of each period are.")
    ] = False,
) -> Drawn:
    """Draw how many sheets stop, and with which periods the tails of the others repeat."""
    import numpy as np

    from position_oracle.clients.plot import tail_census_figure, tail_periods_figure
    from position_oracle.schema.snapshot import Snapshot

    name = _text(game)
    with Snapshot.open(wanted.db) as snapshot:
        _, _, period, where = _summaries(snapshot, name)
    if phases:
        figure = tail_periods_figure(
            np.arange(len(period)),
            period,
            title=f"Periods of tails of {name}",
            source=where,
            width=wanted.width,
        )
    else:
        periods, counts = np.unique(period, return_counts=True)
        figure = tail_census_figure(
            dict(zip(periods.tolist(), counts.tolist(), strict=True)),
            title=f"Tails of {name} by period",
            source=where,
            width=wanted.width,
        )
    return Drawn(figure, f"census-{name}")


@of_tables
def survival(
    wanted: Wanted,
    game: GameOfSheets = "chomp3",
) -> Drawn:
    """Draw the share of declared positions that change the game for good (stored trials)."""
    from position_oracle.clients.plot import survival_figure
    from position_oracle.schema.snapshot import Snapshot

    name = _text(game)
    with Snapshot.open(wanted.db) as snapshot:
        rows = _rows(snapshot, "experiment", name, "--kind sensitivity")
    x0 = sorted(set(rows["x0"]))
    trials = [[f for f, x in zip(rows["fate"], rows["x0"], strict=True) if x == one] for one in x0]
    lasting = ("independent", "spreading")
    shares = [sum(fate in lasting for fate in fates) / len(fates) for fates in trials]
    errors = [
        (share * (1 - share) / len(fates)) ** 0.5
        for share, fates in zip(shares, trials, strict=True)
    ]
    figure = survival_figure(
        x0, shares, errors, source=f"{name}, {len(rows['x0']):,} trials", width=wanted.width
    )
    return Drawn(figure, f"survival-{name}")


@of_oracle
def sensitivity(
    wanted: Wanted,
    game: Annotated[str, typer.Argument(metavar="GAME", help="chomp3 or Nim with three heaps.")],
    x0: Annotated[
        list[int],
        typer.Option(
            "--x0",
            parser=whole_number(5, LARGEST_X0),
            metavar="INTEGER",
            help="Sheet of the declared position; may be given several times.",
        ),
    ],
    steps: Annotated[
        int,
        typer.Option(
            "--steps", parser=whole_number(1, 1_000), metavar="INTEGER", help="Sheets followed."
        ),
    ] = 40,
    seed: Seed = 1,
) -> Drawn:
    """Declare one P-position to be N, and draw the share of P-positions that move."""
    from position_oracle.clients.plot import sensitivity_figure

    name = _text(game)
    with wanted.oracle() as oracle:
        curves = dict(_curve(oracle, name, one, steps, seed) for one in x0)
    chomp = name.startswith("chomp3")
    figure = sensitivity_figure(
        curves,
        independent=0.716 if chomp else None,
        title="Spread of one declared position",
        source=f"{name}, drawn with seed {seed}; exact",
        width=wanted.width,
    )
    return Drawn(figure, f"sensitivity-{name}")


@of_oracle
def overlap(
    wanted: Wanted,
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game with a pass.")
    ] = "nim{heaps=3,passes=1}",
    last: Annotated[
        int,
        typer.Option(
            "--last", parser=whole_number(10, LARGEST_OVERLAP), metavar="X", help="The last sheet."
        ),
    ] = 100,
) -> Drawn:
    """Draw how many P-positions would be the same without the pass-winners of their sheet."""
    from position_oracle.clients.plot import overlap_figure

    name = _text(game)
    if "passes=" not in name:
        raise NotationError(f"{name}: the overlap needs a game with a pass")
    sheets = range(1, last + 1)
    with wanted.oracle() as oracle:
        shares = [_overlap(oracle, name, x) for x in sheets]
    figure = overlap_figure(
        list(sheets),
        shares,
        average=10,
        title="Overlap with and without the pass-winners",
        width=wanted.width,
        source=f"{name}, sheets 1 to {last}, exact",
    )
    return Drawn(figure, f"overlap-{name}")


def _text(game: str) -> str:
    from position_oracle.engine.games.game_text import parse_game

    return parse_game(game).text


def _rows(snapshot: "Snapshot", table: str, game: str, flag: str) -> dict[str, list[Any]]:
    rows = snapshot.read_table(table, game)
    if not len(rows):
        raise UnknownAnswerError(
            f"no {table.replace('_', ' ')} of {game} is stored;"
            f" oracle build '{game}' {flag} makes it"
        )
    found: dict[str, list[Any]] = rows.to_pydict()
    return found


def _summaries(
    snapshot: "Snapshot", game: str = "chomp3"
) -> tuple["npt.NDArray[Any]", "npt.NDArray[Any]", "npt.NDArray[Any]", str]:
    """Return diagonals, lengths and periods of all sheets; from the census if it goes further."""
    from position_oracle.schema.census import read_census
    from position_oracle.schema.errors import UnknownGameError

    try:
        found = read_census(snapshot, game)
    except UnknownGameError:
        sheets = snapshot.read_sheets(game)
        where = f"table to x = {sheets.end_x - 1:,}, exact"
        return sheets.diagonal, sheets.prefix_length, sheets.tail_period, where
    where = f"census to x = {len(found) - 1:,}, exact"
    return found.diagonal_z, found.prefix_length, found.tail_period, where


def _curve(
    oracle: "Answerer", game: str, x0: int, steps: int, seed: int
) -> tuple[str, tuple[list[int], list[float]]]:
    """Return the fraction of P-positions moved on the sheets after x0 by one declared position."""
    import numpy as np

    from position_oracle.engine.games.game_text import parse_game

    spec = parse_game(game)
    chomp = spec.family == "chomp3"

    def columns(x: int) -> int:
        # P-positions of the upper and the lower line in Chomp, a block in Nim.
        return max(4, int((_ROOT - 1) * x)) if chomp else 2 * x

    z = oracle.losers(game, x0, columns(x0))
    y = int(np.random.default_rng([seed, x0]).choice(np.flatnonzero(z >= 0)))
    declared = (x0, y, int(z[y]))
    changed = replace(spec, declared=(*spec.declared, declared)).text
    shares = []
    for x in range(x0, x0 + steps + 1):
        before, after = (oracle.losers(one, x, columns(x)) for one in (game, changed))
        there = before >= 0
        shares.append(float(np.mean(before[there] != after[there])))
    name = f"[{x0}, {declared[1]}, {declared[2]}] declared N"
    return name, (list(range(steps + 1)), shares)


def _overlap(oracle: "Answerer", game: str, x: int) -> float:
    import numpy as np

    from position_oracle.oracle.reproduce.operators import overlap as overlap_of
    from position_oracle.oracle.reproduce.operators import supermex_window

    chomp = game.startswith("chomp3")
    side = x + 16 if chomp else 2 * x + 8
    winners = np.asarray(oracle.instant_winners(game, x, side, 3 * side)) != 0
    without = supermex_window(winners, diagonals=chomp)
    actual = oracle.losers(game, x, side).astype(np.int64)
    if chomp:
        lines = max(4, int((_ROOT - 1) * x))
        actual, without = actual[:lines], without[:lines]
    return overlap_of(actual, without)
