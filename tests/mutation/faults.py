"""Small faults in the sources, of the kinds that maintainers make, and a random choice of them."""

import ast
import random
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.mutation.scripts import script_faults
from tests.mutation.source import Fault, Source

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
KEYED: Final = {"find", "get", "has", "pop", "setdefault"}
"""Methods whose arguments may be keys of a cache."""

Labels = Mapping[str, Mapping[str, str]]
"""For each enumeration, the member that replaces each member."""


def choose(root: Path, count: int, seed: int, within: Iterable[str] = ("",)) -> list[Fault]:
    """Choose faults: sources in proportion to their lines, and all kinds equally in each source.

    Args:
        root: Where the sources lie.
        count: How many faults.
        seed: Equal seeds choose equally.
        within: Beginnings of the paths of sources.
    """
    chance, labels = random.Random(seed), labels_of(root)
    lines = {
        path: len(path.read_bytes().splitlines())
        for path in sources(root)
        if path.relative_to(root).as_posix().startswith(tuple(within))
    }
    left: dict[Path, dict[str, list[Fault]]] = {}
    chosen: list[Fault] = []
    while lines and len(chosen) < count:
        (path,) = chance.choices(list(lines), list(lines.values()))
        if path not in left:
            left[path] = _shuffled_by_kind(faults(root, path, labels), chance)
        if not left[path]:
            del lines[path]
            continue
        kind = chance.choice(sorted(left[path]))
        chosen.append(left[path][kind].pop())
        if not left[path][kind]:
            del left[path][kind]
    return chosen


def _shuffled_by_kind(found: Iterable[Fault], chance: random.Random) -> dict[str, list[Fault]]:
    kinds: dict[str, list[Fault]] = {}
    for fault in found:
        kinds.setdefault(fault.kind, []).append(fault)
    for of_kind in kinds.values():
        chance.shuffle(of_kind)
    return kinds


def sources(root: Path) -> list[Path]:
    """The sources of the product, except generated ones."""
    tops = ("schema", "engine", "oracle", "clients")
    python = [path for top in tops for path in (root / top).rglob("*.py")]
    scripts = (root / "oracle" / "web" / "static").rglob("*.js")
    return sorted(path for path in (*python, *scripts) if "_pb2" not in path.name)


def labels_of(root: Path) -> Labels:
    """Return the members of each enumeration; a fault replaces a member by the one before it."""
    found: dict[str, dict[str, str]] = {}
    for path in sources(root):
        text = path.read_bytes() if path.suffix == ".py" else b""
        for node in ast.walk(ast.parse(text)) if b"Enum)" in text else ():
            if isinstance(node, ast.ClassDef) and any("Enum" in ast.unparse(b) for b in node.bases):
                names = [
                    target.id
                    for line in node.body
                    if isinstance(line, ast.Assign)
                    for target in line.targets
                    if isinstance(target, ast.Name)
                ]
                found[node.name] = dict(zip(names, names[1:] + names[:1], strict=True))
    return found


def faults(root: Path, path: Path, labels: Labels | None = None) -> Iterator[Fault]:
    """Return all faults of a source; each fault changes or leaves out one thing.

    Left alone are messages, annotations, decorators, `__repr__`, and the numbers that modules and
    classes define as names (sizes and limits: chosen, not right or wrong).
    """
    source = Source(path.relative_to(root).as_posix(), path.read_bytes())
    if path.suffix == ".js":
        yield from script_faults(source)
        return
    for node in _reached(ast.parse(source.text)):
        if isinstance(node, ast.expr):
            yield from _of_expression(source, node, labels or {})
        elif isinstance(node, ast.stmt):
            yield from _of_statement(source, node)


def _of_expression(source: Source, node: ast.expr, labels: Labels) -> Iterator[Fault]:
    match node:
        case ast.Compare() | ast.BinOp() | ast.BoolOp():
            yield from _operators(source, node)
            yield from _terms(source, node)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield source.replaced("not", node, ast.unparse(operand))
        case ast.Constant(value=bool(value)):
            yield source.replaced("flag", node, str(not value))
        case ast.Constant(value=int(value)):
            yield source.replaced("number", node, str(value + 1))
        case ast.Attribute(value=ast.Name(id=name), attr=member) if member in labels.get(name, ()):
            yield source.replaced("label", node, f"{name}.{labels[name][member]}")
        case ast.Call():
            yield from _of_call(source, node)
        case ast.Subscript(slice=ast.Slice() as bounds):
            for bound in (bounds.lower, bounds.upper):
                if bound is not None and not isinstance(bound, ast.Constant):
                    yield source.replaced("bound", bound, f"({ast.unparse(bound)}) + 1")
        case _:
            pass


def _of_call(source: Source, node: ast.Call) -> Iterator[Fault]:
    match node.func:
        case ast.Name(id=("min" | "max") as word) if node.args:
            yield source.replaced("extreme", node.func, EXTREMES[word])
            if len(node.args) == 2:
                yield source.replaced("term", node, ast.unparse(node.args[0]))
        case ast.Name(id="range") if node.args:
            end = node.args[min(1, len(node.args) - 1)]
            yield source.replaced("bound", end, f"({ast.unparse(end)}) - 1")
        case ast.Attribute(attr=name) if name in KEYED:
            for key in node.args[:2]:
                yield from _keys(source, key)
        case _:
            pass
    for first, second in zip(node.args, node.args[1:], strict=False):
        texts = ast.unparse(first), ast.unparse(second)
        are_names = all(isinstance(each, (ast.Name, ast.Attribute)) for each in (first, second))
        if are_names and texts[0] != texts[1]:
            yield source.stretch("order", first, second, f"{texts[1]}, {texts[0]}")


def _of_statement(source: Source, node: ast.stmt) -> Iterator[Fault]:
    match node:
        case ast.FunctionDef(returns=ast.Name(id="bool")):
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and part.value is not None:
                    yield source.replaced("result", part.value, f"not ({ast.unparse(part.value)})")
        case ast.If(test=test, body=[ast.Raise()], orelse=[]):
            yield source.replaced("check", test, "False")
        case ast.Expr(value=ast.Call()):
            yield source.replaced("check", node.value, "None")
        case ast.Expr(value=ast.Await(value=ast.Call())):
            yield source.replaced("check", node.value, "None")
        case ast.AugAssign():
            yield source.replaced("term", node, "pass")
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if "key" in name:
            yield from _keys(source, value)
        case ast.With(items=[ast.withitem(context_expr=ast.Attribute(attr=name) as lock)]) if (
            "lock" in name
        ):
            yield source.replaced("check", lock, "__import__('contextlib').nullcontext()")
        case _:
            pass


def _keys(source: Source, node: ast.expr) -> Iterator[Fault]:
    """Faults that leave one part out of a key."""
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        for part in node.elts:
            yield source.replaced("key", part, "None")


def _terms(source: Source, node: ast.Compare | ast.BinOp | ast.BoolOp) -> Iterator[Fault]:
    """Faults that leave one part out of a sum or a condition."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.BitOr(), right=right):
            yield source.replaced("term", node, f"({ast.unparse(left)})")
            if isinstance(node.op, ast.Add):
                yield source.replaced("term", node, f"({ast.unparse(right)})")
        case ast.BinOp(left=left, op=ast.Mult()):
            yield source.replaced("term", node, f"({ast.unparse(left)})")
        case ast.BoolOp(op=op, values=values):
            word = " and " if isinstance(op, ast.And) else " or "
            for left_out in values:
                rest = [f"({ast.unparse(each)})" for each in values if each is not left_out]
                yield source.replaced("term", node, word.join(rest))
        case _:
            pass


def _operators(source: Source, node: ast.Compare | ast.BinOp | ast.BoolOp) -> Iterator[Fault]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield from source.between("comparison", left, right, COMPARISONS[type(op)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            yield from source.between("arithmetic", left, right, ARITHMETIC[type(op)])
        case ast.BoolOp(op=op, values=[left, right, *_]):
            words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            yield from source.between("logic", left, right, words)
        case _:
            pass


def _reached(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node whose change is a fault of the product."""
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
    if isinstance(child, ast.keyword) and child.arg == "strict":
        return True  # of zip, whose arguments have the same length without faults
    return isinstance(child, (ast.Raise, ast.JoinedStr))
