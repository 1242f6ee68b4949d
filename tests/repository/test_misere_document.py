"""docs/misere-quotients.md shows the right answer, and the right orders in its tables."""

import re
import shlex
from pathlib import Path

import pytest

from position_oracle.engine.solvers.misere_quotients import find_quotient
from position_oracle.engine.theory.misere_quotients import refutation
from position_oracle.engine.theory.octal import parse_code
from position_oracle.oracle.cli.main import run

TEXT = (Path(__file__).parents[2] / "docs" / "misere-quotients.md").read_text()
WHOLE = re.findall(r"^\| (0\.\d+)[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", TEXT, re.MULTILINE)
PARTIAL = re.findall(r"^\| (0\.\d+)[^|]*\| ((?:\d+ \(\d+\)(?:, )?)+);", TEXT, re.MULTILINE)


def test_the_answer_is_the_one_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # there are no tables here
    block = re.search(r"    \$ oracle (ask .*)\n((?:    .*\n|\n)+)", TEXT)
    assert block is not None
    assert run(shlex.split(block[1])) == 0
    shown = [line.removeprefix("    ").rstrip() for line in block[2].rstrip().splitlines()]
    printed = capsys.readouterr().out.rstrip().splitlines()
    assert [line.rstrip() for line in printed] == shown


@pytest.mark.parametrize("row", WHOLE, ids=lambda row: row[0])
def test_quotients_of_all_heaps_are_those_of_the_table(row: tuple[str, ...]) -> None:
    code, *numbers = row
    found = find_quotient(parse_code(code), 256)
    p_classes = int(found.monoid.is_p.sum())
    assert [found.order, p_classes, found.period, found.preperiod] == list(map(int, numbers))
    assert not found.is_tame
    assert refutation(found) == ""


@pytest.mark.parametrize("row", PARTIAL, ids=lambda row: row[0])
def test_partial_quotients_are_those_of_the_table(row: tuple[str, str]) -> None:
    code, text = row
    orders: dict[int, int] = {}
    pairs = [(int(order), int(heap)) for order, heap in re.findall(r"(\d+) \((\d+)\)", text)]

    def first(heap: int, order: int) -> None:
        orders.setdefault(order, heap)

    found = find_quotient(parse_code(code), pairs[-1][1], taken=first)
    assert [(order, heap) for order, heap in orders.items() if order > 1] == pairs
    assert refutation(found) == ""


def test_the_tables_are_there() -> None:
    assert (len(WHOLE), len(PARTIAL)) == (9, 2)
