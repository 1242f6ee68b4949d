"""One small picture of every kind, drawn from sheets solved on demand.

python -m tests.clients.plot.pictures tests/golden/images      draws the references again
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import numpy as np
from matplotlib.figure import Figure

from position_oracle import plot
from position_oracle.engine.theory.openings import openings
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.sheets import LoserSheets

DPI: Final = 60
SHEETS: Final = 130


@dataclass(frozen=True)
class Source:
    """The sources of the data that pictures are drawn from: an oracle and some sheets."""

    oracle: Oracle
    sheets: LoserSheets


def source() -> Source:
    """An oracle without tables, and some sheets of three-row Chomp computed by the definition."""
    return Source(Oracle(), loser_sheets(SHEETS))


def _sheet(**options: object) -> Callable[[Source], Figure]:
    game, x = options.pop("game", "chomp3"), options.pop("x", 100)
    return lambda made: plot.sheet(made.oracle, game, x, **options)  # type: ignore[arg-type]


def _compared(made: Source) -> Figure:
    return plot.comparison_figure(
        [plot.read_sheet(made.oracle, "nim{heaps=3}", x, losers=False) for x in (25, 50)]
    )


def _parts(made: Source) -> Figure:
    return plot.decomposition_figure(plot.read_sheet(made.oracle, "chomp3", 60, losers=False))


def _difference(made: Source) -> Figure:
    return plot.difference_figure(
        *(plot.read_sheet(made.oracle, game, 50) for game in ("chomp3", "chomp3{passes=1}"))
    )


def _residuals(made: Source) -> Figure:
    return plot.residual_figure(plot.read_sheet(made.oracle, "chomp3", 300, winners=False))


def _openings(made: Source) -> Figure:
    found = Sequence.of(
        openings(
            made.sheets.diagonal.astype(np.int32),
            made.sheets.prefix_length.astype(np.int32),
            made.sheets.tail_period,
        )
    )
    return plot.openings_figure(found.first, found.kind, found.place, source="sheets to 129, exact")


def _census(made: Source) -> Figure:
    return plot.tail_census_figure(made.sheets.census(), source="sheets to 129, exact")


def _sensitivity(_: Source) -> Figure:
    steps = np.arange(30)
    return plot.sensitivity_figure(
        {"one": (steps, 0.7 * (1 - 0.9**steps)), "another": (steps, 0.02 * steps)}
    )


def _overlap(_: Source) -> Figure:
    x = np.arange(1, 60)
    return plot.overlap_figure(x, 1 - 0.5 / x - 0.1 * (x % 3 == 0), average=10)


def _board(_: Source) -> Figure:
    return plot.board_figure(
        (7, 4, 2), outer=(7, 7, 7), bitten={"A": (2, 5), "B": (3, 3)}, coordinates=True
    )


def _board_values(_: Source) -> Figure:
    values = {(r, c): float((3 * r + 5 * c) % 8) for r in (1, 2, 3) for c in range(1, 6 - r)}
    return plot.board_values_figure((4, 3, 2), {**values, (1, 1): None}, winning=[(2, 3)])


def _value_map(_: Source) -> Figure:
    a = np.arange(24)
    labels = ("a (tokens)", "b (tokens)")
    return plot.value_map_figure(a[:, None] ^ a, labels=labels, title="Grundy values of nim")


def _chances(made: Source) -> Figure:
    a, b, c = (grid.ravel() for grid in np.indices((13,) * 3))
    some = (a >= b) & (b >= c) & (b >= 1) & (a >= 2)
    rows = np.stack([c, b - c, a - b], axis=1)[some].astype(np.int32)
    chance = made.oracle.win_probabilities("chomp3", rows, "random")
    return plot.chances_figure((a + b + c)[some], chance, complete_to=13)


def _transfinite(_: Source) -> Figure:
    return plot.transfinite_figure(
        [("1", "w*3"), ("2", "w*2+1")], bites=[("0", "w")], title="1 × ω·3 + 2 × (ω·2+1)"
    )


def _scatter(_: Source) -> Figure:
    distance = np.arange(-4, 8, 0.25)
    return plot.scatter_figure(
        {
            "upper": (distance, np.exp(-((distance - 1) ** 2))),
            "lower": (np.append(distance, 11), np.append(np.exp(-np.abs(distance - 1)), 1e-3)),
        }
    )


def _convergence(_: Source) -> Figure:
    shapes = [
        SimpleNamespace(
            first_x=x,
            last_x=2 * x - 1,
            measures=[
                SimpleNamespace(
                    quantity=name, value=1 + k * x**-1.5, standard_error=x**-1.5 / 2, expected=1.0
                )
                for k, name in enumerate(("alpha", "slope_upper", "gamma"), 1)
            ],
        )
        for x in (100, 200, 400, 800)
    ]
    return plot.convergence_figure(shapes)


def _survival(_: Source) -> Figure:
    return plot.survival_figure([100, 300, 1000], [0.78, 0.68, 0.39], [0.03, 0.03, 0.03])


def _losers(made: Source) -> plot.Sheet:
    return plot.read_sheet(made.oracle, "chomp3", 96, winners=False)


def _foliation(made: Source) -> Figure:
    sheets = [plot.read_sheet(made.oracle, "nim{heaps=3}", x, size=(16, 16)) for x in (4, 6, 8)]
    return plot.foliation_figure(sheets)


PICTURES: Final[dict[str, Callable[[Source], Figure]]] = {
    "winners": _sheet(regions=True),
    "origins": _sheet(by="origin", lines=True),
    "losers": _sheet(kind="L", by="line", lines=True),
    "both": _sheet(x=40, kind="both"),
    "ages": _sheet(game="nim{heaps=3}", x=32, by="age"),
    "compared": _compared,
    "parts": _parts,
    "difference": _difference,
    "residuals": _residuals,
    "scatter": _scatter,
    "convergence": _convergence,
    "openings": _openings,
    "census": _census,
    "sensitivity": _sensitivity,
    "survival": _survival,
    "overlap": _overlap,
    "board": _board,
    "board_values": _board_values,
    "value_map": _value_map,
    "chances": _chances,
    "transfinite": _transfinite,
    "added_lines": lambda made: plot.added_lines_figure(_losers(made)),
    "implied_diagonals": lambda made: plot.implied_diagonals_figure(_losers(made)),
    "opening_moves": lambda _: plot.opening_moves_figure(),
    "foliation": _foliation,
    "recursion": lambda _: plot.recursion_figure(with_pass=True),
}


def main() -> None:
    """Draw all reference pictures into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    made = source()
    for name, draw in PICTURES.items():
        plot.save(draw(made), folder / f"{name}.png", DPI)


if __name__ == "__main__":
    main()
