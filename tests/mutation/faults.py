"""Small faults in the sources of the product, and a seeded choice of them."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOMS: Final = (
    "schema",
    "engine/theory",
    "engine/games",
    "engine/solvers",
    "engine/jobs",
    "oracle/families",
    "oracle/server",
    "oracle",
    "clients",
)
"""The rooms, and the largest folders in them; a source belongs to the first that it lies in."""

COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
EXTREMES: Final = {"min": "max", "max": "min"}


@dataclass(frozen=True, slots=True)
class Fault:
    """A stretch of a source (in bytes of UTF-8), and what stands there instead."""

    kind: str
    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        """The source with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} -> {self.after!r}"


def choose(root: Path, count: int, seed: int) -> list[Fault]:
    """A seeded choice of faults: by the lines of the rooms, evenly by kind; in shuffled order."""
    chance = random.Random(seed)
    rooms: dict[str, list[Path]] = {}
    for path in sorted(
        path
        for top in ("schema", "engine", "oracle", "clients")
        for path in (root / top).rglob("*.py")
    ):
        name = path.relative_to(root).as_posix()
        if "_pb2" not in name:
            room = next((room for room in ROOMS if name.startswith(room + "/")), "engine")
            rooms.setdefault(room, []).append(path)
    lines = {room: sum(len(p.read_bytes().splitlines()) for p in rooms[room]) for room in rooms}
    chosen: list[Fault] = []
    for begun, room in enumerate(sorted(rooms)):
        share = sum(lines[r] for r in sorted(rooms)[: begun + 1]) * count / sum(lines.values())
        kinds: dict[str, list[Fault]] = {}
        for fault in (fault for path in rooms[room] for fault in faults(root, path)):
            kinds.setdefault(fault.kind, []).append(fault)
        for found in kinds.values():
            chance.shuffle(found)
        while len(chosen) < round(share):
            chosen.append(kinds[chance.choice(sorted(kinds))].pop())
    chance.shuffle(chosen)
    return chosen


def faults(root: Path, path: Path) -> Iterator[Fault]:
    """All faults of a source; each changes one operator, whole number, name or condition.

    Left alone are messages, annotations, decorators, `__repr__`, and the numbers that modules and
    classes define as names (sizes and limits: chosen, not right or wrong).
    """
    source = _Source(path.relative_to(root).as_posix(), path.read_bytes())
    for node in _reached(ast.parse(source.text)):
        match node:
            case ast.Compare() | ast.BinOp() | ast.BoolOp():
                yield from _operators(source, node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield source.replaced(node, node, ast.unparse(operand))
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                yield source.replaced(node, node, str(value + 1))
            case ast.Call(func=ast.Name(id=("min" | "max") as word) as function):
                yield source.replaced(node, function, EXTREMES[word])
            case ast.FunctionDef(returns=ast.Name(id="bool")):
                for part in ast.walk(node):
                    if isinstance(part, ast.Return) and part.value is not None:
                        yield source.replaced(node, part.value, f"not ({ast.unparse(part.value)})")
            case _:
                pass


def _operators(source: "_Source", node: ast.Compare | ast.BinOp | ast.BoolOp) -> Iterator[Fault]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield from source.between(node, left, right, COMPARISONS[type(op)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            yield from source.between(node, left, right, ARITHMETIC[type(op)])
        case ast.BoolOp(op=op, values=[left, right, *_]):
            words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            yield from source.between(node, left, right, words)
        case _:
            pass


class _Source:
    """A source with the places of its nodes, in bytes from its beginning."""

    def __init__(self, name: str, text: bytes) -> None:
        self.text = text
        self._name = name
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def replaced(self, kind: ast.AST, node: ast.expr, after: str) -> Fault:
        """A fault that replaces a whole node."""
        start, end = self._start(node), self._end(node)
        before = self.text[start:end].decode()
        return Fault(type(kind).__name__, self._name, node.lineno, start, end, before, after)

    def between(
        self, kind: ast.AST, left: ast.expr, right: ast.expr, words: tuple[str, str]
    ) -> Iterator[Fault]:
        """The fault that replaces an operator between two nodes by another."""
        start = self.text.find(words[0].encode(), self._end(left), self._start(right))
        if start >= 0:
            end = start + len(words[0])
            yield Fault(type(kind).__name__, self._name, left.lineno, start, end, *words)

    def _start(self, node: ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _reached(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one whose change is a fault of the product."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_alone(node, child):
                yield child
                yield from _reached(child)


def _is_left_alone(parent: ast.AST, child: ast.AST) -> bool:
    if isinstance(parent, (ast.Module, ast.ClassDef)):
        return isinstance(child, (ast.Assign, ast.AnnAssign)) or (
            isinstance(child, ast.FunctionDef) and child.name == "__repr__"
        )
    return isinstance(child, (ast.Raise, ast.JoinedStr))
