"""`oracle reproduce`: figures, tables, theorems and numbers of the papers beside ours."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from position_oracle.oracle.cli.options import ExitCode
from position_oracle.schema.extras import from_extra

if TYPE_CHECKING:
    from position_oracle.oracle.reproduce.registry import Entry, Finding

DEFAULT_OUTPUT = Path("reproduction")


def run(
    paper: Annotated[
        list[str] | None,
        typer.Option(
            "--paper",
            help="Only this chapter: chomp, preprint, passes, random-play, transfinite, facts or"
            " beyond. May be repeated.",
        ),
    ] = None,
    entry: Annotated[
        list[str] | None,
        typer.Option(
            "--entry",
            help="Only this entry, by its name or reference, e.g. chomp:figure-2 or 'Figure 2'. May"
            " be repeated.",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Use smaller limits: about a minute instead of several. The report lists them.",
        ),
    ] = False,
    pictures: Annotated[
        bool, typer.Option(help="Draw the figures (needs the extra `plot`).")
    ] = True,
    listed: Annotated[
        bool, typer.Option("--list", help="List the entries, and compute nothing.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for report.html and verdicts.json.")
    ] = DEFAULT_OUTPUT,
    db: Annotated[
        Path | None,
        typer.Option(
            "--db",
            help="Tables to compute from; missing ones are built there. The default is the folder"
            " tables beside the report, and ORACLE_DB is ignored.",
        ),
    ] = None,
) -> int:
    """Compute every figure, table, theorem and number of the papers, and compare.

    The exit code is 1 if something differs without a known cause, or if an entry fails. The other
    entries are computed in any case, and the report says why one failed.
    """
    from position_oracle.oracle.reproduce.chapters import chosen

    entries = chosen(paper or [], entry or [])
    if listed:
        for one in entries:
            typer.echo(f"{one.name:44} {one.says}")
        return ExitCode.ANSWERED
    if pictures:
        with from_extra("plot"):
            import matplotlib  # noqa: F401, ICN001 - before hours of work
    output.mkdir(parents=True, exist_ok=True)  # before minutes of work for an invalid request
    findings = _compute(entries, db or output / "tables", quick=quick, pictures=pictures)
    _write(findings, output, quick=quick)
    unexplained = [finding for finding in findings if not finding.explained]
    for finding in unexplained:
        said = finding.failure or "differs, and no cause is known"
        typer.echo(f"{finding.entry.name}: {said}", err=True)
    return ExitCode.FAILED if unexplained else ExitCode.ANSWERED


def _compute(
    entries: "list[Entry]", store: Path, *, quick: bool, pictures: bool
) -> "list[Finding]":
    from position_oracle.oracle.reproduce.run import compute
    from position_oracle.oracle.reproduce.tables import ReportTables

    tables = ReportTables(store, quick=quick, told=lambda line: typer.echo(f"  {line}", err=True))
    findings = []
    for number, finding in enumerate(compute(entries, tables, pictures=pictures), start=1):
        findings.append(finding)
        typer.echo(
            f"{number}/{len(entries)} {finding.entry.name}: {finding.verdict}"
            f" ({finding.seconds:.1f} s)",
            err=True,
        )
    return findings


def _write(findings: "list[Finding]", output: Path, *, quick: bool) -> None:
    from position_oracle.oracle.reproduce.report import as_html, as_json

    page, verdicts = output / "report.html", output / "verdicts.json"
    page.write_text(as_html(findings, quick=quick), encoding="utf-8")
    verdicts.write_text(as_json(findings, quick=quick), encoding="utf-8")
    counts = Counter(finding.verdict for finding in findings)
    summary = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    typer.echo(f"{len(findings)} entries: {summary}")
    typer.echo(f"{page} and {verdicts}")
