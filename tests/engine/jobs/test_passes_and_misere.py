"""A table is made for exactly the game asked for, with its passes and play, or is refused."""

from itertools import product

import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.value_layouts import layout_of
from position_oracle.schema.errors import NotationError
from tests.reference.heap_rules_naive import NaiveGame, wythoff_children


@pytest.mark.parametrize(
    ("game", "limit", "kind"),
    [
        ("wythoff{rule=both,misere}", "20", "sheets"),
        ("wythoff{rule=all,passes=1}", "20", "sheets"),
        ("chomp{misere}", "5x5", "outcomes"),
        ("chomp{passes=1}", "5x5", "outcomes"),
        ("chomp{passes=1}", "5x5", "grundy"),
        ("chomp{misere}", "5x5", "remoteness"),
        ("chomp{passes=2}", "5x5", "remoteness"),
        ("wythoff{heaps=2,misere}", "9", "grundy"),
    ],
)
def test_tables_without_a_solver_are_refused(game: str, limit: str, kind: str) -> None:
    with pytest.raises(NotationError, match=r"has no (tables|sheets)") as raised:
        BuildPlan.of(game, limit, kind)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("passes", [0, 1, 2])
@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("", ((0,), (1,), (0, 1))),
        ("rule=pairs", ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))),
        ("rule=both", ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))),
    ],
)
def test_values_of_wythoff_with_passes(
    rule: str, lines: tuple[tuple[int, ...], ...], passes: int
) -> None:
    side, heaps = (9, 2) if not rule else (4, 3)
    options = f"{rule or 'heaps=2'},passes={passes}"
    game = parse_game(f"wythoff{{{options}}}")
    naive = NaiveGame(wythoff_children(lines))
    for kind in ("grundy", "remoteness"):
        values = layout_of(game, str(side), kind).values(None).reshape((side + 1,) * heaps)
        for position in product(range(side + 1), repeat=heaps):
            wanted = naive.grundy if kind == "grundy" else naive.remoteness
            assert values[position] == wanted(tuple(sorted(position)), passes), (kind, position)
