"""`oracle geometry` prints the stored shape of the sheets."""

import json
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.serving import running_server


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_constants_beside_the_theory(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "geometry", "--db", store)
    assert code == 0
    assert out.startswith("chomp3: sheets ")
    alpha = next(line for line in out.splitlines() if line.strip().startswith("alpha"))
    assert "theory 0.7071068" in alpha
    assert float(alpha.split()[1]) == pytest.approx(2**-0.5, abs=0.01)


def test_all_ranges_as_json(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "geometry", "chomp3{passes=1}", "--all", "--json", "--db", store)
    assert code == 0
    shapes = [json.loads(line) for line in out.splitlines()]
    assert [(shape["first_x"], shape["last_x"]) for shape in shapes] == [(75, 149), (150, 300)]
    for shape in shapes:
        assert shape["game"] == "chomp3{passes=1}"
        gamma = next(one for one in shape["measures"] if one["quantity"] == "gamma")
        assert gamma["expected"] == pytest.approx(2**0.5 - 1)


def test_a_server_says_the_same(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, here, _ = call(capsys, "geometry", "--all", "--json", "--db", store)
    with running_server(Oracle.open(store)) as port:
        _, there, _ = call(capsys, "geometry", "--all", "--json", "--server", f"127.0.0.1:{port}")
        code, _, err = call(capsys, "geometry", "transfinite", "--server", f"127.0.0.1:{port}")
    assert there == here
    assert (code, "has no sheets" in err) == (3, True)


def test_games_without_a_shape(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "geometry", "transfinite", "--db", store)
    assert code == 3
    assert "transfinite has no sheets" in err
    code, _, err = call(capsys, "geometry", "chomp3{declared=[1,6,7]}", "--db", store)
    assert code == 3
    assert "oracle build 'chomp3{declared=[1,6,7]}' --limit 1000 measures it" in err


def test_nine_passes_are_as_good_as_one(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "geometry", "chomp3{passes=9}", "--db", store)
    assert code == 0
    _, one, _ = call(capsys, "geometry", "chomp3{passes=1}", "--db", store)
    assert out == one.replace("passes=1", "passes=9")
