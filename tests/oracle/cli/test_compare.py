"""`oracle compare`: two games of three-row Chomp, at the shift with the best agreement."""

import json
from collections import defaultdict

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.geometry.dynamics import BOXES
from position_oracle.oracle.cli import comparison
from position_oracle.oracle.cli.comparison import SHIFTS, compare
from position_oracle.oracle.cli.main import run
from position_oracle.schema.sheets import NO_Z, LoserSheets


def compared(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["compare", *arguments, "--x", "200", "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_game_has_distance_0_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, "chomp3", "chomp3")
    assert found["games"] == ["chomp3", "chomp3"]
    assert (found["first_x"], found["last_x"]) == (100, 200)
    assert (found["shift"], found["moved"], found["distance"]) == (0, 0, 0.0)
    assert found["fate"] == "inert"


def test_a_shifted_game_is_the_same_one_sheet_on(capsys: pytest.CaptureFixture[str]) -> None:
    """With [0, 1, 1] declared, sheet x + 1 equals sheet x of the plain game (docs/geometry.md)."""
    found = compared(capsys, "chomp3", "chomp3{declared=[0,1,1]}")
    assert (found["shift"], found["moved"], found["fate"]) == (1, 0, "shifted")


@pytest.mark.parametrize("other", ["chomp3{passes=1}", "chomp3{noise=normal(8),seed=1}"])
def test_other_games_have_other_positions_and_the_same_shape(
    capsys: pytest.CaptureFixture[str], other: str
) -> None:
    found = compared(capsys, "chomp3", other)
    moved, positions = found["moved"], found["positions"]
    assert isinstance(moved, int)
    assert isinstance(positions, int)
    assert 0.5 < moved / positions <= 1
    assert isinstance(found["distance"], float)
    assert 0 < found["distance"] < 0.08
    assert found["fate"] == "independent"


@pytest.mark.parametrize("game", ["chomp3", "nim{heaps=3,passes=1}"])
def test_the_sheets_of_every_shift_are_solved(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    ends = list[int]()

    def seen(before: LoserSheets, after: LoserSheets, x: int) -> comparison.Comparison:
        ends.extend(each.end_x - x for each in (before, after))
        return compare(before, after, x)

    monkeypatch.setattr(comparison, "compare", seen)
    assert run(["compare", game, game, "--x", "50"]) == 0
    assert min(ends) > SHIFTS


Cells = dict[int, set[tuple[int, int]]]


def cells_of(game: str, last_x: int) -> Cells:
    """The P-positions [x, y, z] with y, z < 2 x of each sheet, from the solver's columns."""
    spec = parse_game(game)
    count = last_x + SHIFTS + 1
    sheets = solve_game(spec, count, 2 * count if spec.noise else None)
    found: Cells = {}
    for x in range(count):
        y = np.arange(2 * x)
        z = sheets.look_up(x, y)
        found[x] = {(a, b) for a, b in zip(y.tolist(), z.tolist(), strict=True) if b != NO_Z}
    return found


def shape(cells: Cells, sheets: range) -> dict[tuple[int, int], float]:
    """Return weights of the boxes of a grid, each sheet in units of its x. Their sum is 1."""
    found: defaultdict[tuple[int, int], float] = defaultdict(float)
    for x in sheets:
        for y, z in cells[x]:
            if z < 2 * x:
                found[y * BOXES // (2 * x), z * BOXES // (2 * x)] += 1 / (2 * x)
    total = sum(found.values())
    return {box: weight / total for box, weight in found.items()}


@pytest.mark.parametrize("other", ["chomp3{passes=1}", "chomp3{declared=[3,1,0]}"])
def test_the_numbers_are_those_of_a_naive_count(
    capsys: pytest.CaptureFixture[str], other: str
) -> None:
    found = compared(capsys, "chomp3", other)
    one, two = cells_of("chomp3", 200), cells_of(other, 200)
    shift = found["shift"]
    assert isinstance(shift, int)
    first, second = shape(one, range(100, 201)), shape(two, range(100 + shift, 201 + shift))
    apart = (
        sum(abs(first.get(box, 0.0) - second.get(box, 0.0)) for box in first.keys() | second.keys())
        / 2
    )
    assert found["distance"] == pytest.approx(apart, abs=1e-9)
    before, after = (solve_game(parse_game(game), 201 + SHIFTS) for game in ("chomp3", other))
    tried = {each: moved(before, after, 200, each) for each in range(-SHIFTS, SHIFTS + 1)}
    assert (found["moved"], found["positions"]) == tried[shift]
    fewest = min(count for count, _ in tried.values())
    nearest = [each for each, (count, _) in tried.items() if count == fewest]
    assert abs(shift) == min(map(abs, nearest))


def moved(before: LoserSheets, after: LoserSheets, x: int, shift: int) -> tuple[int, int]:
    """How many P-positions of a sheet the other lacks, to the end of the later first period."""
    pairs = ((before, x), (after, x + shift))
    columns = range(max(len(one.prefix(at)) + len(one.tail(at)) for one, at in pairs))
    was, is_now = ([one.z_at(at, y) for y in columns] for one, at in pairs)
    there = [(one, other) for one, other in zip(was, is_now, strict=True) if one is not None]
    return sum(one != other for one, other in there), len(there)


def test_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "chomp3", "chomp3{passes=1}", "--x", "100"]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == "chomp3 and chomp3{passes=1}, sheets 50 to 100"
    assert len(others) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["chomp3", "nim{heaps=3}"], 2, "nim{heaps=3}: give two games of three-row Chomp"),
        (["chomp3", "chomp3{passes=x}"], 2, "passes"),
        (["chomp3", "chomp3", "--x", "2001"], 2, "allowed are whole numbers from 50 to 2000"),
        (["chomp3", "chomp3{declared=[1,1,0]}"], 3, "closed by sheet 2"),
        (["chomp3", "chomp3{noise=normal(8),seed=1,passes=1}"], 3, "without passes only"),
        (["chomp3", "chomp3{misere}"], 3, "chomp3{misere} has no sheets"),
    ],
)
def test_games_that_cannot_be_compared_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    assert run(["compare", *arguments]) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_games_of_three_heaps_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """Perturbing every column keeps the shape of Nim with a pass, but not that of Nim."""
    found = {}
    for other in ("nim{heaps=3}", "nim{heaps=3,noise=normal(8),seed=1}"):
        assert run(["compare", "nim{heaps=3,passes=1}", other, "--x", "180", "--json"]) == 0
        found[other] = json.loads(capsys.readouterr().out)["distance"]
    nim, noisy = found.values()
    assert nim > 0.4
    assert noisy < nim / 2
