"""Take-and-break games and large subtraction sets: published values and chances."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.theory.octal import parse_code
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import names_all_wins
from position_oracle.oracle.reproduce.octal_tables import solve_long_sequence
from position_oracle.schema.answers import Certainty, Outcome
from tests.clock import cpu_seconds
from tests.reference.heap_rules_naive import (
    Children,
    Heaps,
    NaiveGame,
    code_children,
    partition_children,
    subtraction_children,
)

GAMES: dict[str, Children] = {
    "grundy": code_children("4!"),
    "lasker": code_children("4", "3"),
    "guiles": code_children("015"),
    "officers": code_children("06"),
    "treblecross": code_children("0007"),
    "octal{code=0.[5A!]}": code_children("0", "5A!"),
    "octal{code=8!.6}": code_children("8!6"),
    "nim{take=1-3+5}": subtraction_children({1, 2, 3, 5}),
    "nim{allbut=1+3}": subtraction_children({2, *range(4, 20)}),
    "partition": code_children("C"),
    "partition{parts=5}": partition_children(5),
}


@lru_cache(maxsize=1)
def bare() -> Oracle:
    return Oracle()


def text(game: str, heaps: Heaps, passes: int = 0, *, misere: bool = False) -> str:
    if misere:
        game = f"{game[:-1]},misere}}" if game.endswith("}") else f"{game}{{misere}}"
    return f"{game}:[{','.join(map(str, heaps))}{f';{passes}' if passes else ''}]"


def naive_chance(children: Children, *, misere: bool) -> Any:
    """Return the chance that the player to move wins if both play at random."""

    @cache
    def left(heap: int) -> tuple[Heaps, ...]:
        return tuple(children((heap,)))

    @cache
    def chance(heaps: Heaps, passes: int) -> Fraction:
        options = [
            (tuple(sorted(heaps[:place] + heaps[place + 1 :] + parts)), passes)
            for place, heap in enumerate(heaps)
            for parts in left(heap)
        ]
        if not options:
            return Fraction(int(misere))
        if passes:
            options.append((heaps, passes - 1))
        return sum((1 - chance(*option) for option in options), Fraction()) / len(options)

    return chance


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_chances_by_the_definition(game: str, misere: bool) -> None:
    rng = random.Random(3)
    naive = naive_chance(GAMES[game], misere=misere)
    for _ in range(6):
        heaps = tuple(sorted(rng.randrange(2, 8) for _ in range(rng.randrange(1, 3))))
        passes = rng.randrange(3)
        found = bare().win_probability(text(game, heaps, passes, misere=misere), "random")
        assert found.exact == naive(heaps, passes), (heaps, passes)


@pytest.mark.parametrize("misere", [False, True])
def test_sums_by_the_definition(misere: bool) -> None:
    rng = random.Random(5)
    for _ in range(12):
        games = rng.sample(sorted(GAMES), 2)
        start = tuple((game, tuple(sorted((rng.randrange(2, 7),)))) for game in games)

        def children(parts: Any) -> set[Any]:
            return {
                (*parts[:place], (game, child), *parts[place + 1 :])
                for place, (game, heaps) in enumerate(parts)
                for child in GAMES[game](heaps)
            }

        naive: NaiveGame[Any] = NaiveGame(children, misere=misere)
        asked = " + ".join(text(*part) for part in start)
        answer = bare().winning_moves(f"misere{{{asked}}}" if misere else asked)
        assert (answer.outcome is Outcome.N) == naive.is_n(start, 0), asked
        assert answer.winning_moves is not None
        wins = {
            str(parse(f"misere{{{each}}}" if misere else each))
            for child, _ in naive.winning(start, 0)
            for each in [" + ".join(text(*part) for part in child)]
        }
        assert {str(move) for move in answer.winning_moves} == (
            wins if answer.outcome is Outcome.N else set()
        )


@pytest.mark.parametrize("game", GAMES)
def test_batches_are_single_answers(game: str) -> None:
    rng = random.Random(7)
    rows = np.array([sorted(rng.randrange(0, 9) for _ in range(3)) for _ in range(20)])
    found = bare().outcomes(game, rows)
    alone = [bare().outcome(text(game, tuple(row))).outcome for row in rows.tolist()]
    assert found.tolist() == [int(outcome) for outcome in alone]


@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("grundy:[1222]", 0),  # the last known P-position of one heap, OEIS A036685
        ("lasker:[1000000000000000003]", 10**18 + 4),
        ("lasker:[1000000000000000004]", 10**18 + 3),
        ("octal{code=0.[3]}:[1000000000000000000]", 10**18),
        ("octal{code=4.333333333333333}:[17]", 0),
        ("lasker:[17]", 17),
        ("nim{allbut=2+3+7}:[1000000000000000000]", 5 * 10**17),
        ("partition{parts=4}:[1000000000000000000]", 10**18 - 1),
        ("kayles:[1000000000000000000]", 1),
    ],
)
def test_values_of_single_heaps(position: str, value: int) -> None:
    assert bare().analyze(position, moves=False).values.grundy == value
    answer = bare().winning_moves(position)
    assert answer.certainty is Certainty.THEOREM
    for move in (answer.winning_moves or ())[:3]:
        assert bare().outcome(str(move)).outcome is Outcome.P


def test_beyond_the_computed_values_the_answer_is_unknown() -> None:
    for position in ("octal{code=0.[12]}:[1000000]", "octal{code=C!.0}:[5000]"):
        answer = bare().outcome(position)
        assert answer.outcome is Outcome.UNKNOWN
        assert "values are computed up to heap" in answer.reason


def test_scatterstone_nim() -> None:
    """Project Euler 629: winning partitions, summed over k from 2 to n; g(7) = 66, g(10) = 291."""

    def partitions(number: int, most: int) -> list[Heaps]:
        if number == 0:
            return [()]
        return [
            (part, *others)
            for part in range(min(number, most), 0, -1)
            for others in partitions(number - part, part)
        ]

    def wins(number: int, parts: int) -> int:
        outcomes = (
            bare().outcome(text(f"partition{{parts={parts}}}", heaps)).outcome
            for heaps in partitions(number, number)
        )
        return Counter(outcomes)[Outcome.N]

    assert (wins(5, 2), wins(5, 3)) == (3, 5)
    assert sum(wins(7, parts) for parts in range(2, 8)) == 66
    assert sum(wins(10, parts) for parts in range(2, 11)) == 291


def test_treblecross_is_the_game_of_strips() -> None:
    """Outcomes of strips, by playing crosses until three are in a row."""

    @cache
    def is_won(strip: str) -> bool:
        for cell in range(len(strip)):
            if strip[cell] == ".":
                after = strip[:cell] + "X" + strip[cell + 1 :]
                if "XXX" in after or not is_won(after):
                    return True
        return False

    for length in range(3, 15):
        answer = bare().outcome(f"treblecross:{'.' * length}")
        assert (answer.outcome is Outcome.N) == is_won("." * length), length
    for strip in ("..X.......", "X.......X...", "...X...X...."):
        assert (bare().outcome(f"treblecross:{strip}").outcome is Outcome.N) == is_won(strip)


HOSTILE = [
    f"nim{{take={'+'.join(map(str, range(1, 1500, 3)))}}}:[524286]",
    "nim{take=1-100000+200000}:[524286]",
    "nim{take=3-4000000000000000000}:[5000000000000000000]",
    "nim{allbut=1-4000000000000000000}:[5000000000000000000]",
    "nim{allbut=1-1000}:[5000000000000000000]",
    "nim{allbut=1+9999}:[9000000000000000000,8000000000000000000]",
    "octal{code=0.[01]}:[5000000000000000001]",
    "octal{code=0.[37]}:[9000000000000000000,5]",
    pytest.param(
        "octal{code=0." + "7" * 1000 + "}:[9000000000000000000,5]", marks=pytest.mark.slow
    ),
    "octal{code=C.[F]}:[9000000000000000000]",
    "octal{code=C.[F]}:[1000,900]",
    "octal{code=0.[3],misere}:[9000000000000000000,5;1]",
    "octal{code=4!.[3],heappass}:[9000000000000000000p,5]",
    "octal{code=C.[F],heappass}:[200p,200p]",
    "partition{parts=64}:[9000000000000000000,5]",
    "partition{parts=64,misere}:[9000000000000000000,5;1]",
]


@pytest.mark.parametrize("position", HOSTILE)
def test_large_questions_are_bounded(position: str) -> None:
    assert cpu_seconds(lambda: bare().winning_moves(position)) < 6


@pytest.mark.slow
def test_grundys_game_to_a_million() -> None:
    """The table is right at random heaps, and its rare values are those of A. Flammenkamp.

    Values with an even number of ones, except the lowest digit, are rare. He finds them up to
    G(82860), and P-positions up to 1222 (Sprague-Grundy Values of Grundy's Game, on his pages).
    """
    values = solve_long_sequence(parse_code("4!.0"), 1_000_000).values
    zeros, rare = (
        np.flatnonzero(each) for each in (values == 0, np.bitwise_count(values >> 1) % 2 == 0)
    )
    assert (len(zeros), zeros[-1], rare[-1]) == (42, 1222, 82860)
    rng = random.Random(13)
    for heap in [*rng.sample(range(3, 1_000_000), 60), 1_000_000]:
        half = (heap - 1) // 2
        options = values[1 : half + 1] ^ values[heap - half : heap][::-1]
        assert values[heap] == np.argmin(np.bincount(options, minlength=1024) > 0)
    found = bare().analyze("grundy:[1000000]")
    assert found.values.grundy == values[1_000_000] == 71
    assert found.answer.winning_moves is not None
    assert bare().outcome(str(found.answer.winning_moves[0])).outcome is Outcome.P


SERIES = [
    # The codes in the comments of OEIS A002186 and A002187, and the number of heaps by which they
    # begin later.
    ("0.77", ("0.771",), 0),
    ("0.77", ("4.4", "4.41", "4.42", "4.43", "4.6", "4.61", "4.62", "4.63"), 1),
    ("0.137", ("0.07",), 1),
    ("0.137", ("0.4", "0.401", "0.402", "0.403", "0.42", "0.421", "0.422", "0.423"), 2),
]


@pytest.mark.parametrize(("code", "others", "later"), SERIES)
def test_codes_with_the_values_of_kayles_and_dawsons_chess(
    code: str, others: tuple[str, ...], later: int
) -> None:
    oracle = Oracle()
    values = oracle.series(f"octal{{code={code}}}", 0, 300)
    for other in others:
        found = oracle.series(f"octal{{code={other}}}", later, 300 + later)
        assert found.tolist() == values.tolist(), other


@pytest.mark.parametrize(("heap", "wins"), [(115_000, 9_588), (125_000, None)])
def test_lists_of_winning_moves_are_whole_or_say_that_they_are_not(
    heap: int, wins: int | None
) -> None:
    """At most 10,000 moves are listed. In Kayles a twelfth of the moves wins."""
    answer = bare().winning_moves(f"kayles:[{heap}]")
    assert answer.winning_moves is not None
    assert names_all_wins(answer) is (wins is not None)
    assert len(answer.winning_moves) == (wins or 1)
