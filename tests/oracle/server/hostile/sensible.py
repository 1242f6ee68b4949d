"""Well-formed requests: every family with every option, near and far, few rows and many.

Most random requests are refused; most of these are admitted, and so show costs that are too low.
Everything follows from the seed.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from google.protobuf.message_factory import GetMessageClass

from position_oracle.schema.proto.position_oracle.v1 import service_pb2

METHODS: Final = {
    method.name: method
    for method in service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods
    if method.name != "ListGames"
}
SINGLE: Final = (
    "GetOutcome", "ListWinningMoves", "AnalyzePosition", "GetWinProbability", "GetTurns",
    "GetBestMove",
)  # fmt: skip
MODELS: Final = (
    "random", "perfect-vs-random", "random-vs-perfect", "perfect-vs-sloppy(0.1)",
    "sloppy(0.5)-vs-perfect", "perfect-vs-sloppy(1/3)",
)  # fmt: skip
SIDES: Final = (
    1, 2, 3, 5, 9, 12, 20, 40, 63, 64, 100, 250, 300, 511, 512, 1000, 4095, 10_001, 10**6,
    2**31 - 1, 2**62,
)  # fmt: skip
_LISTS: Final = ("GetValueSeries", "BatchGetAnswers", "SolveGraph")
PRIMES: Final = (2, 3, 5, 7, 11, 13)


def requests(seed: int) -> Iterator[tuple[str, bytes]]:
    """Methods and messages without end; equal seeds give equal ones."""
    random = Random(seed)
    while True:
        name = random.choice(tuple(METHODS))
        request: Any = GetMessageClass(METHODS[name].input_type)()
        if name in SINGLE:
            request.position.text = position_text(random)
        elif name == "GetBestLine":
            request.position.text = position_text(random)
            request.page_size = random.choice((0, 1, 30, 1_000, 10_000))
        elif name == "GetInstantWinners":
            request.game.text = _in_three(random)
            request.x, request.size_y = _side(random), _side(random)
            request.size_z = _side(random)
        elif name == "GetLosers":
            request.game.text = _in_three(random)
            request.x, request.size_y, request.first_y = (_side(random) for _ in range(3))
        elif name == "GetGeometry":
            request.game.text = _in_three(random)
        elif name == "GetEstimates":
            _fill_estimates(random, request)
        elif name in _LISTS:
            _fill_list(random, name, request)
        else:
            _fill_rows(random, request.positions)
        if name == "BatchGetValues":
            request.kind = random.choice((1, 2))
        if "WinProb" in name:
            request.model = random.choice(MODELS)
        yield name, request.SerializeToString()


def _fill_estimates(random: Random, request: Any) -> None:
    if random.random() < 0.5:
        request.opening = 2 + _side(random)
    else:
        request.column.x, request.column.y = 1 + _side(random), _side(random)
    request.page_size = random.randint(0, 64)
    request.game.text = "chomp3"


def _fill_list(random: Random, name: str, request: Any) -> None:
    match name:
        case "GetValueSeries":
            request.game.text = random.choice(("kayles", "nim{take=1+3+4}", "octal{code=0.3}"))
            request.first, request.size = _side(random), min(_side(random), 10**6)
        case "BatchGetAnswers":
            for _ in range(random.choice((1, 3, 30))):
                request.positions.add().text = position_text(random)
        case "SolveGraph":
            nodes = random.choice((2, 5, 100, 3_000))
            request.move_from.extend(random.randrange(1, nodes) for _ in range(2 * nodes))
            request.move_to.extend(random.randrange(start) for start in request.move_from)


def position_text(random: Random) -> str:
    """The text of a position of any family."""
    return _BODIES[random.choice(tuple(_BODIES))](random)


def _side(random: Random) -> int:
    """Return a number of at most 31 bits."""
    return min(random.randint(0, random.choice(SIDES)), 2**31 - 65)


def _numbers(random: Random, count: int) -> list[int]:
    most = random.choice(SIDES)
    return [random.randint(0, random.choice((most, most, 5))) for _ in range(count)]


def _passes(random: Random) -> int:
    return random.choice((0, 0, 0, 1, 1, 2, 3, 64))


def _variant(random: Random) -> str:
    noise = random.choice(("normal(8)", "normal(2)", "uniform(3)", "geometric(0.3)"))
    declared = "+".join(str(_numbers(random, 3)).replace(" ", "") for _ in range(3))
    return random.choice(
        ("{declared=" + declared + "}", f"{{noise={noise},seed={random.randint(0, 10**6)}}}")
    )


def _in_three(random: Random) -> str:
    """Return the text of a game with three coordinates."""
    kind = random.choice(("chomp3", "chomp3", "nim", "wythoff"))
    if kind == "wythoff":
        return f"wythoff{{rule={random.choice(('all', 'pairs'))}}}"
    if random.random() < 0.3:
        return kind + _variant(random)
    options = [] if kind == "chomp3" else ["heaps=3"]
    if passes := _passes(random):
        options.append(f"passes={passes}")
    return kind + ("{" + ",".join(options) + "}" if options else "")


def _bracketed(random: Random, head: str, numbers: list[int], *, passes: bool = True) -> str:
    left = _passes(random) if passes else 0
    return f"{head}:[{','.join(map(str, numbers))}{f';{left}' if left else ''}]"


def _misere(random: Random, options: str = "") -> str:
    parts = [part for part in (options, random.choice(("", "misere"))) if part]
    return "{" + ",".join(parts) + "}" if parts else ""


def _chomp3(random: Random) -> str:
    head = "chomp3" + random.choice(("", "", _variant(random)))
    return _bracketed(random, head, _numbers(random, 3))


def _nim(random: Random) -> str:
    if random.random() < 0.2:
        return _bracketed(random, "nim" + _variant(random), _numbers(random, 3))
    count = random.choice((1, 2, 3, 3, 4, 5, 6, 64))
    return _bracketed(random, "nim" + _misere(random), _numbers(random, count))


def _wythoff(random: Random) -> str:
    rule = random.choice(("", "rule=all", "rule=pairs"))
    return _bracketed(random, "wythoff" + _misere(random, rule), _numbers(random, 3 if rule else 2))


def _rows(random: Random) -> list[int]:
    count = random.choice((1, 2, 3, 4, 5, 6, 8, 10, 13, 20, 40))
    return sorted((max(number, 1) for number in _numbers(random, count)), reverse=True)


def _chomp(random: Random) -> str:
    left = _passes(random)
    return f"chomp{_misere(random)}:{'/'.join(map(str, _rows(random)))}{f';{left}' if left else ''}"


def _divisors(random: Random) -> str:
    primes = random.sample(PRIMES, random.choice((1, 2, 2, 3, 3, 4, 6)))
    powers = "*".join(f"{prime}^{random.choice((1, 1, 2, 3, 9, 10**6))}" for prime in primes)
    left = _passes(random)
    return f"divisors{_misere(random)}:{powers}{f';{left}' if left else ''}"


def _transfinite(random: Random) -> str:
    def ordinal() -> str:
        return random.choice(
            ("1", "2", "3", "5", "9", "w", "w+1", "(w*2)", "(w*3+2)", "w^2", "w^w")
        )

    boxes = [
        "x".join(ordinal() for _ in range(random.choice((2, 2, 2, 3))))
        for _ in range(random.choice((1, 1, 2, 3)))
    ]
    width = boxes[0].count("x")
    return "transfinite:" + " + ".join(box for box in boxes if box.count("x") == width)


def _octal(random: Random) -> str:
    code = random.choice(("0.77", "0.07", "4.7", "0.137", "0.6", "0.007", "0.165", "0.777"))
    heaps = _numbers(random, random.choice((1, 2, 3, 5, 10)))
    if random.random() < 0.3:
        own = ",".join(f"{heap}{random.choice(('', 'p'))}" for heap in heaps)
        return f"octal{_misere(random, f'code={code},heappass')}:[{own}]"
    return _bracketed(random, "octal" + _misere(random, f"code={code}"), heaps)


def _subtraction(random: Random) -> str:
    rule = random.choice(("max=3", "max=40", "take=1+3+4", "take=2+5+7+100", "take=1+1000"))
    heaps = _numbers(random, random.choice((1, 2, 3, 5)))
    return _bracketed(random, "nim" + _misere(random, rule), heaps)


def _heap_pass(random: Random) -> str:
    heaps = _numbers(random, random.choice((1, 2, 3, 5)))
    own = ",".join(f"{heap}{random.choice(('', 'p'))}" for heap in heaps)
    return f"nim{_misere(random, 'heappass')}:[{own}]"


def _toads(random: Random) -> str:
    strip = "".join(random.choice("TF.") for _ in range(random.choice((3, 6, 9, 12, 16, 40))))
    left = _passes(random)
    return f"toads{_misere(random)}:{strip}{f';{left}' if left else ''}"


def _sum(random: Random) -> str:
    kinds = (_chomp3, _nim, _wythoff, _chomp, _divisors, _octal, _toads, _subtraction)
    parts = [random.choice(kinds)(random) for _ in range(random.choice((2, 2, 3, 8)))]
    return " + ".join(parts)


_BODIES: Final = {
    "chomp3": _chomp3, "nim": _nim, "wythoff": _wythoff, "chomp": _chomp, "divisors": _divisors,
    "transfinite": _transfinite, "octal": _octal, "subtraction": _subtraction,
    "heap_pass": _heap_pass, "toads": _toads, "sum": _sum,
}  # fmt: skip


def _game_of_rows(random: Random) -> tuple[str, int]:
    """Return the text of a game, and the number of coordinates of a row."""
    left = _passes(random)
    passes = f"passes={left}" if left else ""
    match random.choice(("three", "three", "nim", "wythoff", "chomp", "octal", "subtraction")):
        case "nim":
            count = random.choice((1, 2, 3, 4, 5, 6))
            return "nim" + _misere(random, passes), count
        case "wythoff":
            return "wythoff" + _misere(random, passes), 2
        case "chomp":
            return "chomp" + _misere(random, passes), random.choice((3, 4, 5, 6, 10, 20))
        case "octal":
            options = f"code={random.choice(('0.77', '0.07', '4.7', '0.777'))}"
            return "octal" + _misere(random, f"{options},{passes}".strip(",")), 3
        case "subtraction":
            return "nim" + _misere(random, f"take=1+3+4,{passes}".strip(",")), 3
    return _in_three(random), 3


def _fill_rows(random: Random, positions: Any) -> None:
    game, width = _game_of_rows(random)
    positions.game.text, positions.width = game, width
    numbers = []
    for _ in range(random.choice((1, 1, 2, 5, 30, 300, 3000))):
        row = _numbers(random, width)
        numbers += (
            sorted(row, reverse=True) if game.startswith("chomp{") or game == "chomp" else row
        )
    positions.coordinates = b"".join(min(n, 2**31 - 1).to_bytes(4, "little") for n in numbers)
