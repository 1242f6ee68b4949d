"""Measure the shape of three-row Chomp from a census: the numbers of docs/geometry.md.

python scripts/measure_census.py DATA

The chances of columns are judged by `scripts/learn_chances.py`.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from position_oracle.engine.jobs.chomp3.census import shape_of
from position_oracle.engine.theory.geometry.fits import measure, ranges
from position_oracle.engine.theory.openings import BY_ROW_3, BY_ROWS_2_AND_3, openings
from position_oracle.oracle.reproduce.shape.judging import judge_kinds, judge_moves
from position_oracle.oracle.reproduce.shape.ladders import (
    Tails,
    ladder_of,
    rungs_before,
    threshold,
)
from position_oracle.oracle.reproduce.shape.learning import learn_openings
from position_oracle.oracle.reproduce.shape.opening_patterns import (
    JitteredBeatty,
    discrepancy,
    kinds_of_diagonals,
    longest_runs,
    spectrum,
    words,
)
from position_oracle.oracle.reproduce.shape.scores import Score
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.census import Census, read_census
from position_oracle.schema.snapshot import Snapshot

GAME = "chomp3"
KNOWN = 50_000
"""Largest length of the openings that the model learns from; it is tested on those beyond
this length and beyond half of the census."""


def main() -> None:
    """Print measurements of the census of a store."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("data", help="a store with a census")
    with Snapshot.open(options.parse_args().data) as snapshot:
        stored = read_census(snapshot, GAME)
    for line in (*shape(stored), *opening_lines(stored), *ladder_lines(stored)):
        print(line)


def shape(found: Census) -> Iterator[str]:
    """Yield lines about the constants over the upper half of the sheets."""
    first, last = ranges(len(found.tail_period) - 1)[-1]
    yield f"sheets {first} to {last}, measured minus equation (5) (standard error)"
    for one in measure(shape_of(found).between(first, last)):
        value = one.value - (one.expected or 0.0)
        yield f"  {one.quantity:17} {value:+.2e} ({one.standard_error:.1e})"


def opening_lines(found: Census) -> Iterator[str]:
    """Yield lines about places, residuals, kinds and chances of openings."""
    known = openings(found.diagonal_z, found.prefix_length, found.tail_period)
    sequence = Sequence.of(known)
    yield f"openings of n = 2 to {known.complete_to}: one for each n"
    yield f"  places off the floor: {sorted(set(sequence.candidate.tolist()))}"
    for name, kind in (("row 3", BY_ROW_3), ("rows 2 and 3", BY_ROWS_2_AND_3)):
        residual = np.where(sequence.kind == kind, np.abs(sequence.residual), 0.0)
        at = int(residual.argmax())
        yield f"  largest residual by {name}: {residual[at]:.4f} at n = {sequence.n[at]}"
    kinds = kinds_of_diagonals(found.diagonal_z)
    agree = np.array_equal(kinds[2 : known.complete_to + 1], sequence.kind)
    yield f"kinds to n = {len(kinds) - 1} by diagonals, those of openings the same: {agree}"
    values = np.arange(len(found.diagonal_z)) + found.diagonal_z
    yield f"  greatest fall of diagonal values: {(np.maximum.accumulate(values) - values).max()}"
    off = discrepancy(kinds[2:])
    yield f"  discrepancy {off.min():.3f} to {off.max():.3f}, deviation {off.std():.3f}"
    yield f"  words of length 10: {words(kinds[2:], 10)}, longest runs {longest_runs(kinds[2:])}"
    yield f"  spectrum {spectrum(kinds[2:], 3).round(4).tolist()}"
    yield f"  {JitteredBeatty.fit(found.diagonal_z)}"
    learned = learn_openings(sequence.between(2, KNOWN))
    judged = sequence.between(max(KNOWN, len(found.tail_period) // 2) + 1, known.complete_to)
    yield f"chances of the move: {_text(judge_moves(learned, judged))}"
    yield f"chances of the kind: {_text(judge_kinds(learned, judged))}"


def ladder_lines(found: Census) -> Iterator[str]:
    """Yield lines about periods, and about the tail of the sheet two before."""
    tails = Tails(found.tail_period, found.tail_offset, found.tail_z)
    for period in np.unique(found.tail_period[found.tail_period > 0]).tolist():
        number, before = len(tails.with_period(period)), rungs_before(tails, period)
        yield f"period {period}: {number} tails; two sheets before, sharing z: {before}"
    for x in tails.with_period(27):
        yield f"  ladder to x = {x}: {ladder_of(tails, x).periods}"
    phase, right = threshold(tails)
    yield f"constant tails one higher below phase {phase:.3f}: right in {right:.4f}"


def _text(found: Score) -> str:
    best = ", ".join(f"{share:.4f}" for share in found.best)
    return (
        f"{found.count} judged, {found.bits:.4f} bits, first candidates right {best},"
        f" calibration error {found.calibration:.4f}"
    )


if __name__ == "__main__":
    main()
