"""Every figure, table, theorem and equation of each paper has an entry; verdicts are right."""

from pathlib import Path

import pytest

from position_oracle.oracle.reproduce.chapters import all_entries, chosen
from position_oracle.oracle.reproduce.registry import Paper, Verdict, verdict_of
from position_oracle.oracle.reproduce.run import compute
from position_oracle.oracle.reproduce.tables import ReportTables

A, B, C, D = (
    [f"{kind}{n}" for n in range(1, last + 1)]
    for kind, last in (("A", 3), ("B", 2), ("C", 4), ("D", 3))
)

NUMBERED = {
    Paper.CHOMP: [
        *(f"Figure {n}" for n in range(1, 9)),
        *(f"Equation ({n})" for n in range(1, 10)),
        "Moves (M1)-(M6)",
        "Facts (F1)-(F3)",
        "Renormalization constraints 1-6",
        *(f"Winning opening ({n})" for n in ("i", "ii", "iii")),
        *(f"Section V {part}" for part in "ABCDE"),
        *(f"Section IV {part}" for part in "AC"),
        "Section III G",
    ],
    Paper.PREPRINT: [
        *(f"Figure {n}" for n in (1, 2, 3, 4, "A1", "A2", "A3", "A4")),
        *(f"Equation ({n})" for n in range(1, 10)),
        "Appendix A: moves and operators",
        "Appendix B: constraints 1-6",
        "Appendix C: winning opening",
        "Appendix D: three-heap Nim",
    ],
    Paper.PASSES: [
        *(f"Figure {n}" for n in range(1, 14)),
        *(f"Equation ({n})" for n in range(1, 21)),
        "Footnote 6",
    ],
    Paper.TRANSFINITE: [
        *(f"Figure {n}" for n in (1, 2, 3, 4, 5, 6, "7a", "7b", 8)),
        *(f"Theorem {n}" for n in ("5.1", "7.1", "8.1", "11.1")),
        "Corollary 5.2",
        "Proposition 6.1",
        "Table 1",
        *(f"Formula (9-{n})" for n in range(1, 7)),
        "Formula (10-1)",
        *(f"P{name}" for name in (*A, *B, *C, *D, "E1", "F1")),
        "Conjecture 12.1",
    ],
    Paper.FACTS: [
        *(f"OEIS A{n}" for n in ("029899", "029900", "029901", "029902", "029903", "029904")),
        *(f"OEIS A{n}" for n in ("029905", "069001", "147983", "112470", "112471", "112472")),
        *(f"OEIS A{n}" for n in ("112473", "004481", "047708", "002186", "002187")),
        "Zeilberger, Three-rowed Chomp (2001)",
        "Byrnes, Poset game periodicity (2003)",
        "Brouwer, Horvath, Molnar-Saska and Szabo (2005)",
        "Rectangles with two winning openings",
        "Guy and Smith (1956)",
        "Horrocks and Nowakowski (2003)",
    ],
    Paper.BEYOND: ["Two more passes change nothing", "The census of three-row Chomp"],
}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_number_of_a_paper_has_an_entry(paper: Paper) -> None:
    covered = {name for e in all_entries() if e.paper is paper for name in e.references}
    assert set(NUMBERED[paper]) - covered == set()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> ReportTables:
    return ReportTables(tmp_path_factory.mktemp("tables"), quick=True)


WITH_FIGURES = (Paper.CHOMP, Paper.PREPRINT, Paper.PASSES)

DIFFERING = {
    "Width of the scatter",
    "Nim and its variants; Section V A",
    "Attractor of generic Nim; Section 4.2",
    "More passes; Section 7",
}


@pytest.mark.parametrize("paper", NUMBERED)
def test_quick_verdicts(paper: Paper, tables: ReportTables) -> None:
    findings = list(compute(chosen([paper], []), tables, pictures=False))
    differing = {f.entry.reference for f in findings if f.verdict is Verdict.DIFFERS}
    assert differing <= DIFFERING
    for finding in findings:
        assert finding.explained, finding.entry.name
        corrected = finding.verdict is Verdict.CORRECTED
        assert not corrected or finding.entry.correction, finding.entry.name
        if finding.entry.reference.startswith("Figure") and paper in WITH_FIGURES:
            assert len(finding.quantities) >= 3, finding.entry.name


def test_a_broken_table_changes_verdicts(tmp_path: Path) -> None:
    """Entries that use a sheet notice one moved P-position in it."""
    broken = ReportTables(tmp_path, quick=True)
    sheets = broken.sheets(120)
    z = sheets.prefix_z
    z.flags.writeable = True
    z[sheets.prefix_offset[60] + 3] += 1
    for name in ("chomp:equation-2", "chomp:equation-3-equation-4-equation-6"):
        (entry,) = chosen([], [name])
        assert verdict_of(entry.compute(broken)) is Verdict.DIFFERS, name


def test_two_papers_measure_the_same_between_nim_and_its_variants(tables: ReportTables) -> None:
    least = {
        quantity.ours
        for entry in chosen([], ["preprint:figure-4", "chomp:nim-and-its-variants-section-v-a"])
        for quantity in entry.compute(tables)
        if "least difference" in quantity.what
    }
    assert len(least) == 1
