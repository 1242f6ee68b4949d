"""A digest of a file of arrays, fast enough to be checked whenever the file is mapped.

It finds what disks and memory do to files: every change of up to three bits or of one word of 64
bits, and others all but surely. It is no protection against people.
"""

import hashlib
from pathlib import Path
from typing import Final

import numpy as np

_WORDS: Final = 512
"""Words of 64 bits in a page."""

_PAGES: Final = 256
"""Pages that are summed at a time, while they are in the cache of the processor."""


def array_digest(file: Path) -> str:
    """The digest of the content of a file.

    It is the SHA-256 of the sums of the words of each page, and then of the sums of the first,
    second, ... words of all pages, modulo 2^64. The last page is filled up with zeros.

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
