"""Read a game from its text: `chomp3`, `nim{heaps=3,passes=1}`, `octal{code=0.77}`."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from position_oracle.engine.games.bodies import outside_brackets
from position_oracle.engine.games.registry import game_named, rules_of
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import (
    MAX_COORDINATE,
    MAX_PASSES,
    MAX_TEXT,
    Coordinates,
    GameSpec,
)
from position_oracle.schema.errors import NotationError, UnknownGameError
from position_oracle.schema.numbers import read_int, shown

_GAME: Final = re.compile(r"(?P<family>[a-z][a-z0-9-]*)\s*(?:\{(?P<options>[^{}]*)\})?")
_COMMON: Final = ("heaps", "passes", "declared", "noise", "seed")


def parse_game(text: str) -> GameSpec:
    """Read a game from its text; an error suggests the game that was probably meant.

    Raises:
        NotationError: the text has no such form, or an option does not fit the family.
        UnknownGameError: there is no such family.
    """
    try:
        return read_game(text)
    except (NotationError, UnknownGameError) as error:
        meant = _meant(text)
        if meant is None:
            raise
        raise type(error)(f"{error}; did you mean {meant}?") from None


def _meant(text: str) -> str | None:
    """Return a game whose name is close to that of a text."""
    from position_oracle.engine.games.suggest.words import near_name

    name, brace, options = text.strip()[:MAX_TEXT].partition("{")
    near = near_name(name)
    if near is None:
        return None
    meant = f"{near}{brace}{options.lower()}"
    if _is_game(meant):
        return meant
    return near if near != name.strip() or _is_game(near) else None


def _is_game(text: str) -> bool:
    try:
        read_game(text)
    except (NotationError, UnknownGameError):
        return False
    return True


@lru_cache(maxsize=256)
def read_game(text: str) -> GameSpec:
    """Read a game from its text; options may come in any order.

    Raises:
        NotationError: the text has no such form, or an option does not fit the family.
        UnknownGameError: there is no such family.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"game text has {len(text)} characters; at most {MAX_TEXT} are read")
    match = _GAME.fullmatch(text.strip())
    if match is None:
        raise NotationError(
            f"{shown(text)} is not a game; games look like chomp3 or nim{{heaps=3,passes=1}}"
        )
    family, texts = game_named(match["family"], _option_texts(match["options"] or "", text))
    rules = rules_of(family)
    own = rules.options
    _check_names(texts, text, rules)
    seed, noise = texts.get("seed"), texts.get("noise")
    if (seed is None) != (noise is None):
        raise NotationError(
            f"{shown(text)}: noise and seed go together, e.g. noise=normal(8),seed=7"
        )
    perturbation = None
    if noise is not None and seed is not None:
        from position_oracle.engine.theory.perturbation import Perturbation

        perturbation = Perturbation.parse(noise, read_int(seed, 0, MAX_COORDINATE, "seed"))
    heaps = texts.get("heaps")
    return GameSpec(
        family,
        heaps=None if heaps is None else read_int(heaps, -1, MAX_COORDINATE, "heaps"),
        options=tuple((name, texts[name]) for name in own if name in texts),
        passes=read_int(texts.get("passes", "0"), 0, MAX_PASSES, "passes"),
        misere="misere" in texts,
        declared=_declared(texts["declared"]) if "declared" in texts else (),
        noise=perturbation,
    )


def _option_texts(options: str, text: str) -> dict[str, str]:
    """Return the text of each option by its name; empty for options without a value (`misere`)."""
    texts: dict[str, str] = {}
    for option in filter(None, map(str.strip, outside_brackets(options, ","))):
        name, equals, value = (part.strip() for part in option.partition("="))
        if name in texts:
            raise NotationError(f"{shown(text)} gives {name} twice")
        if equals and not value:
            raise NotationError(f"{shown(text)} has an option {shown(option)} without a value")
        texts[name] = value
    return texts


def _check_names(texts: Mapping[str, str], text: str, rules: Rules) -> None:
    """Refuse options that no family has, and shared options with a missing or needless value."""
    if value := texts.get("misere"):
        raise NotationError(f"{shown(text)}: misere={shown(value)}; misere takes no value")
    for name, value in texts.items():
        needs_value = name in _COMMON
        if name not in (*_COMMON, "misere", *rules.options) or (needs_value and not value):
            others = [option for option in _options_of(rules) if option[0] not in texts]
            allowed = ", ".join(known + form for known, form in others) or "no options"
            raise NotationError(f"{shown(text)} has an option {shown(name)}; allowed are {allowed}")


def _options_of(rules: Rules) -> list[tuple[str, str]]:
    """List the options of a family, with `=...` after those that take a value."""
    allowed = {*rules.options, *rules.allows}
    allowed |= {"heaps"} if rules.heap_numbers else set()
    allowed |= {"seed"} if "noise" in rules.allows else set()
    with_value = [name for name in (*rules.options, *_COMMON) if name in allowed]
    words = [("misere", "")] if "misere" in allowed else []
    return [*((name, "=...") for name in with_value), *words]


def _declared(text: str) -> tuple[Coordinates, ...]:
    """Format declared positions as `[1,6,7]+[10,2,8]`."""
    positions = []
    for part in map(str.strip, text.split("+")):
        if not (part.startswith("[") and part.endswith("]")):
            raise NotationError(f"declared={shown(text)}: write positions as [1,6,7]+[10,2,8]")
        numbers = part[1:-1].split(",") if part[1:-1].strip() else []
        positions.append(tuple(read_int(n, 0, MAX_COORDINATE, "a coordinate") for n in numbers))
    return tuple(positions)
