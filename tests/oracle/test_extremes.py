"""Positions at the ends of their ranges: every question is answered, or refused as ours."""

from contextlib import suppress

import numpy as np
import pytest

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.theory import bounds
from position_oracle.engine.theory.random_play import Model
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import PositionOracleError

MAX = 2**63 - 1
MODELS = ("random", "perfect-vs-random", "sloppy(1/999983)-vs-perfect")
QUICK = Cost(0.1, 1 << 28)


def heaps(count: int, mark: str = "") -> str:
    return ",".join([f"{MAX}{mark}"] * count)


POSITIONS = [
    *(
        f"{game}:[{heaps(count)}{passes}]"
        for game in (
            "nim",
            "nim{misere}",
            "nim{take=1+3}",
            "nim{take=1+3,misere}",
            f"nim{{max={MAX}}}",
            f"nim{{max={MAX},misere}}",
            "octal{code=0.3}",
            "octal{code=0.3,misere}",
            "octal{code=0.77}",
            "octal{code=0.7777777777777777,misere}",
        )
        for count, passes in ((1, ""), (2, ";1"), (17, ""), (17, ";63"), (64, ""), (64, ";64"))
    ),
    *(
        f"{game}:[{heaps(count, mark)}]"
        for game in ("nim{heappass}", "nim{heappass,misere}", "octal{code=0.77,heappass,misere}")
        for count in (1, 17, 64)
        for mark in ("", "p")
    ),
    *(
        f"wythoff{misere}:[{MAX},{MAX - 1}{passes}]"
        for misere in ("", "{misere}")
        for passes in ("", ";1")
    ),
    *(f"wythoff{{rule={rule}}}:[{heaps(3)};64]" for rule in ("pairs", "all", "both")),
    f"chomp3:[{MAX},0,0]",
    f"chomp3:[0,{MAX},0;64]",
    f"chomp3:[{2**62},{2**61},{2**61 - 1};1]",
    f"chomp3{{declared=[1,1,{MAX - 2}]}}:[1,2,{MAX - 3}]",
    f"chomp:{MAX}",
    f"chomp:{MAX}/{MAX};63",
    f"chomp:{MAX}/{MAX}/{MAX}/{MAX}",
    f"chomp:{'/'.join([str(MAX)] * 200)};1",
    f"chomp:{MAX}{'/1' * 1000}",
    f"chomp{{misere}}:{MAX}/1",
    "divisors:2^62",
    "divisors:2^31*3^19;1",
    "divisors:2^29*3^14*5^4;2",
    "divisors:2*3*5*7*11*13*17*19*23*29*31*37*41*43*47",
    "divisors{misere}:2^29*3^14*5^4",
    "toads:" + "T" * 21 + "." * 22 + "F" * 21,
    "toads:" + "T" * 21 + "." * 22 + "F" * 21 + ";64",
    f"transfinite:{10**18 - 1}x{10**18 - 2} + {10**17}x{10**18 - 1}",
    f"transfinite:2x(w*2000+{10**18 - 1}) + 3x(w*1999)",
    "transfinite:w^99999x3 + 2xw^w",
    f"nim:[{heaps(64)}] + octal{{code=0.3}}:[{heaps(64)}] + nim{{take=1+3}}:[{heaps(17)}]",
    f"misere{{nim:[{MAX}] + chomp:{MAX}/1}}",
    f"chomp:{MAX}/{MAX - 1} + wythoff:[{MAX},{MAX}] + nim:[{MAX}]",
]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("text", POSITIONS, ids=lambda text: text.replace(str(MAX), "M")[:40])
def test_every_question(oracle: Oracle, text: str) -> None:
    """Only the project's errors are raised; `OverflowError` would be one of the service's."""
    try:
        position = parse(text)
    except PositionOracleError:
        pytest.fail(f"{text[:60]} should be a position")
    questions: list[tuple[object, ...]] = [
        (name, position) for name in ("outcome", "winning_moves", "analyze", "best_line", "turns")
    ]
    questions += [("win_probability", position, Model.parse(model)) for model in MODELS]
    for name, *arguments in [*questions, *batches(position)]:
        with suppress(PositionOracleError):
            plan = oracle.plan(str(name), *arguments)
            if plan.cost.fits(QUICK):
                plan.run()


def batches(position: Position) -> list[tuple[object, ...]]:
    """The position as a row, as it is and with numbers that fit 32 bits."""
    rows = np.array([position.coordinates], np.int64)
    asked: list[tuple[object, ...]] = []
    for each in (rows, np.minimum(rows, 2**31 - 1)):
        asked += [(name, position.game, each) for name in ("outcomes", "winning_move_batch")]
        asked += [("win_probabilities", position.game, each, Model.parse(m)) for m in MODELS]
    return asked


def test_products_saturate() -> None:
    assert bounds.product([]) == 1
    assert bounds.product([3, 4, 5]) == 60
    assert bounds.product([2**63 - 1] * 17) == bounds.LARGEST
    assert bounds.product([10**400, 10**400]) == bounds.LARGEST
    assert int(bounds.product([2**2000]) * 2)
