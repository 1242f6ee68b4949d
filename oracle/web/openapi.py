"""The description of the service in OpenAPI 3.1, made from the contract and its comments."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from position_oracle.oracle.server.contract import CALLS, DESCRIPTOR
from position_oracle.oracle.web.comments import comments
from position_oracle.oracle.web.protocols import HTTP_STATUS
from position_oracle.oracle.web.queries import Query

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
"""Kinds of fields in JSON: 64-bit numbers are texts, and so are NaN and infinities."""

_TIMESTAMP: Final = "google.protobuf.Timestamp"
_INTRODUCTION: Final = """\
Answers questions about positions of combinatorial games, from computed tables, theorems and
searches. Paths under `/v1` ask by GET, and are there to be read, linked and kept. Paths under
`/position_oracle.v1.PositionOracle` are the calls of the gRPC contract: by POST, in JSON or in the
wire format of protocol buffers (Connect), or in gRPC-Web. Fields that are empty, zero or false are
left out of JSON, unless their absence says something."""

_ERRORS: Final = {
    "400": "The request breaks a rule of the contract or of the game.",
    "401": "A token is needed, or is not known here.",
    "404": "There is no such game.",
    "429": "The question, its answer or the work is larger than allowed; or, with Retry-After, the"
    " caller has used up what he may ask in a minute.",
    "501": "Not answered for this game, or there is no such call.",
    "503": "Too much to do, starting or stopping: try again after Retry-After seconds.",
    "504": "The deadline passed.",
}


def describe(queries: Iterable[Query]) -> Schema:
    """The description of all calls, and of the GETs given."""
    said = comments()
    paths: Schema = {f"/v1/{query.name}": {"get": _query(query)} for query in queries}
    for call in CALLS:
        paths[f"/{DESCRIPTOR.full_name}/{call.name}"] = {"post": _call(call.name)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Position oracle",
            "version": version("position-oracle"),
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
    says = query.says or comments()[method.full_name]
    return {
        "operationId": query.name,
        "tags": ["questions"],
        "summary": _first(says),
        "description": says,
        "parameters": [
            {
                "name": each.name,
                "in": "query",
                "description": each.says,
                "required": each.is_required,
                "schema": each.schema,
            }
            for each in query.parameters.values()
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


@cache
def _messages() -> Schema:
    """The schemas of every message and enum that calls take or give."""
    found: Schema = {}
    todo: list[Any] = []
    for method in DESCRIPTOR.methods:
        todo += (method.input_type, method.output_type)
    while todo:
        kind = todo.pop()
        if kind.name in found or kind.full_name == _TIMESTAMP:
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
    schema: Schema = {"type": "object", "description": comments().get(kind.full_name, "")}
    schema["properties"] = {field.json_name: _field(field) for field in kind.fields}
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


def _field(field: Any) -> Schema:
    said = comments().get(field.full_name, "")
    if _is_map(field):
        schema: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
    else:
        schema = _single(field)
        if field.is_repeated:
            schema = {"type": "array", "items": schema}
    return {**schema, "description": said} if said else schema


def _single(field: Any) -> Schema:
    if field.message_type is not None:
        if field.message_type.full_name == _TIMESTAMP:
            return {"type": "string", "format": "date-time"}
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
    """The first sentence, without its point."""
    return text.partition("\n")[0].partition(". ")[0].removesuffix(".")
