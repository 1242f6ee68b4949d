"""If an entry fails, the other entries are computed, and the report says why."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.reproduce import chapters, pictures
from position_oracle.oracle.reproduce.registry import (
    Compute,
    Entry,
    Paper,
    Quantity,
    Verdict,
    equal,
)
from position_oracle.oracle.reproduce.run import compute
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.errors import BuildError, StoppedError


def entry(name: str, of: Compute) -> Entry:
    return Entry(Paper.BEYOND, name, "Says.", of)


def breaks(_: ReportTables) -> Iterator[Quantity]:
    yield equal("before", 1, 1)
    raise ValueError("operands could not be broadcast together")


def is_refused(_: ReportTables) -> list[Quantity]:
    raise BuildError("there is not enough memory")


def is_stopped(_: ReportTables) -> list[Quantity]:
    raise StoppedError("stopped")


ENTRIES = [
    entry("Breaks", breaks),
    entry("Is refused", is_refused),
    entry("Compares nothing", lambda _: ()),
    entry("Holds", lambda _: (equal("a", 3, 3),)),
]


def test_what_fails_costs_only_itself(tmp_path: Path) -> None:
    found = list(compute(ENTRIES, ReportTables(tmp_path), pictures=False))
    assert [finding.failure for finding in found] == [
        "ValueError: operands could not be broadcast together",
        "BuildError: there is not enough memory",
        "nothing was compared",
        "",
    ]
    assert [finding.verdict for finding in found] == [Verdict.FAILED] * 3 + [Verdict.AGREES]
    assert [finding.explained for finding in found] == [False] * 3 + [True]
    assert [quantity.what for quantity in found[0].quantities] == ["before"]


def test_a_picture_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> tuple[bytes, ...]:
        raise ValueError("nothing to draw")

    monkeypatch.setattr(pictures, "pictures_of", fail)
    (finding,) = compute(ENTRIES[-1:], ReportTables(tmp_path))
    assert finding.failure == "ValueError: nothing to draw"
    assert len(finding.quantities) == 1


def test_being_stopped_stops_all(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        list(compute([entry("Is stopped", is_stopped), *ENTRIES], ReportTables(tmp_path)))


def test_the_report_is_written_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chapters, "chosen", lambda *_: ENTRIES)
    assert run(["reproduce", "--no-pictures", "--output", str(tmp_path)]) == 1
    page = (tmp_path / "report.html").read_text()
    assert "ValueError: operands could not be broadcast together" in page
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert verdicts["verdicts"]["could not be computed"] == 3
    assert verdicts["entries"][1]["failure"] == "BuildError: there is not enough memory"
    assert "beyond:is-refused: BuildError: there is not enough memory" in capsys.readouterr().err
