"""Our games and bots in OpenSpiel, and OpenSpiel's Nim against our answers."""

from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from position_oracle import InvalidQuestionError, Outcome, rules  # noqa: E402
from position_oracle.clients.adapters.numbering import MAX_ACTIONS, numbering_of  # noqa: E402
from position_oracle.clients.adapters.openspiel import (  # noqa: E402
    GAMES,
    OracleBot,
    load,
    position_of,
)
from position_oracle.clients.bots import GreedyBot, PerfectBot, RandomBot  # noqa: E402
from position_oracle.engine.games.notation import parse  # noqa: E402
from position_oracle.engine.games.registry import FAMILIES  # noqa: E402
from position_oracle.oracle.core import Oracle  # noqa: E402

STARTS = [
    "chomp:3/3",
    "chomp{misere}:3/2",
    "chomp3:[2,1,1;1]",
    "chomp3{declared=[1,0,1]}:[2,1,1]",
    "nim:[2,3;1]",
    "nim{misere}:[3,3]",
    "wythoff:[3,4]",
    "wythoff{rule=both}:[2,2,2;1]",
    "kayles:[6]",
    "octal{code=4.7}:[5]",
    "dawson:[6;1]",
    "nim{max=3}:[7,3]",
    "nim{heappass}:[2p,2]",
    "octal{code=0.77,heappass}:[4p]",
    "toads:TT.FF",
    "divisors:36",
    "transfinite:2x2x2",
    "chomp:2x2x2",
    "nim{allbut=2}:[4,3]",
    "wythoff{a=2}:[3,3]",
    "moore{k=2}:[2,2,1]",
    "fibonacci:[8]",
    "staircase:[1,1,2]",
    "euclid:[3,8]",
    "endnim:[2,1,2]",
    "circular{k=2}:[2,1,2]",
    "partition{parts=3}:[6]",
    "nodekayles:path(5)",
    "nim:[2] + kayles:[3]",
    "nim:[2;1] + kayles:[3;1]",
    "misere{chomp:2/1 + nim:[2]}",
]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def test_every_family_is_tried() -> None:
    assert {parse(start).game.family for start in STARTS} == set(FAMILIES)


@pytest.mark.parametrize("start", STARTS)
def test_games_pass_the_tests_of_openspiel(start: str) -> None:
    game = load(start)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.max_game_length() >= longest_seen(game)
    assert str(game.new_initial_state()) == rules.canonical(start)


@pytest.mark.parametrize("name", GAMES)
def test_the_registered_games_are_loaded_by_name(name: str) -> None:
    game = pyspiel.load_game(name)
    assert str(game.new_initial_state()) == rules.canonical(GAMES[name])
    again = pyspiel.load_game(str(game))
    assert again.num_distinct_actions() == game.num_distinct_actions()


def longest_seen(game: Any) -> int:
    longest = 0
    for seed in range(5):
        state, bot = game.new_initial_state(), RandomBot(seed)
        while not state.is_terminal():
            text = position_of(state)
            child = rules.play(text, bot.choose(text))
            state.apply_action(next(a for a, m in state.legal().items() if m.child == child))
        longest = max(longest, state.move_number())
    return longest


@pytest.mark.parametrize("start", STARTS)
def test_moves_and_returns_are_those_of_the_rules(start: str) -> None:
    state, bot = load(start).new_initial_state(), RandomBot(4)
    while not state.is_terminal():
        children = {str(state.child(action)) for action in state.legal_actions()}
        assert children == {move.child for move in rules.legal_moves(state.text)}
        assert state.returns() == [0.0, 0.0]
        text = state.text
        child = rules.play(text, bot.choose(text))
        state.apply_action(next(a for a, m in state.legal().items() if m.child == child))
    mover = state.move_number() % 2
    won = mover if rules.winner(state.text) is Outcome.N else 1 - mover
    assert state.returns()[won] == 1.0


def test_actions_keep_their_numbers() -> None:
    numbering = numbering_of("chomp:4/4/4")
    names: dict[int, set[str]] = {}
    for text in ("chomp:4/4/4", "chomp:4/4/2", "chomp:3/1/1", "chomp:1"):
        for number, move in numbering.legal(text).items():
            names.setdefault(number, set()).add(str(move.action))
    assert all(len(words) == 1 for words in names.values())
    assert len(names) == 12


@pytest.mark.parametrize("start", [*STARTS, "kayles:[1;3]"])
def test_vectors_tell_positions_apart(start: str) -> None:
    numbering, seen, waiting = numbering_of(start), {}, [rules.canonical(start)]
    while waiting:
        text = waiting.pop()
        vector = tuple(numbering.vector(rules.read(text)))
        if text in seen:
            continue
        assert len(vector) == numbering.features
        assert max(vector) <= numbering.largest
        seen[text] = vector
        if not rules.is_over(text):
            waiting += [move.child for move in rules.legal_moves(text)]
    going_on = [vector for text, vector in seen.items() if not rules.is_over(text)]
    assert len(set(going_on)) == len(going_on)


def test_the_perfect_bot_wins_what_is_won(oracle: Oracle) -> None:
    for start in ("chomp:4/4/4", "nim:[3,4,5;1]", "kayles:[7]"):
        bots = [OracleBot(PerfectBot(oracle)), pyspiel.make_uniform_random_bot(1, 7)]
        for seed in range(5):
            state = load(start).new_initial_state()
            assert pyspiel.evaluate_bots(state, bots, seed)[0] == 1.0


def test_bots_play_the_nim_of_openspiel(oracle: Oracle) -> None:
    for misere in (False, True):
        game = pyspiel.load_game("nim", {"pile_sizes": "2;3;4", "is_misere": misere})
        bots = [OracleBot(PerfectBot(oracle)), OracleBot(GreedyBot())]
        assert pyspiel.evaluate_bots(game.new_initial_state(), bots, 1) == [1.0, -1.0]
    other = pyspiel.load_game("tic_tac_toe").new_initial_state()
    with pytest.raises(InvalidQuestionError, match="tic_tac_toe cannot be read"):
        OracleBot(GreedyBot()).step(other)


@pytest.mark.parametrize("misere", [False, True])
def test_every_nim_position_of_openspiel_up_to_4_4_4_4(oracle: Oracle, misere: bool) -> None:
    game = pyspiel.load_game("nim", {"pile_sizes": "4;4;4;4", "is_misere": misere})
    start = game.new_initial_state()
    wins: dict[str, bool] = {}  # for the player to move, by OpenSpiel's own rules

    def solve(state: Any) -> bool:
        text = position_of(state)
        if text not in wins:
            if state.is_terminal():
                loser = next(i for i, value in enumerate(state.returns()) if value < 0)
                wins[text] = loser != state.move_number() % 2
            else:
                children = [state.child(action) for action in state.legal_actions()]
                won = [solve(child) for child in children]  # all children, not only the first
                wins[text] = not all(won)
                moves = {str(move) for move in rules.legal_moves(text)}
                assert {position_of(child) for child in children} == moves
        return wins[text]

    solve(start)
    assert len(wins) == 5**4
    for text, won in wins.items():
        assert (oracle.outcome(text).outcome is Outcome.N) == won, text


def test_games_that_are_too_large_are_refused() -> None:
    assert MAX_ACTIONS == 1_000_000
    for start in ("chomp:1001/1001" + "/1001" * 998, "kayles:[200]", "nim:[500000,500000]"):
        with pytest.raises(InvalidQuestionError):
            numbering_of(start)


@pytest.mark.parametrize(
    "start", ["staircase:[0,0,2]", "chomp:2x2x2", "toads:TT.FF", "nim:[1,2;2]"]
)
def test_no_game_lasts_longer_than_its_bound(start: str) -> None:
    def longest(text: str) -> int:
        children = [] if rules.is_over(text) else rules.legal_moves(text)
        return max((1 + longest(move.child) for move in children), default=0)

    assert longest(start) <= numbering_of(start).plies


def test_an_action_of_unordered_heaps_keeps_its_meaning() -> None:
    numbering, names = numbering_of("nim{allbut=2}:[4,3]"), dict[int, set[tuple[int, int]]]()
    for text in ("nim{allbut=2}:[3,4]", "nim{allbut=2}:[1,4]", "nim{allbut=2}:[4]"):
        heaps = rules.read(text).coordinates
        for number, move in numbering.legal(text).items():
            assert move.action is not None
            change = move.action.taking[0]
            names.setdefault(number, set()).add((heaps[change.heap - 1], change.tokens))
    assert all(len(meant) == 1 for meant in names.values())
