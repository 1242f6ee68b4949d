"""External games: rules in a file or an installed package, checked before they are used.

Such rules are programs of other authors. They run only if a person names the file or has installed
the package. Every failure inside them becomes an error message of one line.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from itertools import islice
from pathlib import Path
from runpy import run_path
from typing import Any, Final

from position_oracle.engine.games.listed import ListedRules, Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import FAMILIES, OWN_NAME, SHORT_FOR, register
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import (
    MAX_COORDINATE,
    MAX_PASSES,
    MAX_TEXT,
    Coordinates,
)
from position_oracle.schema.errors import PositionOracleError, ResourceLimitError, RulesError
from position_oracle.schema.moves import Action, Bite, HeapChange
from position_oracle.schema.numbers import shown_value

_TRIED: Final = 200
"""Number of actions of the example that are tried."""

_MOST: Final = 300_000
"""Largest number of actions of a position that are listed; a search has as many positions."""

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
    rules = _rules_in(str(path), lambda: run_path(str(path)).get("RULES"))
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
    entry = _offered(group).get(family)
    if entry is None:
        return None
    rules = _rules_in(f"{group} {entry.value}", entry.load)
    if rules.family != family:
        raise RulesError(f"{group} {entry.value}: is called {family}, its rules {rules.family}")
    return rules


@cache
def _offered(group: str) -> Mapping[str, EntryPoint]:
    """Return what installed packages offer, by name: the folders of all packages are read once."""
    offered: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        offered.setdefault(entry.name, entry)
    return offered


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
    if not isinstance(name, str) or not OWN_NAME.fullmatch(name):
        raise RulesError(
            f"family = {shown_value(name)}: a name has small letters and digits, e.g. euclid"
        )
    if name in {*FAMILIES, *SHORT_FOR, *given, "misere", "pass"}:
        raise RulesError(f"the name {name} is taken; rules from outside have names of their own")
    with _told(name):
        if lacking := [part for part in ("form", "example", "about") if not _is_text(rules, part)]:
            raise RulesError(f"{name}: the rules lack {' and '.join(lacking)}, a text")
        if rules.has_poison:  # searches, sums and misere play rely on how built-in games end
            raise RulesError(
                f"{name}: has_poison is for built-in games; leave out actions that take the poison"
            )
        for method in filter(re.compile("[a-z]").match, dir(rules)):
            if callable(written := getattr(rules, method)):
                object.__setattr__(rules, method, _guarded(name, method, written))
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
        meant: dict[Action, Coordinates] = {}
        for called, child in islice(rules.actions(position.value, position.game), _TRIED):
            rules.check(position.game, child)
            action = rules.action(position, called)
            if meant.setdefault(action, child) != child:
                raise RulesError(f"{action.as_json()} leads to both {meant[action]} and {child}")
        _try_introductions(rules, position)
    except PositionOracleError as error:
        name = f"{rules.family}: "
        said = str(error).removeprefix(name)
        raise RulesError(f"{name}the example {rules.example[:40]!r} fails: {said}") from None


def _try_introductions(rules: ListedRules, example: Position) -> None:
    """Make the descriptions of the example, and of each game that is described."""
    from position_oracle.engine.games.introductions import introduction_of
    from position_oracle.engine.games.notation import parse

    try:
        starts = [parse(each.start) for each in rules.introductions]
        for position in (*starts, example):
            introduction_of(position)
    except Exception as error:
        raise RulesError(f"introductions: {_said(error)}") from None
    for start in starts:
        if start.game.family != rules.family:
            raise RulesError(f"introductions: {start} is another game")


def _is_text(rules: ListedRules, part: str) -> bool:
    return isinstance(getattr(rules, part, None), str)


def _is_numbers(value: object) -> bool:
    """Return whether a value can be the coordinates of a position."""
    if not isinstance(value, tuple) or len(value) > MAX_TEXT or set(map(type, value)) - {int}:
        return False
    return not value or (min(value) >= 0 and max(value) <= MAX_COORDINATE)


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, tuple) or len(entry) != 2 or not _is_numbers(entry[1]):
        return False
    return not isinstance(entry[0], Action) or _is_action(entry[0])


def _is_action(value: object) -> bool:
    """Return whether a value is an Action that every interface can show and send."""
    if not isinstance(value, Action) or value.is_pass or value.component is not None:
        return False
    if not isinstance(value.words, str) or not value.words.isprintable():
        return False
    taking = value.taking if value.taking != () else None
    number, text = value.divisor, value.power_product
    kinds = (value.cell, value.bite, taking, number, text, value.ordinal_bite)
    if kinds.count(None) != len(kinds) - 1:
        return False
    return all(fits(kind) for fits, kind in zip(_KINDS, kinds, strict=True) if kind is not None)


def _is_change(value: object) -> bool:
    return (
        isinstance(value, HeapChange)
        and _is_small(value.heap)
        and _is_numbers((value.tokens,))
        and _is_numbers(value.left)
    )


def _is_small(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


_KINDS: Final[tuple[Callable[[Any], bool], ...]] = (
    _is_small,
    lambda bite: isinstance(bite, Bite) and _is_numbers((bite.row, bite.column)),
    lambda taking: isinstance(taking, tuple) and all(map(_is_change, taking)),
    lambda divisor: _is_numbers((divisor,)),
    _is_word,
    lambda sides: isinstance(sides, tuple) and all(map(_is_word, sides)),
)
"""A check of each kind of action: cell, bite, taking, divisor, power product, ordinal bite."""


def _is_read(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return _is_numbers(value[0]) and type(value[1]) is int and 0 <= value[1] <= MAX_PASSES


def _is_bound(value: object) -> bool:
    return isinstance(value, int | float) and float(value) >= 0


def _is_theorem(value: object) -> bool:
    if not isinstance(value, Theorem):
        return value is None
    return _is_word(value.reason) and _is_value(value.grundy) and _is_value(value.remoteness)


def _is_value(value: object) -> bool:
    return value is None or (isinstance(value, int) and 0 <= value <= MAX_COORDINATE)


def _are_lines(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


_NUMBERS: Final = f"a tuple of at most {MAX_TEXT:,} whole numbers from 0 to 2^63 - 1"

_ACTION: Final = "an Action of one kind, with words in one line,"

_GIVES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "parse": (_is_read, f"{_NUMBERS}, and the passes"),
    "format": (_is_word, "a text of one line"),
    "action": (_is_action, _ACTION),
    "theorem": (
        _is_theorem,
        "a Theorem with a reason in one line and whole numbers up to 2^63 - 1, or None",
    ),
    "bound": (_is_bound, "a number, 0 or more"),
    "count": (_is_bound, "a number, 0 or more"),
    "seconds": (_is_bound, "a number, 0 or more"),
    "likely_seconds": (_is_bound, "a number, 0 or more"),
    "some_win": (lambda value: value is None or _is_numbers(value), f"{_NUMBERS}, or None"),
    "draw": (_are_lines, "a list of lines"),
}
"""The results allowed of each method: a check, and a description."""

_LISTS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "actions": (_is_entry, f"a pair of {_ACTION} and {_NUMBERS}"),
    "takings": (_is_numbers, _NUMBERS),
    "likely_wins": (_is_numbers, _NUMBERS),
}
"""The entries allowed in the list of each method: a check, and a description."""


def _guarded(name: str, method: str, written: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method so that its failures and wrong results raise RulesError."""

    @wraps(written)
    def call(*args: Any, **more: Any) -> Any:
        with _told(name):
            found = written(*args, **more)
            if method in _GIVES:
                _check(name, method, found, _GIVES[method])
        is_list = method in _LISTS and not (found is None and method == "likely_wins")
        return _each(name, method, found) if is_list or isinstance(found, Iterator) else found

    return call


def _each(name: str, method: str, found: Iterable[Any]) -> Iterator[Any]:
    with _told(name):
        for number, entry in enumerate(found):
            if method in _LISTS:
                _check(name, method, entry, _LISTS[method])
            if method in _LISTS and number == _MOST:
                raise ResourceLimitError(f"{name}: a position has more than {_MOST:,} {method}")
            yield entry


def _check(
    name: str, method: str, value: object, wanted: tuple[Callable[[Any], bool], str]
) -> None:
    is_one, words = wanted
    if not is_one(value):
        try:
            text = repr(value)
        except ValueError:  # a number of very many digits
            text = f"a {type(value).__name__}"
        brief = text if len(text) <= 60 else f"{text[:20]} ... {text[-35:]}"
        raise RulesError(f"{name}: {method} gives {brief}, not {words}")


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
    """Return an exception in one line, with the line of the file of rules that it comes from."""
    line = _line(error) or _line(error.__cause__)
    if isinstance(error, SyntaxError):
        line = error.lineno
    text = " ".join(str(error).split())[:300]
    where = "" if line is None else f"line {line}: "
    return f"{where}{type(error).__name__}: {text}"


def _line(error: BaseException | None) -> int | None:
    """Return the last line of the first file outside this package; deeper calls do not matter."""
    trace = None if error is None else error.__traceback__
    file = line = None
    while trace is not None:
        code, module = trace.tb_frame.f_code, trace.tb_frame.f_globals.get("__name__", "")
        if file is None and not module.startswith(("position_oracle.", "importlib.", "runpy")):
            file = code.co_filename
        if code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
