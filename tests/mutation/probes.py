"""Record which blocks of the product are reached, and by which test or fixture.

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

STEP: Final = "MUTANTS_STEP"
"""The environment variable with the name of the test or fixture that runs."""

FIXTURE: Final = "fixture "
"""How names of fixtures begin."""

BLOCKS: Final = 1 << 16
"""A number above that of the blocks of the product."""

unseen: Final = bytearray(b"\1" * BLOCKS if RECORD in os.environ else BLOCKS)
collected: Final[list[int]] = []
recorded_process: Final = [0]


def mark(number: int) -> None:
    """Note that this step of a test, or this process, reaches a block for the first time."""
    unseen[number] = 0
    if recorded_process[0] == os.getpid():
        collected.append(number)
    else:
        write(os.environ.get(STEP, ""), [number])


def write(
    name: str, numbers: Sequence[int], seconds: float = 0.0, fixtures: Sequence[str] = ()
) -> None:
    """Write a line of the record.

    Args:
        name: a test or a fixture; "" for an import.
        numbers: the blocks that it reached.
        seconds: the processor time that it took.
        fixtures: the fixtures that a test uses.
    """
    line = json.dumps([name, numbers, round(seconds, 3), fixtures])
    with open(os.environ[RECORD], "a", encoding="utf-8") as file:  # noqa: PTH123, short lines whole
        file.write(line + "\n")
