"""docs/tables.md: each example runs, and each view is listed; docs/columns.md is up to date."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.registry import families
from position_oracle.engine.jobs.job import jobs_of
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.schema.description import markdown, own
from position_oracle.schema.snapshot import Snapshot
from tests.builds import build_all

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "tables.md").read_text()
VIEWS = ROOT / "schema" / "views.sql"
EXAMPLES = re.findall(r"^```sql\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_no_query_takes_time_with_the_square_of_the_rows() -> None:
    """DuckDB computes a running total with a FILTER from all earlier rows again at each row."""
    views = VIEWS.read_text()
    assert "OVER (" in views
    for query in (views, *EXAMPLES):
        assert not re.search(r"FILTER \((?:[^()]|\([^()]*\))*\)\s+OVER \([^)]*ORDER BY", query)


SMALL_LIMITS = {
    ("chomp3", "sensitivity"): "100x10",
    ("chomp3", "random_play"): "40",
    ("chomp3", "grundy"): "30",
    ("chomp3", "remoteness"): "30",
    ("chomp3", "census"): "1000x128",
    ("transfinite", None): "1x1x1",
    ("transfinite", "frontier"): "40",
    ("kayles{misere}", "misere_quotient"): "200",
    ("chomp3{passes=1}", "values"): "8",
    ("nim{heaps=3,passes=1}", "values"): "3",
    ("chomp", None): "6x6",
    ("chomp", "values"): "3x3",
    ("kayles", "values"): "5x5",
}
"""Small limits, by build named in a section, that still give rows."""


def commands(text: str) -> set[tuple[str, str | None]]:
    """Return game and kind of every build that a text names."""
    found = set()
    for command in re.findall(r"`oracle build ([^`]+)`", text):
        words = shlex.split(command)
        kind = words[words.index("--kind") + 1] if "--kind" in words else None
        found.add((words[0], kind))
    return found


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the tables of `make demo`, with small limits."""
    place = tmp_path_factory.mktemp("demo") / "data"
    build_all((("chomp3", 300, None), ("chomp3", 1000, "census")), place)
    return place


@pytest.fixture(scope="module")
def few(demonstrated: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to these tables."""
    with Snapshot.open(demonstrated) as snapshot:
        yield snapshot.cursor()


@pytest.fixture(scope="module")
def all_named(
    demonstrated: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to these tables, and those of every build that a section names."""
    place = tmp_path_factory.mktemp("filled") / "data"
    shutil.copytree(demonstrated, place)
    named = sorted(commands(TEXT), key=str)
    build_all(((game, SMALL_LIMITS[game, kind], kind) for game, kind in named), place)
    with Snapshot.open(place) as snapshot:
        yield snapshot.cursor()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_demonstration_answers_or_a_build_is_named(
    few: duckdb.DuckDBPyConnection, all_named: duckdb.DuckDBPyConnection, example: str
) -> None:
    if not few.execute(example).fetchall():
        before = TEXT[: TEXT.index(example)]
        assert commands(before[before.rindex("\n##") :]), "no build is named that gives it rows"
        assert all_named.execute(example).fetchall()


def test_the_page_of_columns_is_up_to_date() -> None:
    """To update the page, run `oracle tables --describe > docs/columns.md`."""
    assert (ROOT / "docs" / "columns.md").read_text() == markdown(own())


def test_every_view_and_macro_has_an_example_or_a_section() -> None:
    for name in (each.name for each in own() if each.kind != "table"):
        assert re.search(rf"^### [^\n]*`{name}`|`{name}\(", TEXT, re.MULTILINE), name


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        ("chomp3", "sheets"),
        ("chomp3{noise=normal(8),seed=7}", "sheets"),
        ("chomp3", "census"),
        ("chomp3", "random_play"),
        ("chomp3", "sensitivity"),
        ("chomp3", "grundy"),
        ("chomp3", "remoteness"),
        ("nim{heaps=3}", "sheets"),
        ("wythoff{rule=all}", "sheets"),
        ("chomp", "outcomes"),
        ("chomp", "grundy"),
        ("transfinite", "fragments"),
        ("transfinite", "frontier"),
        ("kayles{misere}", "misere_quotient"),
    ],
)
def test_the_usual_limit_is_the_one_documented(game: str, kind: str) -> None:
    family = parse_game(game).name
    limits = [line for line in section_of_builds().splitlines() if f"`{kind}`" in line]
    rows = [line for line in limits if f"`{family}`" in line] or limits
    usual = BuildPlan.of(game, None, kind).limit
    assert any(f"`{usual}`" in row for row in rows)


def section_of_builds() -> str:
    """Return the section that lists the builds."""
    return TEXT[TEXT.index("## What can be built") : TEXT.index("## Views")]


def test_every_kind_is_listed() -> None:
    kinds = {job.kind for family in families() for job in jobs_of(family)}
    assert all(f"`{kind}`" in section_of_builds() for kind in kinds)
