"""A game as data: one frozen record identifies the game.

The record has one canonical text, `family{option,...}`, and one stable number, `GameSpec.game_id`,
made from that text. The text is stored with every table, sent over gRPC, and given to `oracle
build`:

    chomp3                              three-row Chomp
    chomp3{passes=1}                    the same with one pass
    nim{declared=[1,6,7]+[10,2,8]}      generic Nim: two positions declared N
    chomp3{noise=normal(8),seed=7}      infinite-generic Chomp
    wythoff{rule=all}                   three-heap Wythoff, diagonal move on all heaps
    nim{heaps=2,misere}                 the player who takes the last token loses
"""

import hashlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from position_oracle.engine.games.registry import rules_of
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.numbers import shown_value

if TYPE_CHECKING:
    from position_oracle.engine.games.rules import Rules
    from position_oracle.engine.theory.perturbation import Perturbation

MAX_COORDINATE: Final = 2**63 - 1
"""Largest coordinate, row length or heap that any position may have."""

MAX_PASSES: Final = 64
MAX_TEXT: Final = 4096
"""Longest text, in characters, that is read as a game or a position."""

Coordinates = tuple[int, ...]
Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game.

    Attributes:
        family: name of the family; see `engine.games.registry`.
        heaps: number of heaps of a heap game; None if the family has no heaps, or if any number is
            allowed.
        options: the family's own options and their canonical texts, in the order of
            `Rules.options`, e.g. `(("rule", "all"),)`.
        passes: passes left, shared by the players and not available at a terminal position
            (Morrison, Friedman & Landsberg, Combinatorial games with a pass, section 1.2).
        misere: whether the player who makes the last move loses.
        declared: positions declared N (generic games, section 5 of the same paper), as sorted
            coordinates.
        noise: declared N-positions drawn at random, one for every column of every sheet
            (section 6.1 of the same paper).
        text: the canonical text, e.g. `nim{heaps=3,passes=1}`.
        position_prefix: the text before the colon of a position, whose body shows heaps and passes
            instead; empty for sums, whose components have prefixes.
        game_id: a number in [0, 2^63) made from the canonical text; equal on every machine.

    Raises:
        UnknownGameError: there is no such family.
        NotationError: the family lacks an option, or does not allow it together with another.
    """

    family: str
    heaps: int | None = None
    options: Options = ()
    passes: int = 0
    misere: bool = False
    declared: tuple[Coordinates, ...] = ()
    noise: "Perturbation | None" = None
    text: str = field(init=False, repr=False, compare=False, default="")
    position_prefix: str = field(init=False, repr=False, compare=False, default="")
    game_id: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        """Check the options against the family, and convert them to canonical form."""
        rules = rules_of(self.family)
        object.__setattr__(self, "options", rules.canonical_options(self.options))
        if self.heaps is None:
            object.__setattr__(self, "heaps", self.implied_heaps)
        object.__setattr__(self, "declared", self._in_one_form(self.declared))
        # Games are keys and names in every answer; what follows from them is computed once.
        shows_heaps = self.heaps is not None and self.implied_heaps is None
        name = rules.name or self.family
        text = name + _braced(self._texts(heaps=shows_heaps, passes=True))
        hides = frozenset[str]() if self.declared else rules.hides
        shown = self._texts(heaps=False, passes=False, hides=hides)
        prefix = "" if self.family == "sum" else name + _braced(shown)
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "position_prefix", prefix)
        object.__setattr__(self, "game_id", int.from_bytes(digest, "little") >> 1)
        _check(self, rules)

    def __hash__(self) -> int:
        return self.game_id

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """The name of the family in texts and in the contract."""
        rules = rules_of(self.family)
        return rules.name or self.family

    @property
    def is_variant(self) -> bool:
        """Whether positions are declared N, by a list or by noise."""
        return bool(self.declared) or self.noise is not None

    @property
    def is_plain(self) -> bool:
        """Whether no position is declared N and play is normal; the game may have passes."""
        return not self.is_variant and not self.misere

    def option(self, name: str) -> str | None:
        """Return the canonical text of one of the family's own options; None if it is not given."""
        return next((text for known, text in self.options if known == name), None)

    @property
    def implied_heaps(self) -> int | None:
        """The number of heaps that other options imply: noise and rules imply three."""
        if not rules_of(self.family).heap_numbers:
            return None
        if self.noise is not None or self.rule is not None:
            return 3
        return len(self.declared[0]) if self.declared else None

    @property
    def rule(self) -> str | None:
        """The heaps from which three-heap Wythoff takes equal numbers; None in other games."""
        return self.option("rule")

    def declares(self, value: Any) -> bool:
        """Return whether the position with this value is declared N, and so has no moves."""
        if not self.is_variant:
            return False
        coordinates = rules_of(self.family).numbers(value)
        if coordinates in self.declared:
            return True
        if self.noise is None:
            return False
        x, y, z = coordinates
        return self.noise.column(x, y) == z

    def with_passes(self, passes: int) -> "GameSpec":
        """Return the same game with another number of passes left."""
        return self if passes == self.passes else _changed(self, passes, self.heaps)

    def with_heaps(self, heaps: int) -> "GameSpec":
        """Return the same game with a number of heaps."""
        return self if heaps == self.heaps else _changed(self, self.passes, heaps)

    def _in_one_form(self, declared: tuple[Coordinates, ...]) -> tuple[Coordinates, ...]:
        """Return the declared positions in canonical coordinates, sorted.

        Raises:
            NotationError: a declared position does not exist.
        """
        if not declared:
            return ()
        if "declared" not in rules_of(self.family).allows:
            return declared
        # Not in misere play, in which Wythoff's heaps have one order unless some are declared.
        plain = GameSpec(self.family, self.heaps, self.options)
        found = set()
        for numbers in set(declared):
            try:
                found.add(rules_of(self.family).position(plain, numbers).coordinates)
            except InvalidPositionError as error:
                raise NotationError(
                    f"{self.family}: declared {shown_value(list(numbers))} is not a position:"
                    f" {error}"
                ) from None
        return tuple(sorted(found))

    def _texts(
        self, *, heaps: bool, passes: bool, hides: frozenset[str] = frozenset()
    ) -> list[str]:
        texts = []
        if heaps:
            texts.append(f"heaps={self.heaps}")
        own = ((name, text) for name, text in self.options if name not in hides)
        texts += [f"{name}={text}" if text else name for name, text in own]
        if passes and self.passes:
            texts.append(f"passes={self.passes}")
        if self.misere:
            texts.append("misere")
        if self.declared:
            triples = ("[" + ",".join(map(str, t)) + "]" for t in self.declared)
            texts.append("declared=" + "+".join(triples))
        if self.noise is not None:
            texts.append(f"noise={self.noise}")
            texts.append(f"seed={self.noise.seed}")
        return texts


def _check(game: GameSpec, rules: "Rules") -> None:
    """Raise NotationError unless the family has the options of a game and allows them together."""
    if game.heaps is not None:
        allowed = rules.heap_numbers if game.implied_heaps is None else (game.implied_heaps,)
        if not rules.heap_numbers:
            raise NotationError(
                f"{game.family}: heaps={game.heaps}; this family has no such option"
            )
        if game.heaps not in allowed:
            said = f"other options of {game.text} say {game.implied_heaps}"
            if game.implied_heaps is None:
                said = f"{game.family} is played with {rules.heap_counts}"
            raise NotationError(f"{game.family}: heaps={game.heaps}; {said}")
    if not 0 <= game.passes <= MAX_PASSES:
        raise NotationError(f"{game.family}: passes={game.passes}; allowed are 0 to {MAX_PASSES}")
    if game.misere and "misere" not in rules.allows:
        raise NotationError(f"{game.family}: this family has no misere play")
    if game.passes and "passes" not in rules.allows:
        raise NotationError(f"{game.family}: this family is not played with passes")
    if game.declared and "declared" not in rules.allows:
        raise NotationError(f"{game.family}: positions of this family cannot be declared N")
    has_noise = "noise" in rules.allows and not game.misere and game.heaps in {None, 3}
    if game.noise is not None and not has_noise:
        raise NotationError(
            f"{game.text}: only chomp3 and nim with three heaps, in normal play, have noise"
        )


def _braced(options: list[str]) -> str:
    return "{" + ",".join(options) + "}" if options else ""


@lru_cache(maxsize=1024)
def _changed(game: GameSpec, passes: int, heaps: int | None) -> GameSpec:
    """Return a changed copy of a game; cached, because making a game checks it."""
    return replace(game, passes=passes, heaps=heaps)
