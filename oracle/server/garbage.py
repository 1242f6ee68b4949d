"""Garbage collection in processes that answer: full collections wait until no question runs.

A full collection looks at every container (list, tuple, dict, object) made since the start, and no
thread of the process runs meanwhile: some 50 ms beside a large list of questions. Collections of
young objects take at most a millisecond; they go on.
"""

import gc
from typing import Final

_FULL_AFTER: Final = 1_000
"""Number of collections of middle-aged objects before a full one in any case: some seven million
new containers."""

_MUCH: Final = 10
"""Number of such collections after which garbage is looked for between questions."""


def exempt_present() -> None:
    """Exempt present objects from collections, and postpone full collections."""
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], _FULL_AFTER)


def free_exempt() -> None:
    """Free the exempt objects that have become garbage, e.g. replaced tables; exempt the others."""
    gc.unfreeze()
    gc.collect()
    exempt_present()


def collect() -> None:
    """Free the garbage of earlier questions if there may be much; call it when none runs."""
    if gc.get_count()[2] >= _MUCH:
        gc.collect()
