"""Octal games with one pass for each heap: `octal{code=0.77,heappass}:[5p,7]`.

If a move splits a heap that has its pass, the mover chooses the part that keeps the pass; see
`engine.theory.octal_pass`.
"""

from typing import ClassVar, Final

from position_oracle.engine.games import octal
from position_oracle.engine.games.heap_pass import OPTION, HeapPassRules, read_word
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.octal import OctalCode
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

    def code(self, game: GameSpec) -> OctalCode:
        """Return the code that the option gives."""
        return octal.code_of(game)


RULES: Final = OctalHeapPass()
