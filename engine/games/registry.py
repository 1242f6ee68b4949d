"""The families of games, by name. A new family is one line here."""

from typing import Final

from engine.games import chomp, chomp3, divisors, nim, transfinite, wythoff
from engine.games.rules import Rules
from engine.games.sums import SumRules
from schema.errors import UnknownGameError

_RULES: Final[dict[str, Rules]] = {
    rules.family: rules
    for rules in (
        chomp3.RULES,
        chomp.RULES,
        divisors.RULES,
        nim.RULES,
        wythoff.RULES,
        transfinite.RULES,
    )
}


def families() -> tuple[str, ...]:
    """Names of all families that have rules."""
    return tuple(_RULES)


def rules_of(family: str) -> Rules:
    """The rules of a family.

    Raises:
        UnknownGameError: no such family.
    """
    if family not in _RULES:
        raise UnknownGameError(f"no game {family!r}; known are {', '.join(_RULES)}")
    return _RULES[family]


_RULES[SumRules.family] = SumRules(rules_of)
