"""A digest of a file of arrays, fast enough to check whenever the file is mapped.

It detects faults of disks and memory: every change of up to three bits or of one 64-bit word for
certain, and others almost certainly. It does not protect against attackers.
"""

import hashlib
from pathlib import Path
from typing import Final

import numpy as np

_WORDS: Final = 512
"""Number of 64-bit words in a page."""

_PAGES: Final = 256
"""Number of pages summed at a time, so that they fit into the cache of the processor."""


def array_digest(file: Path) -> str:
    """Return the digest of the content of a file.

    It is the SHA-256 of two lists of sums modulo 2^64: the sum of the words of each page, then the
    sums of the first, second, ... words of all pages. Zeros fill the last page.

    Raises:
        OSError: the file cannot be read.
    """
    found, columns = hashlib.sha256(), np.zeros(_WORDS, np.uint64)
    buffer = np.zeros(_PAGES * _WORDS, np.uint64)
    content = memoryview(buffer.data).cast("B")
    with file.open("rb") as stream:
        while size := stream.readinto(content):
            content[size:] = bytes(len(content) - size)
            pages = buffer[: -(-size // (8 * _WORDS)) * _WORDS].reshape(-1, _WORDS)
            found.update(np.add.reduce(pages, axis=1).data)
            columns += np.add.reduce(pages, axis=0)
    found.update(columns.data)
    return found.hexdigest()
