"""Sources with the places of their nodes, and replacements of these places."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: a stretch of a source, in bytes of UTF-8, and its replacement."""

    kind: str
    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind} {self.before!r} -> {self.after!r}"


class Source:
    """A source with the places of its nodes, in bytes from the beginning."""

    def __init__(self, name: str, text: bytes) -> None:
        self.text = text
        self.name = name
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def replaced(self, kind: str, node: ast.expr | ast.stmt, after: str) -> Fault:
        """Return a fault that replaces a whole node."""
        return self.stretch(kind, node, node, after)

    def stretch(
        self, kind: str, first: ast.expr | ast.stmt, last: ast.expr | ast.stmt, after: str
    ) -> Fault:
        """Return a fault that replaces everything from one node to another."""
        return self.at(kind, self._start(first), self._end(last), after)

    def at(self, kind: str, start: int, end: int, after: str) -> Fault:
        """Return a fault at a place."""
        line = self.text.count(b"\n", 0, start) + 1
        return Fault(kind, self.name, line, start, end, self.text[start:end].decode(), after)

    def between(
        self, kind: str, left: ast.expr, right: ast.expr, words: tuple[str, str]
    ) -> Iterator[Fault]:
        """Return the fault that replaces the operator between two nodes."""
        start = self.text.find(words[0].encode(), self._end(left), self._start(right))
        if start >= 0:
            yield self.at(kind, start, start + len(words[0]), words[1])

    def bytes_of(self, node: ast.expr | ast.stmt) -> range:
        """Return the places of a node."""
        return range(self._start(node), self._end(node))

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
