"""Transfinite Chomp: every position on grids of ordinals, with its outcome.

Limits are texts: `2x3x2` means coefficients up to 2 in two columns (of ordinals with exponents
w+1, w, 2, 1 and 0), up to 3 in three columns and up to 2 over bases within 2 x 2 (with exponents
2, 1 and 0); `2` means `2x2x2`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
import pyarrow as pa

from position_oracle.engine.budget import current
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.transfinite import shape_of
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.jobs.transfinite.grids import FragmentPlan, Row, fragment_rows
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import ONE, ZERO, Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal, sort_key
from position_oracle.engine.theory.transfinite.position import OrdinalPosition as Shape
from position_oracle.schema import tables
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import CorruptTableError, NotationError, ResourceLimitError
from position_oracle.schema.snapshot import Snapshot

MAX_COEFFICIENT: Final = 12
"""Largest coefficient of a grid."""
MAX_ROWS: Final = 20_000_000
"""Maximum number of positions of one build."""

TABLE: Final = tables.transfinite_position
_USUAL_LIMIT: Final = "2x3x2"
_BLOCK_ROWS: Final = 4096
"""Number of rows written at a time; between two blocks the build can be stopped."""
_ROW_BYTES: Final = 30

_BITES_EACH: Final = 4
"""Number of bites drawn from every P-position of a sample."""


def check_plain(game: GameSpec) -> None:
    """Raise NotationError for passes and misere play, which the theorems do not cover."""
    if game.passes or not game.is_plain:
        raise NotationError(f"{game.text} has no tables; finite positions are searched on demand")


def _read_limit(game: GameSpec, limit: str) -> str:
    check_plain(game)
    form = (
        f"the largest coefficients in two columns, three columns and 2 x 2 bases, as {_USUAL_LIMIT}"
    )
    numbers = sides_within(game, limit, 3, form, 1, MAX_COEFFICIENT)
    text = "x".join(map(str, numbers))
    if (rows := len(FragmentPlan.of(text))) > MAX_ROWS:
        raise ResourceLimitError(
            f"{game.text}: coefficients up to {text} make {rows:,} positions; at most"
            f" {MAX_ROWS:,} are computed"
        )
    return text


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    rows = len(FragmentPlan.of(limit))
    disk = EMPTY_FILE_BYTES + _ROW_BYTES * rows
    return ResourceEstimate(rows, 3.0 + 330e-6 * rows, 500 << 20, disk)


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    """Yield blocks of rows; memory holds one block."""
    plan = FragmentPlan.of(limit)
    rows, total, report = fragment_rows(plan), len(plan), reporter.part("solve")
    done, found = 0, 0
    while block := list(islice(rows, _BLOCK_ROWS)):
        yield {TABLE.name: pa.Table.from_pylist(block, schema=tables.arrow_schema(TABLE))}
        done += len(block)
        found += sum(row["outcome"] == "P" for row in block)
        report(done, total, found)
        current().check()


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check the order of the rows, outcomes, winning bites, and bites out of P-positions.

    The theorems that decided a position decide it again, and the position after a bite by itself.
    """
    rows: list[Row] = snapshot.read_table(TABLE.name, game.text, check=False).to_pylist()
    if len(rows) != (count := len(FragmentPlan.of(limit))):
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


FRAGMENTS: Final = Job(
    family="transfinite",
    kind="fragments",
    tables=(TABLE.name,),
    usual_limit=always(_USUAL_LIMIT),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=_checks,
)
