"""Every example of the documents gives the result shown."""

import doctest
import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from position_oracle import rules
from tests.clock import PATIENCE

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


EXAMPLES = [path.name for path in sorted(DOCS.glob("*.md")) if ">>> " in path.read_text()]
ELSEWHERE = {
    "first-programs.md": 3,  # test_first_programs.py
    "mathematics.md": 2,  # test_the_definitions_of_the_mathematics
    "operation.md": 4,  # ../oracle/test_on_dask.py; one for a library that is no dependency
    "own-game.md": 2,  # ../oracle/cli/test_own_games.py; one line for a program of the reader
}
"""How many programs without prompts there are, which other tests run."""


def test_every_program_of_the_documents_runs_in_a_test() -> None:
    for path in DOCS.glob("*.md"):
        plain = [block for block in BLOCK.findall(path.read_text()) if ">>> " not in block]
        assert len(plain) == ELSEWHERE.get(path.name, 0), plain


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for the pictures
    text = (DOCS / name).read_text()
    text = text.replace(
        'Client("localhost:50051"', f'Client("127.0.0.1:{port}", timeout={PATIENCE}'
    )
    text = text.replace("localhost:50051", f"127.0.0.1:{port}")
    blocks = [block for block in BLOCK.findall(text) if ">>>" in block]
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        example, out=report.append
    )
    assert results.failed == 0, "".join(report)


def test_the_definitions_of_the_mathematics() -> None:
    blocks = BLOCK.findall((DOCS / "mathematics.md").read_text())
    names: dict[str, Any] = {"itertools": itertools, "children": children}
    for block in blocks:
        if ">>> " not in block:
            exec(block, names)  # noqa: S102
    assert [names["is_p"](text) for text in ("nim:[1,2,3]", "nim:[1,2,2]")] == [True, False]
    assert [names["grundy"](f"kayles:[{n}]") for n in range(8)] == [0, 1, 2, 3, 1, 4, 3, 2]


def children(position: str) -> list[str]:
    return [str(move.child) for move in rules.legal_moves(position)]
