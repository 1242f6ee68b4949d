"""The chapter on random play covers the whole paper; a wrong table changes its verdicts."""

import json
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.reproduce.chapters import chosen
from position_oracle.oracle.reproduce.papers import random_play
from position_oracle.oracle.reproduce.registry import Verdict, verdict_of
from position_oracle.oracle.reproduce.run import compute
from position_oracle.oracle.reproduce.tables import ReportTables

NUMBERED = [
    *(f"Theorem 1.{n}" for n in (1, 2, 3, 4, 7)),
    "Conjecture 1.5",
    "Conjecture 1.6",
    "Lemma 4.1",
    "Table 1",
    "Equation (2.1)",
    "Equation (2.2)",
]
CORRECTED = ["Proof of Theorem 1.2", "Theorem 1.4", "Proof of Theorem 1.4", "Lemma 4.1"]
OPEN = ["Conjecture 1.5", "Conjecture 1.6", "Section 6"]


def test_every_number_of_the_paper_has_an_entry() -> None:
    covered = {name for entry in random_play.chapter.entries for name in entry.references}
    assert set(NUMBERED) <= covered


def test_the_verdicts(tmp_path: Path) -> None:
    tables = ReportTables(tmp_path, quick=True)
    found = {
        f.entry.reference: f.verdict
        for f in compute(random_play.chapter.entries, tables, pictures=False)
    }
    expected = dict.fromkeys(found, Verdict.AGREES)
    expected |= dict.fromkeys(CORRECTED, Verdict.CORRECTED)
    expected |= dict.fromkeys(OPEN, Verdict.UNDECIDED)
    assert found == expected


def test_a_wrong_table_changes_the_verdict(tmp_path: Path) -> None:
    """A board of three rows with a chance above 1/2 refutes Conjecture 1.5."""
    (entry,) = chosen([], ["random-play:conjecture-1.5"])
    tables = ReportTables(tmp_path, quick=True)
    excess = tables.random_play(80).excess
    excess.flags.writeable = True
    excess[1000] = 0.25
    assert verdict_of(entry.compute(tables)) is Verdict.DIFFERS


@pytest.mark.parametrize("cell", [(0, 1), (7, 0)])
def test_a_wrong_number_in_the_printed_table_is_noticed(
    cell: tuple[int, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [list(row) for row in random_play.TABLE_1]
    rows[cell[0]][cell[1]] += 1
    monkeypatch.setattr(random_play, "TABLE_1", tuple(map(tuple, rows)))
    (entry,) = chosen([], ["random-play:table-1"])
    assert verdict_of(entry.compute(ReportTables(tmp_path, quick=True))) is Verdict.DIFFERS


def test_the_command_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report"
    arguments = ["--entry", "random-play:table-1", "--quick", "--output", str(out)]
    assert run(["reproduce", *arguments]) == 0
    assert "1 entries: 1 agrees" in capsys.readouterr().out
    assert "531,994,564,864" in (out / "report.html").read_text()
    assert json.loads((out / "verdicts.json").read_text())["verdicts"]["agrees"] == 1
