"""Responses kept for those who ask the same again, as bots do in the first moves of their games."""

from typing import Final

from position_oracle.oracle.core import Oracle

MAX_BYTES: Final = 8 << 20
"""Memory of all responses that are kept, with their requests."""

_BESIDE: Final = 400
"""Bytes that Python needs for an entry beside what is told of it."""

Key = tuple[str, bytes]
"""Name of a call, and its message in the wire format."""


class KeptResponses:
    """Responses of one oracle, within a bound in bytes; for one thread.

    They stand in two halves. When the younger is full it takes the place of the elder, so that what
    was not asked for in the meantime is forgotten without looking for it.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._half = max_bytes // 2
        self._oracle: Oracle | None = None
        self._young: dict[Key, bytes] = {}
        self._old: dict[Key, bytes] = {}
        self._held = 0

    def find(self, oracle: Oracle, key: Key) -> bytes | None:
        """What an oracle has said to a request; None where it was not asked, or too long ago."""
        if oracle is not self._oracle:
            return None
        found = self._young.get(key)
        if found is None and (found := self._old.pop(key, None)) is not None:
            self._put(key, found)
        return found

    def keep(self, oracle: Oracle, key: Key, response: bytes) -> None:
        """Keep a response, and nothing of any other oracle."""
        if oracle is not self._oracle:
            self._oracle, self._young, self._old, self._held = oracle, {}, {}, 0
        self._put(key, response)

    def _put(self, key: Key, response: bytes) -> None:
        self._young[key] = response
        self._held += len(key[1]) + len(response) + _BESIDE
        if self._held > self._half:
            self._young, self._old, self._held = {}, self._young, 0
