"""Write docs/questions.md: the questions about each family, and the sources that answer.

python scripts/list_questions.py            writes the page
python scripts/list_questions.py --check    says whether the page is that of today's code

Every cell is what an oracle without stored tables answers about an example.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

import numpy as np

from position_oracle import (
    Certainty,
    Oracle,
    Outcome,
    Position,
    PositionOracleError,
    Turns,
    WinProbability,
)
from position_oracle.engine.games.moves import is_endless
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import FAMILIES
from position_oracle.oracle.families.sources import names_all_wins

PAGE: Final = Path(__file__).parents[1] / "docs/questions.md"

EXAMPLES: Final = (
    ("chomp3:[4,3,2]", "chomp3:[100000,3,2]", "chomp3:[2,1,1;1]", "chomp3{misere}:[4,3,2]"),
    ("nim:[3,5,7]", "nim:[3,5,1000000000]", "nim:[3,5,7;1]", "nim{misere}:[3,5,7]"),
    (
        "wythoff:[3,4]",
        "wythoff:[3,1000000000]",
        "wythoff{rule=both}:[3,4,5]",
        "wythoff{misere}:[3,4]",
    ),
    ("chomp:4/3/3/1", "chomp:90/80/70/60/50", "chomp:4/3/3/1;1", "chomp{misere}:4/3/3/1"),
    ("divisors:72", "divisors:9699690", "divisors:72;1", "divisors{misere}:72"),
    ("transfinite:2x2x2", "transfinite:3xw", "transfinite:wxwxw", "transfinite:2x2x2;1"),
    (
        "toads:TT.FF + nim:[3]",
        "nim:[1000000000] + nim:[5]",
        "nim:[1000000000;1] + toads:TT.FF",
        "misere{toads:TT.FF + divisors:12}",
        "misere{wythoff:[3,1000000000] + nim:[5]}",
    ),
    ("octal{code=0.77}:[5,7]", "octal{code=0.77}:[1000000000]", "octal{code=0.77,misere}:[5,7]"),
    ("octal{code=0.77,heappass}:[5p,7]", "octal{code=0.77,heappass}:[1000000000p]"),
    ("nim{max=3}:[10]", "nim{max=3}:[1000000001]", "nim{max=3,misere}:[10]"),
    ("nim{heappass}:[3p,5]", "nim{heappass}:[3p,1000000000]"),
    ("toads:TTT.FFF", "toads:TTTTTTTTTTTT......FFFFFFFFFFFF", "toads{misere}:TTT.FFF"),
    ("euclid:[5,13]", "euclid:[5,1000000000]", "euclid{misere}:[5,13]"),
    ("partition{parts=3}:[9]", "partition{parts=3}:[1000000000]"),
    ("moore{k=2}:[3,4,5]", "moore{k=2}:[3,5,1000000000]", "moore{k=2,misere}:[3,4,5]"),
    ("fibonacci:[20]", "fibonacci:[1000000000]", "fibonacci{misere}:[20]"),
    ("staircase:[1,2,3]", "staircase:[1,2,1000000000]", "staircase{misere}:[1,2,3]"),
    ("wythoff{a=2}:[4,6]", "wythoff{a=2}:[4,1000000000]", "wythoff{a=2,misere}:[4,6]"),
    ("nodekayles:cycle(8)", "nodekayles:path(60)", "nodekayles{misere}:cycle(8)"),
    ("chomp:3x3x2", "chomp:9x9x9", "chomp{misere}:3x3x2"),
    ("endnim:[3,1,2]", "endnim:[90,80,70,60]", "endnim{misere}:[3,1,2]"),
    ("circular{k=2}:[3,4,5,4]", "circular{k=2}:[90,80,70,60,50]", "circular{k=2,misere}:[3,4,5]"),
)
"""For each family: a small position, large positions, then other kinds of play."""

VARIANTS: Final = (
    "nim{declared=[1,2,3]}:[3,4,5]",
    "chomp3{declared=[1,0,2]}:[2,1,1]",
    "chomp{misere,declared=[2,1]}:3/3/2;1",
    "wythoff{declared=[1,2]}:[4,6]",
    "octal{code=0.77,declared=[1,3]}:[7]",
    "toads{declared=[1,0,1,2,2]}:TT.FF",
    "transfinite{declared=[2,1,2]}:2x3",
    "nim{declared=[1]}:[3] + chomp:2/1",
)
"""Positions of games with declared N-positions."""

MODELS: Final = ("random", "perfect-vs-random", "random-vs-perfect")

COLUMNS: Final = (
    "outcome",
    "winning moves",
    "Grundy value",
    "plies",
    "best line",
    *(f"`{model}`" for model in MODELS),
    "turns",
    "batch",
    "sheets",
)

WORDS: Final = {
    Certainty.THEOREM: "theorem",
    Certainty.EXACT_TABLE: "table",
    Certainty.EXACT_SEARCH: "search",
    Certainty.ESTIMATE: "estimate",
}

TOO_LARGE: Final = "a"
INFINITE: Final = "b"
MISERE: Final = "c"
DECLARED: Final = "d"
NOT_ALL: Final = "e"
ORDINALS: Final = "f"
NO_ROWS: Final = "g"
NO_SHEETS: Final = "i"
TOO_LONG: Final = "h"

REASONS: Final = {
    TOO_LARGE: "No theorem reaches the position, no table is stored, and it is too large for a"
    " search. A search goes to 300,000 positions and 2,500,000 moves; a stored table may go"
    " further.",
    INFINITE: "The position is infinite, and no theorem tells.",
    MISERE: "Grundy values are those of normal play.",
    DECLARED: "A declared position ends the game by a rule of its own, so Grundy values do not"
    " exist.",
    NOT_ALL: "Some winning moves are named, or none. Others may win, too.",
    ORDINALS: "Batches are of numbers, and the sides of this position are ordinals.",
    NO_ROWS: "Sums have no coordinates. Ask about one sum at a time.",
    TOO_LONG: "It is too large for a search, and no simulation estimates it: games at random are"
    " too long, or positions have more than 20,000 moves, all of which would be listed.",
    NO_SHEETS: "Sheets are those of three-row Chomp, of Nim with three heaps, and of Wythoff's game"
    " with three heaps in normal play with an even number of passes.",
}

HEADER: Final = """\
# Which questions are answered

For anyone who wants to know whether a question is answered. There is one row for each example of a
family and one column for each question. A cell names the basis of the answer without stored tables:
a theorem, a search of all positions that play can reach, or an estimate. A letter means that there
is no answer; [the reasons](#where-there-is-no-answer) are at the end. Stored tables
([tables.md](tables.md)) answer more. `python scripts/list_questions.py` asks all questions and
writes this page; a test compares it with the code.

* *Plies*: the remoteness, see [grundy.md](grundy.md#remoteness).
* [random-play.md](random-play.md#how-to-ask) defines the models of chance. If a random opponent is
  answered, a sloppy one is, too.
* *Turns*: the expected number of turns if both players move at random.
* *Batch*: the outcomes of many positions at once, here with the numbers of this one.
* *Sheets*: the P-positions and the instant winners with one x, as arrays.
"""


NEXT: Final = (
    "Next: [notation.md](notation.md) explains the texts of positions, [tables.md](tables.md) the"
    " tables that answer more."
)


def page() -> str:
    """Return the page, made by asking about every example."""
    lines = [HEADER]
    oracle = Oracle()
    used: set[str] = set()
    head = f"| position | {' | '.join(COLUMNS)} |"
    rule = "|---" * (len(COLUMNS) + 1) + "|"
    for title, examples in (
        *zip(FAMILIES, EXAMPLES, strict=True),
        ("Declared positions", VARIANTS),
    ):
        shown = f"`{title}`" if title in FAMILIES else title
        lines += [f"## {shown}", "", head, rule]
        for text in examples:
            cells = row(oracle, parse(text))
            used.update(cell for cell in cells if cell in REASONS)
            lines.append(f"| `{text}` | {' | '.join(cells)} |")
        lines.append("")
    lines += ["## Where there is no answer", "", "| | why |", "|---|---|"]
    lines += [f"| {letter} | {why} |" for letter, why in REASONS.items() if letter in used]
    return "\n".join([*lines, "", NEXT]) + "\n"


def row(oracle: Oracle, position: Position) -> list[str]:
    """Return the sources that answer each question about a position, in the order of `COLUMNS`."""
    open_ = INFINITE if is_endless(position) else TOO_LARGE
    line = oracle.best_line(position, plies=200)
    chances = [oracle.win_probability(position, model) for model in MODELS]
    return [
        WORDS.get(oracle.outcome(position).certainty, open_),
        _winning_moves(oracle, position, open_),
        _grundy(oracle, position, open_),
        open_ if line.remoteness is None else "search",
        "yes" if line.complete else open_,
        *(_chance(chance, open_) for chance in chances),
        _chance(oracle.turns(position), open_),
        _batch(oracle, position),
        _sheets(oracle, position),
    ]


def _winning_moves(oracle: Oracle, position: Position, open_: str) -> str:
    answer = oracle.winning_moves(position)
    if not answer.outcome:
        return open_
    named = answer.winning_moves
    all_named = named is not None and names_all_wins(answer)
    if named is not None and not all_named and not is_endless(position):
        all_named = len(named) == _wins(oracle, position)
    return WORDS[answer.certainty] if all_named else NOT_ALL


def _wins(oracle: Oracle, position: Position) -> int | None:
    """Return the number of winning moves that an analysis of all moves knows."""
    analysis = oracle.analyze(position)
    outcomes = [move.outcome for move in analysis.moves or ()]
    known = analysis.complete and Outcome.UNKNOWN not in outcomes
    return outcomes.count(Outcome.P) if known else None


def _grundy(oracle: Oracle, position: Position, open_: str) -> str:
    facts = oracle.winning_moves(position).transfinite
    table = oracle.prober(position.game).values(position)
    if table.grundy is not None and table.at(position).grundy is not None:
        return WORDS[table.grundy.certainty]
    if facts is not None and facts.grundy is not None:
        return WORDS[Certainty.THEOREM]
    if position.game.misere:
        return MISERE
    return DECLARED if position.game.is_variant else open_


def _chance(found: WinProbability[Position] | Turns[Position], open_: str) -> str:
    is_long = open_ == TOO_LARGE and "not estimated" in found.reason
    return WORDS.get(found.certainty, TOO_LONG if is_long else open_)


def _batch(oracle: Oracle, position: Position) -> str:
    if not position.coordinates:
        return NO_ROWS if position.game.family == "sum" else ORDINALS
    found = oracle.outcomes(position.game, np.array([position.coordinates]))
    return TOO_LARGE if found[0] == Outcome.UNKNOWN else "yes"


def _sheets(oracle: Oracle, position: Position) -> str:
    try:
        oracle.losers(position.game, 1, 4)
        oracle.instant_winners(position.game, 1, 4, 4)
    except PositionOracleError:
        return NO_SHEETS
    return "yes"


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description="write docs/questions.md")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args()
    made = page()
    if not given.check:
        PAGE.write_text(made, "utf-8")
        return 0
    if PAGE.read_text("utf-8") == made:
        return 0
    print(f"{PAGE} is not what the code answers; run python scripts/list_questions.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
