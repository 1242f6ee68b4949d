"""Tables of Grundy values and remoteness: built, read back and checked; damage is found."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.jobs import values_checks
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.value_layouts import Layout, layout_of
from position_oracle.engine.jobs.values import KINDS
from position_oracle.engine.jobs.values_checks import value_checks
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import NotationError, ResourceLimitError
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.value_rows import read_values
from tests.builds import build_all

BUILDS = (
    ("chomp3", "12", "12"),
    ("chomp", "5x6", "5x6"),
    ("nim{heaps=3}", "9", "9x9x9"),
    ("nim{heaps=3,passes=1}", "9", "9x9x9"),
    ("wythoff{heaps=2}", "20x31", "20x31"),
    ("wythoff{rule=all}", "7", "7x7x7"),
    ("wythoff{heaps=2,passes=1}", "13x9", "13x9"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the values of every family."""
    place = tmp_path_factory.mktemp("values") / "data"
    values = [(game, limit, kind) for game, limit, _ in BUILDS for kind in KINDS]
    build_all(values, place)
    return place


def test_boards_have_values_inside_their_box_or_turned_inside_it() -> None:
    layout = layout_of(parse_game("chomp"), "2x3", "grundy")
    for rows in product(range(6), repeat=4):
        board = tuple(row for row in rows if row)
        if sorted(board, reverse=True) != list(board):
            continue
        sides = (len(board), max(board, default=0))
        fits = sides in product((1, 2), (1, 2, 3)) or sides in product((1, 2, 3), (1, 2))
        assert (layout.place(board) >= 0) == fits, board


@pytest.mark.parametrize(("game", "limit", "canonical"), BUILDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_check_holds(place: Path, game: str, limit: str, canonical: str, kind: str) -> None:
    with Snapshot.open(place) as snapshot:
        report = verify_build(snapshot, game, kind, sample=Sample(2_000))
    assert report.limit == canonical
    assert report.passed, report.checks
    names = " ".join(check.name for check in report.checks)
    assert "rows are in their order" in names
    assert all(check.count > 0 for check in report.checks)


@pytest.mark.parametrize(
    "text",
    [
        "chomp3:[4,3,2]",
        "chomp:6/5/3/3",
        "chomp:4/4/4/4/2/1",
        "nim:[3,5,7]",
        "nim:[7,3,5;1]",
        "nim:[3,5,7;4]",
        "nim:[3,5,7;5]",
        "wythoff:[19,7]",
        "wythoff{rule=all}:[3,5,7]",
        "chomp3:[0,0,1]",
        "nim:[0,0,0;1]",
    ],
)
def test_stored_values_are_those_that_are_computed_when_asked(place: Path, text: str) -> None:
    position = parse(text)
    computed = Oracle().analyze(position, moves=False).values
    assert Oracle.open(place).analyze(position, moves=False).values == computed


def test_stored_tables_are_listed(place: Path) -> None:
    stored = {
        (info.game.text, source.questions[0])
        for info in Oracle.open(place).games()
        for source in info.sources
        if source.build is not None and source.questions[0] in KINDS
    }
    games = {str(replace(parse_game(game), heaps=None)) for game, _, _ in BUILDS}
    assert stored == {(game, kind) for game in games for kind in KINDS}


@pytest.mark.parametrize(("game", "limit", "canonical"), BUILDS)
def test_places_are_those_of_the_rows(game: str, limit: str, canonical: str) -> None:
    layout = layout_of(parse_game(game), limit, "grundy")
    count = 0
    for flat, begins in layout.rows():
        for first, last in pairwise(begins.tolist()):
            coordinates = tuple(flat[first:last].tolist())
            assert layout.place(Position(layout.game, coordinates).coordinates) == count
            count += 1
    assert count == layout.count


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", ["chomp3", "chomp", "wythoff{heaps=2}"])
def test_a_false_value_is_found(
    place: Path, monkeypatch: pytest.MonkeyPatch, game: str, kind: str
) -> None:
    with Snapshot.open(place) as snapshot:
        limit = next(b.limit for b in snapshot.builds() if (b.game, b.kind) == (game, kind))
        layout = layout_of(parse_game(game), limit, kind)
        values = read_values(snapshot, game, kind).copy()
        place_of_it = layout.count // 2
        values[place_of_it] += 1
        monkeypatch.setattr(
            "position_oracle.engine.jobs.values_checks.read_values", lambda *_, **__: values
        )
        checks = list(value_checks(snapshot, layout, kind, Sample(None)))
    assert not all(check.passed for check in checks)
    assert np.count_nonzero([not check.passed for check in checks]) >= 1


@pytest.mark.parametrize(
    ("game", "limit", "kind", "error"),
    [
        ("chomp3", "x", "grundy", NotationError),
        ("chomp3", "0", "grundy", NotationError),
        ("chomp3", "3x4", "grundy", NotationError),
        ("chomp3{passes=1}", "9", "grundy", NotationError),
        ("chomp3{declared=[1,1,1]}", "9", "remoteness", NotationError),
        ("nim{heaps=3,misere}", "9", "grundy", NotationError),
        ("nim", "9", "grundy", NotationError),
        ("chomp", "1x2x3", "grundy", NotationError),
        ("wythoff{heaps=2}", "9999999", "grundy", NotationError),
        ("chomp3", "1000", "grundy", ResourceLimitError),
        ("chomp", "100x100", "grundy", ResourceLimitError),
    ],
)
def test_what_cannot_be_built(game: str, limit: str, kind: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        BuildPlan.of(game, limit, kind)


def test_misere_nim_has_remoteness(tmp_path: Path) -> None:
    run_build(BuildPlan.of("nim{heaps=2,misere}", "6", "remoteness"), tmp_path / "data")
    oracle = Oracle.open(tmp_path / "data")
    position = parse("nim{misere}:[5,3]")
    computed = Oracle().analyze(position, moves=False).values
    assert oracle.analyze(position, moves=False).values == computed


# Checks work block by block, whatever the size of blocks


Blocks = Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]


def cut(layout: Layout, size: int) -> Blocks:
    """Return the positions of a layout in blocks of another size."""
    for flat, begins in layout.rows():
        for first in range(0, len(begins) - 1, size):
            part = begins[first : first + size + 1]
            yield flat[part[0] : part[-1]], part - part[0]


def batch(block: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]) -> pa.RecordBatch:
    """Return a block as the table has it."""
    flat, begins = block
    return pa.record_batch({"coordinates": pa.ListArray.from_arrays(begins, flat)})


def without_the_last(blocks: Blocks) -> Blocks:
    *most, (flat, begins) = blocks
    yield from most
    yield flat[: begins[-2]], begins[:-1]


def with_one_more(blocks: Blocks) -> Blocks:
    yield from blocks
    yield np.array([1], np.int32), np.array([0, 1], np.int32)


def with_another_length(blocks: Blocks) -> Blocks:
    flat, begins = next(blocks)
    changed = begins.copy()
    changed[1] -= 1
    yield flat, changed
    yield from blocks


@pytest.mark.parametrize("change", [without_the_last, with_one_more, with_another_length])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_rows_in_another_order_are_found(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Blocks], Blocks],
    size: int,
) -> None:
    layout = layout_of(parse_game("chomp"), "4x5", "grundy")
    stored: Callable[[], Blocks] = partial(cut, layout, size)
    with Snapshot.open(place) as snapshot:
        for read, passes in ((stored, True), (lambda: change(stored()), False)):
            monkeypatch.setattr(Snapshot, "stream", lambda *_, of=read: map(batch, of()))
            assert values_checks._order(snapshot, layout, "grundy").passed is passes


def test_checks_that_do_not_fit_in_memory_are_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "100M")
    with Snapshot.open(place) as snapshot, pytest.raises(ResourceLimitError, match="of memory"):
        verify_build(snapshot, "chomp", "grundy")


def test_estimates_of_checks_include_games_with_fewer_passes(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = BuildPlan.of("nim{heaps=3,passes=1}", "9", "grundy")
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", str(plan.estimate().memory_bytes - 1))
    with Snapshot.open(place) as snapshot:
        with pytest.raises(ResourceLimitError, match="of memory"):
            verify_build(snapshot, "nim{heaps=3,passes=1}", "grundy")
        assert verify_build(snapshot, "wythoff{heaps=2}", "grundy").passed
