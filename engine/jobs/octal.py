"""Misere play of octal games: quotients with their certificates.

A limit is the largest heap of the quotient. A quotient has fewer heaps if its period is certain
earlier, or if the solver's bounds allow no larger quotient.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, lazily
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.schema.errors import NotationError

if TYPE_CHECKING:
    from position_oracle.engine.theory.misere_quotients import MisereQuotient

KIND: Final = "misere_quotient"
TABLES: Final = ("misere_quotient", "misere_class", "misere_heap")
MAX_LIMIT: Final = 4096


def _read_limit(game: GameSpec, limit: str) -> str:
    if not game.misere or game.passes or game.is_variant:
        misere = f"octal{{code={code_of(game)},misere}}"
        raise NotationError(
            f"{game.text}: misere quotients are stored of misere play without passes, e.g. {misere}"
        )
    return str(sides_within(game, limit, 1, "the largest heap", 1, MAX_LIMIT)[0])


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    heaps = int(limit)
    disk = EMPTY_FILE_BYTES + (1 << 16)
    return ResourceEstimate(heaps + 1, 8.0 + 2e-3 * heaps, 400 << 20, disk)


def _blocks(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    from position_oracle.engine.solvers.misere_quotients import find_quotient

    report, last = reporter.part("solve"), int(limit)
    report(0, last)
    found = find_quotient(code_of(game), last, taken=lambda heap, _: report(heap, last))
    yield rows_of(found)
    report(last, last, int(found.monoid.is_p[found.phi].sum()))


def rows_of(quotient: "MisereQuotient") -> Block:
    """Return the rows of the three tables."""
    monoid = quotient.monoid
    return {
        "misere_quotient": {
            "code": [str(quotient.code)],
            "order": [quotient.order],
            "p_classes": [int(monoid.is_p.sum())],
            "heaps": [quotient.heaps_max],
            "period": [quotient.period],
            "preperiod": [quotient.preperiod],
            "is_tame": [quotient.is_tame],
            "generators": [list(quotient.generators)],
        },
        "misere_class": {
            "element": np.arange(quotient.order, dtype=np.int32),
            "is_p": monoid.is_p,
            "products": monoid.actions.tolist(),
        },
        "misere_heap": {
            "heap": np.arange(len(quotient.phi), dtype=np.int32),
            "element": quotient.phi,
            "is_p": monoid.is_p[quotient.phi],
        },
    }


JOBS: Final = (
    Job(
        family="octal",
        kind=KIND,
        tables=TABLES,
        usual_limit=lambda _: "512",
        read_limit=_read_limit,
        estimate=_estimate,
        blocks=_blocks,
        checks=lazily("position_oracle.engine.jobs.octal_checks", "quotient_checks"),
    ),
)
