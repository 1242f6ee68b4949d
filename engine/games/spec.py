"""A game is data: one frozen record says which game is meant.

The record has one canonical text, `family{option,...}`, and one stable number, `GameSpec.game_id`,
made from that text. The text is stored with every table, travels over gRPC and is what
`oracle build` takes:

    chomp3                              three-row Chomp
    chomp3{passes=1}                    the same with one pass
    nim{declared=[1,6,7]+[10,2,8]}      generic Nim: two positions declared N
    chomp3{noise=normal(8),seed=7}      infinite-generic Chomp
    wythoff{rule=all}                   three-heap Wythoff, diagonal move on all heaps
    nim{heaps=2,misere}                 whoever takes the last token loses
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from engine.theory.perturbation import Perturbation
from schema.errors import NotationError, UnknownGameError

MAX_COORDINATE: Final = 2**63 - 1
"""Largest coordinate, row length or heap that any position may have."""

MAX_PASSES: Final = 64
MAX_HEAPS: Final = 64
MAX_TEXT: Final = 4096
"""Longest text, in characters, that is read as a game or a position."""

FAMILIES: Final = ("chomp3", "nim", "wythoff", "chomp", "divisors", "transfinite", "sum")
WYTHOFF_RULES: Final = ("pairs", "all", "both")

Coordinates = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameSpec:
    """Which game is played.

    Attributes:
        family: one of `FAMILIES`.
        heaps: number of heaps of a heap game; None where the family has no heaps, or where any
            number is meant.
        rule: for three-heap Wythoff, from which heaps equal numbers may be taken: any two
            (`pairs`), all three (`all`), or both; None elsewhere.
        passes: passes left, shared by the players and not available at a terminal position
            (Morrison, Friedman & Landsberg, Combinatorial games with a pass, section 1.2).
        misere: whether the player who makes the last move loses. Chomp needs no such flag:
            the poison cookie is its misere end.
        declared: positions declared N (generic games, section 5 of the same paper); sorted.
        noise: declared N-positions drawn at random, one for every column of every sheet
            (section 6.1 of the same paper).
        text: the canonical text, e.g. `nim{heaps=3,passes=1}`.
        position_prefix: the text before the colon of a position, whose body shows heaps and
            passes instead.
        game_id: a number in [0, 2^63) made from the canonical text; equal on every machine.
    """

    family: str
    heaps: int | None = None
    rule: str | None = None
    passes: int = 0
    misere: bool = False
    declared: tuple[Coordinates, ...] = ()
    noise: Perturbation | None = None
    text: str = field(init=False, repr=False, compare=False, default="")
    position_prefix: str = field(init=False, repr=False, compare=False, default="")
    game_id: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        """Check the options against the family, and bring them to their canonical form."""
        if self.heaps is None and self.has_three_heaps:
            object.__setattr__(self, "heaps", 3)
        object.__setattr__(self, "declared", tuple(sorted(set(self.declared))))
        # Games are keys and names in every answer; what follows from them is computed once.
        text = self.family + _braced(self._options(heaps=True, passes=True))
        prefix = self.family + _braced(self._options(heaps=False, passes=False))
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "position_prefix", prefix)
        object.__setattr__(self, "game_id", int.from_bytes(digest, "little") >> 1)
        _check(self)

    def __hash__(self) -> int:
        return self.game_id

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The family's own options: names and values."""
        return () if self.rule is None else (("rule", self.rule),)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is declared N and play is normal; passes do not count."""
        return not self.declared and self.noise is None and not self.misere

    @property
    def has_three_heaps(self) -> bool:
        """Whether an option implies that there are three heaps, so that the text leaves it out."""
        is_variant = bool(self.declared) or self.noise is not None
        return self.rule is not None or (self.family == "nim" and is_variant)

    def declares(self, coordinates: Coordinates) -> bool:
        """Whether a position is declared N, by the list or by the noise; it has no moves."""
        if coordinates in self.declared:
            return True
        if self.noise is None:
            return False
        x, y, z = coordinates
        return self.noise.column(x, y) == z

    def with_passes(self, passes: int) -> "GameSpec":
        """The same game with another number of passes left."""
        return self if passes == self.passes else replace(self, passes=passes)

    def _options(self, *, heaps: bool, passes: bool) -> list[str]:
        options = []
        if heaps and self.heaps is not None and not self.has_three_heaps:
            options.append(f"heaps={self.heaps}")
        if self.rule is not None:
            options.append(f"rule={self.rule}")
        if passes and self.passes:
            options.append(f"passes={self.passes}")
        if self.misere:
            options.append("misere")
        if self.declared:
            triples = ("[" + ",".join(map(str, t)) + "]" for t in self.declared)
            options.append("declared=" + "+".join(triples))
        if self.noise is not None:
            options.append(f"noise={self.noise}")
            options.append(f"seed={self.noise.seed}")
        return options


@lru_cache(maxsize=256)
def parse_game(text: str) -> GameSpec:
    """Read a game from its text; options may come in any order.

    Raises:
        NotationError: the text has no such form, or an option does not fit the family.
        UnknownGameError: no such family.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"game text has {len(text)} characters; at most {MAX_TEXT} are read")
    match = _GAME.fullmatch(text.strip())
    if match is None:
        raise NotationError(
            f"{text!r} is no game; games look like chomp3 or nim{{heaps=3,passes=1}}"
        )
    values = _read_options(match["options"] or "", text)
    seed, noise = values.pop("seed", None), values.pop("noise", None)
    if (seed is None) != (noise is None):
        raise NotationError(f"{text!r}: noise and seed go together, e.g. noise=normal(8),seed=7")
    perturbation = None if noise is None else Perturbation.parse(str(noise), _integer(str(seed)))
    return GameSpec(match["family"], noise=perturbation, **values)  # type: ignore[arg-type]


_GAME = re.compile(r"(?P<family>[a-z][a-z0-9]*)\s*(?:\{(?P<options>[^{}]*)\})?")
_TOP_COMMA = re.compile(r",(?![^\[(]*[\])])")
_TRIPLE = re.compile(r"\[\s*\d{1,19}(?:\s*,\s*\d{1,19})*\s*\]")


def _braced(options: list[str]) -> str:
    return "{" + ",".join(options) + "}" if options else ""


def _integer(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 19):
        raise NotationError(f"{text[:40]!r} is not a whole number of at most 19 digits")
    return int(text)


def _declared(text: str) -> tuple[Coordinates, ...]:
    parts = text.split("+")
    if not all(_TRIPLE.fullmatch(part.strip()) for part in parts):
        raise NotationError(f"declared={text[:60]!r}: write positions as [1,6,7]+[10,2,8]")
    return tuple(tuple(int(n) for n in re.findall(r"\d+", part)) for part in parts)


_READERS: Final[dict[str, Callable[[str], object]]] = {
    "heaps": _integer,
    "rule": str,
    "passes": _integer,
    "declared": _declared,
    "noise": str,
    "seed": str,
}


def _read_options(options: str, text: str) -> dict[str, object]:
    values: dict[str, object] = {}
    for option in filter(None, (part.strip() for part in _TOP_COMMA.split(options))):
        name, equals, value = (part.strip() for part in option.partition("="))
        if name == "misere" and not equals:
            values[name] = True
        elif name in values:
            raise NotationError(f"{text!r} gives {name} twice")
        elif name in _READERS and value:
            values[name] = _READERS[name](value)
        else:
            allowed = ", ".join([f"{known}=..." for known in _READERS] + ["misere"])
            raise NotationError(f"{text!r} has an option {option!r}; allowed are {allowed}")
    return values


def _check(game: GameSpec) -> None:
    if game.family not in FAMILIES:
        raise UnknownGameError(f"no game {game.family!r}; known are {', '.join(FAMILIES)}")
    _check_counts(game)
    if game.misere and game.family not in {"nim", "sum"}:
        raise NotationError(f"{game.family}: misere play is an option of nim only")
    if game.passes and game.family not in {"nim", "chomp3"}:
        raise NotationError(f"{game.family}: passes are an option of nim and chomp3 only")
    if game.declared or game.noise is not None:
        _check_variant(game)


def _check_counts(game: GameSpec) -> None:
    heap_game = game.family in {"nim", "wythoff"}
    if game.heaps is not None and not (heap_game and 1 <= game.heaps <= MAX_HEAPS):
        raise NotationError(f"{game.family}: heaps={game.heaps}; nim takes 1 to {MAX_HEAPS}")
    if game.family == "wythoff" and game.heaps not in {2, 3, None}:
        raise NotationError(f"wythoff: heaps={game.heaps}; it is played with 2 or 3")
    if (game.rule is not None) != (game.family == "wythoff" and game.heaps == 3):
        raise NotationError(
            f"{game.family}: rule={game.rule}; wythoff with three heaps needs one of"
            f" {', '.join(WYTHOFF_RULES)}, e.g. wythoff{{rule=all}}; no other game has it"
        )
    if game.rule is not None and game.rule not in WYTHOFF_RULES:
        raise NotationError(f"wythoff: rule={game.rule}; allowed are {', '.join(WYTHOFF_RULES)}")
    if not 0 <= game.passes <= MAX_PASSES:
        raise NotationError(f"{game.family}: passes={game.passes}; allowed are 0 to {MAX_PASSES}")


def _check_variant(game: GameSpec) -> None:
    if game.family != "chomp3" and (game.family, game.heaps) != ("nim", 3):
        raise NotationError(f"{game.text}: only chomp3 and nim with three heaps have variants")
    if game.misere:
        raise NotationError(f"{game.text}: a variant is played to the normal end")
    for position in game.declared:
        if len(position) != 3 or not all(0 <= n <= MAX_COORDINATE for n in position):
            raise NotationError(f"{game.family}: declared {list(position)} is not a triple [x,y,z]")
