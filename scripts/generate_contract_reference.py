#!/usr/bin/env python3
"""Write docs/contract.md: every call, message and enum of the contract, from its comments.

python -m scripts.generate_contract_reference            write the file
python -m scripts.generate_contract_reference --check    fail where it would change
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from position_oracle.oracle.server.contract import DESCRIPTOR
from scripts.generate_openapi import comments, is_required

REFERENCE: Final = Path(__file__).parent.parent / "docs" / "contract.md"

_NAMES: Final = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in vars(FieldDescriptor).items()
    if name.startswith("TYPE_")
}
_OTHERS: Final = {"google.protobuf.Timestamp", "google.protobuf.Duration", "google.rpc.Status"}
"""Messages that another page describes."""

_INTRODUCTION: Final = """\
# The contract

For authors of clients who look up a call, a message or a field.

This page lists every call and message of version 1 of the contract `position_oracle.v1`. It is
generated from [the files of the contract](../schema/proto/position_oracle/v1).
[The service](service.md) gives an overview. Requests must set the fields marked **required**.
Fields marked `optional` distinguish a missing value from zero."""

_NEXT: Final = "Next: [client.md](client.md) and [http.md](http.md) show how to call the service."


def reference() -> str:
    """Return the text of the page."""
    return "\n\n".join((_INTRODUCTION, *_service(), *_kinds(), _NEXT)) + "\n"


def _service() -> Iterator[str]:
    yield comments()[DESCRIPTOR.full_name].replace("\n  ", "\n    ")
    yield "## Calls"
    for method in DESCRIPTOR.methods:
        said, takes = comments()[method.full_name], _link(method.input_type)
        yield f"### {method.name}\n\n{said}\n\nTakes {takes}, gives {_link(method.output_type)}."


def _kinds() -> Iterator[str]:
    found: dict[str, Any] = {}
    todo: list[Any] = [method.input_type for method in DESCRIPTOR.methods]
    todo += (method.output_type for method in DESCRIPTOR.methods)
    while todo:
        kind = todo.pop()
        if kind.full_name in found or kind.full_name in _OTHERS:
            continue
        found[kind.full_name] = kind
        if hasattr(kind, "fields"):
            parts = (field.message_type or field.enum_type for field in kind.fields)
            todo += [part for part in parts if part is not None and not part.name.endswith("Entry")]
    kinds = sorted(found.values(), key=lambda kind: kind.name)
    yield "## Messages"
    yield from (_message(kind) for kind in kinds if hasattr(kind, "fields"))
    yield "## Enums"
    yield from (_enum(kind) for kind in kinds if hasattr(kind, "values"))


def _message(kind: Any) -> str:
    rows = [
        f"| `{field.name}` | {field.number} | {_type(field)} | {_said(field)} |"
        for field in kind.fields
    ]
    table = ["| Field | Number | Type | |", "| --- | --- | --- | --- |", *rows] if rows else []
    said = comments().get(kind.full_name, "")
    return "\n".join((f"### {kind.name}\n", said, "", *table)).rstrip()


def _enum(kind: Any) -> str:
    rows = (
        f"| `{value.name}` | {value.number} | {_line(f'{kind.full_name}.{value.name}')} |"
        for value in kind.values
    )
    table = ("| Value | Number | |", "| --- | --- | --- |", *rows)
    return "\n".join((f"### {kind.name}\n", comments()[kind.full_name], "", *table))


def _said(field: Any) -> str:
    oneof = field.containing_oneof
    is_choice = oneof is not None and not oneof.name.startswith("_")
    choice = f"One of `{oneof.name}`. " if is_choice else ""
    required = "**Required.** " if is_required(field) else ""
    return f"{required}{choice}{_line(field.full_name)}"


def _line(name: str) -> str:
    return " ".join(comments().get(name, "").split()).replace("|", "\\|")


def _type(field: Any) -> str:
    kind = field.message_type or field.enum_type
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return "map of string to string"
    name = _NAMES[field.type] if kind is None else _link(kind)
    if field.is_repeated:
        return f"repeated {name}"
    return f"optional {name}" if field.has_presence and kind is None else name


def _link(kind: Any) -> str:
    if kind.full_name in _OTHERS:
        return f"`{kind.full_name}`"
    return f"[{kind.name}](#{kind.name.lower()})"


def main() -> int:
    """Run the command line; return 1 if `--check` finds a difference."""
    parser = argparse.ArgumentParser(description="Generate the reference of the contract.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    text = reference()
    if not parser.parse_args().check:
        REFERENCE.write_text(text)
    elif REFERENCE.read_text() != text:
        print(f"{REFERENCE.name} is not that of the contract; run make proto")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
