"""The report: one HTML file without other files, and JSON of the verdicts."""

import base64
import html
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from position_oracle.oracle.reproduce.papers.places import line_numbers_of
from position_oracle.oracle.reproduce.registry import (
    TITLES,
    Entry,
    Finding,
    Paper,
    Quantity,
    Value,
    ValueSource,
    Verdict,
)

MARKS: Final = {
    Verdict.AGREES: "agrees",
    Verdict.CORRECTED: "corrected",
    Verdict.UNDECIDED: "undecided",
    Verdict.DIFFERS: "differs",
    Verdict.FAILED: "failed",
}
"""Names of classes in the style sheet."""

_LONGEST: Final = 160

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8886; --soft: #8881; }
body { font: 16px/1.5 Georgia, 'Times New Roman', serif; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; margin-top: 3rem; }
h3 { font-size: 1.05rem; margin-bottom: .2rem; }
table { border-collapse: collapse; font-size: .85rem; margin: .6rem 0; width: 100%; }
th, td { border-top: 1px solid var(--line); padding: .2rem .5rem; text-align: left;
  vertical-align: top; }
td.number { font-family: ui-monospace, Menlo, monospace; overflow-wrap: anywhere; }
section.entry { border-top: 2px solid var(--line); padding-top: .3rem; margin-top: 1.6rem; }
img { max-width: 100%; background: white; }
.verdict { font: 600 .75rem/1 sans-serif; border: 1.5px solid; border-radius: 3px;
  padding: .15rem .4rem; white-space: nowrap; }
.agrees { color: #0a6b3d; } .corrected { color: #1f5fa8; }
.undecided { color: #6a5d00; } .differs, .failed { color: #b3261e; }
@media (prefers-color-scheme: dark) { .agrees { color: #6fd6a0; } .corrected { color: #8ab8f0; }
  .undecided { color: #d9cc6a; } .differs, .failed { color: #f2938c; } }
.small { font-size: .85rem; opacity: .8; }
""".strip()


def as_html(findings: Sequence[Finding], *, quick: bool) -> str:
    """Return the whole report as one page."""
    body = [_head(findings, quick=quick), *_exceptions(findings)]
    for paper, group in _by_paper(findings):
        body.append(f'<h2 id="{paper}">{_text(TITLES[paper])}</h2>\n<p>{_summary(group)}</p>')
        body.extend(_entry(finding) for finding in group)
    title = "The papers reproduced"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
        '\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def as_json(findings: Sequence[Finding], *, quick: bool) -> str:
    """Return verdicts, compared quantities, and times as JSON."""
    counts = Counter(finding.verdict for finding in findings)
    return json.dumps(
        {
            "quick": quick,
            "seconds": round(sum(finding.seconds for finding in findings), 2),
            "verdicts": {verdict: counts[verdict] for verdict in Verdict},
            "entries": [_finding_json(finding) for finding in findings],
        },
        indent=1,
        ensure_ascii=False,
    )


def shown(value: Value | None) -> str:
    """Format a value for people."""
    if value is None:
        return "not settled"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, tuple):
        text = ", ".join(shown(one) for one in value)
    elif isinstance(value, Fraction) and value.denominator != 1:
        text = f"{value.numerator}/{value.denominator}"
    elif isinstance(value, int) and abs(value) < 10**15:
        text = f"{value:,}"
    else:
        text = str(value)
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} ... {text[-half:]}"


def _by_paper(findings: Sequence[Finding]) -> list[tuple[Paper, list[Finding]]]:
    return [(paper, list(group)) for paper, group in groupby(findings, key=lambda f: f.entry.paper)]


def _head(findings: Sequence[Finding], *, quick: bool) -> str:
    rows = "\n".join(
        f'<tr><td><a href="#{paper}">{_text(TITLES[paper])}</a></td><td>{len(group)}</td>'
        + "".join(f"<td>{_count(group, verdict)}</td>" for verdict in Verdict)
        + f"<td>{sum(finding.seconds for finding in group):.1f}</td></tr>"
        for paper, group in _by_paper(findings)
    )
    heads = "".join(f"<th>{verdict}</th>" for verdict in Verdict)
    size = "small tables, for a quick look" if quick else "full tables"
    return (
        "<h1>The papers reproduced</h1>\n<p>Every figure, table, theorem, equation and number,"
        " beside what comes out here. Each verdict follows from the numbers shown with it."
        f" Computed with {size}.</p>\n<p>A <b>threshold</b> or a tolerance was chosen by this"
        " project, where a paper says <i>nearly all</i>, <i>little</i> or <i>about</i> and prints"
        " no number. Lines are those of the plain text of a paper.</p>\n"
        f"<table>\n<tr><th>Paper</th><th>entries</th>{heads}<th>seconds</th></tr>\n{rows}\n</table>"
    )


def _exceptions(findings: Sequence[Finding]) -> list[str]:
    """Return the lines about entries that do not simply agree."""
    parts = []
    if smaller := sum(bool(finding.reduced) for finding in findings):
        parts.append(
            f"<p>This quick run computed {smaller} of {len(findings)} entries with smaller limits"
            " than a full run. Each of them says which; nothing else is omitted.</p>"
        )
    for verdict in (Verdict.FAILED, Verdict.DIFFERS, Verdict.CORRECTED, Verdict.UNDECIDED):
        links = [
            f'<a href="#{_text(finding.entry.name)}">{_text(finding.entry.paper)}:'
            f" {_text(finding.entry.references[0])}</a>"
            for finding in findings
            if finding.verdict is verdict
        ]
        if links:
            parts.append(f"<p>{_badge(verdict)} {'; '.join(links)}</p>")
    return parts


def _count(group: Sequence[Finding], verdict: Verdict) -> int:
    return sum(finding.verdict is verdict for finding in group)


def _summary(group: Sequence[Finding]) -> str:
    parts = [
        f"{number} {_badge(verdict)}" for verdict in Verdict if (number := _count(group, verdict))
    ]
    return f"{len(group)} entries: " + ", ".join(parts)


def _entry(finding: Finding) -> str:
    entry = finding.entry
    parts = [
        f'<section class="entry" id="{_text(entry.name)}">',
        f"<h3>{_text(entry.reference)} {_badge(finding.verdict)}</h3>",
        *_place(entry),
        f"<p>{_text(entry.says)}</p>",
    ]
    for label, text in (
        ("Correction", entry.correction),
        ("Evidence", entry.evidence),
        ("Would be refuted by", entry.refuted_by),
    ):
        if text:
            parts.append(f"<p><b>{label}:</b> {_text(text)}</p>")
    if finding.verdict is Verdict.DIFFERS:
        why = entry.why or "no cause is known."
        parts.append(f"<p><b>Why it differs:</b> {_text(why)}</p>")
    if finding.failure:
        parts.append(f"<p><b>What failed:</b> {_text(finding.failure)}</p>")
    if finding.reduced:
        smaller = "; ".join(
            f"{shown(quick)} instead of {shown(full)}" for full, quick in finding.reduced
        )
        parts.append(f"<p><b>Smaller in this quick run:</b> {smaller}</p>")
    rows = "\n".join(_row(quantity) for quantity in finding.quantities)
    says = "claim" if entry.paper is Paper.BEYOND else "paper"
    parts.append(
        f"<table>\n<tr><th>compared</th><th>{says}</th><th>threshold</th><th>here</th>"
        f"<th>tolerance</th><th></th></tr>\n{rows}\n</table>"
    )
    for picture in finding.pictures:
        data = base64.b64encode(picture).decode()
        alt = _text(f"{entry.reference}, drawn from the tables")
        parts.append(f'<img alt="{alt}" src="data:image/png;base64,{data}">')
    parts.append(
        f'<p class="small">{_text(entry.name)}, {finding.seconds:.2f} seconds</p>\n</section>'
    )
    return "\n".join(parts)


def _place(entry: Entry) -> list[str]:
    lines = line_numbers_of(entry)
    text = ", ".join(map(str, lines))
    return [f'<p class="small">line{"s" if lines[1:] else ""} {text}</p>'] if lines else []


def _row(quantity: Quantity) -> str:
    relation = "" if quantity.relation == "=" else f"{_text(quantity.relation)} "
    said = f"{relation}{_text(shown(quantity.expected))}"
    threshold = ""
    if quantity.source is ValueSource.PROJECT:
        said, threshold = "", said
    elif quantity.source is ValueSource.ALL_CASES:
        said = f"all {said}"
    if quantity.corrected is not None:
        said += f"<br>corrected: {_text(shown(quantity.corrected))}"
    ours = _text(shown(quantity.ours))
    if quantity.reason:
        ours = f"{ours}: {_text(quantity.reason)}"
    tolerance = f"{quantity.tolerance:.2g}" if quantity.tolerance else "exact"
    return (
        f'<tr><td>{_text(quantity.what)}</td><td class="number">{said}</td>'
        f'<td class="number">{threshold}</td><td class="number">{ours}</td><td>{tolerance}</td>'
        f"<td>{_badge(quantity.verdict)}</td></tr>"
    )


def _badge(verdict: Verdict) -> str:
    return f'<span class="verdict {MARKS[verdict]}">{verdict}</span>'


def _finding_json(finding: Finding) -> dict[str, Any]:
    entry = finding.entry
    told = {
        "correction": entry.correction,
        "why": entry.why if finding.verdict is Verdict.DIFFERS else "",
        "evidence": entry.evidence,
        "refuted_by": entry.refuted_by,
        "failure": finding.failure,
    }
    return {
        "entry": entry.name,
        "paper": entry.paper,
        "reference": entry.reference,
        "lines": list(line_numbers_of(entry)),
        "says": entry.says,
        "verdict": finding.verdict,
        "seconds": round(finding.seconds, 3),
        "pictures": len(finding.pictures),
        **{name: text for name, text in told.items() if text},
        **({"reduced": finding.reduced} if finding.reduced else {}),
        "quantities": [_quantity_json(quantity) for quantity in finding.quantities],
    }


def _quantity_json(quantity: Quantity) -> dict[str, Any]:
    found: dict[str, Any] = {
        "what": quantity.what,
        "relation": quantity.relation,
        "expected": _plain(quantity.expected),
        "source": quantity.source,
        "ours": _plain(quantity.ours),
        "tolerance": quantity.tolerance,
        "verdict": quantity.verdict,
    }
    if quantity.corrected is not None:
        found["corrected"] = _plain(quantity.corrected)
    if quantity.reason:
        found["reason"] = quantity.reason
    return found


def _plain(value: Value | None) -> Any:
    """Return the value as JSON; fractions and numbers beyond 2^53 become texts."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Fraction) or (
        isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53
    ):
        return str(value)
    return value


def _text(value: object) -> str:
    return html.escape(str(value))
