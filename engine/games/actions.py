"""Actions that make moves: their words, and the texts that a player types for them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from position_oracle.schema.moves import PASS, Action, Bite, HeapChange

_N: Final = r"[0-9]{1,19}"
_NUMBER: Final = re.compile(_N)
_LEFT: Final = rf"{_N}p?(?:(?:\+| and ){_N}p?){{1,63}}"
_HEAPS: Final = rf"{_N}(?:(?:\+| and ){_N}){{0,63}}"
_BITE: Final = re.compile(
    rf"(?:bite )?(?:the cookie )?(?:in )?(?:row |r)?(?P<row>{_N})"
    rf" (?:column |col |c)?(?P<column>{_N})"
)
_BITE_AT: Final = re.compile(
    r"(?:row (?P<row>\S+) )?column (?P<column>\S+)(?: layer (?P<layers>.+))?"
)
_CELL: Final = re.compile(
    rf"(?:move )?(?:(?:toad|frog) )?(?:from )?(?:cell )?(?P<cell>{_N})(?: (?:to )?(?P<to>{_N}))?"
)
_TAKING: Final = (
    re.compile(rf"(?P<heaps>{_HEAPS}) (?P<tokens>{_N})(?: (?P<left>{_LEFT}))?"),
    re.compile(rf"(?P<heaps>{_N}) (?P<own>{PASS})"),
    re.compile(
        rf"(?:take )?(?P<tokens>{_N})(?: tokens?)?(?: each)? from (?:heaps? )?(?P<heaps>{_HEAPS})"
        rf"(?: leaving (?P<left>{_LEFT}))?"
    ),
    re.compile(rf"split (?:heap )?(?P<heaps>{_N}) into (?P<left>{_LEFT})"),
    re.compile(rf"(?:use )?the (?P<own>{PASS}) of (?:heap )?(?P<heaps>{_N})"),
)

THE_PASS: Final = Action(is_pass=True, words=PASS)


def biting(row: int, column: int) -> Action:
    """Return the bite at a cookie of a board, given by row and column from 1."""
    return Action(bite=Bite(row, column), words=f"bite row {row}, column {column}")


def biting_at(coordinates: Iterable[str]) -> Action:
    """Make the bite at a cookie by its coordinates from 0 (ordinals as texts): column, row, layers.

    In words they count from 1, as on a board; 1 + a is a for an infinite ordinal a.
    """
    texts = tuple(coordinates)
    column, *others = (str(int(each) + 1) if _NUMBER.fullmatch(each) else each for each in texts)
    row = f"row {others[0]}, " if others else ""
    layers = f", layer {', '.join(others[1:])}" if others[1:] else ""
    return Action(ordinal_bite=texts, words=f"bite {row}column {column}{layers}")


def taking_from(heaps: Sequence[int], tokens: int) -> Action:
    """Return the action that takes equally many tokens from each of some heaps, numbered from 1."""
    if len(heaps) == 1:  # the usual case, made for every move of long lists
        change = (HeapChange(heaps[0], tokens),)
        return Action(taking=change, words=f"take {tokens} from heap {heaps[0]}")
    words = f"take {tokens} each from heap {' and '.join(map(str, heaps))}"
    return Action(taking=tuple(HeapChange(heap, tokens) for heap in heaps), words=words)


def playing(
    heap: int, tokens: int, left: Sequence[int] = (), *, keeps_pass: bool = False
) -> Action:
    """Return the action that takes tokens from one heap and may leave several heaps of it.

    Args:
        heap: number of the heap, from 1.
        tokens: the number of tokens taken; 0 if the heap is only split.
        left: the heaps left, if there are several.
        keeps_pass: whether the first heap left keeps the pass of the heap.
    """
    parts = " and ".join(_parts(left, keeps_pass=keeps_pass))
    if not tokens:
        words = f"split heap {heap} into {parts}"
    else:
        words = f"take {tokens} from heap {heap}" + (f", leaving {parts}" if parts else "")
    return Action(taking=(HeapChange(heap, tokens, tuple(left)),), words=words)


def passing_in(heap: int) -> Action:
    """Return the action that uses the pass of one heap."""
    return Action(taking=(HeapChange(heap, is_pass=True),), words=f"use the pass of heap {heap}")


def inside(component: int, action: Action) -> Action:
    """Return an action in a component of a sum. Its number counts from 0, but from 1 in words."""
    words = f"component {component + 1}: {action.words}"
    return replace(action, component=component, words=words)


def typed(action: Action) -> str:
    """Return the text that a player types for an action: `2 3`, `1+2 3`, `2 3 1+4`, `5`, `(0 1)`.

    A number named in the game of divisors is typed in digits, or as its prime powers. In a sum, the
    number of the component (from 1) and a colon come first.
    """
    text = _typed(action)
    return text if action.component is None else f"{action.component + 1}: {text}"


def _typed(action: Action) -> str:
    if action.is_pass:
        return PASS
    if action.bite is not None:
        return f"{action.bite.row} {action.bite.column}"
    if action.cell is not None:
        return str(action.cell)
    if action.ordinal_bite is not None:
        return f"({' '.join(action.ordinal_bite)})"
    if not action.taking:
        return action.power_product or str(action.divisor or "")
    kinds = {(each.tokens, each.left, each.is_pass) for each in action.taking}
    if len(kinds) > 1:
        return ", ".join(f"{each.heap} {each.tokens}" for each in action.taking)
    heaps = "+".join(str(each.heap) for each in action.taking)
    ((tokens, left, is_pass),) = kinds
    return f"{heaps} {PASS if is_pass else tokens} {'+'.join(map(str, left))}".rstrip()


def notable_playings(number: int, heap: int, tokens: int) -> Iterator[Action]:
    """Yield some results of taking tokens from a heap: one heap, two heaps, three heaps."""
    rest = heap - tokens
    yield playing(number, tokens)
    for part in dict.fromkeys((1, rest // 2)):
        if 0 < part < rest:
            yield playing(number, tokens, (part, rest - part))
            yield playing(number, tokens, (rest - part, part))
    for part in (1, 2):
        if rest > part + 1:
            yield playing(number, tokens, (rest - part - 1, 1, part))


def read_bite(typed: str) -> Action | None:
    """Read a bite as typed, `2 3`, or in words, `bite row 2, column 3`."""
    match = _BITE.fullmatch(typed)
    return biting(int(match["row"]), int(match["column"])) if match else None


def read_bite_at(typed: str) -> Action | None:
    """Read a bite by its coordinates as they are typed, `(w 3)`, or told, `bite row 4 column w`."""
    typed = typed.removeprefix("bite ").removeprefix("the cookie ")
    if typed.startswith("(") and typed.endswith(")"):
        texts = typed[1:-1].split()
        return biting_at(texts) if texts else None
    match = _BITE_AT.fullmatch(typed)
    if match is None or (match["layers"] and not match["row"]):
        return None
    told = (match["column"], match["row"] or "", *(match["layers"] or "").split())
    texts = [each for each in told if each]
    if any(not each.strip("0") for each in texts):
        return None
    return biting_at(str(int(each) - 1) if _NUMBER.fullmatch(each) else each for each in texts)


def read_cells(typed: str) -> tuple[int, int | None] | None:
    """Read the cell of an animal and perhaps its destination: `2`, `2 3`, or in words."""
    match = _CELL.fullmatch(typed)
    return (int(match["cell"]), int(match["to"]) if match["to"] else None) if match else None


def read_taking(typed: str, heaps_there: int) -> Action | None:
    """Read tokens taken from heaps: `1+2 3`, `2 3 1+4`, `2 pass`, or in words.

    The number of the heap may be left out if there is only one.
    """
    if heaps_there == 1 and _NUMBER.fullmatch(typed):
        typed = f"1 {typed}"
    match = next(filter(None, (form.fullmatch(typed) for form in _TAKING)), None)
    if match is None:
        return None
    found = match.groupdict()
    heaps = [int(heap) for heap in _NUMBER.findall(found["heaps"])]
    if found.get("own"):
        return passing_in(heaps[0]) if len(heaps) == 1 else None
    tokens = int(found.get("tokens") or 0)
    parts = (found.get("left") or "").replace(" and ", "+").split("+")
    # The heap that keeps a pass, marked by p, comes first.
    kept = sorted(filter(None, parts), key=lambda part: not part.endswith("p"))
    if not kept:
        return taking_from(heaps, tokens)
    if len(heaps) > 1 or len(kept) < 2 or any(part.endswith("p") for part in kept[1:]):
        return None
    left = [int(part.removesuffix("p")) for part in kept]
    return playing(heaps[0], tokens, left, keeps_pass=kept[0].endswith("p"))


def _parts(left: Sequence[int], *, keeps_pass: bool) -> list[str]:
    return [f"{part}p" if keeps_pass and not i else str(part) for i, part in enumerate(left)]
