"""What the contract says about itself: the comments of its `.proto` files, by full name.

Descriptors do not carry them, so that they are read from the files, which are installed beside the
generated code.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

_BLOCK: Final = re.compile(r"(message|enum|service|oneof)\s+(\w+)\s*\{(\})?")
_CALL: Final = re.compile(r"rpc\s+(\w+)\s*\(")
_FIELD: Final = re.compile(
    r"(?:[\w.]+|map<[^>]*>|optional [\w.]+|repeated [\w.]+)\s+(\w+)\s*=\s*\d"
)
_VALUE: Final = re.compile(r"([A-Z][A-Z0-9_]*)\s*=\s*-?\d")
_PACKAGE: Final = "position_oracle.schema.proto.position_oracle.v1"


@cache
def comments() -> dict[str, str]:
    """The comment of every call, message, field, enum and enum value that has one.

    Names are full ones, e.g. `position_oracle.v1.Answer.reason`; values of an enum follow its name.
    Lines of a paragraph are joined; paragraphs are separated by an empty line.
    """
    found: dict[str, str] = {}
    for file in files(_PACKAGE).iterdir():
        if file.name.endswith(".proto"):
            found |= _comments_of(file.read_text("utf-8"))
    return found


def _comments_of(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    scope: list[str] = ["position_oracle.v1"]
    pending: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            pending.append(line[2:].removeprefix(" "))
            continue
        name = ""
        if block := _BLOCK.match(line):
            name = block[2]
            if not block[3]:
                # A oneof is no part of the names of its fields.
                scope.append("" if block[1] == "oneof" else name)
        elif entry := _CALL.match(line) or _FIELD.match(line) or _VALUE.match(line):
            name = entry[1]
        elif line.startswith("}"):
            scope.pop()
        if name and pending:
            outer = scope[:-1] if block and not block[3] else scope
            found[".".join(filter(None, (*outer, name)))] = _joined(pending)
        pending = []
    return found


def _joined(lines: list[str]) -> str:
    """The lines of a comment as paragraphs; lines set in keep to themselves."""
    text = ""
    for line in lines:
        glue = "\n" if not line or line.startswith(" ") or text.endswith("\n") else " "
        text += (glue if text else "") + line
    return text.strip()
