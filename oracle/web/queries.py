"""The questions of a GET: parameters of an address become the fields of a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from oracle.server.faults import FieldError, RequestError
from oracle.server.methods import CALLS, Call
from schema.proto.position_oracle.v1 import game_pb2

MAX_PARAMETERS: Final = 16
MAX_ROWS: Final = 1000
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
class Query:
    """A GET.

    Attributes:
        name: of its path, `/v1/NAME`.
        call: the call of the contract that it makes.
    """

    name: str
    call: Call

    @property
    def parameters(self) -> Mapping[str, FieldDescriptor]:
        """The field of the request that each parameter sets."""
        found: dict[str, FieldDescriptor] = {}
        descriptor: Any = self.call.request.DESCRIPTOR  # its stubs have two kinds
        for field in descriptor.fields:
            if field.message_type is None or field.message_type is _POSITION:
                found[field.name.removesuffix("_text")] = field
        return found

    def request(self, query: bytes) -> Message:
        """The request that the query of an address makes.

        Raises:
            RequestError, FieldError: it is not UTF-8, or a parameter is not as it should be.
        """
        request = self.call.request()
        for name, value in _pairs(query).items():
            field = self.parameters.get(name)
            if field is None:
                known = ", ".join(self.parameters) or "none"
                raise FieldError(name[:40], RequestError(f"is no parameter; there are: {known}"))
            _set(request, field, name, value)
        return request


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
    "games": "ListGames",
    "geometry": "GetGeometry",
    "instant-winners": "GetInstantWinners",
    "losers": "GetLosers",
}


class Openings(Query):
    """Which bites win on a full board: the winning moves of a rectangle."""

    @property
    def parameters(self) -> Mapping[str, FieldDescriptor]:
        """Rows and columns are no fields of the request."""
        return {}

    def request(self, query: bytes) -> Message:
        """The question for the winning moves of a rectangle of `rows` times `columns`."""
        pairs = _pairs(query)
        sides = []
        for name in ("rows", "columns"):
            text = pairs.pop(name, "")
            if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text)):
                raise FieldError(name, RequestError(f"is {text[:40]!r}; write a number from 1 on"))
            sides.append(int(text))
        if pairs:
            raise FieldError(min(pairs)[:40], RequestError("is no parameter: rows, columns"))
        if sides[0] > MAX_ROWS:
            raise FieldError("rows", RequestError(f"is {sides[0]}; allowed are 1 to {MAX_ROWS}"))
        request: Any = self.call.request()
        request.position.chomp_board.rows.extend([sides[1]] * sides[0])
        return request  # type: ignore[no-any-return]


def queries() -> dict[str, Query]:
    """Every GET, by name: those whose call the contract has."""
    found = {name: Query(name, _BY_NAME[call]) for name, call in _PATHS.items() if call in _BY_NAME}
    return {**found, "openings": Openings("openings", _BY_NAME["ListWinningMoves"])}
