"""Nim with one pass for each heap: `nim{heappass}:[3p,5]`, p for a heap that has its pass."""

from typing import ClassVar, Final

from position_oracle.engine.games.heap_pass import OPTION, HeapPassRules, read_word
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.octal import OctalCode, parse_code
from position_oracle.schema.games import Introduction

NIM: Final = parse_code("0.[3]")


class NimHeapPass(HeapPassRules):
    """Rules of Nim with a pass for each heap."""

    family = "nim_heap_pass"
    name = "nim"
    introductions = (
        Introduction(
            title="Nim with a pass for each heap",
            start="nim{heappass}:[3p,5]",
            rules=(
                "Take as many tokens as you like from one heap, or use up the pass of a "
                "heap that still has one."
            ),
            loses="you can do neither",
            note="A heap with a pass is worth one token more or less.",
        ),
    )
    form = "nim{heappass}:[3p,5]"
    options: ClassVar[OptionReaders] = {OPTION: read_word}

    def code(self, game: GameSpec) -> OctalCode:
        """Return the code of Nim."""
        return NIM


RULES: Final = NimHeapPass()
