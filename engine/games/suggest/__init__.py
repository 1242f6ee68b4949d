"""Suggestions for a text that is not a position: `7x4` is `chomp:7/7/7/7`.

A text is read leniently: signs of other keyboards and programs become ours, words are sorted into
the name of a game, its options, misere play, passes, and what is left, which is then read as the
body of a position of that game. What comes out is suggested only if it is a position. Where it may
mean several things, several are suggested.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from position_oracle.engine.games.registry import is_given
from position_oracle.engine.games.suggest.bodies import READERS, read_unnamed
from position_oracle.engine.games.suggest.drawings import read_drawing
from position_oracle.engine.games.suggest.signs import MAX_READ, clean, in_words
from position_oracle.engine.games.suggest.words import Words, sort_words

MAX_WORDS: Final = 800
"""Longest text that is read otherwise."""

MAX_SUGGESTED: Final = 300
"""Longest position that is suggested."""

MOST: Final = 3
"""Most positions that are suggested for one text."""

_PLUS: Final = re.compile(r" ?(?:\+|\band\b|\bplus\b) ?(?=[a-zA-Z][a-zA-Z0-9'-]{2,} ?[\[({:0-9 ])")
_MISERE_SUM: Final = re.compile(r"mis[eè]re ?[({](?P<inside>.*)[)}]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A position that was probably meant.

    Attributes:
        text: a text that can be read.
        note: what to know about it; mostly empty.
    """

    text: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text


def suggestions(text: str, is_position: Callable[[str], bool]) -> tuple[Suggestion, ...]:
    """The positions that a text probably means, the likeliest first; none where nothing is near.

    Args:
        text: a text that is not a position.
        is_position: whether a text is one.
    """
    if len(text) > MAX_READ or is_given(text.lstrip().partition(":")[0].partition("{")[0]):
        return ()
    found: dict[str, Suggestion] = {}
    for each in _candidates(text):
        if len(each.text) <= MAX_SUGGESTED and each.text not in found and is_position(each.text):
            found[each.text] = each
    return tuple(islice(found.values(), MOST))


def did_you_mean(found: Iterable[Suggestion]) -> str:
    """The end of a message: `; did you mean chomp:7/7/7/7?`, empty without suggestions."""
    texts = [str(each) for each in found]
    return f"; did you mean {' or '.join(texts)}?" if texts else ""


def _candidates(text: str) -> Iterator[Suggestion]:
    if (drawn := read_drawing(text)) is not None:
        yield _written(drawn)
        return
    if len(text) > MAX_WORDS:
        return
    plain = clean(text)
    parts = _sum_parts(plain)
    if parts is not None:
        yield from _sums(*parts)
        return
    yield Suggestion(plain)
    yield from _single(plain)


def _single(text: str) -> Iterator[Suggestion]:
    """The position that a text without strange signs probably means."""
    words = sort_words(in_words(text))
    read = READERS.get(words.name) if words.name else read_unnamed
    if read is not None:
        yield from map(_written, read(words))


def _sum_parts(text: str) -> tuple[list[str], bool] | None:
    """The texts of the components and whether play is misere; None for a single position."""
    misere = _MISERE_SUM.fullmatch(text)
    parts = _PLUS.split(misere["inside"] if misere else text)
    return (parts, misere is not None) if 1 < len(parts) <= 64 else None


def _sums(parts: list[str], misere: bool) -> Iterator[Suggestion]:
    """A sum of what each component is, or may mean."""
    likely = []
    for part in parts:
        own = next(_readable((Suggestion(part), *_single(part))), None)
        if own is None:
            return
        likely.append(own.text)
    text = " + ".join(likely)
    yield Suggestion(f"misere{{{text}}}" if misere else text)


def _readable(candidates: Iterable[Suggestion]) -> Iterator[Suggestion]:
    from position_oracle.engine.games.notation import is_position

    return (each for each in candidates if is_position(each.text))


def _written(words: Words) -> Suggestion:
    """The text of a position from its parts, with passes where such a text has them."""
    options = [option for option in (words.options, "misere" if words.misere else "") if option]
    braces = f"{{{','.join(options)}}}" if options else ""
    body = words.body
    if words.passes and words.passes != "0":
        inside = body.endswith("]")
        body = f"{body[:-1]};{words.passes}]" if inside else f"{body};{words.passes}"
    return Suggestion(f"{words.name}{braces}:{body}", words.note)
