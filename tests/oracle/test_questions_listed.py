"""The list of games names the answered questions; a refusal names games with an answer."""

import pytest

from position_oracle import Oracle
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.schema.errors import UnknownAnswerError
from scripts.list_questions import EXAMPLES
from tests.oracle.tables import three_row_table

SMALL = {parse(examples[0]).game.family: examples[0] for examples in EXAMPLES}


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("family", SMALL)
def test_what_is_listed_is_answered_and_nothing_else(oracle: Oracle, family: str) -> None:
    listed = {q for i in oracle.games() if i.game.family == family for q in i.questions}
    text = SMALL[family]
    analysis, line = oracle.analyze(text, moves=False), oracle.best_line(text)
    answered = {
        "outcome": analysis.answer.outcome,
        "winning_moves": analysis.answer.winning_moves is not None,
        "grundy": analysis.values.grundy is not None or analysis.answer.transfinite,
        "remoteness": line.remoteness is not None,
        "best_line": line.complete,
        "win_probability": oracle.win_probability(text, "random").value is not None,
        "turns": oracle.turns(text).mean is not None,
    }
    assert {name for name, found in answered.items() if found} == listed & answered.keys()


@pytest.mark.parametrize(
    ("text", "has_grundy"), [("chomp3", True), ("chomp3{declared=[2,1,1]}", False)]
)
def test_tables_with_declared_positions_have_no_grundy_values(text: str, has_grundy: bool) -> None:
    game = parse_game(text)
    oracle = Oracle([three_row_table(game, solve_game(game, 9))])
    (listed,) = [each for each in oracle.games() if each.game == game]
    assert ("grundy" in listed.questions) is has_grundy
    position = Position(game, (2, 3, 1))
    assert (oracle.analyze(position).values.grundy is not None) is has_grundy


@pytest.mark.parametrize(
    "game",
    [
        "wythoff{passes=1}",
        "wythoff{rule=both,passes=1}",
        "wythoff{rule=both,misere}",
        "nim",
        "nim{heaps=4}",
        "chomp{passes=1}",
        "euclid",
    ],
)
def test_a_game_without_sheets_is_told_which_games_have_them(oracle: Oracle, game: str) -> None:
    for ask in (
        lambda: oracle.losers(game, 1, 4),
        lambda: oracle.instant_winners(game, 1, 4, 4),
        lambda: oracle.geometry(game),
    ):
        with pytest.raises(UnknownAnswerError, match="an even number of passes, such as wythoff"):
            ask()
    for named in ("nim{heaps=3,passes=1}", "wythoff{rule=pairs}", "wythoff{rule=both,passes=2}"):
        assert len(oracle.losers(named, 1, 4)) == 4
