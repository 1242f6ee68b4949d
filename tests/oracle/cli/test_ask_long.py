"""Positions whose texts fill a screen are shortened for people, but not for programs."""

import json

import pytest

from position_oracle.oracle.cli.main import run

LONG = "nodekayles:path(60)"


def test_long_positions_are_shortened_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", LONG, "--moves", "2"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) < 250
    assert "nodekayles:1-2,2-3" in shown
    assert "characters)   (take vertex 1)" in shown
    assert run(["ask", LONG, "--json", "--moves", "1"]) == 0
    assert len(json.loads(capsys.readouterr().out)["position"]) > 300
    assert run(["ask", "chomp:9/7/4"]) == 0
    assert capsys.readouterr().out.startswith("chomp:9/7/4\n")
