"""Misere play of octal games: quotients with their certificates.

A limit is the largest heap of the quotient. A quotient has fewer heaps if its period is certain
earlier, or if the solver's bounds allow no larger quotient.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.theory.misere_quotients import (
    MisereQuotient,
    Monoid,
    certified_period,
    refutation,
)
from position_oracle.engine.theory.octal import parse_code
from position_oracle.schema.errors import CorruptTableError, NotationError
from position_oracle.schema.snapshot import Snapshot

KIND: Final = "misere_quotient"
TABLES: Final = ("misere_quotient", "misere_class", "misere_heap")
MAX_LIMIT: Final = 4096

Columns = dict[str, dict[str, list[Any]]]
"""Columns by table and name."""


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


def rows_of(quotient: MisereQuotient) -> Block:
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


def _checks(snapshot: Snapshot, game: GameSpec, _limit: str, _sample: Sample) -> Iterator[Check]:
    """Check the proof of the certificate, and every column; the solver is not used."""
    stored = {
        name: snapshot.read_table(name, game.text, check=False).to_pydict() for name in TABLES
    }
    quotient = read_quotient(stored)
    code = code_of(game)
    yield check_equal("the code is that of the game", 1, str(quotient.code), str(code))
    found = refutation(quotient)
    yield Check("the certificate proves the quotient of its heaps", quotient.order, found)
    yield from _summaries(stored, quotient) if not found else ()


def read_quotient(stored: Columns) -> MisereQuotient:
    """Return the certificate in the columns of the three tables.

    Raises:
        CorruptTableError: The columns do not fit together.
    """
    try:
        (code,), (generators,), (period,), (preperiod,) = (
            stored["misere_quotient"][name]
            for name in ("code", "generators", "period", "preperiod")
        )
        classes, heaps = stored["misere_class"], stored["misere_heap"]
        actions = np.array(classes["products"], np.int32).reshape(len(classes["is_p"]), -1)
        monoid = Monoid(actions, np.array(classes["is_p"], np.bool_))
        phi = np.array(heaps["element"], np.int32)
        return MisereQuotient(parse_code(code), monoid, tuple(generators), phi, period, preperiod)
    except (ValueError, TypeError) as error:
        raise CorruptTableError(f"not a misere quotient: {error}") from error


def _summaries(stored: Columns, quotient: MisereQuotient) -> Iterator[Check]:
    """Check that all other columns, including the period, follow from the certificate."""
    period = certified_period(quotient.code, quotient.phi) or (0, 0)
    found = quotient.period, quotient.preperiod
    yield check_equal("the period is the one that is certain", 2, found, period)
    for name, columns in rows_of(quotient).items():
        for column, values in columns.items():
            expected = values.tolist() if isinstance(values, np.ndarray) else values
            failures = [] if stored[name][column] == expected else ["it does not"]
            yield check(f"{name}.{column} follows from the certificate", len(expected), failures)


JOBS: Final = (
    Job(
        family="octal",
        kind=KIND,
        tables=TABLES,
        usual_limit=lambda _: "512",
        read_limit=_read_limit,
        estimate=_estimate,
        blocks=_blocks,
        checks=_checks,
    ),
)
