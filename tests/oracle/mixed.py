"""Positions of all families, drawn at random: small ones, and some beyond every table."""

import random
from collections.abc import Callable

Draw = Callable[[random.Random], str]


def position(rng: random.Random) -> str:
    """The text of a position of some family."""
    return rng.choice(DRAWS)(rng)


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
    _heaps("wythoff", range(2, 3), 600),
    _heaps("wythoff{misere}", range(2, 3), 200),
    _heaps("wythoff{rule=both}", range(3, 4), 40),
    _heaps("nim{max=3}", range(1, 5), 30),
    _heaps("nim{take=1+3+4,misere}", range(1, 4), 30),
    _heaps("octal{code=0.77}", range(1, 4), 600),
    _heaps("octal{code=0.007}", range(1, 3), 9_000),
    _heaps("octal{code=0.137,misere}", range(1, 3), 12),
    _heaps_with_passes("nim{heappass}", 20),
    _heaps_with_passes("octal{code=0.77,heappass}", 40),
    _divisors,
    _divisors,
    _toads,
    _transfinite,
    _sum,
)
