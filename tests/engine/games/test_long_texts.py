"""The longest texts allowed are read within milliseconds, or refused so in one short line."""

from contextlib import suppress
from time import thread_time

import pytest

from position_oracle.engine.games.game_text import read_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.spec import MAX_TEXT
from position_oracle.schema.errors import PositionOracleError

MOST_SECONDS = 0.02
"""Processor time. The longest text takes 5 ms; a parser that is not linear takes 20 ms or more."""

HEADS = (
    "chomp3", "nim", "wythoff", "chomp", "divisors", "transfinite", "octal{code=0.77}",
    "nim{max=3}", "nim{heappass}", "octal{code=0.77,heappass}", "toads",
)  # fmt: skip
BODIES = (
    " ", "[", "9", "1,", "1/", " ,", "1 + ", "1x", "w^", "w^(", "(", "*2", "1x1 + ", "99p,", ";",
    "TF.", "+", "+a{", "+a ", "{", "-", "\u0661", "\n",
)  # fmt: skip
WHOLE = (
    "nim{declared=" + "+".join(f"[{i},6,7]" for i in range(400)) + "}:[1,2,3]",
    "nim{" + ",".join(f"a{i}" for i in range(700)) + "}:[1]",
    "nim{take=" + "+".join(map(str, range(1, 800))) + "}:[1]",
    "octal{code=0." + "7" * 4000 + "}:[1]",
    "chomp3{noise=normal(" + "9" * 4000 + "),seed=1}:[1,2,3]",
    "misere{" + " + ".join(["nim:[1]"] * 400) + "}",
    " + ".join(["nim:[1]"] * 400),
    "misere{" * 500,
    "misere" + " " * 4000,
    "a-" * 2000 + ":[1]",
)


def seconds_of_reading(text: str) -> float:
    """Return the least time of a few tries, because other programs use the processor, too."""
    tries = []
    for _ in range(3):
        read_game.cache_clear()
        begun = thread_time()
        with suppress(PositionOracleError):
            parse(text)
        tries.append(thread_time() - begun)
    return min(tries)


@pytest.mark.parametrize("head", HEADS)
def test_long_bodies_are_soon_read_or_refused(head: str) -> None:
    for body in BODIES:
        for frame in ("{}", "[{}]", "[1{}x]", "[1,{}"):
            filled = frame.format(body * (MAX_TEXT // len(body)))
            text = f"{head}:{filled}"[: MAX_TEXT - 1] + filled[-1]
            assert seconds_of_reading(text) < MOST_SECONDS, (frame, body)


@pytest.mark.parametrize("head", HEADS)
def test_spaces_before_a_body_take_no_time(head: str) -> None:
    assert seconds_of_reading(f"{head}{' ' * 3900}:[1]") < MOST_SECONDS
    assert seconds_of_reading(f"{head}{' ' * 1900}+{' ' * 1900}:[1]") < MOST_SECONDS


@pytest.mark.parametrize("text", WHOLE)
def test_long_games_and_sums_are_soon_read_or_refused(text: str) -> None:
    assert seconds_of_reading(text) < MOST_SECONDS


def test_spaces_stay_allowed_where_they_were() -> None:
    assert parse("nim: [ 3 , 5 ; 1 ] ") == parse("nim:[3,5;1]")
    assert parse("nim:[3]   +   chomp3:[2,1,0]") == parse("nim:[3] + chomp3:[2,1,0]")
    assert parse("nim{heappass}:[ 3 p , 5 ]") == parse("nim{heappass}:[3p,5]")


@pytest.mark.parametrize("text", [*(f"{head}:{'x' * 4000}" for head in HEADS), *WHOLE[4:]])
def test_refusals_show_no_long_text(text: str) -> None:
    with pytest.raises(PositionOracleError) as refused:
        parse(text)
    assert len(str(refused.value)) < 500
    assert "\n" not in str(refused.value)
