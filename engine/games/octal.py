"""Take-and-break games: `octal{code=0.77}:[5,7]`; `kayles:[5,7]` and others are short for theirs.

The digit d_k of the code says what may be left of a heap of which k tokens are taken: 1 nothing,
2 one heap, 4 two heaps, 8 three heaps, added up, to F; with `!` they differ in size; the last
digits may repeat: Grundy's game is 4!.0, Lasker's Nim 4.[3]. See `engine.theory.octal`. Whoever
cannot move loses. Positions may also be drawn: `kayles:IXIII`, `treblecross:..X....`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import ClassVar, Final

from position_oracle.engine.games.bodies import split_passes
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec, Options
from position_oracle.engine.games.unordered import MAX_TAKEN, UnorderedHeaps
from position_oracle.engine.theory import octal, pins
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.schema.errors import NotationError


def _read_code(text: str) -> str:
    return str(octal.parse_code(text))


class Octal(UnorderedHeaps):
    """Rules of take-and-break games."""

    family = "octal"
    form = "octal{code=0.77}:[5,7]"
    typed_moves = (
        *UnorderedHeaps.typed_moves,
        ("2 3 1+4", "take 3 tokens from heap 2 and leave heaps of 1 and 4; 0 to split it only"),
    )
    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({"code": _read_code})

    def canonical_options(self, options: Options) -> Options:
        """The code, which must be there."""
        if "code" not in dict(options):
            raise NotationError("an octal game needs its code, e.g. octal{code=0.77}:[5,7]")
        return super().canonical_options(options)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Heaps in brackets, or a row of pins or a strip of Treblecross."""
        if not body.strip().startswith("["):
            drawn, passes = split_passes(body.strip())
            heaps = pins.read_drawing(drawn.strip(), code_of(options))
            if heaps is not None:
                return self.position(options.with_passes(passes), heaps)
        return super().parse_body(body, options)

    def tokens_of(self, game: GameSpec) -> Iterable[int]:
        """The least numbers that the code has a digit for."""
        code = code_of(game)
        return islice((taken for taken, digit in enumerate(code.digits) if digit), MAX_TAKEN)

    def left_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """See `engine.theory.octal.splits_of`."""
        return octal.splits_of(code_of(game), heap)

    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """See `engine.theory.octal.may_leave`."""
        return octal.may_leave(code_of(game), heap, left)

    def bound(self, heaps: Heaps, game: GameSpec) -> float:
        """See `engine.theory.octal.position_bound`."""
        return octal.position_bound(code_of(game), heaps)


def code_of(game: GameSpec) -> OctalCode:
    """The code of an octal game."""
    return _code(game.option("code") or "")


@lru_cache(maxsize=256)
def _code(text: str) -> OctalCode:
    return octal.parse_code(text)


RULES: Final = Octal()
