"""Suggestions for a text that is not a position, e.g. `chomp:7/7/7/7` for `7x4`.

The module reads a text leniently. It converts signs of other keyboards and programs. It sorts words
into the name of a game, its options, misere play, passes, and the rest, which it reads as the body
of a position of that game. It suggests a result only if the result is a position. An ambiguous text
has several suggestions.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from position_oracle.engine.games.registry import is_given
from position_oracle.engine.games.spec import MAX_TEXT
from position_oracle.engine.games.suggest.bodies import READERS, read_drawing, read_unnamed
from position_oracle.engine.games.suggest.words import clean, sort_words

MAX_WORDS: Final = 800
"""Maximum length of a text for which suggestions are made."""

MAX_SUGGESTED: Final = 300
"""Maximum length of a suggested position."""

MOST: Final = 3
"""Maximum number of suggestions for one text."""

_PLUS: Final = re.compile(r" ?(?:\+|\band\b|\bplus\b) ?(?=[a-zA-Z][a-zA-Z0-9'-]{2,} ?[\[({:0-9 ])")
_MISERE_SUM: Final = re.compile(r"mis[eè]re ?[({](?P<inside>.*)[)}]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A position that was probably meant.

    Attributes:
        text: a text that can be read.
        note: a remark about the position; usually empty.
    """

    text: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text


def suggestions(text: str) -> tuple[Suggestion, ...]:
    """Return what a text that is not a position probably means, the likeliest position first."""
    if len(text) > MAX_TEXT or is_given(text.lstrip().partition(":")[0].partition("{")[0]):
        return ()
    found: dict[str, Suggestion] = {}
    for each in _readable(_candidates(text)):
        found.setdefault(each.text, each)
    return tuple(islice(found.values(), MOST))


def did_you_mean(found: Iterable[Suggestion]) -> str:
    """Return the end of a message, `; did you mean chomp:7/7/7/7?`; empty without suggestions."""
    texts = [str(each) for each in found]
    return f"; did you mean {' or '.join(texts)}?" if texts else ""


def _candidates(text: str) -> Iterator[Suggestion]:
    if (drawn := read_drawing(text)) is not None:
        yield Suggestion(str(drawn), drawn.note)
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
    """Yield the positions that a text with converted signs probably means."""
    words = sort_words(text)
    read = READERS.get(words.name) if words.name else read_unnamed
    if read is not None:
        yield from (Suggestion(str(found), found.note) for found in read(words))


def _sum_parts(text: str) -> tuple[list[str], bool] | None:
    """Return the texts of the components and whether play is misere; None for a single position."""
    misere = _MISERE_SUM.fullmatch(text)
    parts = _PLUS.split(misere["inside"] if misere else text)
    return (parts, misere is not None) if 1 < len(parts) <= 64 else None


def _sums(parts: list[str], misere: bool) -> Iterator[Suggestion]:
    """Combine the possible meanings of each component into sums."""
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

    return (
        each for each in candidates if len(each.text) <= MAX_SUGGESTED and is_position(each.text)
    )
