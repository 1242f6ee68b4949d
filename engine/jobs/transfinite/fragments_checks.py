"""Checks of stored positions of transfinite Chomp: order, outcomes, and bites both ways.

They use the theorems that decided the positions. The position after a bite is decided by itself.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.transfinite import shape_of
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.jobs.transfinite.fragments import TABLE, plan_of
from position_oracle.engine.jobs.transfinite.grids import Row
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import ONE, ZERO, Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal, sort_key
from position_oracle.engine.theory.transfinite.position import OrdinalPosition as Shape
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot

_BITES_EACH: Final = 4
"""Number of bites drawn from every P-position of a sample."""


def fragment_checks(
    snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
) -> Iterator[Check]:
    """Check the order of the rows, outcomes, winning bites, and bites out of P-positions.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    rows: list[Row] = snapshot.read_table(TABLE.name, game.text, check=False).to_pylist()
    if len(rows) != (count := len(plan_of(limit))):
        raise CorruptTableError(f"{len(rows)} positions instead of {count}")
    yield _order(rows)
    yield _each("every N-position has a bite, or says why none is known", rows, _explained)
    chosen = rows if sample.whole else _drawn(rows, sample)
    yield _each("verdicts are the same when decided again: a sample", chosen, _decided_again)
    won = [row for row in chosen if row["bite"] is not None]
    yield _each("winning bites lead to P-positions: a sample", won, _wins)
    lost = [row for row in chosen if row["outcome"] == "P"]
    random = np.random.default_rng([sample.seed, 1])
    yield _each(
        "bites out of P-positions do not lead to P-positions: a sample",
        lost,
        lambda row: _loses(row, random),
    )


def _drawn(rows: Sequence[Row], sample: Sample) -> list[Row]:
    """Draw rows, every third of them a P-position."""
    random = np.random.default_rng(sample.seed)
    p_positions = [i for i, row in enumerate(rows) if row["outcome"] == "P"]
    chosen = random.integers(0, len(rows), sample.draws)
    chosen[::3] = random.choice(p_positions, len(chosen[::3]))
    return [rows[i] for i in np.unique(chosen)]


def _each(name: str, rows: Sequence[Row], wrong: Callable[[Row], str]) -> Check:
    """Make a check of each row; `wrong` describes the fault of a row, or returns nothing."""
    failures = (f"{row['position']}: {said}" for row in rows if (said := wrong(row)))
    return check(name, len(rows), failures)


def _order(rows: Sequence[Row]) -> Check:
    """Check that bases follow each other, heights ascend, and keys are those of the heights."""
    bases = list(dict.fromkeys(row["base"] for row in rows))
    placed = [(bases.index(row["base"]), row["height_keys"]) for row in rows]

    def failures() -> Iterator[str]:
        if sorted(placed) != placed:
            yield "the rows are not in order"
        for row in rows:
            if row["height_keys"] != [sort_key(parse_ordinal(text)) for text in row["heights"]]:
                yield f"{row['position']} has keys of other heights"

    return check("rows are in the order of their keys", len(rows), failures())


def _explained(row: Row) -> str:
    if row["outcome"] == "P" and row["bite"] is not None:
        return "a P-position with a winning bite"
    known = row["outcome"] == "P" or row["bite"] is not None
    return "" if known or row["reason"] else "nothing says why no bite is known"


def _shape(row: Row) -> Shape:
    return shape_of(parse(row["position"]))


def _decided_again(row: Row) -> str:
    found = decide(_shape(row))
    outcome = None if found.outcome is Outcome.UNKNOWN else str(found.outcome)
    if outcome != row["outcome"]:
        return f"stored as {row['outcome']}, decided as {outcome}"
    value = None if found.grundy is None else str(found.grundy)
    if None not in {value, row["grundy_unrestricted"]} and value != row["grundy_unrestricted"]:
        return f"stored with Grundy value {row['grundy_unrestricted']}, decided as {value}"
    return "" if row["size"] == str(found.size) else f"has size {found.size}, not {row['size']}"


def _wins(row: Row) -> str:
    left = _shape(row).bite([parse_ordinal(text) for text in row["bite"]])
    return "" if decide(left).outcome is Outcome.P else f"the bite leaves {left}, which is not P"


def _loses(row: Row, random: np.random.Generator) -> str:
    shape = _shape(row)
    sides = sorted({side for box in shape.boxes for side in box} | {ZERO, ONE})
    for _ in range(_BITES_EACH):
        bite = [_below(sides, random) for _ in range(shape.dimension)]
        if bite in shape and decide(left := shape.bite(bite)).outcome is Outcome.P:
            return f"the bite ({', '.join(map(str, bite))}) leaves {left}, which is P, too"
    return ""


def _below(sides: Sequence[Ordinal], random: np.random.Generator) -> Ordinal:
    """Draw an ordinal near the sides: a side, a side cut after a term, or a little more."""
    side = sides[int(random.integers(len(sides)))]
    cut = Ordinal(side.terms[: int(random.integers(len(side.terms) + 1))])
    return cut + int(random.integers(3))
