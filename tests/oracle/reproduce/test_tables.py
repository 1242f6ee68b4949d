"""Tables of a reproduction are built once and read again; pictures are drawn from them."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text

from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.reproduce.chapters import all_entries, chosen
from position_oracle.oracle.reproduce.pictures import DRAWINGS, pictures_of
from position_oracle.oracle.reproduce.registry import Verdict
from position_oracle.oracle.reproduce.run import compute
from position_oracle.oracle.reproduce.tables import ReportTables
from tests.conftest import RANDOM_PLAY_LIMIT

PNG = b"\x89PNG\r\n\x1a\n"


def test_tables_are_built_once(tmp_path: Path) -> None:
    told: list[str] = []
    tables = ReportTables(tmp_path, quick=True, told=told.append)
    first = tables.sheets(1_000)
    assert len(first) == 1_001
    assert tables.sheets(200).end_x == 201
    assert told == ["building chomp3 sheets up to 1000"]
    again = ReportTables(tmp_path, quick=True, told=told.append)
    assert again.sheets(1_000).census() == first.census()
    assert len(told) == 1


def test_sheets_grow_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = ReportTables(tmp_path)
    monkeypatch.setattr(tables, "_largest", lambda last_x: last_x)
    monkeypatch.setattr(tables, "_sheets", lambda _, last_x: solve(last_x + 1))
    for last_x in (5, 6, 3, 7):
        assert tables.sheets(last_x).end_x == last_x + 1


def test_a_store_with_more_sheets_than_wanted(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = ReportTables(store, quick=True)
    monkeypatch.setattr(tables, "size", lambda _full, _quick: 200)
    (finding,) = compute(chosen([], ["beyond:fringes-of-a-column"]), tables, pictures=False)
    assert finding.failure == ""
    assert finding.verdict is Verdict.AGREES


def test_heaps_grow_and_stay_the_same(tmp_path: Path) -> None:
    tables = ReportTables(tmp_path)
    small = tables.heaps("nim{heaps=3,passes=1}", 20).copy()
    large = tables.heaps("nim{heaps=3,passes=1}", 40)
    assert small.shape == (21, 21)
    assert (large[:21, :21] == small).all()
    assert tables.heaps("nim{heaps=3,passes=1}", 20).shape == (21, 21)


def test_heaps_grow_one_by_one(tmp_path: Path) -> None:
    tables = ReportTables(tmp_path)
    for last in (5, 6, 3, 7, 8):
        assert tables.heaps("nim{heaps=3}", last).shape == (last + 1, last + 1)


def test_variants_and_queries_are_kept_apart(store: Path) -> None:
    """Each differs in one argument from the one before."""
    tables, noise = ReportTables(store), "chomp3{noise=normal(8),seed=1}"
    asked = [(noise, 8, 30), (noise, 8, 40), (noise, 9, 40), ("chomp3", 9, None)]
    for each in asked:
        alone = ReportTables(store).variant(*each)
        assert tables.variant(*each).census() == alone.census()
        assert np.array_equal(tables.variant(*each).prefix(7), alone.prefix(7))
    for number in range(2):
        question = f"SELECT {number}"
        found = tables.query("chomp3", str(RANDOM_PLAY_LIMIT), "random_play", question)
        assert found == [(number,)]


def test_heaps_of_two_games_are_kept_apart(tmp_path: Path) -> None:
    tables, games = ReportTables(tmp_path), ("nim{heaps=3}", "nim{heaps=3,passes=1}")
    both = [tables.heaps(game, 8) for game in games]
    assert (both[0] != both[1]).any()
    for game, found in zip(games, both, strict=True):
        assert (tables.heaps(game, 8) == found).all()
        assert (ReportTables(tmp_path).heaps(game, 8) == found).all()


def test_sizes_follow_the_kind_of_run(tmp_path: Path) -> None:
    assert ReportTables(tmp_path).size(5, 3) == 5
    assert ReportTables(tmp_path, quick=True).size(5, 3) == 3


def test_every_drawing_belongs_to_an_entry() -> None:
    names = {entry.name for entry in all_entries()}
    assert set(DRAWINGS) <= names
    figures = {entry.name for entry in all_entries() if entry.reference.startswith("Figure")}
    drawn = {name for name in figures if name in DRAWINGS}
    # Schematic figures, and figures of ordinals, are not drawn; their numbers are checked.
    assert {name.partition(":")[2] for name in figures - drawn} <= {
        "figure-2", "figure-3", "figure-6", "figure-4-figure-5-section-6",
        "figure-a1-figure-a2-figure-a3-figure-a4",
    }  # fmt: skip


def test_pictures_are_in_the_report(tmp_path: Path) -> None:
    tables = ReportTables(tmp_path / "tables", quick=True)
    (finding,) = compute(chosen([], ["passes:figure-8"]), tables)
    assert len(finding.pictures) == 1
    assert finding.pictures[0].startswith(PNG)
    assert pictures_of("passes:figure-8", tables)[0].startswith(PNG)
    assert pictures_of("passes:equation-5", tables) == ()
    arguments = ["--entry", "transfinite:figure-1-size-section-2", "--output", str(tmp_path)]
    assert run(["reproduce", "--quick", *arguments]) == 0
    assert "data:image/png;base64," in (tmp_path / "report.html").read_text()


def test_a_quick_picture_of_chances_is_of_smaller_boards(tmp_path: Path) -> None:
    (figure,) = DRAWINGS["random-play:conjecture-1.6"](ReportTables(tmp_path, quick=True))
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert any("inside 6 x 6" in text for text in texts)
