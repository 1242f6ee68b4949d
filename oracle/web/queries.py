"""GET requests: the parameters of a URL become the fields of a request."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from position_oracle.oracle.server.contract import CALLS, Call
from position_oracle.oracle.server.errors import FieldError, RequestError
from position_oracle.oracle.web.protocols import read_query
from position_oracle.schema.numbers import read_digits
from position_oracle.schema.proto.position_oracle.v1 import game_pb2
from position_oracle.schema.proto.position_oracle.v1.service_pb2 import ListWinningMovesRequest

MAX_ROWS: Final = 1000
MAX_COLUMNS: Final = 2**63 - 1
_WITH_TEXT: Final = (game_pb2.Position.DESCRIPTOR, game_pb2.Game.DESCRIPTOR)
"""Messages that a text describes completely."""

INTEGERS: Final = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}
"""The minimum and the maximum of a field, by its type."""


class Query:
    """A GET request.

    Attributes:
        name: the NAME in its path, `/v1/NAME`.
        call: the call of the contract that it makes.
    """

    def __init__(self, name: str, call: Call) -> None:
        self.name, self.call = name, call

    @cached_property
    def parameters(self) -> Mapping[str, FieldDescriptor | None]:
        """The parameters by name, with the field of the request that each sets."""
        descriptor: Any = self.call.request.DESCRIPTOR  # its stubs have two kinds
        return {
            field.name: field
            for field in descriptor.fields
            if field.message_type is None or field.message_type in _WITH_TEXT
        }

    def request(self, query: bytes) -> Message:
        """Return the request that the query of a URL makes.

        Raises:
            RequestError, FieldError: the query is not UTF-8, or a parameter is not valid.
        """
        pairs = read_query(query)
        for name in pairs:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise FieldError(name[:40], RequestError(f"is not a parameter; there are: {known}"))
        return self._filled(pairs)

    def _filled(self, pairs: Mapping[str, str]) -> Message:
        request = self.call.request()
        for name, value in pairs.items():
            field = self.parameters[name]
            assert field is not None  # noqa: S101 - each sets one
            _set(request, field, name, value)
        return request


def _set(request: Any, field: FieldDescriptor, name: str, value: str) -> None:
    if field.message_type is not None:
        getattr(request, field.name).text = value
    elif field.enum_type is not None:
        numbers = names_of(field)
        if value.lower() not in numbers:
            said = f"is {value[:40]!r}; allowed are {', '.join(numbers)}"
            raise FieldError(name, RequestError(said))
        setattr(request, field.name, numbers[value.lower()])
    elif field.type in INTEGERS:
        least, most = INTEGERS[field.type]
        number = read_digits(value)
        if number is None or not least <= number <= most:
            said = f"is {value[:40]!r}; allowed are whole numbers from {least} to {most}"
            raise FieldError(name, RequestError(said))
        setattr(request, field.name, number)
    else:
        setattr(request, field.name, value)


def names_of(field: Any) -> dict[str, int]:
    """Return the numbers of an enum by parameter value: the rest of their names, in lower case."""
    start, *rest = field.enum_type.values
    prefix = start.name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower(): value.number for value in rest}


class OpeningsQuery(Query):
    """The GET for winning moves of a full board, with rows and columns instead of a position."""

    parameters: ClassVar[Mapping[str, FieldDescriptor | None]] = {"rows": None, "columns": None}

    def _filled(self, pairs: Mapping[str, str]) -> Message:
        rows = _side("rows", pairs, MAX_ROWS)
        columns = _side("columns", pairs, MAX_COLUMNS)
        request = ListWinningMovesRequest()
        request.position.chomp_board.rows.extend([columns] * rows)
        return request


def _side(name: str, pairs: Mapping[str, str], most: int) -> int:
    text = pairs.get(name, "")
    number = read_digits(text)
    if number is None or not 1 <= number <= most:
        said = f"is {text[:40]!r}; allowed are whole numbers from 1 to {most}"
        raise FieldError(name, RequestError(said))
    return number


def queries() -> dict[str, Query]:
    """Return every GET by name."""
    found = {call.path: Query(call.path, call) for call in CALLS.values() if call.path}
    return {**found, "openings": OpeningsQuery("openings", CALLS["ListWinningMoves"])}
