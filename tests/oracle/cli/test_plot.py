"""`oracle plot` draws stored, solved or asked data, and refuses other pictures with a reason."""

from pathlib import Path

import pytest
import typer
from PIL import Image

from position_oracle.oracle.cli.main import app, run

COMMANDS = {
    "sheet": ["sheet", "chomp3", "60", "--by", "origin", "--lines"],
    "page": ["sheet", "chomp3", "60", "--kind", "L", "--by", "line", "--width", "page"],
    "window": ["sheet", "chomp3", "200", "--size", "40x30", "--first", "60x90"],
    "compare": ["compare", "chomp3@20", "chomp3@40"],
    "parts": ["parts", "chomp3", "30"],
    "difference": ["difference", "chomp3", "chomp3{passes=1}", "30", "--kind", "L"],
    "residuals": ["residuals", "chomp3", "200"],
    "scatter": ["scatter"],
    "convergence": ["convergence"],
    "openings": ["openings", "--last", "300"],
    "places": ["openings", "--places"],
    "census": ["census"],
    "phases": ["census", "--phases"],
    "sensitivity": ["sensitivity", "chomp3", "--x0", "20", "--steps", "8"],
    "survival": ["survival"],
    "overlap": ["overlap", "--last", "12"],
    "board": ["board", "chomp:4/3/2"],
    "values": ["values", "chomp3", "--x", "2", "--size", "8x8", "--what", "remoteness"],
    "heaps": ["values", "wythoff{heaps=2}", "--size", "6x6"],
    "chances": ["chances", "--longest", "8"],
    "transfinite": ["transfinite", "transfinite:1x(w*3) + 2x(w*2+1)"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_kind_of_picture_is_written(
    name: str, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"{name}.png"
    arguments = [*COMMANDS[name], "--out", str(file), "--dpi", "50", "--db", str(store)]
    assert run(["plot", *arguments]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out.startswith(str(file))
    width = 7.0 if "page" in arguments else 3.4
    with Image.open(file) as picture:
        assert picture.size[0] == pytest.approx(50 * width, abs=1)
        assert len(picture.convert("RGB").getcolors(1 << 20) or []) > 2


def test_all_kinds_of_pictures_have_300_pixels_an_inch_unless_said() -> None:
    commands = vars(typer.main.get_command(app))["commands"]["plot"].commands
    assert commands.keys() >= {arguments[0] for arguments in COMMANDS.values()}
    for name, command in commands.items():
        assert {p.name: p.default for p in command.params}["dpi"] == 300, name


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_a_large_sheet_is_a_small_file(ending: str, store: Path, tmp_path: Path) -> None:
    file = tmp_path / f"w.{ending}"
    arguments = ["sheet", "chomp3", "301", "--by", "origin", "--out", str(file), "--db", str(store)]
    assert run(["plot", *arguments]) == 0
    assert 5_000 < file.stat().st_size < 300_000


REFUSED = (
    (["sheet", "chomp3", "10", "--out", "a.gif"], ".png, .svg or .pdf"),
    (["sheet", "chomp3", "10", "--out", "nowhere/a.png"], "no folder"),
    (["sheet", "chomp3", "10", "--width", "wide"], "column"),
    (["sheet", "chomp3", "10", "--dpi", "9999"], "20 to 1200"),
    (["sheet", "chomp3", "10", "--size", "tall"], "two numbers"),
    (["sheet", "nim{heaps=3}", "10", "--lines"], "three-row Chomp"),
    (["compare", "chomp3"], "chomp3@400"),
    (["difference", "chomp3", "chomp3{passes=1}", "9", "--kind", "both"], "W or by L"),
    (["values", "chomp3"], "--x"),
    (["values", "wythoff{heaps=2}", "--size", "999x999"], "128x128"),
    (["board", "nim:[3,5]"], "chomp"),
    (["overlap", "chomp3"], "pass"),
    (["transfinite", "transfinite:2x2xw"], "in the plane"),
    (["sensitivity", "chomp3", "--x0", "1"], "5 to"),
)


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_what_cannot_be_drawn_is_refused_in_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["plot", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_pictures_of_missing_data_exit_with_3(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["plot", "survival", "chomp3{passes=1}", "--out", "a.png", "--db", str(store)]
    assert run(arguments) == 3
    assert "oracle build 'chomp3{passes=1}' --kind sensitivity" in capsys.readouterr().err


def test_a_sheet_in_the_terminal_is_whole(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "30")
    assert run(["sheet", "chomp3", "300", "--db", str(store)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines[:-1])) <= 80
    # 300 x 240 cells in 72 x 25 characters: 5 x 10 each.
    assert lines[-1].startswith("a character stands for 5 x 10 cells: . none, : less than half, u")
    assert lines[-3].split() == ["0", "=" * 60]
    assert lines[0].split() == ["230", "." * 60]
    assert run(["sheet", "chomp3", "300", "--size", "20x4", "--db", str(store)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
