"""Learn the chances beyond every table, test them on a census, and write both.

python scripts/learn_chances.py DATA           DATA is a store with a census, best to 1,000,000
python scripts/learn_chances.py DATA --check   write nothing; exit with 1 if a file would change

The learned counts depend on the program alone (`oracle.reproduce.shape.learning`) and take seconds.
Their test takes a minute. Counts and scores are files beside the prober that uses them.
"""

import argparse
import json
import sys
from dataclasses import asdict

import numpy as np

from position_oracle.engine.solvers.row_sweep.query import Answers
from position_oracle.oracle.families.chomp3.estimates import SCORES, STORED
from position_oracle.oracle.reproduce.shape.judging import (
    calibrations,
    judge_columns,
    judge_openings,
)
from position_oracle.oracle.reproduce.shape.learning import learn
from position_oracle.oracle.reproduce.shape.scores import Score
from position_oracle.schema.census import read_census, read_checkpoints, reader_of
from position_oracle.schema.snapshot import Snapshot

SHEETS = 400
SEED = 1


def main() -> int:
    """Learn and test the chances, and write or compare them."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("data", help="a store with a census")
    options.add_argument("--check", action="store_true", help="write nothing; 1 if a file differs")
    chosen = options.parse_args()
    known = learn()
    with Snapshot.open(chosen.data) as snapshot:
        stored = read_census(snapshot, "chomp3")
        rows, offsets, data = read_checkpoints(snapshot, "chomp3")
    answers = Answers(stored, reader_of(offsets, data), len(rows), int(rows[0]))
    last_x = stored.limit
    move, base, kind = judge_openings(known, stored)
    judged = judge_columns(known, answers, last_x, SHEETS, SEED)
    print(f"opening: {_text(move)}\n  without phases {base.bits:.4f} bits; kind: {_text(kind)}")
    print(f"column: {_text(judged.columns)}, standard error of bits {judged.bits_error:.4f}")
    print(f"  without phases {judged.base.bits:.4f} bits\nposition: {judged.cells}")
    for chance, share, count in judged.table:
        print(f"  {chance:.4f} {share:.4f} {count}")
    found = calibrations(move, base, judged, last_x)
    scores = json.dumps({name: asdict(one) for name, one in found.items()}, indent=2) + "\n"
    if chosen.check:
        with np.load(STORED) as old:
            same = all(np.array_equal(old[name], new) for name, new in known.arrays().items())
        return int(not same or SCORES.read_text(encoding="utf-8") != scores)
    narrow = {name: counts.astype(np.uint32) for name, counts in known.arrays().items()}
    np.savez_compressed(STORED, allow_pickle=False, **narrow)
    SCORES.write_text(scores, encoding="utf-8")
    return 0


def _text(found: Score) -> str:
    best = ", ".join(f"{share:.4f}" for share in found.best)
    return (
        f"{found.count} judged, {found.bits:.4f} bits, first right {best},"
        f" off by {found.calibration:.4f}"
    )


if __name__ == "__main__":
    sys.exit(main())
