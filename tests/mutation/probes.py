"""Record which blocks of the product are reached, and by which test.

`tests.mutation.reach` puts `unseen[n] and mark(n)` before the blocks of a copy of the product. In
the process of the tests `tests.mutation.recorder` collects what is marked; processes that tests
start write it themselves.
"""

import json
import os
from collections.abc import Sequence
from typing import Final

RECORD: Final = "MUTANTS_RECORD"
"""The environment variable with the name of the record, for processes that tests start, too."""

BLOCKS: Final = 1 << 16
"""A number above that of the blocks of the product."""

unseen: Final = bytearray(b"\1" * BLOCKS if RECORD in os.environ else BLOCKS)
collected: Final[list[int]] = []
is_collecting: Final = [False]


def mark(number: int) -> None:
    """Note that this step of a test, or this process, reaches a block for the first time."""
    unseen[number] = 0
    if is_collecting[0]:
        collected.append(number)
    else:
        test, _, step = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")
        write([number], test, step.removesuffix(")"), 0.0)


def write(numbers: Sequence[int], test: str, step: str, seconds: float) -> None:
    """Write a line of the record: the blocks that a step of a test reached, and its time."""
    line = json.dumps([numbers, test, step, round(seconds, 3)])
    with open(os.environ[RECORD], "a", encoding="utf-8") as file:  # noqa: PTH123, short lines whole
        file.write(line + "\n")
