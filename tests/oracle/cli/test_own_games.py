"""Games of users: the example over every interface; errors in rules; graphs; counts."""

import json
import re
import shlex
import subprocess
import sys
import textwrap
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle import bots, rules
from position_oracle.engine.games import own
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.given import read_given
from position_oracle.engine.games.registry import rules_of
from position_oracle.oracle import counting
from position_oracle.oracle.cli import count
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.counting import count_choices, count_p_positions
from position_oracle.oracle.families.chance import answers
from position_oracle.oracle.given import solve
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import RulesError, UnknownGameError
from tests.serving import running_server

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "own_game.py"


@cache
def turtles_value(coins: str) -> int:
    """Return the Grundy value by the definition, from texts alone."""
    values = set()
    for last, coin in enumerate(coins):
        if coin == "H":
            turned = coins[:last] + "T" + coins[last + 1 :]
            values.add(turtles_value(turned))
            for first in range(last):
                other = "T" if turned[first] == "H" else "H"
                values.add(turtles_value(turned[:first] + other + turned[first + 1 :]))
    return next(value for value in range(len(values) + 1) if value not in values)


def test_the_example_has_at_most_40_lines() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 40


def test_the_example_is_asked_everything(capsys: pytest.CaptureFixture[str]) -> None:
    for length in range(1, 7):
        for coins in map("".join, product("HT", repeat=length)):
            assert run(["--rules", str(EXAMPLE), "ask", f"turtles:{coins}", "--json"]) == 0
            answer = json.loads(capsys.readouterr().out)
            value = turtles_value(coins)
            # Lenstra 1977: the value is the nim-sum of the numbers of the heads, counted from 1.
            heads = [place for place, coin in enumerate(coins, start=1) if coin == "H"]
            assert answer["grundy"] == value == int(np.bitwise_xor.reduce(heads or [0]))
            assert (answer["outcome"] == "P") == (value == 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["line", "turtles:HTHH"],
        ["ask", "turtles:HTHH", "--model", "perfect-vs-random"],
        ["ask", "turtles:HTHH;2", "turtles{misere}:HHH"],
        ["ask", "turtles:HTH + nim:[3] + kayles:[4;1]"],
        ["ask", "misere{turtles:HTH + nim:[3]}"],
        ["count", "turtles", "--limit", "1x1x1"],
    ],
)
def test_every_command_knows_it(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments, "--rules", str(EXAMPLE)]) == 0
    assert "turtles" in capsys.readouterr().out


def test_servers_clients_and_bots_know_it() -> None:
    from position_oracle import OracleClient

    own.use_file(EXAMPLE)
    assert rules.play("turtles:HTHH", "turn 2 and 4") == "turtles:HHHT"
    with running_server(Oracle()) as port, OracleClient(f"127.0.0.1:{port}") as client:
        answer = client.winning_moves("turtles:HTHH", timeout=60)
        assert [str(move) for move in answer.winning_moves or ()] == ["turtles:HHHT"]
        chance = client.win_probability("turtles:HTHH", "random", timeout=60)
        assert chance.exact == Fraction(19, 42)
        assert str(bots.PerfectBot(client).choose("turtles:HTHH")) == "turtles:HHHT"
        starts = {str(info.game): info.introduction.start for info in client.games(timeout=60)}
        assert starts["turtles"] == "turtles:HTHH"


def test_the_file_and_the_graph_of_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A newcomer types the file and the graph of the document."""
    document = (ROOT / "docs" / "own-game.md").read_text()
    (program,) = re.findall(r"```python\n(.*?RULES = .*?)```", document, re.DOTALL)
    file = tmp_path / "countdown.py"
    file.write_text(program)
    for typed in re.findall(r"^    oracle (.*(?:ask|line) .*)$", document, re.MULTILINE):
        assert run(shlex.split(typed.replace("countdown.py", str(file)))) == 0
    assert "countdown:[12]" in capsys.readouterr().out
    lines = re.findall(r"    # game.txt\n((?:    .*\n)+)", document)[0]
    shown = re.findall(r"    \$ oracle solve game.txt\n((?:    .*\n)+)", document)[0]
    graph = tmp_path / "game.txt"
    graph.write_text(textwrap.dedent(lines))
    assert run(["solve", str(graph)]) == 0
    assert capsys.readouterr().out == textwrap.dedent(shown)


GOOD = "from position_oracle.engine.games.listed import ListedRules\n"
FAULTS = [
    ("def", "line 1: SyntaxError"),
    ("1 / 0", "line 1: ZeroDivisionError"),
    ("raise SystemExit(0)", "line 1: SystemExit"),
    ("\0", "own.py: SyntaxError"),
    ("import nothing_of_the_kind", "ModuleNotFoundError"),
    ("x = 1", "RULES is not an object"),
    (GOOD + "RULES = ListedRules", "RULES is not an object"),
]
RULES = """{good}
from position_oracle.schema.moves import Action
class Own(ListedRules):
    family, form, example, about = "{name}", "{name}:[3]", "[3]", ""
    def check(self, game, coordinates): {check}
    def actions(self, coordinates, game):
        {actions}
RULES = Own()
"""
COUNT_DOWN = (
    "yield from [(Action(cell=1, words='one'), (coordinates[0] - 1,))] * (coordinates[0] > 0)"
)
FAULTY = [
    ("nim", "pass", COUNT_DOWN, "the name nim is taken"),
    ("kayles", "pass", COUNT_DOWN, "the name kayles is taken"),
    ("Own-1", "pass", COUNT_DOWN, "small letters"),
    ("faulta", "raise KeyError('x')", COUNT_DOWN, "line 5: KeyError"),
    ("faultb", "pass", "raise KeyError('x')", "line 7: KeyError"),
    ("faultc", "pass", "yield 1", "actions gives 1, not a pair"),
    ("faulte", "pass", "raise SystemExit(0)", "the example '[3]' fails: the rules fail: line 7"),
    ("faultd", "pass", "yield Action(), [1]", "not a pair"),
]


INTRODUCTIONS = [
    ('Introduction("T", "intro0:[3]", "{k}", "")', "TypeError: 'Introduction' object is not"),
    ('(Introduction("T", "intro1:[3]", "{k}", ""),)', "introductions: KeyError: 'k'"),
    ('(Introduction("T", "intro2:3", "", ""),)', "'3' is not a position"),
    ('(Introduction("T", "nim:[3]", "", ""),)', "introductions: "),
]


@pytest.mark.parametrize("number", range(len(INTRODUCTIONS)))
def test_introductions_are_tried(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Introductions are tried when the rules are read, because the list of all games needs them."""
    given, part = INTRODUCTIONS[number]
    good = GOOD + "from position_oracle.schema.games import Introduction"
    text = RULES.format(good=good, name=f"intro{number}", check="pass", actions=COUNT_DOWN)
    file = tmp_path / "own.py"
    file.write_text(text.replace("    def check", f"    introductions = {given}\n    def check"))
    _refused(file, part, capsys)


@pytest.mark.parametrize(("text", "part"), FAULTS)
def test_files_that_cannot_be_used(
    text: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.py"
    file.write_text(text)
    _refused(file, part, capsys)


@pytest.mark.parametrize(("name", "check", "actions", "part"), FAULTY)
def test_rules_that_cannot_be_used(
    name: str,
    check: str,
    actions: str,
    part: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "own.py"
    file.write_text(RULES.format(good=GOOD.strip(), name=name, check=check, actions=actions))
    _refused(file, part, capsys)


def test_rules_have_no_poison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.py"
    text = RULES.format(good=GOOD.strip(), name="poisoned", check="pass", actions=COUNT_DOWN)
    file.write_text(text.replace("    def check", "    has_poison = True\n    def check"))
    _refused(file, "poisoned: has_poison is for built-in games", capsys)


def _refused(file: Path, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--rules", str(file), "ask", "nim:[3]"]) == 2
    said = capsys.readouterr().err
    assert part in said
    assert said.count("\n") == 1


def test_play_that_returns_to_a_position_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.py"
    turns = "yield Action(cell=1, words='turn'), (1 - coordinates[0] % 2,)"
    file.write_text(RULES.format(good=GOOD.strip(), name="round", check="pass", actions=turns))
    assert run(["--rules", str(file), "ask", "round:[1]"]) == 2
    assert "comes back" in capsys.readouterr().err


WRONG = [
    ("bound", "return 'many'", "bound gives 'many', not a number"),
    ("bound", "return float('nan')", "bound gives nan, not a number"),
    ("theorem", "return True", "theorem gives True, not a Theorem"),
    ("theorem", "return Theorem(True, 'x', grundy=1.0)", "not a Theorem"),
    ("theorem", "return Theorem(True, 'x', remoteness=2**63)", "not a Theorem"),
    ("theorem", "return Theorem(True, 'two\\nlines')", "not a Theorem"),
    ("seconds", "return 10**400", "OverflowError"),
    ("format", "return '[3\\n]'", "not a text of one line"),
    ("draw", "return None", "draw gives None, not a list of lines"),
    ("actions", "return 5", "'int' object is not iterable"),
    ("actions", "yield Action(), (0.5,)", "(0.5,)), not a pair"),
    ("actions", "yield Action(), (2**63,)", "(9223372036854775808,)), not a pair"),
    ("actions", "yield Action(), (1,) * 5000", "1, 1)), not a pair"),
    ("actions", "while True: yield Action(cell=1), (0,)", "more than 1,000 actions"),
    ("actions", "yield 'take', (0,)", "action gives 'take', not an Action"),
    ("actions", "yield Action(words='no kind'), (0,)", "not a pair of an Action of one kind"),
    ("actions", "yield Action(cell=1, divisor=2), (0,)", "not a pair of an Action of one kind"),
    ("actions", "yield Action(cell=2**31), (0,)", "not a pair of an Action of one kind"),
    ("actions", "yield Action(cell=1, component=0), (0,)", "not a pair of an Action of one kind"),
    ("actions", "yield Action(taking=[1]), (0,)", "not a pair of an Action of one kind"),
    ("actions", "yield Action(cell=1, words='\\ud800'), (0,)", "with words in one line"),
    ("parse", "return [3], 0", "parse gives ([3], 0), not a tuple"),
    ("amount", "__import__('json').loads('?')", "line 12: JSONDecodeError"),
]
LATE = """from position_oracle.engine.games.listed import Theorem
class Late(Own):
    def {method}(self, *given, **more):
        {body}
RULES.__class__ = Late
"""


@pytest.mark.parametrize(("method", "body", "part"), WRONG)
def test_what_a_method_gives_is_checked(
    method: str,
    body: str,
    part: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(own, "_MOST", 1000)
    name = f"wrong{WRONG.index((method, body, part))}"
    text = RULES.format(good=GOOD.strip(), name=name, check="pass", actions=COUNT_DOWN)
    file = tmp_path / "own.py"
    file.write_text(text + LATE.format(method=method, body=body))
    assert run(["--rules", str(file), "ask", f"{name}:[3]", "--model", "random"]) in {1, 2}
    said = capsys.readouterr().err
    assert part in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("method", ["matching", "notable_actions"])
def test_generators_fail_in_one_line(method: str, tmp_path: Path) -> None:
    name = f"fails{method[0]}"
    text = RULES.format(good=GOOD.strip(), name=name, check="pass", actions=COUNT_DOWN)
    file = tmp_path / f"{name}.py"
    file.write_text(text + LATE.format(method=method, body="yield 1 // 0"))
    written = getattr(own.use_file(file), method)
    with pytest.raises(RulesError, match=f"{name}: the rules fail: line 12: ZeroDivisionError"):
        next(written())


@pytest.mark.parametrize("method", ["bound", "count", "seconds", "likely_seconds"])
def test_numbers_that_a_method_gives_are_checked(method: str, tmp_path: Path) -> None:
    name = f"none{method.replace('_', '')}"
    text = RULES.format(good=GOOD.strip(), name=name, check="pass", actions=COUNT_DOWN)
    file = tmp_path / f"{name}.py"
    file.write_text(text + LATE.format(method=method, body="return None"))
    written = getattr(own.use_file(file), method)
    with pytest.raises(RulesError, match=f"{method} gives None, not a number"):
        written()


def test_rules_may_be_a_frozen_dataclass(tmp_path: Path) -> None:
    """Its annotations are read later."""
    text = RULES.format(good=GOOD.strip(), name="frozen", check="pass", actions=COUNT_DOWN)
    text = text.replace(
        "class Own", "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Own"
    )
    file = tmp_path / "own.py"
    file.write_text(
        "from __future__ import annotations\n"
        + text.replace("    def check", "    heaps: int = 1\n    def check")
    )
    assert run(["--rules", str(file), "ask", "frozen:[3]"]) == 0


def test_rules_of_takings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
from position_oracle.engine.games.takings import TakingRules
class Own(TakingRules):
    family, form, example, about = "onetwo", "onetwo:[3]", "[3]", ""
    def takings(self, heaps, game):
        return ((taken,) for taken in range(1, min(heaps[0], 2) + 1))
    def may_take(self, heaps, taken, game):
        return taken[0] <= 2
RULES = Own()
"""
    file = tmp_path / "own.py"
    file.write_text(text)
    assert run(["--rules", str(file), "ask", "onetwo:[3]", "onetwo:[100]", "--json"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["winning_moves"] for each in answers] == [[], ["onetwo:[99]"]]


def test_rules_that_fail_later_fail_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.py"
    late = "yield Action(cell=1, words='one'), (coordinates[0] - (1 // (coordinates[0] - 2)),)"
    file.write_text(RULES.format(good=GOOD.strip(), name="late", check="pass", actions=late))
    assert run(["--rules", str(file), "ask", "late:[2]"]) == 2
    said = capsys.readouterr().err
    assert "late: the rules fail: line 7: ZeroDivisionError" in said
    assert said.count("\n") == 1


def test_installed_packages_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "turtle_rules.py").write_text(EXAMPLE.read_text())
    folder = tmp_path / "turtle_rules-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: turtle-rules\nVersion: 1.0\n")
    entries = "turtles = turtle_rules:RULES\nbroken = turtle_rules:NOTHING\n"
    (folder / "entry_points.txt").write_text(f"[position_oracle.games]\n{entries}")
    environment = {
        "PYTHONPATH": f"{ROOT}:{tmp_path}",
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
    }
    command = [sys.executable, "-m", "position_oracle", "ask"]
    for text, code, part in (
        ("turtles:HTHH", 0, "turtles:HHHT"),
        ("broken:[1]", 2, "AttributeError"),
        ("neither:[1]", 2, "no game 'neither'"),
    ):
        done = subprocess.run(
            [*command, text], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert part in done.stdout + done.stderr


def test_wrong_names_read_the_installed_packages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server reads wrong names on its event loop."""
    asked = list[str]()

    def none_offered(*, group: str) -> tuple[()]:
        asked.append(group)
        return ()

    monkeypatch.setattr(own, "entry_points", none_offered)
    own._offered.cache_clear()
    for name in ("neither", "nor"):
        with pytest.raises(UnknownGameError):
            rules_of(name)
    own._offered.cache_clear()
    assert asked == ["position_oracle.games"]


GRAPHS = [
    ("a: b\nb: c\nc: a", "a -> b -> c -> a"),
    ("a: a", "a -> a"),
    ("a: b", "'b', which is not a node"),
    ("a", "line 1"),
    ("a: b,\nb:", "not a name"),
    ("a:\na:", "given twice"),
    ("a:\na = X", "not N or P"),
    ("a: b\nb:\na = N", "which has moves"),
    ("a:\na = N\na = P", "given twice"),
    ("", "no node"),
    ('{"moves": {"a": [}', "not JSON"),
    ('{"moves": {"a": [], "a": []}}', "given twice"),
    ('{"moves": {"a": 3}}', "not a list"),
    ('{"moves": {}, "nodes": 3}', "no key"),
    ('{"moves": {"a": [null]}}', "not a name"),
    ('{"moves": {"a": []}, "play": "loud"}', "not normal or misere"),
    ("[" * 100_000, "nested too deeply"),
    ('{"moves": {"a": [' + "9" * 5000 + "]}}", "99...' is not a name"),
]


@pytest.mark.parametrize(("text", "part"), GRAPHS, ids=range(len(GRAPHS)))
def test_graphs_that_cannot_be_solved(
    text: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "graph"
    file.write_text(text)
    assert run(["solve", str(file)]) == 2
    said = capsys.readouterr().err
    assert part in said
    assert said.count("\n") == 1


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            *(st.lists(st.integers(0, max(i - 1, 0)), max_size=4 if i else 0) for i in range(n))
        )
    ),
    st.booleans(),
)
def test_graphs_are_solved_by_the_definition(moves: tuple[list[int], ...], misere: bool) -> None:
    @cache
    def wins(node: int) -> bool:
        return any(not wins(child) for child in moves[node]) if moves[node] else misere

    @cache
    def value(node: int) -> int:
        values = {value(child) for child in moves[node]}
        return next(each for each in range(len(values) + 1) if each not in values)

    @cache
    def random(node: int) -> Fraction:
        after = [1 - random(child) for child in moves[node]]
        return sum(after, Fraction(0)) / len(after) if after else Fraction(misere)

    @cache
    def plies(node: int) -> int:
        after = [child for child in moves[node] if not wins(child)]
        if after:
            return 1 + min(map(plies, after))
        return 1 + max(map(plies, moves[node])) if moves[node] else 0

    play = "misere" if misere else "normal"
    text = json.dumps({"play": play, "moves": dict(enumerate(moves))})
    facts = list(solve(read_given(text)))
    assert [each.name for each in facts] == [str(node) for node in range(len(moves))]
    for node, each in enumerate(facts):
        assert (each.outcome is Outcome.N) == wins(node)
        assert each.grundy == (None if misere else value(node))
        assert (each.exact, each.remoteness) == (random(node), plies(node))
        assert set(each.winning_moves) == {str(c) for c in moves[node] if not wins(c)}


def test_a_graph_in_lines_with_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "graph"
    file.write_text("start: a, b  # two moves\na:\nb: a, a\na = N\n")
    assert run(["solve", str(file), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["node"], row["outcome"], row["grundy"]) for row in rows] == [
        ("start", "N", None),
        ("a", "N", None),
        ("b", "P", None),
    ]
    assert rows[0]["random_exact"] == "1/2"


def test_fractions_that_are_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python does not write numbers of more than 4,300 digits."""
    monkeypatch.setattr(answers, "MAX_EXACT_BITS", 2)
    facts = list(solve(read_given("a:\nb: a, a, b0\nb0: a\nc: b, b0, a")))
    assert [each.exact for each in facts] == [Fraction(0), Fraction(2, 3), Fraction(1), None]
    assert facts[-1].random == pytest.approx(1 - (2 / 3 + 1) / 3)


@pytest.mark.parametrize("ordered", [False, True])
def test_sums_are_counted_as_they_are_listed(ordered: bool) -> None:
    values = [0, 1, 1, 2, 0, 3, 1, 4]
    for heaps in range(1, 5):
        if ordered:
            choices = list(product(values, repeat=heaps))
        else:
            choices = list(combinations_with_replacement(values, heaps))
        losing = sum(np.bitwise_xor.reduce(choice) == 0 for choice in choices)
        assert count_choices(len(values), heaps, ordered=ordered) == len(choices)
        assert count_p_positions(values, heaps, ordered=ordered) == losing


def square_values(largest: int) -> list[int]:
    squares = [n * n for n in range(1, int(largest**0.5) + 1)]
    values: list[int] = []
    for heap in range(largest + 1):
        found = 0
        for square in squares:
            if square > heap:
                break
            found |= 1 << values[heap - square]
        values.append((~found & (found + 1)).bit_length() - 1)
    return values


def test_project_euler_310_for_heaps_up_to_29(capsys: pytest.CaptureFixture[str]) -> None:
    assert count_p_positions(square_values(29), 3, ordered=False) == 1160
    assert run(["count", "nim{take=1+4+9+16+25}", "--heaps", "3", "--limit", "29", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["p_positions"] == 1160


def test_project_euler_310(capsys: pytest.CaptureFixture[str]) -> None:
    game = f"nim{{take={'+'.join(str(n * n) for n in range(1, 317))}}}"
    assert run(["count", game, "--heaps", "3", "--limit", "100000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["p_positions"] == 2_586_528_661_783


COUNTED = [
    ("nim", "3", "6"),
    ("wythoff{heaps=2}", None, "20"),
    ("chomp", None, "2x5"),
    ("euclid", "2", "8"),
    ("nim{passes=1}", "2", "5"),
    ("nim{max=2,misere}", "2", "5"),
    ("kayles", None, "5x2"),
    ("wythoff{misere}", None, "5x3"),
    ("partition", None, "6x3"),
    ("nim{heappass}", "2", "3"),
    ("nim{heappass}", None, "3x1x2x1"),
]


@pytest.mark.parametrize(("game", "heaps", "limit"), COUNTED)
def test_counts(
    game: str, heaps: str | None, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [] if heaps is None else ["--heaps", heaps]
    assert run(["count", game, "--limit", limit, *more, "--json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["unknown"] == 0
    assert found["p_positions"] == _counted(game, found["limit"])
    assert re.fullmatch(r"(oracle: [\d,]+ .*\n)*", printed.err)


def _counted(game: str, bounds: list[int]) -> int:
    """Return one position after another, and count them."""
    oracle, seen, spec = Oracle(), set(), parse_game(game)
    for row in product(*(range(bound + 1) for bound in bounds)):
        try:
            answer = oracle.outcome(rules_of(spec.family).position(spec, row))
        except ValueError:
            continue
        if answer.outcome is Outcome.P:
            seen.add(str(answer.position))
    return len(seen)


def test_the_rest_of_a_count_is_told_in_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are looked at in a second each. Lines come after at least two seconds."""
    now = 100.0
    monkeypatch.setattr(count, "time", SimpleNamespace(monotonic=lambda: now))
    progress = count._Progress()
    for done in range(8):
        progress(done, 20)
        now += 1.0
    assert capsys.readouterr().err.splitlines() == [
        "oracle: 20 rows of numbers to look at",
        "oracle: 3 of 20 rows, about 17 s left",
        "oracle: 6 of 20 rows, about 14 s left",
    ]


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_rows_are_looked_at_as_are_allowed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: int
) -> None:
    monkeypatch.setattr(counting, "MAX_COUNTED", 16 - more)
    code = run(["count", "wythoff{heaps=2}", "--limit", "3", "--json"])
    assert code == (1 if more else 0)
    assert ("16 rows of numbers; at most 15" in capsys.readouterr().err) is bool(more)
