"""Every example in the documentation of the service and the client gives the result shown."""

import doctest
import re
from pathlib import Path

import pytest

from tests.clock import PATIENCE

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "name", ["client.md", "oracle.md", "service.md", "rules.md", "mathematics.md"]
)
def test_examples(name: str, port: int) -> None:
    text = (DOCS / name).read_text()
    text = text.replace(
        'Client("localhost:50051"', f'Client("127.0.0.1:{port}", timeout={PATIENCE}'
    )
    text = text.replace("localhost:50051", f"127.0.0.1:{port}")
    blocks = [block for block in BLOCK.findall(text) if ">>>" in block]
    assert len(blocks) >= 2
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        example, out=report.append
    )
    assert results.failed == 0, "".join(report)
