"""The response cache: bots repeat questions, above all about the first moves of a game."""

from typing import Final

from position_oracle.oracle.core import Oracle

MAX_BYTES: Final = 8 << 20
"""Memory of all cached responses, with their requests."""

_ENTRY_BYTES: Final = 400
"""Bytes that Python needs for an entry beside the request and the response."""

Key = tuple[str, bytes]
"""Name of a call, and its message in the wire format."""


class ResponseCache:
    """Responses of one oracle, within a bound in bytes; for one thread.

    The cache has two generations. When the young one is full it replaces the old one, so that an
    entry that was not asked for in the meantime is dropped without a search for it.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._half = max_bytes // 2
        self._oracle: Oracle | None = None
        self._young: dict[Key, bytes] = {}
        self._old: dict[Key, bytes] = {}
        self._held = 0

    def get(self, oracle: Oracle, key: Key) -> bytes | None:
        """The response of an oracle to a request; None where it is not cached."""
        if oracle is not self._oracle:
            return None
        found = self._young.get(key)
        if found is None and (found := self._old.pop(key, None)) is not None:
            self._add(key, found)
        return found

    def put(self, oracle: Oracle, key: Key, response: bytes) -> None:
        """Cache a response, and drop those of any other oracle."""
        if oracle is not self._oracle:
            self._oracle, self._young, self._old, self._held = oracle, {}, {}, 0
        self._add(key, response)

    def _add(self, key: Key, response: bytes) -> None:
        self._young[key] = response
        self._held += len(key[1]) + len(response) + _ENTRY_BYTES
        if self._held > self._half:
            self._young, self._old, self._held = {}, self._young, 0
