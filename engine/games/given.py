"""A finite game given as a graph, in JSON or as lines of text.

    {"play": "misere", "moves": {"start": ["a", "b"], "a": [], "b": ["a"]}, "results": {"a": "N"}}

    misere
    start: a, b      # the moves from start; every node has a line of its own
    a:
    b: a
    a = N            # the winner if no move is left: N the player to move, P the other

Every entry of a list is an action, so that one node may occur twice among the moves of another.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.numbers import shown

MAX_BYTES: Final = 64 << 20
"""Maximum number of bytes of a text that is read."""

MAX_NAME: Final = 200
"""Maximum length of the name of a node."""

_LINE: Final = re.compile(r"(?P<name>[^:=,]+)(?P<sign>[:=])(?P<rest>.*)")


@dataclass(frozen=True, slots=True)
class GivenGame:
    """A finite game given as a graph.

    Attributes:
        names: the name of each node.
        moves: for each action the indices in `names` of the nodes that it leads from and to.
        results: the winner at some final nodes.
        misere: whether the player who cannot move wins, unless a result says otherwise.
    """

    names: tuple[str, ...]
    moves: tuple[tuple[int, int], ...] = field(repr=False)
    results: Mapping[int, Outcome] = field(repr=False)
    misere: bool


def read_given(text: str) -> GivenGame:
    """Read a game from JSON or lines of text.

    Raises:
        NotationError: the text has no such form.
        InvalidPositionError: a move leads to a missing node, or a node with moves has a result.
    """
    found = _from_json(text) if text.lstrip()[:1] in {"{", "["} else _from_lines(text)
    moves, results, misere = found
    if not moves:
        raise NotationError("the graph has no node; list at least one, e.g. a:")
    place = {name: number for number, name in enumerate(moves)}
    pairs = []
    for name, children in moves.items():
        for child in children:
            if child not in place:
                raise InvalidPositionError(
                    f"{shown(name)} has a move to {shown(child)}, which is not a node; list the"
                    " moves of every node, none for a final one"
                )
            pairs.append((place[name], place[child]))
    for name in results:
        if moves.get(name) != []:
            what = "has moves" if name in moves else "is not there"
            raise InvalidPositionError(f"a result is given of {shown(name)}, which {what}")
    by_place = {place[name]: result for name, result in results.items()}
    return GivenGame(tuple(moves), tuple(pairs), by_place, misere)


Moves = dict[str, list[str]]
Found = tuple[Moves, dict[str, Outcome], bool]


def _from_json(text: str) -> Found:
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats, parse_int=str)
    except json.JSONDecodeError as error:
        raise NotationError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise NotationError("the JSON is nested too deeply to be a graph") from None
    if not isinstance(value, dict) or not isinstance(value.get("moves"), dict):
        raise NotationError('JSON of a graph is an object: {"moves": {"a": ["b"], "b": []}}')
    if unknown := value.keys() - {"moves", "results", "play"}:
        raise NotationError(f"no key {shown(min(unknown))}; there are moves, results and play")
    moves: Moves = {}
    for name, children in value["moves"].items():
        if not isinstance(children, list):
            raise NotationError(f"the moves of {shown(name)} are not a list of nodes")
        moves[_name(name)] = [_name(child) for child in children]
    results = value.get("results", {})
    if not isinstance(results, dict):
        raise NotationError('results are an object: {"a": "P"}')
    misere = _misere(value.get("play", "normal"))
    return moves, {name: _result(name, each) for name, each in results.items()}, misere


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in times if times[name] > 1)
        raise NotationError(f"{shown(twice)} is given twice")
    return found


def _from_lines(text: str) -> Found:
    moves: Moves = {}
    results: dict[str, Outcome] = {}
    misere = False
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.partition("#")[0].strip()
        if line in {"misere", "normal"}:
            misere = _misere(line)
        elif line:
            match = _LINE.fullmatch(line)
            if match is None:
                raise NotationError(f"line {number}: {shown(line)} is not a line; write a: b, c")
            name, rest = _name(match["name"].strip()), match["rest"].strip()
            if name in (moves if match["sign"] == ":" else results):
                raise NotationError(f"line {number}: {shown(name)} is given twice")
            if match["sign"] == "=":
                results[name] = _result(name, rest)
            else:
                moves[name] = [_name(child.strip()) for child in rest.split(",")] if rest else []
    return moves, results, misere


def _name(name: object) -> str:
    if not isinstance(name, str) or not name or len(name) > MAX_NAME or not name.isprintable():
        raise NotationError(
            f"{shown(str(name))} is not a name of a node, 1 to {MAX_NAME} characters"
        )
    return name


def _result(name: str, result: object) -> Outcome:
    if result not in ("N", "P"):
        raise NotationError(f"the result of {shown(name)} is {shown(str(result))}, not N or P")
    return Outcome[result]


def _misere(play: object) -> bool:
    if play not in ("normal", "misere"):
        raise NotationError(f"play is {shown(str(play))}, not normal or misere")
    return play == "misere"
