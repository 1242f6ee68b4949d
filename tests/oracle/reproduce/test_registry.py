"""Entries of the report: verdicts follow from numbers alone."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.reproduce.chapters import all_entries, chosen
from position_oracle.oracle.reproduce.papers.places import line_numbers_of
from position_oracle.oracle.reproduce.registry import (
    Entry,
    Finding,
    Paper,
    Quantity,
    Relation,
    ValueSource,
    Verdict,
    at_least,
    at_most,
    equal,
    every,
    holds,
    near,
    near_threshold,
    undecided,
    verdict_of,
)
from position_oracle.oracle.reproduce.report import as_html, as_json, shown
from position_oracle.oracle.reproduce.run import compute
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.errors import NotationError


@pytest.mark.parametrize(
    ("quantity", "verdict"),
    [
        (equal("a", 3, 3), Verdict.AGREES),
        (equal("a", 3, 4), Verdict.DIFFERS),
        (equal("a", 3, 4, corrected=4), Verdict.CORRECTED),
        (equal("a", 3, 5, corrected=4), Verdict.DIFFERS),
        (equal("a", 3, 3, corrected=4), Verdict.AGREES),
        (equal("a", Fraction(1, 3), Fraction(2, 6)), Verdict.AGREES),
        (equal("a", (1, 2), (1, 2)), Verdict.AGREES),
        (equal("a", (1, 2), (1, 2, 3)), Verdict.DIFFERS),
        (equal("a", (1, 2), 1), Verdict.DIFFERS),
        (equal("a", "none", "(2, 1)"), Verdict.DIFFERS),
        (near("a", 0.7, 0.75, 0.0500001), Verdict.AGREES),
        (near("a", 0.7, 0.76, 0.05), Verdict.DIFFERS),
        (near("a", (0.7, 1.0), (0.71, 1.2), 0.05), Verdict.DIFFERS),
        (near("a", 0.7, float("nan"), 9.0), Verdict.DIFFERS),
        (at_most("a", 2, 2), Verdict.AGREES),
        (at_most("a", 2, 3), Verdict.DIFFERS),
        (at_least("a", 2, 2), Verdict.AGREES),
        (at_least("a", 2, 1), Verdict.DIFFERS),
        (every("a", 7, 7), Verdict.AGREES),
        (every("a", 7, 6), Verdict.DIFFERS),
        (near_threshold("a", 0.7, 0.72, 0.05), Verdict.AGREES),
        (holds("a", ours=True), Verdict.AGREES),
        (holds("a", ours=False), Verdict.DIFFERS),
        (undecided("a", "open", "because"), Verdict.UNDECIDED),
    ],
)
def test_the_verdict_of_a_quantity(quantity: Quantity, verdict: Verdict) -> None:
    assert quantity.verdict is verdict


@pytest.mark.parametrize(
    ("quantity", "source"),
    [
        (equal("a", 3, 3), ValueSource.PAPER),
        (near("a", 3, 3, 0.1), ValueSource.PAPER),
        (holds("a", ours=True), ValueSource.PAPER),
        (undecided("a", "open", "because"), ValueSource.PAPER),
        (every("a", 7, 7), ValueSource.ALL_CASES),
        (near_threshold("a", 3, 3, 0.1), ValueSource.PROJECT),
        (at_most("a", 3, 3), ValueSource.PROJECT),
        (at_least("a", 3, 3), ValueSource.PROJECT),
        (at_most("a", 3, 3, printed=True), ValueSource.PAPER),
        (at_least("a", 3, 3, printed=True), ValueSource.PAPER),
    ],
)
def test_a_value_is_that_of_a_paper_or_a_threshold_of_this_project(
    quantity: Quantity, source: ValueSource
) -> None:
    assert quantity.source is source


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_a_tolerance_is_an_absolute_difference(said: float, ours: float, tolerance: float) -> None:
    agrees = Quantity("a", said, ours, tolerance).verdict is Verdict.AGREES
    assert agrees == (abs(said - ours) <= tolerance)
    both = [
        Quantity("a", said, ours, tolerance, relation).verdict is Verdict.AGREES
        for relation in (Relation.AT_MOST, Relation.AT_LEAST)
    ]
    assert any(both)


def test_the_most_serious_quantity_gives_the_verdict_of_an_entry() -> None:
    right, mended = equal("a", 1, 1), equal("a", 1, 2, corrected=2)
    open_, wrong = undecided("a", 1, "?"), equal("a", 1, 2)
    assert verdict_of([right]) is Verdict.AGREES
    assert verdict_of([right, mended]) is Verdict.CORRECTED
    assert verdict_of([mended, open_, right]) is Verdict.UNDECIDED
    assert verdict_of([open_, wrong, mended]) is Verdict.DIFFERS
    with pytest.raises(ValueError, match="nothing was compared"):
        verdict_of([])


def test_every_entry_has_its_own_name_and_a_statement() -> None:
    entries = all_entries()
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names)
    assert all(len(entry.says) > 20 for entry in entries)


def test_entries_beyond_the_papers_say_what_would_refute_them() -> None:
    """Only entries beyond the papers have `refuted_by`, and all of these have it."""
    for entry in all_entries():
        assert not (entry.paper is Paper.BEYOND and not entry.refuted_by), entry.name
        assert not (entry.paper is not Paper.BEYOND and entry.refuted_by), entry.name


def test_entries_are_chosen_by_paper_name_and_reference() -> None:
    everything = chosen([], [])
    assert everything == all_entries()
    of_paper = chosen(["random-play"], [])
    assert {entry.paper for entry in of_paper} == {Paper.RANDOM_PLAY}
    assert [entry.reference for entry in chosen([], ["random-play:table-1"])] == ["Table 1"]
    assert "random-play:theorem-1.3" in [e.name for e in chosen([], ["THEOREM 1.3"])]
    with pytest.raises(NotationError, match="is not a paper"):
        chosen(["chess"], [])
    with pytest.raises(NotationError, match="is not an entry"):
        chosen([], ["Figure 99"])


def finding(*quantities: Quantity, why: str = "") -> Finding:
    entry = Entry(Paper.CHOMP, "Figure 1", "Says & shows.", lambda _: quantities, why=why)
    return Finding(entry, quantities, 1.25, (b"png",))


def test_the_page_holds_all_that_it_needs() -> None:
    text = as_html([finding(equal("slope", 1, 2), undecided("limit", "x", "why not"))], quick=True)
    assert 'class="small">line 36</p>' in text
    assert "Says &amp; shows." in text
    assert 'src="data:image/png;base64,cG5n"' in text
    assert "no cause is known" in text
    assert "not settled: why not" in text
    assert "small tables" in text
    for outside in ("http://", "https://", "<script", "@import", "url("):
        assert outside not in text


def test_printed_values_stand_apart_from_thresholds() -> None:
    told = (at_most("a", 0.25, 0.1), at_most("b", 3, 1, printed=True), every("c", 124, 124))
    rows = as_html([finding(*told)], quick=False).split("<tr>")
    number = '<td class="number">'
    assert f"{number}</td>{number}&lt;= 0.25</td>{number}0.1</td>" in rows[-3]
    assert f"{number}&lt;= 3</td>{number}</td>{number}1</td>" in rows[-2]
    assert f"{number}all 124</td>{number}</td>" in rows[-1]


def test_a_quick_run_says_what_was_smaller(tmp_path: Path) -> None:
    def compared(tables: ReportTables) -> Iterator[Quantity]:
        yield equal("a", 1, tables.size(1, 1))
        yield equal("b", 20, tables.size(120_000, 20))

    entry = Entry(Paper.CHOMP, "Figure 1", "Says & shows.", compared)
    for quick in (True, False):
        found = list(compute([entry], ReportTables(tmp_path, quick=quick), pictures=False))
        page = as_html(found, quick=quick)
        assert ("20 instead of 120,000" in page) == quick
        assert ("1 of 1 entries with smaller limits" in page) == quick


def test_every_reference_to_a_paper_has_its_line() -> None:
    for entry in all_entries():
        of_one_paper = entry.paper not in {Paper.FACTS, Paper.BEYOND}
        assert bool(line_numbers_of(entry)) == of_one_paper, entry.name


def test_entries_that_differ_name_a_cause() -> None:
    wrong = finding(equal("slope", 1, 2), why="It is a misreading.")
    assert wrong.explained
    assert not finding(equal("slope", 1, 2)).explained
    assert "It is a misreading." in as_html([wrong], quick=False)
    right = finding(equal("slope", 1, 1), why="It is a misreading.")
    assert "It is a misreading." not in as_html([right], quick=False)


def test_verdicts_as_json() -> None:
    found = json.loads(
        as_json([finding(equal("a", Fraction(1, 3), 2**60), near("b", 1.0, 1.5, 1.0))], quick=True)
    )
    assert found["quick"] is True
    assert found["verdicts"]["differs"] == 1
    (entry,) = found["entries"]
    assert entry["verdict"] == "differs"
    assert entry["seconds"] == 1.25
    first, second = entry["quantities"]
    assert (first["expected"], first["source"], first["ours"]) == ("1/3", "paper", str(2**60))
    assert entry["lines"] == [36]
    assert (second["tolerance"], second["verdict"]) == (1.0, "agrees")


def test_long_values_are_shortened_in_the_middle() -> None:
    assert shown(10**300).startswith("1000")
    assert len(shown(10**300)) < 200
    assert shown((1, True, 0.25, Fraction(2, 1), Fraction(1, 2))) == "1, yes, 0.25, 2, 1/2"
    assert shown(None) == "not settled"


def test_the_command_lists_entries(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "--list", "--paper", "random-play"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(chosen(["random-play"], []))
    assert all(line.startswith("random-play:") for line in lines)
    assert run(["reproduce", "--entry", "Figure 99"]) == 2
