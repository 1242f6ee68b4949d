"""Records as text for people, and whether a position or a move wins."""

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.schema.analyses import AnalyzedMove
from position_oracle.schema.answers import Outcome, PositionValues
from position_oracle.schema.moves import Move


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def test_answers_and_moves_say_whether_they_win(oracle: Oracle) -> None:
    assert oracle.outcome("nim:[3,5]").wins is True
    assert oracle.outcome("nim:[5,5]").wins is False
    assert oracle.outcome("chomp:40/38/38/37/36/35/34/33/32/31").wins is None
    wins = {str(each.move): each.wins for each in oracle.moves("nim:[1,2]")}
    assert wins == {"nim:[1,1]": True, "nim:[0,2]": False, "nim:[1,0]": False}
    assert AnalyzedMove(Move("nim:[1]"), Outcome.UNKNOWN, PositionValues()).wins is None


def test_records_print_as_lines(oracle: Oracle) -> None:
    bouton = "(THEOREM: Bouton's theorem: P if the nim-sum is 0)"
    assert str(oracle.outcome("nim:[3,5]")) == f"nim:[3,5]: N {bouton}"
    answer = oracle.winning_moves("nim:[3,5,7]")
    assert str(answer) == f"nim:[3,5,7]: N, by nim:[2,5,7] and 2 more moves {bouton}"
    assert str(oracle.analyze("nim:[0,2]")).splitlines() == [
        f"nim:[0,2]: N, by nim:[0,0] {bouton}",
        "  nim:[0,0] (take 2 from heap 2): wins, 0 plies to the end",
        "  nim:[0,1] (take 1 from heap 2): loses, 1 ply to the end",
    ]
    assert str(oracle.best_line("nim:[0,2]")).splitlines() == [
        "nim:[0,2]",
        "  nim:[0,0] (take 2 from heap 2): wins, 0 plies to the end",
    ]
    assert str(oracle.win_probability("nim:[3]", "random")).startswith("nim:[3]: 1/2 in the model")
    assert str(oracle.turns("nim:[3]")).startswith("nim:[3]: 1.83333 turns on average (THEOREM")
    unknown = str(oracle.outcome("chomp:40/38/38/37/36/35/34/33/32/31"))
    assert unknown.startswith("chomp:40/38/38/37/36/35/34/33/32/31: UNKNOWN (")
