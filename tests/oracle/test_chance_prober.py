"""Win probabilities from the oracle: golden cases, the rules, batches, tables."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.random_play.three_row_chances import solve_chances
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.answers import Certainty, Method, WinProbability
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families import searched
from position_oracle.oracle.families.chance.tables import SIZES, ChanceTables
from position_oracle.oracle.families.searched import GraphChances
from position_oracle.oracle.reproduce.random_games import chance, chomp
from position_oracle.schema.errors import InvalidPositionError, NotationError
from tests.reference import random_play_naive as naive
from tests.reference.graph_chances import chomp_chances

GOLDEN = Path(__file__).parents[1] / "golden"
MODELS = (
    "random",
    "perfect-vs-random",
    "random-vs-perfect",
    "perfect-vs-sloppy(0.1)",
    "sloppy(1/3)-vs-perfect",
)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def board_text(rows: list[int]) -> str:
    return "chomp:" + ("/".join(map(str, rows)) or "0")


def heaps_text(heaps: list[int], misere: bool = False) -> str:
    return f"nim{'{misere}' if misere else ''}:[{','.join(map(str, heaps))}]"


def best(answer: WinProbability) -> list[list[int]]:
    assert answer.best_moves is not None
    return [list(move.child.coordinates) for move in answer.best_moves]


@pytest.fixture(scope="module")
def bare() -> Oracle:
    """An oracle without tables."""
    return Oracle()


@pytest.fixture(scope="module")
def tabled(store: Path) -> Oracle:
    return Oracle.open(store)


def test_golden_chomp_at_random(bare: Oracle) -> None:
    golden = cases("08_random_chomp.jsonl")
    assert len(golden) > 50
    for case in golden:
        answer = bare.win_probability(board_text(case["position"]), "random")
        assert answer.exact == Fraction(case["p_mover"]), case
        assert answer.value == float(answer.exact)
        assert answer.best_moves is None


def test_golden_nim_at_random(bare: Oracle) -> None:
    golden = cases("08_random_nim.jsonl")
    assert len(golden) > 50
    for case in golden:
        for misere, name in ((False, "p_mover_normal"), (True, "p_mover_misere")):
            answer = bare.win_probability(heaps_text(case["position"], misere), "random")
            assert answer.exact_text == case[name], case


def test_golden_chomp_with_one_perfect_player(bare: Oracle) -> None:
    golden = cases("08_optimal_chomp.jsonl")
    assert len(golden) > 50
    for case in golden:
        text = board_text(case["position"])
        mover = bare.win_probability(text, "perfect-vs-random")
        assert mover.exact == Fraction(case["p_optimal_mover"]), case
        assert sorted(best(mover)) == sorted(case["best_moves"]), case
        waiting = bare.win_probability(text, "random-vs-perfect")
        assert waiting.exact == Fraction(case["p_random_mover"]), case
        assert waiting.best_moves is None


def test_golden_nim_with_one_perfect_player(bare: Oracle) -> None:
    golden = cases("08_optimal_nim.jsonl")
    assert len(golden) > 50
    for case in golden:
        for misere, play in ((False, "normal"), (True, "misere")):
            text = heaps_text(case["position"], misere)
            mover = bare.win_probability(text, "perfect-vs-random")
            assert mover.exact == Fraction(case[f"p_optimal_mover_{play}"]), case
            assert sorted(best(mover)) == sorted(case[f"best_moves_{play}"]), case
            waiting = bare.win_probability(text, "random-vs-perfect")
            assert waiting.exact == Fraction(case[f"p_random_mover_{play}"]), case


def test_published_values(bare: Oracle) -> None:
    facts = json.loads((GOLDEN / "facts.json").read_text())["random_play"]
    for rows, name in ((2, "2xn_n=1..6"), (3, "3xn_n=1..5")):
        for n, text in enumerate(facts[name], start=1):
            assert bare.win_probability(board_text([n] * rows), "random").exact == Fraction(text)
    assert bare.win_probability("chomp:3/2/1", "random").exact_text == facts["rows_3_2_1"]
    assert bare.win_probability("chomp:5/3", "random").exact_text == facts["rows_5_3"]


boards = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(lambda r: sorted(r, reverse=True))


@settings(max_examples=40)
@given(rows=boards, p=st.integers(1, 6), q=st.integers(6, 9))
def test_a_sloppy_opponent_against_the_rules(bare: Oracle, rows: list[int], p: int, q: int) -> None:
    epsilon = Fraction(p, q)
    board = tuple(rows)
    mover = bare.win_probability(board_text(rows), f"perfect-vs-sloppy({p}/{q})")
    assert mover.exact == naive.maximiser_to_move(naive.chomp_moves, board, True, epsilon)
    expected = naive.best_moves(naive.chomp_moves, board, True, epsilon)
    assert sorted(best(mover)) == [list(child) for child in expected]
    waiting = bare.win_probability(board_text(rows), f"sloppy({p}/{q})-vs-perfect")
    assert waiting.exact == 1 - naive.maximiser_waiting(naive.chomp_moves, board, True, epsilon)


def test_best_moves_come_in_the_order_of_the_rules(bare: Oracle) -> None:
    answer = bare.win_probability("chomp3:[0,1,1]", "perfect-vs-random")
    assert answer.best_moves is not None
    assert [m.child.coordinates for m in answer.best_moves] == [(0, 1, 0), (0, 0, 2)]
    heaps = bare.win_probability("nim:[3,5,6]", "perfect-vs-random")
    assert best(heaps) == [[2, 5, 6], [3, 4, 6]]


@pytest.mark.parametrize("model", MODELS)
def test_the_empty_board_is_won_by_the_player_to_move(bare: Oracle, model: str) -> None:
    for text in ("chomp3:[0,0,0]", "chomp:0", "nim{misere}:[0,0]"):
        answer = bare.win_probability(text, model)
        assert answer.exact == 1
        assert answer.best_moves in {(), None}


@pytest.mark.parametrize(
    ("text", "model", "certainty", "method"),
    [
        ("chomp:5/3", "random", Certainty.THEOREM, Method.CLOSED_FORM),
        ("chomp:2/2/2/2/1", "random", Certainty.THEOREM, Method.CLOSED_FORM),
        ("chomp:900000000000/1/1/1", "random", Certainty.THEOREM, Method.CLOSED_FORM),
        ("nim:[3,5,7]", "random", Certainty.THEOREM, Method.CLOSED_FORM),
        ("chomp:4/4/4/4", "random", Certainty.EXACT_SEARCH, Method.EXACT),
        ("chomp3:[100,50,30]", "random", Certainty.EXACT_SEARCH, Method.FLOATING_POINT),
        ("chomp3:[300,200,100]", "random", Certainty.ESTIMATE, Method.SIMULATION),
        ("chomp:20/20/20/20/20/20/20", "random", Certainty.ESTIMATE, Method.SIMULATION),
        ("nim:[3,5,7]", "perfect-vs-random", Certainty.THEOREM, Method.EXACT),
        ("nim:[900,900]", "random-vs-perfect", Certainty.THEOREM, Method.EXACT),
        ("nim:[9,9]", "perfect-vs-random", Certainty.EXACT_SEARCH, Method.EXACT),
        ("nim:[9000,9000]", "perfect-vs-random", Certainty.ESTIMATE, Method.BOUND),
        ("grundy:[100000]", "random-vs-perfect", Certainty.UNKNOWN, Method.UNKNOWN),
        ("chomp3:[0,250,1]", "perfect-vs-random", Certainty.EXACT_SEARCH, Method.FLOATING_POINT),
        ("chomp:20/20/20/20/20/20/20", "random-vs-perfect", Certainty.ESTIMATE, Method.BOUND),
    ],
)
def test_how_an_answer_is_known(
    bare: Oracle, text: str, model: str, certainty: Certainty, method: Method
) -> None:
    answer = bare.win_probability(text, model)
    assert (answer.certainty, answer.method) == (certainty, method)
    assert answer.reason
    assert (
        (answer.value is None) == (certainty is Certainty.UNKNOWN) == (answer.error_bound is None)
    )
    exact = method in {Method.EXACT, Method.CLOSED_FORM}
    assert (answer.exact is not None) == exact


def test_floating_point_is_within_its_bound_of_the_exact_value(bare: Oracle) -> None:
    """The oracle answers this board from a table. The test computes it exactly."""
    rows = (60, 45, 30)
    text = "chomp:60/45/30"
    answer = bare.win_probability(text, "random")
    assert answer.method is Method.FLOATING_POINT
    assert answer.value is not None
    exact = chance(chomp(rows))
    assert abs(Fraction(answer.value) - exact) <= Fraction(answer.error_bound or 0)
    for model in ("random-vs-perfect", "sloppy(0.1)-vs-perfect"):
        answer = bare.win_probability(text, model)
        assert answer.method is Method.FLOATING_POINT
        assert answer.value is not None
        exact = 1 - chomp_chances(rows, Model.parse(model).epsilon).waiting
        assert abs(Fraction(answer.value) - exact) <= Fraction(answer.error_bound or 0)
        assert (answer.error_bound or 0) < 1e-9 * exact


def test_moves_that_rounding_may_part_are_all_best(
    bare: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best moves in double precision are those in fractions, as far off as the error allows."""
    text, model = "nim:[1,3,5,7]", "perfect-vs-random"
    expected = bare.win_probability(text, model)
    assert expected.method is Method.EXACT
    chances = GraphChances.of_actions

    def parted(self: GraphChances, graph: Any) -> list[float]:
        bound = folds.error_bound(graph)
        return [each + bound * (-1) ** at for at, each in enumerate(chances(self, graph))]

    monkeypatch.setattr(searched, "MAX_EXACT", 0)
    monkeypatch.setattr(GraphChances, "of_actions", parted)
    found = Oracle().win_probability(text, model)
    assert found.method is Method.FLOATING_POINT
    assert found.best_moves == expected.best_moves
    assert len(found.best_moves or ()) == 4


def test_an_estimate_has_its_interval_and_is_repeatable(bare: Oracle) -> None:
    text = "chomp:20/20/20/20/20/20/20/20/1/1"
    answer = bare.win_probability(text, "random")
    assert answer.certainty is Certainty.ESTIMATE
    assert answer.error_bound is not None
    assert 0.001 < answer.error_bound < 0.01
    assert "99% interval" in answer.reason
    assert bare.win_probability(text, "random") == answer


def test_a_chance_below_the_least_double_is_described(bare: Oracle) -> None:
    answer = bare.win_probability("chomp3:[300,0,0]", "random-vs-perfect")
    assert answer.value is not None
    assert 0 < answer.value < 1e-300
    assert "10^-" in answer.reason


def test_a_fraction_that_is_too_long_is_left_out(bare: Oracle) -> None:
    answer = bare.win_probability("chomp:9000/4000", "random")
    assert answer.method is Method.CLOSED_FORM
    assert answer.exact is None
    assert answer.value is not None
    assert 0.49 < answer.value < 0.5


def test_unknown_chances_name_what_would_decide(bare: Oracle) -> None:
    answer = bare.win_probability("chomp3:[400,1,1]", "random-vs-perfect")
    assert "oracle build chomp3 --kind random_play --limit 402" in answer.reason
    assert answer.error_bound is not None
    assert answer.as_json() == {
        "model": "random-vs-perfect",
        "value": answer.value,
        "exact": None,
        "error_bound": answer.error_bound,
        "certainty": "ESTIMATE",
        "method": "BOUND",
        "reason": answer.reason,
        "best_moves": None,
        "best_actions": None,
    }


@pytest.mark.parametrize(
    "text",
    ["wythoff:[1,2]", "chomp3:[1,1,1;1]", "nim:[1,2;2]", "chomp3{declared=[1,0,2]}:[1,1,1]"],
)
def test_other_games_are_searched(bare: Oracle, text: str) -> None:
    one = bare.win_probability(text, "random")
    game = parse(text).game
    (same,) = bare.win_probabilities(game, np.array([parse(text).coordinates]), "random")
    assert one.exact is not None
    assert float(one.exact) == same


def test_bad_models_and_positions(bare: Oracle) -> None:
    with pytest.raises(NotationError, match="not a model"):
        bare.win_probability("chomp3:[1,1,1]", "perfect")
    with pytest.raises(NotationError, match="above 0"):
        bare.win_probabilities(GameSpec("chomp3"), np.zeros((1, 3), int), "perfect-vs-sloppy(0)")
    with pytest.raises(NotationError):
        bare.win_probability("chomp3", "random")


def test_the_question_is_listed(bare: Oracle, tabled: Oracle) -> None:
    asked = {(info.game.text, question) for info in tabled.games() for question in info.questions}
    assert ("chomp3", "win_probability") in asked
    assert ("sum", "turns") in asked
    assert ("nim{misere}", "remoteness") in asked
    assert ("nim{misere}", "grundy") not in asked


def random_boards(count: int, rows: int, longest: int) -> npt.NDArray[np.int32]:
    drawn = np.random.default_rng(rows).integers(0, longest + 1, (count, rows), dtype=np.int32)
    return -np.sort(-drawn, axis=1)


def check_batch(oracle: Oracle, game: str, positions: npt.NDArray[np.int32], model: str) -> None:
    """Each number of a batch equals its single answer, except estimates."""
    spec = parse_game(game)
    batch = oracle.win_probabilities(spec, positions, model)
    bound = oracle.win_probability_error(model)
    assert batch.dtype == np.float64
    for row, value in zip(positions.tolist(), batch.tolist(), strict=True):
        answer = oracle.win_probability(_text(spec, row), model)
        if answer.value is None or answer.certainty is Certainty.ESTIMATE:
            assert np.isnan(value), row
        else:
            assert abs(value - answer.value) <= bound + (answer.error_bound or 0), row


def _text(game: GameSpec, row: list[int]) -> str:
    if game.family == "chomp":
        return board_text([length for length in row if length])
    return f"{game.family}{'{misere}' if game.misere else ''}:[{','.join(map(str, row))}]"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("largest", [3, 12, 90, 150])
def test_batches_of_three_rows(bare: Oracle, model: str, largest: int) -> None:
    random = np.random.default_rng(largest)
    check_batch(bare, "chomp3", random.integers(0, largest, (40, 3), dtype=np.int32), model)


@pytest.mark.parametrize("model", MODELS)
def test_batches_beyond_the_tables(bare: Oracle, model: str) -> None:
    """Two rows and hooks have closed forms; for other boards the outcome decides."""
    positions = np.array(
        [[0, 500, 1], [0, 400, 900], [0, 0, 10**6], [1, 0, 10**6], [500, 0, 0], [1, 2, 500]],
        np.int32,
    )
    check_batch(bare, "chomp3", positions, model)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("width", [1, 2, 3, 4, 6])
def test_batches_of_boards(bare: Oracle, model: str, width: int) -> None:
    check_batch(bare, "chomp", random_boards(30, width, 5), model)


def test_batches_of_tall_and_wide_boards(bare: Oracle) -> None:
    """Transposed boards are found in the tables. A mixed batch is solved in parts."""
    positions = np.zeros((6, 64), np.int32)
    positions[0, :60], positions[1, :50] = 3, 2
    positions[1, 50:60] = 1
    positions[2, 0], positions[2, 1:30] = 40, 1
    positions[3, :5] = 5
    positions[4, :4] = (30, 2, 2, 2)
    positions[5, :40] = 40
    for model in MODELS:
        check_batch(bare, "chomp", positions, model)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("game", ["nim", "nim{misere}"])
@pytest.mark.parametrize("largest", [1, 6, 3000])
def test_batches_of_nim(bare: Oracle, model: str, game: str, largest: int) -> None:
    random = np.random.default_rng(largest)
    positions = random.integers(0, largest + 1, (40, 3), dtype=np.int32)
    positions[:5, 0] = positions[:5, 1] ^ positions[:5, 2]
    check_batch(bare, game, positions, model)


def test_batches_of_nothing(bare: Oracle) -> None:
    for game, width in (("chomp3", 3), ("chomp", 2), ("nim", 4)):
        for model in MODELS:
            empty = np.zeros((0, width), np.int32)
            assert bare.win_probabilities(parse_game(game), empty, model).shape == (0,)


@pytest.mark.parametrize(
    ("game", "positions", "message"),
    [
        ("chomp3", [[0, 0, 1], [0, -1, 3]], r"row 1 is \[0, -1, 3\]"),
        ("chomp3", [[1, 2]], "3 numbers, not 2"),
        ("chomp", [[3, 2, 1], [1, 2, 0]], r"row 1 is \[1, 2, 0\]"),
        ("chomp", [[1, -1]], r"row 0 is \[1, -1\]"),
        ("nim", [[1, 2], [-3, 1]], r"row 1 is \[-3, 1\]"),
        ("nim{heaps=2}", [[1, 2, 3]], "2 numbers, not 3"),
        ("chomp3", [[2**31, 0, 0]], "in batches numbers are at most"),
    ],
)
def test_bad_rows_are_named(
    bare: Oracle, game: str, positions: list[list[int]], message: str
) -> None:
    with pytest.raises(InvalidPositionError, match=message):
        bare.win_probabilities(parse_game(game), np.array(positions), "random")


@pytest.mark.parametrize("model", ["random", "perfect-vs-random", "random-vs-perfect"])
def test_a_stored_table_gives_the_same_numbers(bare: Oracle, tabled: Oracle, model: str) -> None:
    positions = np.random.default_rng(5).integers(0, 14, (5000, 3), dtype=np.int32)
    game = GameSpec("chomp3")
    with_table = tabled.win_probabilities(game, positions, model)
    assert np.array_equal(with_table, bare.win_probabilities(game, positions, model))
    assert not np.isnan(with_table).any()


@pytest.mark.parametrize("size", SIZES[:2])
def test_the_memory_of_a_table_is_counted(size: int) -> None:
    table = solve_chances(size, 0.1)
    held = table.mantissas.nbytes + table.exponents.nbytes + table.is_p.nbytes
    tables = ChanceTables(Oracle()._resources)
    counted = tables.cost(Model.parse("perfect-vs-sloppy(0.1)"), size).memory_bytes
    assert held <= counted <= 1.2 * held


def test_a_stored_table_is_named(tmp_path: Path) -> None:
    """The board is beyond tables made on demand and beyond exact recursion."""
    from position_oracle.engine.jobs.plan import BuildPlan
    from position_oracle.engine.jobs.run import run_build

    run_build(BuildPlan.of("chomp3", 60, "random_play"), tmp_path / "data")
    oracle = Oracle.open(tmp_path / "data")
    bare = Oracle()
    for model in ("random", "random-vs-perfect"):
        stored = oracle.win_probability("chomp3:[25,20,15]", model)
        assert stored.certainty is Certainty.EXACT_TABLE
        assert stored.method is Method.FLOATING_POINT
        assert "random_play up to 60" in stored.reason
        solved = bare.win_probability("chomp3:[25,20,15]", model)
        assert solved.certainty is Certainty.EXACT_SEARCH
        assert (stored.value, stored.error_bound) == (solved.value, solved.error_bound)
