"""Take-and-break games: `octal{code=0.77}:[5,7]`, with short names such as `kayles:[5,7]`.

The digit d_k of the code is the sum of the allowed results of taking k tokens from a heap: 1 for no
heap, 2 for one heap, 4 for two heaps, 8 for three heaps, so at most F. With `!` the heaps left
differ in size. The last digits may repeat. Grundy's game is 4!.0, Lasker's Nim 4.[3]. See
`engine.theory.octal`. A player who cannot move loses.

Positions may also be drawn. A row of pins, `kayles:IXIII`, shows standing pins as I and gaps as X
or a point: in Kayles a ball knocks down one pin or two neighbouring pins, so the heaps are the runs
of standing pins.

A strip of Treblecross, `treblecross:..X....`, shows cells as points or underscores and crosses as
X. The player who makes three crosses in a row wins, so nobody plays next to a cross or one cell
further while another cell is free. A strip of n cells is a heap of n + 2 of the game 0.007: a cross
takes three tokens, the cell and one on either side, and the next cell on either side, where nobody
may play, is one of the two tokens that a heap has beyond its cells (Winning Ways, chapter 4).
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import ClassVar, Final

from position_oracle.engine.games.bodies import split_passes
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import GameSpec, Options
from position_oracle.engine.games.unordered import MAX_TAKEN, UnorderedHeaps
from position_oracle.engine.theory import octal
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.games import Introduction

_TREBLECROSS: Final = (0, 0, 0, 7)


def _read_code(text: str) -> str:
    return str(octal.parse_code(text))


class Octal(UnorderedHeaps):
    """Rules of take-and-break games."""

    family = "octal"
    introductions = (
        Introduction(
            title="Take and break",
            start="octal{code=0.356}:[9]",
            rules=(
                "Take some tokens from a heap. The digits of the code {code} say how many"
                " you may take, and whether you may leave nothing, one heap or two heaps "
                "of it."
            ),
            loses="no such move is left for you",
            note="Who wins seems to repeat as heaps grow, but nobody has proved it for every code.",
        ),
        Introduction(
            title="Kayles",
            start="kayles:[7]",
            rules="Knock down one pin, or two pins that stand next to each other.",
            loses="no pin is left for you",
            note="Leave two equal halves, then copy your opponent.",
        ),
        Introduction(
            title="Dawson’s Kayles",
            start="dawson:[8]",
            rules="Knock down two pins that stand next to each other.",
            loses="no two pins stand next to each other",
            note="Who wins repeats after every 34 pins, except for a few short rows.",
        ),
        Introduction(
            title="Dawson’s Chess",
            start="dawsonchess:[9]",
            rules="Mark a free cell of the strip. From then on it and its neighbours are closed.",
            loses="every cell is closed",
            note="T. R. Dawson invented it with pawns that must take each other.",
        ),
        Introduction(
            title="Treblecross",
            start="treblecross:[9]",
            rules=(
                "Put a cross on a free cell of a strip that is two cells shorter than the"
                " heap. Three crosses in a row win, so nobody plays within two cells of a"
                " cross."
            ),
            loses="every cell is within two cells of a cross",
            note="It is noughts and crosses on one line, with crosses only.",
        ),
        Introduction(
            title="Guiles",
            start="guiles:[8]",
            rules=(
                "Take a heap of one or two tokens, or take two tokens from a heap and "
                "leave two heaps of the rest."
            ),
            loses="you can do neither",
            note="Who wins repeats with the size of the heap.",
        ),
        Introduction(
            title="Officers",
            start="officers:[6]",
            rules=(
                "Take one token from a heap and leave the rest as one heap or two. The "
                "last token of a heap may not be taken."
            ),
            loses="every heap has one token",
            note="Nobody knows whether the winners repeat as the heap grows.",
        ),
        Introduction(
            title="Grundy’s game",
            start="grundy:[8]",
            rules="Split a heap into two heaps of different sizes.",
            loses="every heap has one or two tokens",
            note="Nobody knows whether the winners repeat as the heap grows.",
        ),
        Introduction(
            title="Lasker’s Nim",
            start="lasker:[3,4]",
            rules="Take as many tokens as you like from one heap, or split a heap into two.",
            loses="no token is left for you",
            note="Emanuel Lasker, world champion of chess, invented it.",
        ),
    )
    form = "octal{code=0.77}:[5,7]"
    typed_moves = (
        *UnorderedHeaps.typed_moves,
        ("2 3 1+4", "take 3 tokens from heap 2 and leave heaps of 1 and 4; 0 to split it only"),
    )
    options: ClassVar[OptionReaders] = {"code": _read_code}

    def canonical_options(self, options: Options) -> Options:
        """Check that the code is given."""
        if "code" not in dict(options):
            raise NotationError("give the code of the octal game, e.g. octal{code=0.77}:[5,7]")
        return super().canonical_options(options)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read heaps in brackets, a row of pins, or a strip of Treblecross."""
        if not body.strip().startswith("["):
            drawn, passes = split_passes(body.strip())
            heaps = read_drawing(drawn.strip(), code_of(options))
            if heaps is not None:
                return self.position(options.with_passes(passes), heaps)
        return super().parse_body(body, options)

    def tokens_of(self, game: GameSpec) -> Iterable[int]:
        """Return the smallest numbers of tokens that the code allows to take."""
        code = code_of(game)
        return islice((taken for taken, digit in enumerate(code.digits) if digit), MAX_TAKEN)

    def left_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """Yield the heaps that a move leaves of a heap."""
        return octal.splits_of(code_of(game), heap)

    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """Return whether a move may leave these heaps of a heap."""
        return octal.may_leave(code_of(game), heap, left)

    def bound(self, heaps: Heaps, game: GameSpec) -> float:
        """Return an upper bound of the number of positions."""
        code = code_of(game)
        least = 1 if game.is_variant else octal.least_heap(code)
        return octal.position_bound(code, heaps, least)


def read_drawing(text: str, code: OctalCode) -> Heaps | None:
    """Return the heaps of a drawing, in order; None for a text that is not a drawing.

    Raises:
        InvalidPositionError: one more cross wins the strip of Treblecross, or it is already won.
    """
    if code.digits == _TREBLECROSS and re.fullmatch(r"[Xx._]+", text):
        return _cells(text.upper().replace("_", "."))
    if re.fullmatch(r"[IiXx._]*[Ii][IiXx._]*", text):
        return tuple(map(len, re.findall("I+", text.upper())))
    return None


def _cells(text: str) -> Heaps:
    if re.search(r"X\.?X", text):
        raise InvalidPositionError(
            f"{text[:64]}: two crosses are next to each other or one cell apart, so that the player"
            " to move makes three in a row; such a strip is not a position of 0.007"
        )
    first, *others = text.split("X")
    if not others:
        return (len(first) + 2,)
    *between, last = others
    return (len(first), *(len(cells) - 2 for cells in between), len(last))


def code_of(game: GameSpec) -> OctalCode:
    """Return the code of an octal game."""
    return _code(game.option("code") or "")


@lru_cache(maxsize=256)
def _code(text: str) -> OctalCode:
    return octal.parse_code(text)


RULES: Final = Octal()
