"""Games made from common rules: random positions by the definition, and published values."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations, product
from operator import xor
from typing import Any

import numpy as np
import pytest

from position_oracle import OracleClient, rules
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.graph import build
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Certainty, Outcome
from tests.reference import more_games_naive as naive_games
from tests.reference.more_games_naive import Naive
from tests.serving import running_server


@cache
def bare() -> Oracle:
    return Oracle()


@dataclass(frozen=True)
class Kind:
    """A game, its text, and its moves in the naive reference."""

    head: str
    children: naive_games.Children
    draw: Callable[[random.Random], Any]
    body: Callable[[Any], str]
    poison: bool = False

    def text(self, position: Any, passes: int, misere: bool) -> str:
        family, brace, options = self.head.partition("{")
        inner = [*([options.rstrip("}")] if brace else []), *(["misere"] if misere else [])]
        head = f"{family}{{{','.join(inner)}}}" if inner else family
        body = self.body(position)
        after = f";{passes}" if passes else ""
        return f"{head}:{body[:-1]}{after}]" if body.endswith("]") else f"{head}:{body}{after}"


def heaps(most: int, fewest: int, count: int) -> Callable[[random.Random], tuple[int, ...]]:
    return lambda rng: tuple(rng.randrange(most + 1) for _ in range(rng.randint(fewest, count)))


def graph(rng: random.Random) -> naive_games.Graph:
    vertices = range(1, rng.randrange(2, 10))
    edges = [frozenset(pair) for pair in combinations(vertices, 2) if rng.random() < 0.3]
    return frozenset(vertices), frozenset(edges)


def graph_text(of: naive_games.Graph) -> str:
    vertices, edges = of
    parts = [*map(str, sorted(vertices)), *("-".join(map(str, sorted(edge))) for edge in edges)]
    return ",".join(parts) or "0"


def solid(rng: random.Random) -> frozenset[tuple[int, ...]]:
    dimensions = rng.choice((3, 3, 4))
    left = frozenset(
        product(*(range(rng.randint(1, 3 if dimensions == 3 else 2)) for _ in range(dimensions)))
    )
    for _ in range(rng.randrange(3)):
        children = [child for child in naive_games.solid_children(left) if len(child) > 1]
        left = rng.choice(children) if children else left
    return left if len(left) < 19 else frozenset(cookie for cookie in left if sum(cookie) < 3)


def solid_text(cookies: frozenset[tuple[int, ...]]) -> str:
    return "+".join("x".join(str(x + 1) for x in cookie) for cookie in cookies) or "0x0x0"


def listed(position: Any) -> str:
    return str(list(position)).replace(" ", "")


KINDS = [
    Kind("moore{k=1}", naive_games.moore_children(1), heaps(4, 1, 3), listed),
    Kind("moore{k=2}", naive_games.moore_children(2), heaps(4, 1, 4), listed),
    Kind("moore{k=3}", naive_games.moore_children(3), heaps(3, 2, 4), listed),
    Kind(
        "fibonacci",
        naive_games.fibonacci_children,
        lambda rng: (rng.randrange(12, 25), rng.randrange(13)),
        listed,
    ),
    Kind("staircase", naive_games.staircase_children, heaps(3, 1, 4), listed),
    Kind(
        "euclid",
        naive_games.euclid_children,
        lambda rng: tuple(sorted(rng.randrange(60) for _ in range(2))),
        listed,
    ),
    *(
        Kind(f"wythoff{{a={a},b={b}}}", naive_games.wythoff_children(a, b), heaps(12, 2, 2), listed)
        for a, b in ((2, 1), (3, 1), (1, 2), (2, 3))
    ),
    Kind("endnim", naive_games.end_nim_children, heaps(4, 1, 4), listed),
    *(
        Kind(f"circular{{k={k}}}", naive_games.circular_children(k), heaps(3, k, 5), listed)
        for k in (2, 3)
    ),
    Kind("nodekayles", naive_games.node_kayles_children, graph, graph_text),
    Kind("chomp", naive_games.solid_children, solid, solid_text, poison=True),
]


@pytest.mark.parametrize("misere", [False, True], ids=["normal", "misere"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.head)
def test_random_positions_by_the_definition(kind: Kind, misere: bool) -> None:
    rng, oracle = random.Random(kind.head), bare()
    naive = Naive(kind.children, misere=misere, poison=kind.poison)
    for _ in range(25):
        position, passes = kind.draw(rng), rng.choice((0, 0, 1, 2))
        analysis = oracle.analyze(kind.text(position, passes, misere))
        answer = analysis.answer
        said = str(answer.position)
        assert str(parse(said)) == said
        assert (answer.outcome is Outcome.N) == naive.is_n(position, passes), said
        expected = {
            "pass"
            if left < passes
            else "empty"
            if kind.poison and not child
            else str(parse(kind.text(child, left, misere)))
            for child, left in naive.winning(position, passes)
        }
        moves = {str(move) for move in answer.winning_moves or ()}
        moves = {"empty" if "x" in move and "0x" in move else move for move in moves}
        assert moves == expected, said
        if not misere and (position or not kind.poison):
            assert analysis.values.grundy == naive.grundy(position, passes), said
        if position or not kind.poison:
            assert analysis.values.remoteness == naive.remoteness(position, passes), said
        chance = oracle.win_probability(answer.position, "random")
        assert chance.exact == naive.random(position, passes), said


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.head)
def test_sums_are_answered_by_nim_sums(kind: Kind) -> None:
    rng, oracle = random.Random(kind.head), bare()
    for _ in range(10):
        position = kind.draw(rng)
        if kind.poison and not position:
            continue
        value = Naive(kind.children, poison=kind.poison).grundy(position, 0)
        for heap in range(4):
            text = f"{kind.text(position, 0, False)} + nim:[{heap}]"
            assert (oracle.outcome(text).outcome is Outcome.P) == (value == heap), text


def test_a_server_answers_the_same() -> None:
    """Positions as texts, and rows of numbers, get the same answers over a server."""
    rng = random.Random(7)
    with running_server(bare()) as port, OracleClient(f"127.0.0.1:{port}") as client:
        for kind, misere in product(KINDS, (False, True)):
            position = parse(kind.text(kind.draw(rng), 1, misere))
            here, there = bare().analyze(position), client.analyze(str(position), timeout=60)
            assert there.as_json(50) == here.as_json(50)
            if position.coordinates:
                rows = np.array([position.coordinates])
                outcomes = client.outcomes(position.game.text, rows, timeout=60)
                assert outcomes.tolist() == [int(here.answer.outcome)]


LARGE = [
    "moore{k=3}:[123456789012345678,987654321098765432,555555555555555555,77]",
    "moore{k=3,misere}:[1,1,1,900000000000000000]",
    "fibonacci:[1000000000000000000]",
    "staircase:[123456789012345678,5,987654321098765432,6]",
    "euclid:[1000000007,9000000000000000001]",
    "wythoff{a=5}:[123456789012345678,500000000000000000]",
    "wythoff{a=5,misere}:[123456789012345678,500000000000000000]",
    "wythoff{a=2,b=3}:[1234567890,123456789012345678]",
    "nodekayles:path(60)",
]


@pytest.mark.parametrize("text", LARGE)
def test_winning_moves_of_large_positions_win(text: str) -> None:
    answer = bare().winning_moves(text)
    assert answer.outcome is Outcome.N
    assert answer.winning_moves
    for move in answer.winning_moves[:20]:
        assert bare().outcome(move.child).outcome is Outcome.P
        assert parse(str(move)) == move.child
        assert move.action is not None


# Bouton 1901 is Moore's game with k = 1. For k = 2, Moore's theorem in Winning Ways gives 1+1+1,
# 2+3+... by hand.
PUBLISHED = [
    # OEIS A000045: the losing heaps of Fibonacci Nim (Whinihan 1963).
    *((f"fibonacci:[{f}]", f in {2, 3, 5, 8, 13, 21, 34, 55, 89}) for f in range(2, 100)),
    # Fraenkel 1982, table of the P-positions for a = 2: OEIS A001951 and A001952.
    *(
        (f"wythoff{{a=2}}:[{x},{y}]", True)
        for x, y in ((1, 3), (2, 6), (4, 10), (5, 13), (7, 17), (8, 20), (9, 23), (11, 27))
    ),
    # Cole & Davie 1969: 8/5 is below the golden ratio, 13/8 above.
    ("euclid:[5,8]", True),
    ("euclid:[8,13]", False),
]


def test_published_outcomes() -> None:
    for text, is_p in PUBLISHED:
        assert (bare().outcome(text).outcome is Outcome.P) == is_p, text


def test_node_kayles_on_paths_is_dawsons_chess() -> None:
    """The values are OEIS A002187: 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, ..."""
    published = [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1]
    for n, value in enumerate(published[1:16], start=1):
        assert bare().analyze(f"nodekayles:path({n})", moves=False).values.grundy == value
        chess = bare().analyze(f"dawsonchess:[{n}]", moves=False).values.grundy
        assert chess == value
    for n in range(3, 18):
        # Each move leaves a path of n - 3 vertices.
        rest = bare().analyze(f"dawsonchess:[{n - 3}]", moves=False).values.grundy
        cycle = bare().analyze(f"nodekayles:cycle({n})", moves=False).values.grundy
        assert cycle == (1 if rest == 0 else 0)


def test_the_winning_bites_of_4_by_4_by_4() -> None:
    """There are three, which symmetries of the cube exchange (A. Brouwer, Chomp)."""
    answer = bare().winning_moves("chomp:4x4x4")
    assert answer.certainty is Certainty.EXACT_SEARCH
    bites = {move.action.ordinal_bite for move in answer.winning_moves or () if move.action}
    assert bites == {("2", "3", "3"), ("3", "2", "3"), ("3", "3", "2")}


def test_boards_of_three_dimensions_are_those_of_transfinite_chomp() -> None:
    for sides in product(range(1, 4), repeat=3):
        text = "x".join(map(str, sides))
        one, other = (bare().winning_moves(f"{name}:{text}") for name in ("chomp", "transfinite"))
        assert one.outcome is other.outcome
        assert len(one.winning_moves or ()) == len(other.winning_moves or ())


def test_euclid_where_numbers_stay_positive_is_nivaschs_formula() -> None:
    """The value is floor(|y/x - x/y|). If 0 ends the game, values differ by one at most."""

    @cache
    def positive(x: int, y: int) -> int:
        small, large = sorted((x, y))
        values = {positive(small, left) for left in range(large - small, 0, -small)}
        return next(value for value in range(len(values) + 1) if value not in values)

    for x, y in product(range(1, 30), repeat=2):
        formula = abs(y * y - x * x) // (x * y)
        assert positive(x, y) == formula
        value = bare().analyze(f"euclid:[{x},{y}]", moves=False).values.grundy
        assert value is not None
        assert abs(value - formula) <= 1


def test_the_grundy_value_of_a_staircase_is_that_of_its_odd_steps() -> None:
    rng = random.Random(5)
    for _ in range(50):
        steps = [rng.randrange(2**40) for _ in range(rng.randrange(1, 9))]
        value = bare().analyze(f"staircase:{steps}", moves=False).values.grundy
        assert value == reduce(xor, steps[::2])


def refused() -> Iterator[tuple[str, str]]:
    yield "moore:[3]", "from how many heaps"
    yield "moore{k=0}:[3]", "k"
    yield "fibonacci:[3,2,1]", "heaps"
    yield "wythoff{a=1}:[3,4]", "own game"
    yield "wythoff{a=2}:[3,4,5]", "heaps"
    yield "nodekayles:1-1", "itself"
    yield "nodekayles:wheel(5)", "no graph"
    yield "nodekayles:complete(500)", "1 to 64"
    yield "nodekayles:1--2", "not an edge"
    yield "chomp:2x2x2+3x3", "sides"
    yield "chomp:2x2x2x2x2x2x2x2x2", "dimensions"
    yield "staircase:[9223372036854775807,1]", "tokens"


@pytest.mark.parametrize(("text", "part"), [*refused()])
def test_invalid_positions_are_refused_in_one_line(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=part) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


def test_games_are_listed_with_what_is_answered() -> None:
    listed_games = {info.game.text: json.dumps(info.sources[0].range) for info in bare().games()}
    for game in ("moore{k=2}", "fibonacci", "staircase", "wythoff{a=2}", "nodekayles"):
        assert game in listed_games
    assert "chomp{dimensions=3}" in listed_games


def test_euclid_lasts_as_long_as_the_definition_says() -> None:
    naive = Naive(naive_games.euclid_children)
    for small, large in product(range(1, 13), range(1, 60)):
        numbers = tuple(sorted((small, large)))
        found = bare().analyze(f"euclid:{list(numbers)}".replace(" ", ""), moves=False).values
        assert found.remoteness == naive.remoteness(numbers, 0)
    line = bare().best_line("euclid:[1000000007,999999999999999989]", plies=100)
    assert line.complete
    assert line.remoteness == len(line.plies)


def wins_of(text: str) -> dict[tuple[int, ...], bool]:
    """Return for each position of play whether it is N."""
    tree = tree_of(parse(text))
    graph = build(tree, tree.node(parse(text)))
    wins = folds.wins(graph)
    return {node: bool(wins[number]) for node, number in graph.number.items()}


def turned(heaps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Return the circle of heaps from every first heap on, in both directions."""
    for first in range(len(heaps)):
        rest = heaps[first:] + heaps[:first]
        yield from (rest, rest[::-1])


@pytest.mark.parametrize(
    ("game", "count", "is_p"),
    [
        ("{k=2}", 5, lambda a, b, c, d, e: a == max(a, b, c, d, e) and b == e and a + b == c + d),
        ("{k=3}", 5, lambda a, b, c, d, e: a == 0 and b == e == c + d),
        ("{k=3}", 6, lambda a, b, c, d, e, f: a + b == d + e and b + c == e + f),
    ],
)
def test_p_positions_of_circular_nim(game: str, count: int, is_p: Callable[..., bool]) -> None:
    """P-positions of M. Dufour and S. Heubach (2013), up to rotation and reflection."""
    start = ",".join(["3" if count == 5 else "2"] * count)
    for heaps, is_n in wins_of(f"circular{game}:[{start}]").items():
        assert is_n != any(is_p(*each) for each in turned(heaps))


ENDS = ("endnim", "endnim{misere}")


def test_misere_end_nim_differs_where_all_heaps_are_equal_alone() -> None:
    """G. Cairns and N. B. Ho (2011), for rows without empty heaps."""
    for count in range(1, 5):
        for heaps in product(range(1, 4), repeat=count):
            normal, misere = (wins_of(f"{game}:{listed(heaps)}")[heaps] for game in ENDS)
            assert (normal != misere) == (heaps == (1,) * count)


@pytest.mark.parametrize("small", [0, 5, 7, 30])
def test_a_huge_heap_beside_a_small_one_leaves_few_pairs_to_try(small: int) -> None:
    oracle = Oracle()
    partners = [
        n for n in range(200) if oracle.outcome(f"wythoff{{b=2}}:[{small},{n}]").wins is False
    ]
    found = oracle.winning_moves(f"wythoff{{b=2}}:[{small},{2**63 - 1}]").winning_moves
    assert found is not None
    assert [move.child.coordinates for move in found] == [(small, n) for n in partners]


@pytest.mark.parametrize("text", ["partition{parts=2}:[3,1000000001]", "partition:[1000000000]"])
def test_a_huge_heap_is_split(text: str) -> None:
    move = Oracle().best_move(text)
    assert move is not None
    assert move.action is not None
    assert move.action.words.startswith("split heap")


def test_a_move_is_named_by_its_position_however_many_moves_there_are() -> None:
    start, after = "chomp:1000000000x1000000000x1000000000", "chomp:1000000000x1000000000x63"
    assert rules.play(start, after) == after
