"""Small faults in the scripts of the page, found by a reader of JavaScript's tokens."""

import re
from collections.abc import Iterator
from typing import Final

from tests.mutation.source import Fault, Source

SKIPPED: Final = (
    rb"//[^\n]*|/\*.*?\*/"  # comments
    rb"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    rb"|`(?:\\.|[^`\\])*`"  # and calculations inside it
    rb"|(?<=[(,=:!&|?{};\n] )/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n\[])+/[a-z]*"
    rb"|(?<=[(!])/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n\[])+/[a-z]*"
    rb"|\b(?:import|export)\b[^;]*?\bfrom\b"
)
WORDS: Final = rb"Math\.(?:min|max)\b|\bawait |\btrue\b|\bfalse\b|\b\d+\b(?![.\w])"
OPERATORS: Final = (
    rb"=>|===|!==|<<|>>>?|<=|>=|\+\+|--|\+=|-=|\*\*|&&|\|\||\?\?|\?\.|\.\.\.|[-<>+*%!&|^]"
)
TOKEN: Final = re.compile(
    b"(?P<skipped>" + SKIPPED + b")|(?P<found>" + WORDS + b"|" + OPERATORS + b")", re.DOTALL
)
KINDS: Final = {
    "comparison": {"===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "logic": {"&&": "||", "||": "&&", "??": "&&"},
    "arithmetic": {" + ": " - ", " - ": " + ", " * ": " + ", "%": "*", "^": "|", "<<": ">>"},
    "extreme": {"Math.min": "Math.max", "Math.max": "Math.min"},
    "flag": {"true": "false", "false": "true"},
    "not": {"!": ""},
    "term": {"+=": "-=", "-=": "+="},
    "await": {"await ": ""},
}


def script_faults(source: Source) -> Iterator[Fault]:
    """Return all faults of a script, except in strings, comments and imports."""
    for token in TOKEN.finditer(source.text):
        if token["found"] is None:
            continue
        start, end = token.span()
        word = token["found"].decode()
        around = source.text[start - 1 : end + 1].decode(errors="replace")
        if word.isdecimal():
            yield source.at("number", start, end, str(int(word) + 1))
        for kind, changes in KINDS.items():
            if word in changes:
                yield source.at(kind, start, end, changes[word])
            elif around in changes:
                yield source.at(kind, start - 1, end + 1, changes[around])
