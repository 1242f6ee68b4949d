"""The families of games, by name; to add a family, add one line here.

Each layer finds the modules of a family by its name, and imports them when they are first needed:

    engine.games.<name>       RULES     positions, legal moves, notation
    engine.jobs.<name>        JOBS      what can be computed and stored, and its checks
    oracle.families.<name>    Family    how it is asked, loaded, priced, drawn

External games need only rules. `register` takes them. Rules of installed packages are entry points,
and are loaded when somebody asks for their name.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from position_oracle.schema.errors import NotationError, UnknownGameError

if TYPE_CHECKING:
    from position_oracle.engine.games.rules import Rules

FAMILIES: Final = (
    "chomp3",
    "nim",
    "wythoff",
    "chomp",
    "divisors",
    "transfinite",
    "sum",
    "octal",
    "octal_heap_pass",
    "subtraction",
    "nim_heap_pass",
    "toads",
    "euclid",
    "partition",
    "moore",
    "fibonacci",
    "staircase",
    "wythoff_ab",
    "nodekayles",
    "solid",
    "endnim",
    "circular",
)

BRANCHES: Final[dict[str, dict[str, str]]] = {
    "nim": {
        "max": "subtraction",
        "take": "subtraction",
        "allbut": "subtraction",
        "heappass": "nim_heap_pass",
    },
    "octal": {"heappass": "octal_heap_pass"},
    "wythoff": {"a": "wythoff_ab", "b": "wythoff_ab"},
    "chomp": {"dimensions": "solid"},
}
"""Options that select another family under the same name in texts."""

_BRANCHED: Final = frozenset(family for options in BRANCHES.values() for family in options.values())

SHORT_FOR: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "kayles": ("octal", {"code": "0.77"}),
    "dawson": ("octal", {"code": "0.07"}),
    "dawsonchess": ("octal", {"code": "0.137"}),
    "treblecross": ("octal", {"code": "0.007"}),
    "guiles": ("octal", {"code": "0.15"}),
    "officers": ("octal", {"code": "0.6"}),
    "grundy": ("octal", {"code": "4!.0"}),
    "lasker": ("octal", {"code": "4.[3]"}),
}
"""Names that stand for a game with options, such as `kayles` and `grundy`."""


ENTRY_POINTS: Final = "position_oracle.games"
"""Group of entry points under which installed packages offer rules; their names are families."""

OWN_NAME: Final = re.compile("[a-z][a-z0-9]{0,31}")
"""Names that external games may have."""

_given: dict[str, "Rules"] = {}


def families() -> tuple[str, ...]:
    """Return the names of all families: built-in ones, and external ones in use."""
    return (*FAMILIES, *_given)


def is_given(name: str) -> bool:
    """Return whether a family of this name is external and registered."""
    return name in _given


def register(rules: "Rules") -> None:
    """Register an external game under the name of its family.

    Args:
        rules: a `ListedRules`; see docs/own-game.md.

    Raises:
        RulesError: the name is taken or invalid, or the example fails.
    """
    from position_oracle.engine.games.own import check_name, try_example

    name = check_name(rules, _given)
    _given[name] = rules
    try:
        try_example(rules)
    except BaseException:
        del _given[name]
        rules_of.cache_clear()
        raise


def names() -> tuple[str, ...]:
    """Return the names of games in texts, including names that stand for a game with options."""
    ours = (family for family in FAMILIES if family not in {*_BRANCHED, "sum"})
    return (*ours, *SHORT_FOR, *_given)


def game_named(name: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the family and all options of a game, from its name in texts and the given options.

    Raises:
        UnknownGameError: there is no such game.
        NotationError: an option is given that the name already includes.
    """
    base, implied = SHORT_FOR.get(name, (name, {}))
    if base in _BRANCHED:
        raise _unknown(base)
    rules_of(base)
    if clash := implied.keys() & options.keys():
        raise NotationError(f"{name} has its own {', '.join(sorted(clash))}; leave it out")
    branches = BRANCHES.get(base, {})
    family = next((branches[option] for option in options if option in branches), base)
    return family, {**options, **implied}


@cache
def rules_of(family: str) -> "Rules":
    """Return the rules of a family.

    Raises:
        UnknownGameError: there is no such family.
        RulesError: an installed package offers the family, but its rules cannot be used.
    """
    if family in FAMILIES:
        rules: Rules = import_module(f"position_oracle.engine.games.{family}").RULES
        return rules
    if family not in _given and OWN_NAME.fullmatch(family):
        from position_oracle.engine.games.own import installed

        if (found := installed(family, ENTRY_POINTS)) is not None:
            register(found)
    if family not in _given:
        raise _unknown(family)
    return _given[family]


def _unknown(name: str) -> UnknownGameError:
    return UnknownGameError(f"no game {name[:40]!r}; known are {', '.join(names())}")
