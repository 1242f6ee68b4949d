"""Checks of stored misere quotients: the proof again.

They share no code with the solver.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.octal import TABLES, rows_of
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.theory.misere_quotients import (
    MisereQuotient,
    Monoid,
    certified_period,
    refutation,
)
from position_oracle.engine.theory.octal import parse_code
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot


def quotient_checks(
    snapshot: Snapshot, game: GameSpec, _limit: str, _sample: Sample
) -> Iterator[Check]:
    """Check the proof of the certificate, and every column.

    Raises:
        CorruptTableError: The tables cannot be read, or do not describe a quotient.
    """
    stored = {name: _columns(snapshot, game, name) for name in TABLES}
    quotient = read_quotient(stored)
    code = code_of(game)
    yield check_equal("the code is that of the game", 1, str(quotient.code), str(code))
    found = refutation(quotient)
    yield Check("the certificate proves the quotient of its heaps", quotient.order, found)
    yield from _summaries(stored, quotient) if not found else ()


def read_quotient(stored: dict[str, dict[str, list[Any]]]) -> MisereQuotient:
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


def _columns(snapshot: Snapshot, game: GameSpec, table: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = snapshot.read_table(table, game.text, check=False).to_pydict()
    return found


def _summaries(
    stored: dict[str, dict[str, list[Any]]], quotient: MisereQuotient
) -> Iterator[Check]:
    """Check that all other columns, including the period, follow from the certificate."""
    period = certified_period(quotient.code, quotient.phi) or (0, 0)
    found = quotient.period, quotient.preperiod
    yield check_equal("the period is the one that is certain", 2, found, period)
    for name, columns in rows_of(quotient).items():
        for column, values in columns.items():
            expected = values.tolist() if isinstance(values, np.ndarray) else values
            failures = [] if stored[name][column] == expected else ["it does not"]
            yield check(f"{name}.{column} follows from the certificate", len(expected), failures)
