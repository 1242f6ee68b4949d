"""Octal games with one pass for each heap: `octal{code=0.77,heappass}:[5p,7]`.

If a move splits a heap that has its pass, the mover chooses the part that keeps the pass; see
`engine.theory.octal_pass`.
"""

from collections.abc import Iterator
from typing import ClassVar, Final

from position_oracle.engine.games import octal
from position_oracle.engine.games.heap_pass import OPTION, HeapPassRules, read_word
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import octal_pass
from position_oracle.engine.theory.heap_pass import PassHeaps
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.schema.games import Introduction


class OctalHeapPass(HeapPassRules):
    """Rules of octal games with a pass for each heap."""

    family = "octal_heap_pass"
    name = "octal"
    introductions = (
        Introduction(
            title="Take and break with a pass for each heap",
            start="octal{code=0.77,heappass}:[3p,4]",
            rules=(
                "Move as in the game with the code {code}, or use up the pass of a heap "
                "that still has one."
            ),
            loses="you can do neither",
            note="In Kayles, code 0.77, a move takes one or two neighbouring pins.",
        ),
    )
    typed_moves = (
        *HeapPassRules.typed_moves,
        ("2 3 1p+4", "take 3 tokens from heap 2 and leave heaps of 1, which keeps the pass, and 4"),
    )
    form = "octal{code=0.77,heappass}:[5p,7]"
    options: ClassVar[OptionReaders] = {**octal.RULES.options, OPTION: read_word}

    def parts_of(self, size: int, game: GameSpec) -> Iterator[Heaps]:
        """Yield the heaps that a move leaves of a heap."""
        return octal.RULES.left_of(size, game)

    def may_part(self, size: int, parts: Heaps, game: GameSpec) -> bool:
        """Return whether a move may leave these heaps of a heap."""
        return octal.RULES.may_leave(size, parts, game)

    def bound(self, heaps: PassHeaps, game: GameSpec) -> float:
        """Return an upper bound of the number of positions."""
        return octal_pass.position_bound(octal.code_of(game), heaps, octal.least_counted(game))


RULES: Final = OctalHeapPass()
