"""The families of games, by name. A new family is one line here.

What belongs to a family is found by its name in each layer, and imported when it is first needed:

    engine.games.<name>       RULES     positions, legal moves, notation
    engine.jobs.<name>        JOBS      what can be computed and stored, and its checks
    oracle.families.<name>    Family    how it is asked, loaded, priced, drawn
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from schema.errors import UnknownGameError

if TYPE_CHECKING:
    from engine.games.rules import Rules

FAMILIES: Final = ("chomp3", "nim", "wythoff", "chomp", "divisors", "transfinite", "sum")

SHORT_FOR: Final[dict[str, tuple[str, dict[str, str]]]] = {}
"""Names that stand for a family with options."""


def families() -> tuple[str, ...]:
    """Names of all families."""
    return FAMILIES


@cache
def rules_of(family: str) -> "Rules":
    """The rules of a family.

    Raises:
        UnknownGameError: no such family.
    """
    if family not in FAMILIES:
        raise UnknownGameError(f"no game {family[:40]!r}; known are {', '.join(FAMILIES)}")
    rules: Rules = import_module(f"engine.games.{family}").RULES
    return rules
