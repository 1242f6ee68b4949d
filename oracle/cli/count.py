"""`oracle count`: the number of P-positions of a game within bounds."""

import json
import re
import sys
import time
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Game, Json, whole_number
from position_oracle.schema.numbers import shown

if TYPE_CHECKING:
    from position_oracle.engine.games.spec import GameSpec
    from position_oracle.oracle.core import Oracle

MAX_NUMBERS: Final = 64
_LIMIT: Final = re.compile(r"\s*\d+\s*(x\s*\d+\s*)*", re.ASCII)
_SECONDS: Final = 2.0
"""Seconds between two lines of progress."""


def run(
    game: Game,
    limit: Annotated[
        str,
        typer.Option(
            "--limit",
            metavar="N or AxBxC",
            help="The largest heap or coordinate, or one for each, e.g. 20x30x40; for boards"
            " ROWSxCOLUMNS.",
        ),
    ],
    heaps: Annotated[
        int | None,
        typer.Option(
            "--heaps",
            parser=whole_number(1, MAX_NUMBERS),
            metavar="INTEGER",
            help="Number of heaps, if the game does not name it; some may be empty.",
        ),
    ] = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> int:
    """Count the P-positions of a game within bounds.

    Positions with different texts are counted as different: heaps of Nim in every order, heaps
    of games that sort them once. Exit code: 3 if the outcome of a position is not known.
    """
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.oracle.counting import count

    spec = parse_game(game)
    if None not in (heaps, spec.heaps) and heaps != spec.heaps:
        raise typer.BadParameter(f"--heaps {heaps}: {spec.text} has {spec.heaps} heaps")
    bounds = _bounds(spec, limit, heaps)
    with answerer(db, None) as oracle:
        found = count(cast("Oracle", oracle), spec, bounds, _Progress())
    if as_json:
        typer.echo(json.dumps({"game": spec.text, "limit": list(bounds), **found.as_json()}))
    else:
        typer.echo(f"{spec.text}, numbers up to {', '.join(map(str, bounds))}")
        typer.echo(f"  P-positions {found.p_positions:,} of {found.positions:,}")
        if found.unknown:
            typer.echo(f"  unknown     {found.unknown:,}")
        typer.echo(f"  counted by  {found.by}")
    return ExitCode.UNKNOWN if found.unknown else ExitCode.ANSWERED


def _bounds(game: "GameSpec", limit: str, heaps: int | None) -> tuple[int, ...]:
    """Return the upper bound of each coordinate."""
    from position_oracle.engine.games.registry import rules_of
    from position_oracle.oracle.counting import has_heaps

    is_of_heaps = has_heaps(rules_of(game.family))
    if heaps is not None and not is_of_heaps:
        raise typer.BadParameter(f"--heaps {heaps}: {game.text} has no heaps")
    if not _LIMIT.fullmatch(limit):
        raise typer.BadParameter(f"--limit {shown(limit)}: write a whole number N, or AxBxC")
    read = whole_number(0, 2**31 - 1)
    numbers = tuple(read(part.strip()) for part in limit.split("x"))
    if game.family == "chomp":
        if len(numbers) != 2 or not 1 <= numbers[0] <= MAX_NUMBERS:
            raise typer.BadParameter(
                f"--limit {shown(limit)}: write ROWSxCOLUMNS for boards, 1 to {MAX_NUMBERS} rows"
            )
        return (numbers[1],) * numbers[0]
    length = 3 if game.family == "chomp3" else heaps or game.heaps
    of_heap = (1,) if game.option("heappass") is not None else ()  # 1: the heap has its pass
    if len(numbers) == 1 and length is None:
        raise typer.BadParameter(
            "say how many heaps: --heaps 3, or --limit 9x9x9"
            if is_of_heaps
            else f"--limit {shown(limit)}: write a number for each coordinate, e.g. 9x9x9"
        )
    if len(numbers) == 1:
        return (*numbers, *of_heap) * (length or 1)
    length = length and length * (1 + len(of_heap))
    if len(numbers) > MAX_NUMBERS or (length or len(numbers)) != len(numbers):
        kind = "heaps" if is_of_heaps and not of_heap else "coordinates"
        raise typer.BadParameter(
            f"--limit {shown(limit)} has {len(numbers)} numbers; give one for all, or one for each"
            f" of {length or MAX_NUMBERS} {kind}"
        )
    return numbers


class _Progress:
    """Prints the amount of work and its progress on standard error."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._said: float | None = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._said is None:
            self._say(f"{total:,} rows of numbers to look at")
            self._said = now
        elif now - self._said > _SECONDS:
            left = (now - self._begun) * (total - done) / done
            self._say(f"{done:,} of {total:,} rows, about {left:,.0f} s left")
            self._said = now

    def _say(self, line: str) -> None:
        print(f"oracle: {line}", file=sys.stderr, flush=True)  # noqa: T201
