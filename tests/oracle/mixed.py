"""Random questions about positions of all families; most are small."""

import random
from collections.abc import Callable
from typing import Any

from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import PositionOracleError

Draw = Callable[[random.Random], str]
Question = tuple[str, tuple[Any, ...]]
"""The name of a method of `Answerer`, and its arguments."""

MODELS = ("random", "perfect-vs-random", "random-vs-perfect", "perfect-vs-sloppy(0.1)")
SINGLE = (
    "outcome",
    "winning_moves",
    "analyze",
    "best_line",
    "best_move",
    "win_probability",
    "turns",
)


def position(rng: random.Random) -> str:
    """Return the text of a position of some family."""
    return rng.choice(DRAWS)(rng)


CHEAP_SECONDS = 0.02


def question(rng: random.Random, planner: Oracle) -> Question:
    """Return a cheap question: most are about one position."""
    while True:
        asked = rng.choices((about, _about_rows, _about_three_rows), (16, 3, 1))[0](rng)
        if is_cheap(asked, planner):
            return asked


def is_cheap(asked: Question, planner: Oracle) -> bool:
    """Return whether a question costs little by its plan, or is refused.

    A move is chosen after an analysis, so its cost is that of the analysis.
    """
    name, arguments = asked
    if name.startswith("estimate"):
        return True
    name = "analyze" if name == "best_move" else name
    try:
        return planner.plan(name, *arguments).cost.seconds <= CHEAP_SECONDS
    except PositionOracleError:
        return True


def about(rng: random.Random, text: str | None = None) -> Question:
    """Return a question about one position, of a given family or of any."""
    name = rng.choice(SINGLE)
    text = text or position(rng)
    return name, (text, rng.choice(MODELS)) if name == "win_probability" else (text,)


ROWS = (
    ("chomp3", 3, 40),
    ("chomp3{passes=1}", 3, 12),
    ("chomp3{declared=[1,1,0]}", 3, 20),
    ("nim", 4, 90),
    ("nim{passes=1}", 3, 20),
    ("wythoff", 2, 60),
    ("wythoff{rule=pairs}", 3, 12),
    ("nim{take=1+3+4}", 2, 90),
    ("octal{code=0.77}", 2, 90),
    ("euclid", 2, 90),
    ("fibonacci", 1, 90),
)
"""Games of batches, with the number and the largest of the coordinates of a row."""


def _about_rows(rng: random.Random) -> Question:
    game, width, most = rng.choice(ROWS)
    rows = tuple(tuple(_numbers(rng, width, most)) for _ in range(rng.randrange(1, 9)))
    name = rng.choice(("outcomes", "winning_move_batch", "win_probabilities"))
    return name, (game, rows, rng.choice(MODELS)) if name == "win_probabilities" else (game, rows)


def _about_three_rows(rng: random.Random) -> Question:
    game, x = rng.choice(("chomp3", "chomp3{passes=1}")), rng.randrange(300)
    questions: tuple[Question, ...] = (
        ("instant_winners", (game, x, 9, 9)),
        ("losers", (game, x, 20)),
        ("estimate_column", (10**6 + x, rng.randrange(10**5))),
        ("estimate_opening", (10**6 + x,)),
        ("geometry", ("chomp3",)),
    )
    return rng.choice(questions)


def _numbers(rng: random.Random, count: int, most: int) -> list[int]:
    return [rng.randrange(most + 1) for _ in range(count)]


def _passes(rng: random.Random) -> str:
    return rng.choice(["", "", ";1", ";2", ";3"])


def _heaps(prefix: str, counts: range, most: int, *, passes: bool = True) -> Draw:
    def draw(rng: random.Random) -> str:
        heaps = ",".join(map(str, _numbers(rng, rng.choice(counts), rng.choice([4, most]))))
        return f"{prefix}:[{heaps}{_passes(rng) if passes else ''}]"

    return draw


def _heaps_with_passes(prefix: str, most: int) -> Draw:
    def draw(rng: random.Random) -> str:
        heaps = _numbers(rng, rng.randrange(1, 4), most)
        return f"{prefix}:[{','.join(f'{heap}' + 'p' * rng.randrange(2) for heap in heaps)}]"

    return draw


def _board(prefix: str) -> Draw:
    def draw(rng: random.Random) -> str:
        rows = sorted(_numbers(rng, rng.randrange(1, 6), rng.choice([3, 7])), reverse=True)
        body = "/".join(str(row + 1) for row in rows)
        return f"{prefix}:{body}{_passes(rng) if 'misere' not in prefix else ''}"

    return draw


def _divisors(rng: random.Random) -> str:
    number = rng.choice([12, 36, 60, 72, 30, 180, 420, 900])
    return f"divisors:{number}{_passes(rng)}"


def _toads(rng: random.Random) -> str:
    return "toads:" + "".join(rng.choice("TF.") for _ in range(rng.randrange(2, 9)))


def _transfinite(rng: random.Random) -> str:
    if rng.random() < 0.5:
        boxes = (f"{rng.randrange(1, 4)}x{rng.randrange(1, 4)}" for _ in range(2))
        return f"transfinite:{' + '.join(boxes)}"
    side, front, corner = rng.randrange(1500), rng.randrange(50), rng.randrange(300)
    block = f"[w*2+{side} w*2+{front}; w*6+{rng.randrange(9)} w*2+{corner}]"
    return "transfinite:" + rng.choice(["1x(w*3) + 2x(w*2+1)", "w*2x2", "3x(w+1)", block])


def _graph(rng: random.Random) -> str:
    shape = rng.choice(["path({})", "cycle({})", "grid(2x{})"]).format(rng.randrange(3, 8))
    return f"nodekayles:{shape}{_passes(rng)}"


def _solid(rng: random.Random) -> str:
    sides = "x".join(str(rng.randrange(1, 4)) for _ in range(3))
    return f"chomp:{sides}{_passes(rng)}"


def _sum(rng: random.Random) -> str:
    part = [
        _heaps("nim", range(1, 4), 9),
        _heaps("octal{code=0.77}", range(1, 3), 30),
        _board("chomp"),
        _heaps("wythoff", range(2, 3), 9),
        _toads,
    ]
    return " + ".join(rng.choice(part)(rng) for _ in range(2))


DRAWS: tuple[Draw, ...] = (
    lambda rng: f"chomp3:[{','.join(map(str, _numbers(rng, 3, 12)))}{_passes(rng)}]",
    lambda rng: f"chomp3:[{','.join(map(str, _numbers(rng, 3, 300)))}{_passes(rng)}]",
    lambda rng: f"chomp3{{declared=[1,1,0]}}:[{','.join(map(str, _numbers(rng, 3, 9)))}]",
    _board("chomp"),
    _board("chomp"),
    _board("chomp{misere}"),
    _heaps("nim", range(1, 8), 20),
    _heaps("nim{misere}", range(1, 6), 20),
    _heaps("nim{declared=[1,2,3]}", range(3, 4), 20),
    _heaps("wythoff", range(2, 3), 300),
    _heaps("wythoff{misere}", range(2, 3), 90),
    _heaps("wythoff{rule=both}", range(3, 4), 40),
    _heaps("nim{max=3}", range(1, 5), 30),
    _heaps("nim{take=1+3+4,misere}", range(1, 4), 30),
    _heaps("octal{code=0.77}", range(1, 4), 600),
    _heaps("octal{code=0.007}", range(1, 3), 9_000),
    _heaps("octal{code=0.137,misere}", range(1, 3), 12),
    _heaps_with_passes("nim{heappass}", 20),
    _heaps_with_passes("octal{code=0.77,heappass}", 14),
    _divisors,
    _divisors,
    _toads,
    _transfinite,
    _sum,
    lambda rng: f"misere{{{_sum(rng)}}}",
    _heaps("chomp3{misere}", range(3, 4), 12),
    lambda rng: f"{_sum(rng)} + nim{{declared=[1,2]}}:[{','.join(map(str, _numbers(rng, 2, 9)))}]",
    _heaps("chomp3{noise=normal(8),seed=7}", range(3, 4), 12),
    _heaps("partition", range(1, 3), 12),
    _heaps("euclid", range(2, 3), 60),
    _heaps("moore{k=2}", range(3, 5), 9),
    _heaps("fibonacci", range(1, 2), 90),
    _heaps("staircase", range(1, 5), 9),
    _heaps("wythoff{a=2}", range(2, 3), 30),
    _graph,
    _solid,
)
