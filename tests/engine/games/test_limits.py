"""Limits in texts of positions: the largest number and one less are read, one more is refused."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from position_oracle.engine.games import nodekayles, partition, solid, spec, toads
from position_oracle.engine.games import sum as sums
from position_oracle.engine.games.notation import parse
from position_oracle.engine.theory import octal
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.engine.theory.subtraction import TAKEN_MAX
from position_oracle.engine.theory.transfinite.position_text import MAX_BOXES, MAX_DIMENSION
from position_oracle.schema.errors import PositionOracleError


@dataclass(frozen=True)
class Limit:
    """A number with a largest value, and the text for a given value."""

    name: str
    largest: int
    text: Callable[[int], str]


def heaps(count: int) -> str:
    return "[" + ",".join(["2"] * count) + "]"


def with_heaps(game: str) -> Callable[[int], str]:
    return lambda count: f"{game}:{heaps(count)}"


def stairs(boxes: int) -> str:
    return " + ".join(f"{side}x{boxes + 1 - side}" for side in range(1, boxes + 1))


GAMES_OF_HEAPS = (
    "nim",
    "nim{misere}",
    "nim{max=3}",
    "nim{heappass}",
    "octal{code=0.77}",
    "octal{code=0.77,heappass}",
    "moore{k=2}",
    "staircase",
)
LIMITS = (
    *(Limit(f"heaps of {game}", MAX_HEAPS, with_heaps(game)) for game in GAMES_OF_HEAPS),
    Limit("heaps of partition", MAX_HEAPS, lambda n: f"partition:{heaps(n)}"),
    Limit("parts of partition", partition.MAX_PARTS, lambda n: f"partition{{parts={n}}}:[9]"),
    *(
        Limit(f"numbers of {text}", spec.MAX_COORDINATE, text.format)
        for text in ("nim:[{}]", "chomp3:[0,{},0]", "chomp:{}/1", "wythoff:[3,{}]", "kayles:[{}]")
    ),
    *(
        Limit(f"passes of {text}", spec.MAX_PASSES, text.format)
        for text in ("nim:[1;{}]", "chomp3:[1,1,1;{}]", "chomp:2/1;{}", "toads:TF.;{}")
    ),
    Limit("components", sums.MAX_COMPONENTS, lambda n: " + ".join(["nim:[1]"] * n)),
    Limit("digits of a code", octal.DIGITS_MAX, lambda n: f"octal{{code=0.{'3' * n}}}:[5]"),
    Limit("characters of a text", spec.MAX_TEXT, "nim:[3]".ljust),
    Limit("numbers of a set", TAKEN_MAX, "nim{{take=1+{}}}:[5]".format),
    Limit("numbers of a range", TAKEN_MAX, "nim{{take=3-{}}}:[5]".format),
    Limit("heaps of a move", MAX_HEAPS, "moore{{k={}}}:[5]".format),
    Limit("labels of vertices", nodekayles.MAX_LABEL, "nodekayles:1-{}".format),
    Limit("cells of a strip", toads.STRIP_MAX, lambda n: "toads:" + ("T." * n)[:n]),
    Limit("axes", MAX_DIMENSION, lambda n: "transfinite:" + "x".join(["2"] * n)),
    Limit("boxes", MAX_BOXES, lambda n: "transfinite:" + stairs(n)),
    Limit("vertices", nodekayles.MAX_VERTICES, lambda n: f"nodekayles:path({n})"),
    Limit("dimensions", solid.MAX_DIMENSIONS, lambda n: "chomp:" + "x".join(["2"] * n)),
)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_the_limit_is_allowed_and_one_more_is_refused(limit: Limit) -> None:
    for allowed in (limit.largest - 1, limit.largest):
        text = limit.text(allowed)
        assert str(parse(text))
        assert parse(str(parse(text))) == parse(text)
    with pytest.raises(PositionOracleError):
        parse(limit.text(limit.largest + 1))
