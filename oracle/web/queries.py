"""The questions of a GET: parameters of an address become the fields of a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qsl

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from position_oracle.oracle.server.contract import CALLS, Call
from position_oracle.oracle.server.errors import FieldError, RequestError
from position_oracle.oracle.web.comments import comments
from position_oracle.schema.proto.position_oracle.v1 import game_pb2
from position_oracle.schema.proto.position_oracle.v1.service_pb2 import ListWinningMovesRequest

MAX_PARAMETERS: Final = 16
MAX_ROWS: Final = 1000
_DIGITS: Final = 18
_POSITION: Final = game_pb2.Position.DESCRIPTOR
_TRUE: Final = {"true": True, "1": True, "false": False, "0": False}
_INTEGERS: Final = frozenset(
    {
        FieldDescriptor.TYPE_INT32,
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT32,
        FieldDescriptor.TYPE_UINT64,
    }
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an address.

    Attributes:
        name: before the equals sign.
        says: what it is.
        schema: its values, as OpenAPI describes them.
        is_required: whether it may not be left out.
        field: of the request that it sets; None where it is no single one.
    """

    name: str
    says: str
    schema: dict[str, Any]
    is_required: bool
    field: FieldDescriptor | None = None


class Query:
    """A GET.

    Attributes:
        name: of its path, `/v1/NAME`.
        call: the call of the contract that it makes.
        says: what it is for, where that is not what the call is for.
    """

    says = ""

    def __init__(self, name: str, call: Call) -> None:
        self.name, self.call = name, call

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters by name."""
        descriptor: Any = self.call.request.DESCRIPTOR  # its stubs have two kinds
        found = [
            _parameter(field)
            for field in descriptor.fields
            if field.message_type is None or field.message_type is _POSITION
        ]
        return {parameter.name: parameter for parameter in found}

    def request(self, query: bytes) -> Message:
        """The request that the query of an address makes.

        Raises:
            RequestError, FieldError: it is not UTF-8, or a parameter is not as it should be.
        """
        pairs = _pairs(query)
        for name in pairs:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise FieldError(name[:40], RequestError(f"is no parameter; there are: {known}"))
        return self._filled(pairs)

    def _filled(self, pairs: Mapping[str, str]) -> Message:
        request = self.call.request()
        for name, value in pairs.items():
            field = self.parameters[name].field
            assert field is not None  # noqa: S101 - each sets one
            _set(request, field, name, value)
        return request


def _parameter(field: FieldDescriptor) -> Parameter:
    says = comments().get(field.full_name, "")
    is_required = says.startswith("Required")
    if field.message_type is not None:
        says = f"{says} Its text, e.g. `chomp:7/7/7`, `nim:[3,5,7]`.".strip()
    kind = (
        "boolean"
        if field.type == FieldDescriptor.TYPE_BOOL
        else "integer"
        if field.type in _INTEGERS
        else "string"
    )
    name = field.name.removesuffix("_text")
    is_required = is_required or field.name == "game_text"
    return Parameter(name, says, {"type": kind}, is_required, field)


def _pairs(query: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_PARAMETERS,
        )
    except UnicodeDecodeError:
        raise RequestError("the query is no UTF-8 text, percent-encoded") from None
    except ValueError:
        raise RequestError(f"the query has more than {MAX_PARAMETERS} parameters") from None
    if twice := {name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1}:
        raise FieldError(min(twice)[:40], RequestError("is given twice"))
    return dict(pairs)


def _set(request: Any, field: FieldDescriptor, name: str, value: str) -> None:
    if field.message_type is not None:
        getattr(request, field.name).text = value
    elif field.type == FieldDescriptor.TYPE_BOOL:
        if value not in _TRUE:
            raise FieldError(name, RequestError(f"is {value[:40]!r}; write true or false"))
        setattr(request, field.name, _TRUE[value])
    elif field.type in _INTEGERS:
        try:
            setattr(request, field.name, _whole(value))
        except ValueError:
            raise FieldError(name, RequestError(f"is {value[:40]!r}, no whole number")) from None
    else:
        setattr(request, field.name, value)


def _whole(text: str) -> int:
    if not text.removeprefix("-").isascii() or len(text) > 20:
        raise ValueError(text)
    return int(text)


_BY_NAME: Final = {call.name: call for call in CALLS}
_PATHS: Final = {
    "outcome": "GetOutcome",
    "moves": "ListWinningMoves",
    "analyze": "AnalyzePosition",
    "line": "GetBestLine",
    "probability": "GetWinProbability",
    "turns": "GetTurns",
    "games": "ListGames",
    "geometry": "GetGeometry",
    "instant-winners": "GetInstantWinners",
    "losers": "GetLosers",
}


class Openings(Query):
    """The winning moves of a full board, which has rows and columns instead of a position."""

    says = "The bites that win on a full board of Chomp, and who wins."

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The sides of the board."""
        schema = {"type": "integer", "minimum": 1}
        return {
            "rows": Parameter("rows", "Rows.", {**schema, "maximum": MAX_ROWS}, is_required=True),
            "columns": Parameter("columns", "Columns.", schema, is_required=True),
        }

    def _filled(self, pairs: Mapping[str, str]) -> Message:
        rows, columns = (_side(name, pairs.get(name, "")) for name in self.parameters)
        if rows > MAX_ROWS:
            raise FieldError("rows", RequestError(f"is {rows}; allowed are 1 to {MAX_ROWS}"))
        request = ListWinningMovesRequest()
        request.position.chomp_board.rows.extend([columns] * rows)
        return request


def _side(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS and int(text)):
        raise FieldError(name, RequestError(f"is {text[:40]!r}; write a number from 1 on"))
    return int(text)


def queries() -> dict[str, Query]:
    """Every GET, by name: those whose call the contract has."""
    found = {name: Query(name, _BY_NAME[call]) for name, call in _PATHS.items() if call in _BY_NAME}
    return {**found, "openings": Openings("openings", _BY_NAME["ListWinningMoves"])}
