"""Tables of `oracle build GAME --kind values` give the same answers as a search."""

from itertools import product
from pathlib import Path

import pytest

from position_oracle import Certainty, Oracle
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.value_layouts import layout_of
from position_oracle.engine.theory.random_play.model import Model, Perfect
from tests.builds import build_all
from tests.oracle.tables import stored as stored_table

TABLES = (
    ("circular{k=2}", "1x1x2x1x2"),
    ("nim{heaps=2,passes=1}", "4x4"),
    ("octal{code=0.77,misere}", "5x4"),
    ("chomp3{declared=[1,0,2]}", "4"),
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    folder: Path = tmp_path_factory.mktemp("values")
    build_all(((game, limit, "values") for game, limit in TABLES), folder)
    return Oracle.open(folder)


def positions(game: str, limit: str) -> list[Position]:
    """Return all positions up to a limit."""
    spec = BuildPlan.of(game, limit, "values").game
    sides = [int(side) for side in limit.split("x")]
    if spec.family == "chomp3":
        rows = [xyz for xyz in product(range(5), repeat=3) if sum(xyz) <= sides[0]]
    else:
        rows = list(product(*(range(side + 1) for side in sides)))
    return [rules_of(spec.family).position(spec, row) for row in rows]


@pytest.mark.parametrize(("game", "limit"), TABLES)
def test_every_row_is_what_a_search_finds(stored: Oracle, game: str, limit: str) -> None:
    bare = Oracle()
    for position in positions(game, limit):
        (table,) = stored.prober(position.game).stored
        plan = table.plan(position, with_moves=True)
        assert plan is not None
        found, searched = plan.run(), bare.winning_moves(position)
        assert found.certainty is Certainty.EXACT_TABLE
        assert found.outcome is searched.outcome
        assert set(found.winning_moves or ()) == set(searched.winning_moves or ())
        values = bare.analyze(position, moves=False).values
        for kind in ("grundy", "remoteness"):
            of_kind = table.plan_values(kind, position)
            known = of_kind.run() if of_kind is not None else None
            assert (known.at(position) if known else None) == getattr(values, kind)
        for perfect in Perfect:
            chance = table.plan_chance(position, Model(perfect))
            assert chance is not None
            value = bare.win_probability(position, Model(perfect)).value
            assert chance.run().value == pytest.approx(value, abs=1e-12)  # type: ignore[union-attr]
        turns = table.plan_turns(position)
        assert turns is not None
        assert turns.run().mean == pytest.approx(bare.turns(position).mean)  # type: ignore[union-attr]


def test_games_without_a_theorem_are_answered_from_their_table(stored: Oracle) -> None:
    answer = stored.outcome("circular{k=2}:[1,1,2,1,2]")
    assert answer.reason == "table of values of circular{k=2} up to 1x1x2x1x2"
    assert stored.outcome("circular{k=2}:[1,1,2,1,3]").certainty is Certainty.EXACT_SEARCH
    listed = {info.game.text for info in stored.games() for source in info.sources if source.build}
    assert listed == {game.replace("heaps=2,", "") for game, _ in TABLES}


@pytest.mark.parametrize("heap", [2**31 - 1, 2**31, 2**32, 2**64])
def test_numbers_that_no_table_has_are_not_in_it(stored: Oracle, heap: int) -> None:
    game = parse_game("nim{heaps=2,passes=1}")
    (table,) = stored.prober(game).stored
    assert table.plan(Position(game, (3, 3)), with_moves=False) is not None
    assert table.plan(Position(game, (heap, 3)), with_moves=False) is None


def test_heaps_have_the_limit_of_the_smaller_side() -> None:
    """So that any heaps within it are in the table."""
    game, sides = parse_game("wythoff{heaps=2}"), (4, 9)
    values = layout_of(game, "4x9", "remoteness").values(None)
    oracle = Oracle([stored_table(game.text, "remoteness", "4x9", {"values": values})])
    (source,) = (each for info in oracle.games() for each in info.sources if each.build)
    assert source.limits == {"heaps": 2, "heap": min(sides)}


@pytest.mark.parametrize("model", ["perfect-vs-sloppy(1/2)", "sloppy(1/2)-vs-perfect"])
def test_chances_against_random_play_are_not_those_against_errors(
    stored: Oracle, model: str
) -> None:
    game = parse_game("nim{heaps=2,passes=1}")
    (table,) = stored.prober(game).stored
    position = Position(game, (2, 3))
    assert table.plan_chance(position, Model.parse(model.replace("1/2", "1"))) is not None
    assert table.plan_chance(position, Model.parse(model)) is None
