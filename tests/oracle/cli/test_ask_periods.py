"""`oracle ask` about octal and subtraction games: golden cases, periods of huge heaps, sums."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from position_oracle.oracle.cli.main import run

GOLDEN = Path(__file__).parents[2] / "golden"
FILES = ("11_octal", "12_subtraction", "13_passes", "14_toads")
HUGE = 10**15


def ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str]
) -> list[dict[str, Any]]:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    assert run(["ask", "-"]) in {0, 2, 3}
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", FILES)
def test_golden_cases(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (GOLDEN / f"{name}.jsonl").read_text().splitlines()[::4]
    golden = [json.loads(line) for line in lines]
    answers = ask(monkeypatch, capsys, [case["position"] for case in golden])
    for case, answer in zip(golden, answers, strict=True):
        assert answer["outcome"] == case["outcome"]
        assert set(answer["winning_moves"]) == set(case["winning_moves"])
        if "grundy" in case:
            assert answer["grundy"] == case["grundy"]


PUBLISHED = [
    # Kayles: OEIS A002186; Dawson's Chess: A002187; .127: A071464; .16: A071430. Dawson's Kayles is
    # Dawson's Chess one heap later. The others: Guy and Smith 1956; Winning Ways, chapter 4.
    ("kayles", "0.77", 12, 70),
    ("dawsonchess", "0.137", 34, 51),
    ("dawson", "0.07", 34, 52),
    ("octal{code=0.127}", "0.127", 4, 46_577),
    ("octal{code=0.16}", "0.16", 149_459, 105_350),
    ("octal{code=0.156}", "0.156", 349, 3_478),
    ("octal{code=0.356}", "0.356", 142, 7_314),
    ("octal{code=0.644}", "0.644", 442, 3_255),
]


@pytest.mark.parametrize(("game", "code", "period", "last_exception"), PUBLISHED)
def test_huge_heaps_have_the_value_of_the_published_period(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    game: str,
    code: str,
    period: int,
    last_exception: int,
) -> None:
    sizes = [HUGE, HUGE + 1, HUGE + period, HUGE * 7 + 3]
    first = last_exception + 1 + 200 // period * period  # so far that no search is made
    equal = [first + (size - first) % period for size in sizes]
    lines = [f"{game}:[{size}]" for size in (*sizes, *equal)]
    lines += [f"{game}:[{last_exception}]", f"{game}:[{last_exception + period}]"]
    answers = ask(monkeypatch, capsys, [*lines, f"{game}:[{HUGE},{equal[0]}]"])
    values = [answer["grundy"] for answer in answers]
    assert values[:4] == values[4:8]
    assert values[8] != values[9]
    assert (answers[10]["outcome"], values[10]) == ("P", 0)
    assert answers[0]["game"] == f"octal{{code={code}}}"
    certificate = answers[0]["certificate"]
    assert f"periodic with period {period}, last exception {last_exception};" in certificate
    assert "Guy and Smith (1956)" in certificate
    if values[0]:
        assert answers[0]["winning_moves"]


def test_subtraction_games_have_their_period(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"nim{{max=3}}:[{HUGE + 2}]", f"nim{{take=1+3+4}}:[{HUGE}]", "nim{take=1+3+4}:[6]"]
    lines += [f"nim{{max=3,misere}}:[{HUGE},1]"]
    bounded, three, small, misere = ask(monkeypatch, capsys, lines)
    assert bounded["grundy"] == (HUGE + 2) % 4
    assert "period 4" in bounded["certificate"]
    assert (HUGE - 6) % 7 == 0
    assert three["grundy"] == small["grundy"]
    assert "periodic with period 7, no exception" in three["certificate"]
    assert misere["outcome"] == "P"
    assert "Ferguson" in misere["reason"]
    assert "period 4" in misere["certificate"]


def test_certificates_and_words_are_in_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "kayles:[5,7]", "toads:TT.FF", "nim{heappass}:[2p]"]) == 0
    out = capsys.readouterr().out
    assert "  certified  periodic with period 12, last exception 70; computed up to heap 255" in out
    assert "(take 1 from heap 1, leaving 1 and 3)" in out
    assert "(toad from cell 2 to 3)" in out
    assert "(use the pass of heap 1)" in out
    assert "  remoteness " in out


def test_heaps_without_a_certified_period_are_unknown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = "3+5000+123456+500001"
    (answer,) = ask(monkeypatch, capsys, [f"nim{{take={sets}}}:[{HUGE}]"])
    assert answer["outcome"] is None
    assert "certify no period" in answer["reason"]
    assert "certificate" not in answer


def test_sums_with_other_families(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "kayles:[5] + chomp3:[2,1,0]",
        "kayles:[5] + nim:[4]",
        "toads:TT.FF + nim{max=3}:[6] + nim{heappass}:[1p]",
        f"kayles:[{HUGE}] + nim:[1]",
        "misere{kayles:[5] + nim:[3]}",
        "kayles{misere}:[5] + nim:[3]",
    ]
    one, two, three, four, five, six = ask(monkeypatch, capsys, lines)
    assert one["outcome"] == "N"
    assert (two["outcome"], two["grundy"]) == ("P", 0)
    assert (three["outcome"], three["grundy"]) == ("P", 0)
    assert four["grundy"] == 0
    assert five["certainty"] == "EXACT_SEARCH"
    assert "ends by a rule of its own" in six["error"]
