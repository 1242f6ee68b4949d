"""Plain words: one name for a concept, standard terms, and messages that say what to do."""

import re
from collections import defaultdict

from tests.repository.messages import ROOMS, ROOT, messages

CODE = [
    path
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
    if "proto" not in path.parts
]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

PRIVATE = {
    r"\bat hand\b": "available",
    r"\b[Ww]hoever\b": "the player who, the caller",
    r"\bdear(er|est)?\b": "expensive",
    r"\bguests?\b": "caller",
    r"\b[Ss]hel(f|ves)\b": "resources",
    r"\bouter board": "bounding board",
    r"\b(he|his|him)\b": "the player, the caller, they",
}
"""Words of a private vocabulary, and plain words for them."""

DEFINED_TWICE = {
    "By": "an option of a command, which must not import the library of pictures",
    "Format": "an option of a command, which must not import DuckDB",
    "SheetKind": "an option of a command, which must not import the library of pictures",
    "DeadlineError": "the server's side and the client's side of one error",
    "Question": "the server's side and the client's side of one request",
}
"""Names of classes that two modules define, with the reasons."""


def test_no_private_words() -> None:
    private = re.compile("|".join(PRIVATE))
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in [*CODE, *DOCUMENTS]
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if private.search(line)
    ]
    assert found == []


def test_a_name_has_one_meaning() -> None:
    found = defaultdict(list)
    for path in CODE:
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(), re.MULTILINE):
            found[name].append(str(path.relative_to(ROOT)))
    assert {name for name, places in found.items() if len(places) > 1} == set(DEFINED_TWICE)


def test_messages_are_sentences_that_quote_and_allow() -> None:
    """No inverted sentences, no numbers like 1.07e+03, no full stop where text may follow."""
    found = list(messages())
    assert len(found) > 500
    wrong = [
        each
        for each in found
        if re.search(r"(?<!here )\bis no [a-z]+\b(?! longer)|^allowed are|stored are\b", each.text)
        or re.search(r":\.[0-9]g\} (bytes|MB|GB)", each.text)
    ]
    assert wrong == []
