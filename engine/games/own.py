"""External games: rules in a file or an installed package, checked before they are used.

Such rules are programs of other authors. They run only if a person names the file or has installed
the package. Every failure inside them becomes an error message of one line.
"""

import importlib.util
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib.machinery import SourceFileLoader
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from typing import Any, Final

from position_oracle.engine.games.listed import ListedRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import FAMILIES, SHORT_FOR, register
from position_oracle.engine.games.rules import Rules
from position_oracle.schema.errors import PositionOracleError, RulesError
from position_oracle.schema.moves import Action

_NAME: Final = re.compile("[a-z][a-z0-9]{0,31}")
_TRIED: Final = 200
"""Number of actions of the example that are tried."""

_WRITTEN: Final = ("actions", "parse", "format", "check", "theorem", "bound", "likely_wins")
"""Methods that external rules define and that may fail in any way."""


VARIABLE: Final = "ORACLE_RULES"
"""Environment variable with the paths of rule files, separated as in PATH. Processes that a server
starts inherit it."""


@cache
def use_file(path: Path) -> Rules:
    """Run a Python file and register the game of its `RULES`; a file runs only once.

    Raises:
        RulesError: the file cannot be run, has no `RULES`, or its rules cannot be used.
    """
    if not path.is_file():
        raise RulesError(f"{path}: no such file")
    loader = SourceFileLoader(f"position_oracle_own_{path.stem}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None  # noqa: S101 - a loader was given
    module = importlib.util.module_from_spec(spec)

    def load() -> object:
        loader.exec_module(module)
        return module

    rules = _rules_in(str(path), load)
    register(rules)
    return rules


def use_environment() -> None:
    """Use the rule files that the environment variable names.

    Raises:
        RulesError: a file cannot be used.
    """
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        use_file(Path(name).resolve())


def installed(family: str, group: str) -> Rules | None:
    """Return the rules that an installed package offers under a name; None if no package does.

    Raises:
        RulesError: the rules cannot be used.
    """
    found = entry_points(group=group, name=family)
    if not found:
        return None
    entry = next(iter(found))
    rules = _rules_in(f"{group} {entry.value}", entry.load)
    if rules.family != family:
        raise RulesError(f"{group} {entry.value}: is called {family}, its rules {rules.family}")
    return rules


def _rules_in(where: str, load: Callable[[], Any]) -> Rules:
    try:
        module = load()
    except OSError as error:
        raise RulesError(f"{where}: {(error.strerror or str(error)).lower()}") from None
    except (Exception, SystemExit) as error:
        raise RulesError(f"{where}: {_said(error)}") from None
    rules = module if isinstance(module, Rules) else getattr(module, "RULES", None)
    if not isinstance(rules, ListedRules):
        raise RulesError(f"{where}: RULES is not an object of a class made from ListedRules")
    return rules


def check_name(rules: object, given: Collection[str]) -> str:
    """Check the name of external rules, and turn their later failures into RulesError.

    Raises:
        RulesError: the name is taken, or the rules are wrong.
    """
    if not isinstance(rules, ListedRules):
        raise RulesError("rules from outside are made from ListedRules")
    name = getattr(rules, "family", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RulesError(f"family = {name!r}: a name has small letters and digits, e.g. euclid")
    if name in {*FAMILIES, *SHORT_FOR, *given, "misere", "pass"}:
        raise RulesError(f"the name {name} is taken; rules from outside have names of their own")
    if lacking := [part for part in ("form", "example") if not _is_text(rules, part)]:
        raise RulesError(f"{name}: the rules lack {' and '.join(lacking)}, a text")
    for method in _WRITTEN:
        setattr(rules, method, _guarded(name, getattr(rules, method)))
    return name


def try_example(rules: Rules) -> None:
    """Read the example, write it back, and follow its actions.

    Raises:
        RulesError: the rules fail, or contradict themselves.
    """
    assert isinstance(rules, ListedRules)  # noqa: S101 - `check_name` has seen to it
    try:
        position = rules.example_position()
        again = rules.parse_body(rules.format_body(position), position.game.with_passes(0))
        if again != position:
            raise RulesError(f"{position} is read back as {again}")
        for entry in islice(rules.actions(position.coordinates, position.game), _TRIED):
            _try_action(rules, position, entry)
    except PositionOracleError as error:
        name = f"{rules.family}: "
        said = str(error).removeprefix(name)
        raise RulesError(f"{name}the example {rules.example[:40]!r} fails: {said}") from None


def _try_action(rules: ListedRules, position: Position, entry: object) -> None:
    match entry:
        case (Action(), tuple(child)) if all(type(number) is int for number in child):
            rules.check(position.game, child)
        case _:
            raise RulesError(f"{entry!r} is not a pair of an Action and a tuple of integers")


def _is_text(rules: ListedRules, part: str) -> bool:
    return isinstance(getattr(rules, part, None), str)


def _guarded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method so that its failures, also inside a generator, raise RulesError."""

    @wraps(method)
    def call(*args: Any, **more: Any) -> Any:
        with _told(name):
            found = method(*args, **more)
        return _each(name, found) if isinstance(found, Iterator) else found

    return call


def _each(name: str, found: Iterator[Any]) -> Iterator[Any]:
    with _told(name):
        yield from found


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn an exception of external code into an error of one line."""
    try:
        yield
    except PositionOracleError:
        raise
    except (Exception, SystemExit) as error:
        raise RulesError(f"{name}: the rules fail: {_said(error)}") from None


def _said(error: BaseException) -> str:
    """Describe an exception in one line, with the line of the rule file."""
    trace, line = error.__traceback__, None
    while trace is not None:
        line, trace = trace.tb_lineno, trace.tb_next
    if isinstance(error, SyntaxError):
        line = error.lineno
    text = " ".join(str(error).split())[:300]
    where = "" if line is None else f"line {line}: "
    return f"{where}{type(error).__name__}: {text}"
