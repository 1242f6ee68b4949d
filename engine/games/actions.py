"""How moves are made: actions with their words, and as they are typed at a terminal."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from schema.answers import PASS, Action, Bite, HeapChange

THE_PASS: Final = Action(is_pass=True, words=PASS)


def biting(row: int, column: int) -> Action:
    """The bite at a cookie of a board, its row and column from 1."""
    return Action(bite=Bite(row, column), words=f"bite row {row}, column {column}")


def taking_from(heaps: Sequence[int], tokens: int) -> Action:
    """Equally many tokens from one heap or several, by their numbers from 1."""
    each = " each" if len(heaps) > 1 else ""
    words = f"take {tokens}{each} from heap {' and '.join(map(str, heaps))}"
    return Action(taking=tuple(HeapChange(heap, tokens) for heap in heaps), words=words)


def playing(
    heap: int, tokens: int, left: Sequence[int] = (), *, keeps_pass: bool = False
) -> Action:
    """Tokens from one heap, and the heaps left of it where there are several.

    Args:
        heap: number of the heap, from 1.
        tokens: how many are taken; none where the heap is only split.
        left: the heaps left, where there are several.
        keeps_pass: whether the first of them keeps the pass of the heap.
    """
    parts = " and ".join(_parts(left, keeps_pass=keeps_pass))
    if not tokens:
        words = f"split heap {heap} into {parts}"
    else:
        words = f"take {tokens} from heap {heap}" + (f", leaving {parts}" if parts else "")
    return Action(taking=(HeapChange(heap, tokens, tuple(left)),), words=words)


def passing_in(heap: int) -> Action:
    """The pass that a heap has of its own."""
    return Action(taking=(HeapChange(heap, is_pass=True),), words=f"use the pass of heap {heap}")


def inside(component: int, action: Action) -> Action:
    """An action in a component of a sum, which is counted from 0 but in words from 1."""
    words = f"component {component + 1}: {action.words}"
    return replace(action, component=component, words=words)


def typed(action: Action, *, keeps_pass: bool = False) -> str:
    """An action as it is typed: `2 3`, `1+2 3`, `2 3 1+4`, `2 pass`; empty where it is not so.

    Args:
        action: a bite or a taking.
        keeps_pass: whether the first heap left keeps a pass.
    """
    if action.bite is not None:
        return f"{action.bite.row} {action.bite.column}"
    if not action.taking:
        return ""
    change = action.taking[0]
    heaps = "+".join(str(each.heap) for each in action.taking)
    parts = "+".join(_parts(change.left, keeps_pass=keeps_pass))
    said = PASS if change.is_pass else str(change.tokens)
    return f"{heaps} {said} {parts}".rstrip()


def _parts(left: Sequence[int], *, keeps_pass: bool) -> list[str]:
    return [f"{part}p" if keeps_pass and not i else str(part) for i, part in enumerate(left)]
