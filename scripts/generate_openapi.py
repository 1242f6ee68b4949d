#!/usr/bin/env python3
"""Write oracle/web/openapi.json: the service in OpenAPI 3.1, from the contract and its comments.

python -m scripts.generate_openapi            write the file
python -m scripts.generate_openapi --check    fail where it would change
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from google.api.field_behavior_pb2 import REQUIRED, field_behavior  # type: ignore[import-untyped]
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from position_oracle.oracle.server.contract import CALLS, DESCRIPTOR
from position_oracle.oracle.web.app import OPENAPI
from position_oracle.oracle.web.protocols import HTTP_STATUS
from position_oracle.oracle.web.queries import INTEGERS, MAX_ROWS, Query, names_of, queries
from scripts.generate_proto import PROTO, compile_contract

Schema = dict[str, Any]

_SCALARS: Final[Mapping[int, Schema]] = {
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_INT32: {"type": "integer", "format": "int32"},
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    FieldDescriptor.TYPE_INT64: {"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"},
    FieldDescriptor.TYPE_UINT64: {"type": "string", "format": "uint64", "pattern": "^[0-9]+$"},
    FieldDescriptor.TYPE_DOUBLE: {"type": ["number", "string"], "format": "double"},
}
"""Kinds of fields in JSON: 64-bit numbers, NaN and infinities are strings."""

_DESCRIPTIONS: Final = {
    "openings": "The bites that win on a full board of Chomp, and who wins.",
    "rows": "Rows.",
    "columns": "Columns.",
}
"""Descriptions of queries and parameters that differ from calls and fields."""

_BOUNDS: Final[Mapping[str, Schema]] = {
    "rows": {"minimum": 1, "maximum": MAX_ROWS},
    "columns": {"minimum": 1},
}
_TEXTS: Final[Mapping[str, Schema]] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?s$"},
}
"""Messages that are strings in JSON."""

_FOREIGN: Final = {
    "google.rpc.Status": "Why a question is refused.",
    "google.rpc.Status.code": "The number of the gRPC status, e.g. 3 for INVALID_ARGUMENT.",
    "google.rpc.Status.message": "The reason in words.",
    "google.rpc.Status.details": "The reason for programs, as in errors of gRPC.",
}
"""Comments of messages that are not part of this contract."""

_INTRODUCTION: Final = """\
Answers questions about positions of combinatorial games, from computed tables, theorems and
searches. Paths under `/v1` ask by GET, and are there to be read, linked and kept. Paths under
`/position_oracle.v1.PositionOracle` are the calls of the gRPC contract: by POST, in JSON or in the
wire format of protocol buffers (Connect), or in gRPC-Web. Fields that are empty, zero or false are
left out of JSON, unless their absence says something."""

_ERRORS: Final = {
    "400": "The request breaks a rule of the contract or of the game; or this server never answers"
    " it: the question, its answer or the work is larger than allowed.",
    "401": "A token is needed, or is not known here.",
    "404": "There is no such game.",
    "409": "The page token is of tables no longer served: begin the list again.",
    "429": "The caller has used up the quota of a minute, or the server its memory: try again after"
    " Retry-After seconds.",
    "501": "There is no such call.",
    "503": "Too much to do, starting or stopping: try again after Retry-After seconds.",
    "504": "The deadline passed.",
}


def describe(queries: Iterable[Query]) -> Schema:
    """Return the description of all calls, and of the given GET requests."""
    said = comments()
    paths: Schema = {f"/v1/{query.name}": {"get": _query(query)} for query in queries}
    for call in CALLS.values():
        paths[f"/{DESCRIPTOR.full_name}/{call.name}"] = {"post": _call(call.name)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Position oracle",
            "version": "",
            "summary": "Who wins, how, and how that is known.",
            "description": _INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "tags": [
            {"name": "questions", "description": "Questions as addresses."},
            {"name": "calls", "description": said[DESCRIPTOR.full_name]},
        ],
        "paths": paths,
        "components": {
            "schemas": {**_messages(), "Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {code: _failed(text) for code, text in _ERRORS.items()},
        },
    }


def _call(name: str) -> Schema:
    method = DESCRIPTOR.methods_by_name[name]
    request, response = method.input_type, method.output_type
    binary = {"type": "string", "contentMediaType": "application/x-protobuf"}
    return {
        "operationId": name,
        "tags": ["calls"],
        "summary": _first(comments()[method.full_name]),
        "description": comments()[method.full_name],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": _ref(request.name)},
                "application/proto": {"schema": binary},
            },
        },
        "responses": {
            "200": {
                "description": comments()[response.full_name],
                "content": {
                    "application/json": {"schema": _ref(response.name)},
                    "application/proto": {"schema": binary},
                },
            },
            **_failures(),
        },
    }


def _query(query: Query) -> Schema:
    method = DESCRIPTOR.methods_by_name[query.call.name]
    says = _DESCRIPTIONS.get(query.name) or comments()[method.full_name]
    return {
        "operationId": query.name,
        "tags": ["questions"],
        "summary": _first(says),
        "description": says,
        "parameters": [
            {
                "name": name,
                "in": "query",
                "description": said,
                "required": field is None or is_required(field),
                "schema": _parameter(field, name),
            }
            for name, field in query.parameters.items()
            for said in (_DESCRIPTIONS.get(name) or _said(field),)
        ],
        "responses": {
            "200": {
                "description": comments()[method.output_type.full_name],
                "headers": {
                    "ETag": {
                        "description": "Version of the tables and of the program; only where the"
                        " answer is known exactly, which it then is as long as they stay.",
                        "schema": {"type": "string"},
                    }
                },
                "content": {"application/json": {"schema": _ref(method.output_type.name)}},
            },
            "304": {"description": "The answer is as in the response with the tag sent along."},
            **_failures(),
        },
    }


def _failures() -> Schema:
    return {code: {"$ref": f"#/components/responses/{code}"} for code in _ERRORS}


def _failed(text: str) -> Schema:
    return {"description": text, "content": {"application/json": {"schema": _ref("Error")}}}


_ERROR: Final[Schema] = {
    "type": "object",
    "description": "An error: as Connect has it where a call is made, shorter for a question.",
    "required": ["code", "message"],
    "properties": {
        "code": {
            "type": "string",
            "enum": sorted(map(str.lower, HTTP_STATUS.keys() - {"CANCELLED"})),
        },
        "message": {"type": "string", "description": "The field, what is wrong, what is allowed."},
        "reason": {"type": "string", "description": "A stable word, e.g. INVALID_NOTATION."},
        "field": {"type": "string", "description": "The parameter that it is about."},
        "metadata": {
            "type": "object",
            "description": "`request_id`, by which the server's log has it; `price` and `limit`.",
            "additionalProperties": {"type": "string"},
        },
        "details": {
            "type": "array",
            "description": "Messages of google.rpc.",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "description": "E.g. google.rpc.ErrorInfo."},
                    "value": {"type": "string", "contentEncoding": "base64"},
                    "debug": {"type": "object", "description": "The same in JSON."},
                },
            },
        },
    },
}


def _said(field: FieldDescriptor | None) -> str:
    """Return the description of a parameter: the comment of the field that it sets."""
    said = comments().get(field.full_name, "") if field is not None else ""
    if field is not None and field.message_type is not None:
        said = f"{said} Its text, e.g. `chomp:7/7/7`, `nim:[3,5,7]`.".strip()
    return said


def _kind(field: FieldDescriptor | None) -> str:
    return "integer" if field is None or field.type in INTEGERS else "string"


def _parameter(field: FieldDescriptor | None, name: str) -> Schema:
    if field is not None and field.enum_type is not None:
        return {"type": "string", "enum": list(names_of(field))}
    return {"type": _kind(field), **_BOUNDS.get(name, {})}


def is_required(field: Any) -> bool:
    """Return whether a request must have a field."""
    return REQUIRED in field.GetOptions().Extensions[field_behavior]


@cache
def _messages() -> Schema:
    """Return the schemas of every message and enum that calls accept or return."""
    found: Schema = {}
    todo: list[Any] = []
    for method in DESCRIPTOR.methods:
        todo += (method.input_type, method.output_type)
    while todo:
        kind = todo.pop()
        if kind.name in found or kind.full_name in _TEXTS:
            continue
        if hasattr(kind, "values"):
            found[kind.name] = _enum(kind)
            continue
        found[kind.name] = _message(kind)
        for field in kind.fields:
            if field.message_type is not None and not _is_map(field):
                todo.append(field.message_type)
            elif field.enum_type is not None:
                todo.append(field.enum_type)
    return dict(sorted(found.items()))


def _message(kind: Any) -> Schema:
    if kind.full_name == "google.protobuf.Any":
        said = {"type": "string", "description": "The address that names the type of the message."}
        about = "Any message: its fields, and its type."
        return {"type": "object", "description": about, "properties": {"@type": said}}
    schema: Schema = {"type": "object", "description": _words(kind.full_name)}
    schema["properties"] = {field.json_name: _field(field) for field in kind.fields}
    if required := [field.json_name for field in kind.fields if is_required(field)]:
        schema["required"] = required
    choices = [
        ", ".join(f"`{field.json_name}`" for field in oneof.fields)
        for oneof in kind.oneofs
        if len(oneof.fields) > 1
    ]
    for names in choices:
        schema["description"] += f"\n\nAt most one of these is given: {names}."
    if kind.full_name in {method.input_type.full_name for method in DESCRIPTOR.methods}:
        schema["additionalProperties"] = False
    return schema


def _words(name: str) -> str:
    """Return the comment of a message or field."""
    return comments().get(name) or _FOREIGN.get(name, "")


def _field(field: Any) -> Schema:
    said = _words(field.full_name)
    if _is_map(field):
        schema: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
    else:
        schema = _single(field)
        if field.is_repeated:
            schema = {"type": "array", "items": schema}
    return {**schema, "description": said} if said else schema


def _single(field: Any) -> Schema:
    if field.message_type is not None:
        if field.message_type.full_name in _TEXTS:
            return _TEXTS[field.message_type.full_name]
        return _ref(field.message_type.name)
    if field.enum_type is not None:
        return _ref(field.enum_type.name)
    return dict(_SCALARS[field.type])


def _enum(kind: Any) -> Schema:
    said = comments()
    lines = [
        f"* `{value.name}`: {said.get(f'{kind.full_name}.{value.name}', '')}"
        for value in kind.values
    ]
    return {
        "type": "string",
        "enum": [value.name for value in kind.values],
        "description": "\n".join((said.get(kind.full_name, ""), *lines)),
    }


def _is_map(field: Any) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _first(text: str) -> str:
    """Return the first sentence without its full stop."""
    return text.partition("\n")[0].partition(". ")[0].removesuffix(".")


@cache
def comments() -> dict[str, str]:
    """Return the comment of every call, message, field, enum and enum value, by full name.

    Values of an enum follow its name. Lines of a paragraph are joined; paragraphs are separated by
    an empty line.
    """
    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / "contract"
        sources = sorted(PROTO.glob("position_oracle/**/*.proto"))
        compile_contract(sources, f"--descriptor_set_out={target}", "--include_source_info")
        files = FileDescriptorSet.FromString(target.read_bytes()).file
    return {name: text for file in files for name, text in _comments_of(file)}


def _comments_of(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for location in file.source_code_info.location:
        if location.leading_comments and len(location.path) % 2 == 0:
            name, element = file.package, file
            for number, index in zip(location.path[::2], location.path[1::2], strict=True):
                element = getattr(element, element.DESCRIPTOR.fields_by_number[number].name)[index]
                name += f".{element.name}"
            yield name, _joined(location.leading_comments.splitlines())


def _joined(lines: list[str]) -> str:
    """Return the lines of a comment as paragraphs; indented lines stay separate lines."""
    text = ""
    for line in (line.removeprefix(" ") for line in lines):
        glue = "\n" if not line or line.startswith(" ") or text.endswith("\n") else " "
        text += (glue if text else "") + line
    return text.strip()


def main() -> int:
    """Run the command line; return 1 if `--check` finds a difference."""
    parser = argparse.ArgumentParser(description="Generate the OpenAPI description.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    text = json.dumps(describe(queries().values()), indent=1) + "\n"
    if not parser.parse_args().check:
        OPENAPI.write_text(text)
    elif OPENAPI.read_text() != text:
        print(f"{OPENAPI.name} is not that of the contract; run make proto")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
