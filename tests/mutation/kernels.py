"""What runs code that has no probes: compiled functions, and statements of modules and classes."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutation.reach import block_at
from tests.mutation.source import Source


@dataclass(frozen=True, slots=True)
class Users:
    """What runs a statement of a module.

    Attributes:
        kernels: Patterns of the files in which numba keeps compiled code that depends on it.
        blocks: The blocks that name it, or name what depends on it.
        tests: The beginnings of the names of tests that do so.
    """

    kernels: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    tests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Mention:
    """A name in a statement of a module.

    Attributes:
        name: The name, as defined where it was imported from.
        place: Where it is, in bytes.
        defines: What the statement defines.
    """

    name: str
    place: int
    defines: frozenset[str]


def users_of(texts: Mapping[str, bytes], importers: Iterable[str], path: str, place: int) -> Users:
    """Return what runs a statement of a module. Names tell, so there may be too much.

    Args:
        texts: The sources and tests.
        importers: The files that import the file, directly or not, and the file.
        path: The file.
        place: A place in the statement, in bytes.
    """
    source = Source(path, texts[path])
    around = [node for node in ast.parse(source.text).body if place in source.bytes_of(node)]
    mentions = [(user, mention) for user in importers for mention in _mentions(user, texts[user])]
    found = {(path, name) for node in around for name in _defined(node)}
    blocks, names = set[str](), set[str]()
    while more := {name for _, name in found} - names:
        names |= more
        for user, mention in mentions:
            if mention.name in more:
                block = None if _is_test(user) else block_at(user, texts[user], mention.place)
                if block is None:
                    found |= {(user, name) for name in mention.defines}
                else:
                    blocks.add(block)
    return Users(
        frozenset(f"{Path(user).stem}.{name}-*.nb?" for user, name in found if not _is_test(user)),
        frozenset(blocks),
        frozenset(f"{user}::{name}" for user, name in found if name.startswith("test_")),
    )


@cache
def _mentions(path: str, text: bytes) -> list[_Mention]:
    return list(_found_mentions(path, text))


def _found_mentions(path: str, text: bytes) -> Iterator[_Mention]:
    source, tree = Source(path, text), ast.parse(text)
    visible = {name: name for node in tree.body for name in _defined(node)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            visible |= {alias.asname or alias.name: alias.name for alias in node.names}
    for statement in tree.body:
        defines = frozenset(_defined(statement))
        for node in ast.walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Load()) if name in visible:
                    found = visible[name]
                case ast.Attribute(value=ast.Name(id=module), attr=found) if module in visible:
                    pass
                case _:
                    continue
            yield _Mention(found, source.bytes_of(node).start, defines)


def _is_test(path: str) -> bool:
    return path.startswith("tests/")


def _defined(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case _:
            pass
