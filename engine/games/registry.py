"""The families of games, by name. A new family is one line here.

What belongs to a family is found by its name in each layer, and imported when it is first needed:

    engine.games.<name>       RULES     positions, legal moves, notation
    engine.jobs.<name>        JOBS      what can be computed and stored, and its checks
    oracle.families.<name>    Family    how it is asked, loaded, priced, drawn

Games from outside need rules alone: `register` takes them, and those of installed packages are
found by the name of their entry point when somebody asks for that name.
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
"""Options that make another family of a game, under the same name in texts."""

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
"""Names that stand for a game with options, such as Kayles and Grundy's game."""


ENTRY_POINTS: Final = "position_oracle.games"
"""The group of entry points under which installed packages offer rules, by the family's name."""

_OWN: Final = re.compile("[a-z][a-z0-9]{0,31}")

_given: dict[str, "Rules"] = {}


def families() -> tuple[str, ...]:
    """Names of all families: ours, and those from outside that have been asked for or given."""
    return (*FAMILIES, *_given)


def is_given(name: str) -> bool:
    """Whether a family of this name has been given from outside."""
    return name in _given


def register(rules: "Rules") -> None:
    """Make a game from outside known under the name of its family.

    Args:
        rules: a `ListedRules`; see docs/own-game.md.

    Raises:
        RulesError: its name is taken or no name, or its example does not work.
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
    """Names of games in texts, those that stand for a game with options included."""
    ours = (family for family in FAMILIES if family not in {*_BRANCHED, "sum"})
    return (*ours, *SHORT_FOR, *_given)


def game_named(name: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The family of a game, and its options, by its name in texts and the options given.

    Raises:
        UnknownGameError: no such game.
        NotationError: an option that the name stands for is given, too.
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
    """The rules of a family.

    Raises:
        UnknownGameError: no such family.
        RulesError: an installed package offers it, and its rules cannot be used.
    """
    if family in FAMILIES:
        rules: Rules = import_module(f"position_oracle.engine.games.{family}").RULES
        return rules
    if family not in _given and _OWN.fullmatch(family):
        from position_oracle.engine.games.own import installed

        if (found := installed(family, ENTRY_POINTS)) is not None:
            register(found)
    if family not in _given:
        raise _unknown(family)
    return _given[family]


def _unknown(name: str) -> UnknownGameError:
    return UnknownGameError(f"no game {name[:40]!r}; known are {', '.join(names())}")
