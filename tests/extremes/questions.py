"""Questions at the ends of their ranges: every family and question, single ones and batches."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.schema.errors import PositionOracleError

Random = random.Random
Draw = Callable[[Random], str]
Question = tuple[str, tuple[Any, ...]]
"""The name of a question, as `Oracle.plan` takes it, and its arguments."""

INT32: Final = 2**31 - 1
LARGEST: Final = 2**63 - 1
SMALL: Final = (0, 1, 3, 9, 30, 64, 200, 700, 5_000, 65_535, 524_287)
SIZES: Final = (*SMALL, 10**7, INT32, 2**40, LARGEST)
COUNTS: Final = (1, 2, 3, 4, 6, 17, 64)
PASSES: Final = ("", "", ";1", ";2", ";63", ";64")
MODELS: Final = ("random", "perfect-vs-random", "random-vs-perfect", "sloppy(1/999983)-vs-perfect")
SINGLE: Final = ("outcome", "winning_moves", "best_move", "analyze", "best_line", "turns")
ROWS: Final = (1, 30, 2_000, 100_000)
MAX_NUMBERS: Final = 1 << 20
"""Maximum number of coordinates of a batch: 4 MiB, the size of a message."""

PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
ORDINALS: Final = (
    *("1", "2", "7", "60", "999999999"),
    *("w", "w+5", "w*2+999999999", "w*1999", "w^2", "w^w", "w^99999*3+w"),
)
SHEETS: Final = (
    *("chomp3", "chomp3{passes=1}", "chomp3{noise=normal(8),seed=7}"),
    *("nim{heaps=3}", "nim{heaps=3,passes=1}", "wythoff{rule=both}"),
)
ALONE: Final = ("misere", "declared", "noise", "(w", "[w")
"""Texts that a component of a sum may not have."""

CODES: Final = (
    *("0.77", "0.007", "0.7777777777777777", "0.143", "0.56", "4!.0", "4.[3]", "0.3F", "0.1F1F"),
    *("0.[7]", "0." + "7" * 1024),
)


def questions(count: int, seed: int = 1) -> Iterator[Question]:
    """Return random questions: most about one position, some about rows, windows or estimates."""
    rng = Random(seed)
    while count:
        kinds = (_about_position, _about_rows, _about_sheets, _about_many)
        about = rng.choices(kinds, (10, 4, 1, 1))[0]
        try:
            asked = about(rng)
        except PositionOracleError:  # some random texts are no positions
            continue
        count -= 1
        yield asked


def position(rng: Random) -> Position:
    """A position of any family, with numbers at the ends of their ranges or far apart."""
    return parse(rng.choice(DRAWS)(rng))


def _about_position(rng: Random) -> Question:
    asked = position(rng)
    name = rng.choice((*SINGLE, "win_probability", "win_probability"))
    if name == "best_line":
        return name, (asked, rng.choice((1, 100, 10_000)))
    return name, (asked, rng.choice(MODELS)) if name == "win_probability" else (asked,)


def _about_rows(rng: Random) -> Question:
    """Return rows that resemble one position: equal, slightly smaller, or far smaller."""
    asked, count = position(rng), rng.choice(ROWS)
    numbers = np.array([asked.coordinates], np.int64)
    count = min(count, 1 + MAX_NUMBERS // max(numbers.size, 1))
    share = np.random.default_rng(rng.randrange(2**32)).random((count, 1))
    kind = rng.randrange(3)
    rows = np.repeat(numbers, count, axis=0) if kind else (numbers * share).astype(np.int64)
    if kind == 1:
        rows -= np.arange(count)[:, None] % 50
    rows = rows.clip(0, INT32)
    name = rng.choice(("outcomes", "winning_move_batch", "win_probabilities", "values"))
    game = asked.game
    return name, (game, rows, rng.choice(MODELS)) if name == "win_probabilities" else (game, rows)


def _about_sheets(rng: Random) -> Question:
    game = rng.choice(SHEETS)
    x, y, z, first = (rng.choice(SMALL) for _ in range(4))
    asked: tuple[Question, ...] = (
        ("instant_winners", (game, x, y, z, first, first)),
        ("losers", (game, x, y, first)),
        ("geometry", (game,)),
        ("estimate_column", (x, y, 10_000)),
        ("estimate_opening", (x, 10_000)),
    )
    return rng.choice(asked)


def _about_many(rng: Random) -> Question:
    """Return a question about positions of many games, a series of heaps, or a large graph."""
    kind, count = rng.randrange(3), rng.choice((1, 30, 1_000))
    if kind == 0:
        return "answers", ([position(rng) for _ in range(count)],)
    if kind == 1:
        first = rng.choice(SMALL)
        return "series", (position(rng).game, first, first + rng.choice((0, 1_000, 100_000)))
    nodes = rng.choice((2, 300, 30_000))
    ends = np.random.default_rng(rng.randrange(2**32)).integers(0, nodes, (30 * count, 2))
    return "solve_graph", (np.sort(ends, axis=1)[ends[:, 0] != ends[:, 1]], nodes)


def _numbers(rng: Random, count: int, most: int = LARGEST) -> list[int]:
    """Return equal numbers, numbers that differ little, or very different numbers."""
    sizes = [size for size in SIZES if size <= most]
    kind, largest = rng.randrange(4), rng.choice(sizes)
    if kind == 0:
        return [largest] * count
    if kind == 1:
        return [max(largest - each, 0) for each in range(count)]
    return [rng.choice(sizes) if kind == 2 else rng.randrange(largest + 1) for _ in range(count)]


def _heaps(names: Sequence[str], counts: Sequence[int] = COUNTS) -> Draw:
    def draw(rng: Random) -> str:
        heaps = ",".join(map(str, _numbers(rng, rng.choice(counts))))
        return f"{rng.choice(names)}:[{heaps}{rng.choice(PASSES)}]"

    return draw


def _misere(rng: Random, name: str) -> str:
    return name + rng.choice(("", "{misere}"))


def _with_heap_passes(rng: Random) -> str:
    name = rng.choice(("nim{heappass", "octal{code=0.77,heappass", "octal{code=0.356,heappass"))
    heaps = (f"{each}{rng.choice(('p', ''))}" for each in _numbers(rng, rng.choice(COUNTS)))
    return f"{name}{rng.choice(('', ',misere'))}}}:[{','.join(heaps)}]"


def _subtraction(rng: Random) -> str:
    count, most = rng.choice((1, 2, 5, 64)), rng.choice(SIZES[3:-1])
    numbers = "+".join(map(str, sorted({1 + rng.randrange(most) for _ in range(count)})))
    ranges = f"take=1-{most}+{2 * most + 3}"
    option = rng.choice((f"max={most}", f"take={numbers}", f"allbut={numbers}", ranges))
    return _heaps((f"nim{{{option}{rng.choice(('', ',misere'))}}}",))(rng)


def _octal(rng: Random) -> str:
    digits = "".join(rng.choice("01234567") for _ in range(rng.choice((1, 2, 4, 30, 1000))))
    code = rng.choice((*CODES, f"0.{digits}", f"4.{digits}"))
    return _heaps((f"octal{{code={code}{rng.choice(('', ',misere'))}}}",))(rng)


def _board(rng: Random) -> str:
    count = rng.choice((1, 2, 3, 4, 5, 8, 13, 60, 400, 1500))
    rows = sorted((max(each, 1) for each in _numbers(rng, count)), reverse=True)
    if rng.random() < 0.5:
        rows = sorted((1 + rng.randrange(rng.choice((3, 9, 20))) for _ in rows), reverse=True)
    return f"{_misere(rng, 'chomp')}:{'/'.join(map(str, rows))}{rng.choice(PASSES)}"


def _solid(rng: Random) -> str:
    dimensions, sides = rng.choice((3, 3, 4, 8)), (1, 2, 3, 4, 5, 8, 30, 1000)
    boxes = (
        "x".join(str(rng.choice(sides)) for _ in range(dimensions))
        for _ in range(rng.choice((1, 2, 9)))
    )
    return f"{_misere(rng, 'chomp')}:{'+'.join(boxes)}{rng.choice(PASSES)}"


def _divisors(rng: Random) -> str:
    count, most = rng.choice((1, 2, 3, 4, 8, 15)), rng.choice((1, 2, 4, 9, 60, 9_999))
    primes = PRIMES[:count]
    numbers = (
        "*".join(f"{prime}^{1 + rng.randrange(most)}" for prime in primes)
        for _ in range(rng.choice((1, 1, 2, 30)))
    )
    return f"{_misere(rng, 'divisors')}:{','.join(numbers)}{rng.choice(PASSES)}"


def _toads(rng: Random) -> str:
    length = rng.choice((3, 8, 12, 16, 24, 40, 64))
    side = length // 3
    strip = "T" * side + "." * (length - 2 * side) + "F" * side
    if rng.random() < 0.5:
        strip = "".join(rng.choice("TF..") for _ in range(length))
    return f"{_misere(rng, 'toads')}:{strip}{rng.choice(PASSES)}"


def _graph(rng: Random) -> str:
    size, side = rng.choice((3, 8, 12, 16, 25, 60, 256)), rng.choice((2, 3, 4, 6, 16))
    shape = rng.choice(
        (f"path({size})", f"cycle({size})", f"grid({side}x{side})", f"star({size - 1})")
    )
    if rng.random() < 0.3:
        pairs = (rng.sample(range(size), 2) for _ in range(size))
        shape = ",".join(f"{one}-{other}" for one, other in pairs)
    return f"{_misere(rng, 'nodekayles')}:{shape}{rng.choice(PASSES)}"


def _transfinite(rng: Random) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        steps = rng.choice((3, 8, 20, 60))
        boxes = [f"{each + 1}x{steps - each}" for each in range(steps)]
        return f"transfinite:{' + '.join(boxes)}{rng.choice(PASSES[:3])}"
    if kind == 1:
        z, u, y, v = (ORDINALS[5 + each] for each in sorted(rng.randrange(7) for _ in range(4)))
        return f"transfinite:[{u} {z}; {v} {y}]"
    dimension = rng.choice((2, 2, 3, 4))
    sides = ORDINALS[:4] if rng.random() < 0.4 else ORDINALS
    boxes = [
        "x".join(f"({rng.choice(sides)})" for _ in range(dimension))
        for _ in range(rng.choice((1, 2, 3, 12)))
    ]
    return f"transfinite:{' + '.join(boxes)}"


def _sum(rng: Random) -> str:
    text = ""
    for _ in range(rng.choice((2, 2, 3, 8, 64))):
        part = rng.choice(DRAWS[:-1])(rng)
        longer = f"{text} + {part}" if text else part
        if len(longer) < 4_000 and not any(word in part for word in ALONE):
            text = longer
    return f"misere{{{text}}}" if rng.random() < 0.3 else text


def _declared(rng: Random) -> str:
    names = ("chomp3", "nim", "endnim", "staircase", "circular{k=2")
    others = ("wythoff", "octal{code=0.77", "nim{max=3", "euclid")
    name, count = rng.choice([*((each, 3) for each in names), *((each, 2) for each in others)])
    listed = "+".join(
        str(_numbers(rng, count, 10**7)).replace(" ", "") for _ in range(rng.choice((1, 2, 40)))
    )
    game = f"{name}{',' if '{' in name else '{'}declared={listed}}}"
    return _heaps((game,), (count,))(rng)


DRAWS: Final[tuple[Draw, ...]] = (
    _heaps(("chomp3",), (3,)),
    _heaps(("chomp3{noise=normal(8),seed=7}", "nim{noise=geometric(0.5),seed=1}"), (3,)),
    _heaps(("nim", "nim{misere}")),
    _heaps(("wythoff", "wythoff{misere}", "wythoff{a=2}", "wythoff{a=3,b=1000000,misere}"), (2,)),
    _heaps(("wythoff{rule=pairs}", "wythoff{rule=all}", "wythoff{rule=both}"), (3,)),
    _board,
    _board,
    _solid,
    _divisors,
    _octal,
    _octal,
    _subtraction,
    _subtraction,
    _with_heap_passes,
    _toads,
    _heaps(("euclid", "euclid{misere}"), (2,)),
    _heaps(("fibonacci", "fibonacci{misere}"), (1, 2)),
    _heaps(("partition", "partition{parts=3}", "partition{parts=64}", "partition{misere}")),
    _heaps(("moore{k=1}", "moore{k=2}", "moore{k=3,misere}", "moore{k=2,misere}")),
    _heaps(("staircase", "staircase{misere}", "endnim", "endnim{misere}")),
    _heaps(("circular{k=1}", "circular{k=2}", "circular{k=3,misere}"), (1, 3, 5, 12)),
    _graph,
    _transfinite,
    _transfinite,
    _declared,
    _sum,
)
"""Functions that draw a position, one for each family, some twice, and last for sums."""
