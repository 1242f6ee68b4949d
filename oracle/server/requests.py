"""Parsers of requests: messages of the contract become positions, games, arrays and pages.

Every function checks its message, and raises `FieldError` with the path of a wrong field.
"""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import families, game_named, rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.perturbation import Perturbation
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.server.errors import (
    FieldError,
    RequestError,
    StaleTokenError,
    TooManyError,
)
from position_oracle.schema.answerer import MAX_SERIES, ValueKind
from position_oracle.schema.answers import Tables
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.estimates import Column, Opening
from position_oracle.schema.graphs import MAX_GRAPH_MOVES, MAX_NODES
from position_oracle.schema.messages.forms import TYPED_FORMS
from position_oracle.schema.positions import MAX_MIXED_POSITIONS
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    game_pb2,
    geometry_pb2,
    graph_pb2,
    service_pb2,
    sheet_pb2,
)

MAX_WIDTH: Final = 64
MAX_WINDOW_CELLS: Final = 1 << 22
MAX_COLUMNS: Final = 1 << 20
MAX_ESTIMATED: Final = 1 << 60
MAX_DECLARED: Final = 1000
_COORDINATE_BYTES: Final = 4
_MAX_INT32: Final = 2**31 - 1
_KEPT_BYTES: Final = 256
"""Maximum length of a message of a game that is cached, so that frequent games are parsed once."""

_TOKEN: Final = struct.Struct(">8s8sQ")
"""A page token: the question, the tables and where to go on. It is no secret, and holds no state of
the server: any server with the same tables takes it."""

T = TypeVar("T")

Coordinates = npt.NDArray[np.int32]
Packed = tuple[GameSpec, Coordinates]
"""The game and the rows (n, width) of a batch."""


def read_position(message: game_pb2.Position, field: str = "position") -> Position:
    """Return the position of a message, legal in its game; text and typed form must agree."""
    form = message.WhichOneof("form")
    if form is None:
        if not message.text:
            raise _refused(f"{field}.text", "is missing; give it, or a typed form of the position")
        position = _at(f"{field}.text", parse, message.text)
        if message.HasField("game") and read_game(message.game, f"{field}.game") != position.game:
            raise _refused(f"{field}.game", f"is not {position.game}, the game of the text")
        return position
    game = _game_of_form(message, form, field)
    coordinates = TYPED_FORMS[form].read(message)
    try:
        position = rules_of(game.family).position(game, coordinates)
    except PositionOracleError as error:
        raise FieldError(f"{field}.{form}{_wrong_coordinate(form, coordinates)}", error) from error
    if message.text and message.text != str(position):
        other = _at(f"{field}.text", parse, message.text)
        if other != position:
            raise _refused(f"{field}.text", f"is {other}, but {form} is {position}")
    return position


def read_model(text: str) -> Model:
    """Return the model of chance of a text."""
    return _at("model", Model.parse, text)


def read_game(message: game_pb2.Game, field: str = "game") -> GameSpec:
    """Return the game of a message; text and options must agree."""
    game = _at(f"{field}.text", parse_game, message.text) if message.text else None
    if not message.HasField("spec"):
        if game is None:
            raise _refused(field, "is missing; give its text, e.g. chomp3, or its options")
        _at(f"{field}.text", rules_of, game.family)
        return game
    spec = _read_spec(message.spec, f"{field}.spec")
    if game not in (None, spec):
        raise _refused(f"{field}.text", f"is {game}, but spec is {spec}")
    return spec


def _read_spec(message: game_pb2.GameSpec, field: str) -> GameSpec:
    _check_count(f"{field}.declared", message.declared, MAX_DECLARED, "declared_positions")
    make = _made_spec if message.ByteSize() <= _KEPT_BYTES else _made_spec.__wrapped__
    return _at(field, make, message.SerializeToString(deterministic=True))


def read_packed(
    message: service_pb2.PackedPositions, max_positions: int, field: str = "positions"
) -> Packed:
    """Return the game and the coordinates of a packed batch."""
    if not message.HasField("game"):
        raise _refused(f"{field}.game", "is missing; give its text, e.g. chomp3, or its options")
    width, size = message.width, len(message.coordinates)
    _check_number(f"{field}.width", width, 1, MAX_WIDTH)
    count, rest = divmod(size, _COORDINATE_BYTES * width)
    if rest:
        raise _refused(
            f"{field}.coordinates",
            f"has {size} bytes, not a multiple of {_COORDINATE_BYTES} x {width}: the last position"
            " is cut off, or width is wrong",
        )
    said = f"has {count} positions"
    _check_limit(f"{field}.coordinates", said, count, max_positions, "batch_positions")
    game = read_game(message.game, f"{field}.game")
    # A copy, because read-only arrays would need kernels of their own.
    return game, np.frombuffer(message.coordinates, "<i4").astype(np.int32).reshape(count, width)


def read_value_kind(message: service_pb2.BatchGetValuesRequest) -> ValueKind:
    """Return the kind of numbers requested."""
    _check_known(message, "kind")
    kinds: dict[int, ValueKind] = {
        service_pb2.VALUE_KIND_GRUNDY: "grundy",
        service_pb2.VALUE_KIND_REMOTENESS: "remoteness",
    }
    if message.kind not in kinds:
        raise _refused("kind", "is missing; allowed are VALUE_KIND_GRUNDY, VALUE_KIND_REMOTENESS")
    return kinds[message.kind]


def read_view(message: analysis_pb2.AnalyzePositionRequest) -> int:
    """Return the moves that an analysis lists; all by default."""
    _check_known(message, "view")
    return message.view or analysis_pb2.ANALYSIS_VIEW_FULL


def read_series(message: service_pb2.GetValueSeriesRequest) -> tuple[GameSpec, int, int]:
    """Return the game, and the first and the last heap of a series."""
    game, first, size = read_game(message.game), message.first, message.size
    _check_number("size", size, 1, MAX_SERIES, "series_values")
    if not 0 <= first <= _MAX_INT32 - size + 1:
        raise _refused("first", f"is {first}; the last heap may be at most {_MAX_INT32}")
    return game, first, first + size - 1


def read_positions(
    message: service_pb2.BatchGetAnswersRequest,
) -> tuple[Position | PositionOracleError, ...]:
    """Return the positions of a list, or their errors."""
    _check_count("positions", message.positions, MAX_MIXED_POSITIONS, "mixed_positions")
    return tuple(
        _position_or_error(each, f"positions[{number}]")
        for number, each in enumerate(message.positions)
    )


def _position_or_error(message: game_pb2.Position, field: str) -> Position | PositionOracleError:
    try:
        return read_position(message, field)
    except PositionOracleError as error:
        return error


def read_graph(
    message: graph_pb2.SolveGraphRequest,
) -> tuple[Coordinates, int | None, dict[int, Outcome], bool]:
    """Return the moves (m, 2) of a graph, the number of nodes, results, and whether misere."""
    nodes, count = message.node_count, len(message.move_from)
    _check_number("node_count", nodes, 0, MAX_NODES, "graph_nodes")
    _check_limit("move_from", f"has {count} nodes", count, MAX_GRAPH_MOVES, "graph_moves")
    if len(message.move_to) != count:
        raise _refused("move_to", f"has {len(message.move_to)} nodes, but move_from has {count}")
    starts, ends = (np.array(each, np.int32) for each in (message.move_from, message.move_to))
    named = {"move_from": starts, "move_to": ends}
    for field in ("n_nodes", "p_nodes"):
        named[field] = np.array(getattr(message, field), np.int32)
        if (moving := np.intersect1d(named[field], starts)).size:
            raise _refused(field, f"has node {moving[0]}, which has moves")
    last = nodes - 1 if nodes else int(max(starts.max(initial=-1), ends.max(initial=-1)))
    for field, numbers in named.items():
        if (wrong := numbers[(numbers < 0) | (numbers > last)]).size:
            raise _refused(field, f"has node {wrong[0]}; nodes are numbered 0 to {last}")
    results = dict.fromkeys(message.n_nodes, Outcome.N)
    if both := results.keys() & set(message.p_nodes):
        raise _refused("p_nodes", f"has node {min(both)}, which is among n_nodes, too")
    results |= dict.fromkeys(message.p_nodes, Outcome.P)
    _check_known(message, "play")
    is_misere = message.play == graph_pb2.GAME_PLAY_MISERE
    return np.stack((starts, ends), axis=1), nodes or None, results, is_misere


def read_window(
    message: sheet_pb2.GetInstantWinnersRequest,
) -> tuple[GameSpec, int, int, int, int, int]:
    """Return the game, and x, size_y, size_z, first_y, first_z of a window."""
    game = read_game(message.game)
    for field in ("x", "size_y", "size_z", "first_y", "first_z"):
        _check_number(field, getattr(message, field), 0, _MAX_INT32)
    for field in ("size_y", "size_z"):
        _check_number(field, getattr(message, field), 0, MAX_WINDOW_CELLS, "window_cells")
    cells = message.size_y * message.size_z
    _check_limit("size_y", f"x size_z is {cells} cells", cells, MAX_WINDOW_CELLS, "window_cells")
    return game, message.x, message.size_y, message.size_z, message.first_y, message.first_z


def read_columns(message: sheet_pb2.GetLosersRequest) -> tuple[GameSpec, int, int, int]:
    """Return the game, and x, size_y, first_y of part of a loser sheet."""
    game = read_game(message.game)
    for field, most in (("x", _MAX_INT32), ("first_y", _MAX_INT32), ("size_y", MAX_COLUMNS)):
        _check_number(field, getattr(message, field), 0, most, field)
    return game, message.x, message.size_y, message.first_y


def read_estimates_question(message: geometry_pb2.GetEstimatesRequest) -> Column | Opening:
    """Return the column or the opening of a question about estimates."""
    form = message.WhichOneof("question")
    if form is None:
        raise _refused("column", "is missing; give column or opening")
    if form == "opening":
        _check_number("opening", message.opening, 2, MAX_ESTIMATED)
        return Opening(message.opening)
    _check_number("column.x", message.column.x, 1, MAX_ESTIMATED)
    _check_number("column.y", message.column.y, 0, MAX_ESTIMATED)
    return Column(message.column.x, message.column.y)


def _check_number(field: str, value: int, least: int, most: int, what: str = "") -> None:
    """Refuse a number that is too small or too large; `what` names the limit for programs."""
    if value < 0 == least:
        raise _refused(field, f"is {value}; it may not be negative")
    if what:
        _check_limit(field, f"is {value}", value, most, what)
    if not least <= value <= most:
        raise _refused(field, f"is {value}; allowed are {least} to {most}")


def _game_of_form(message: game_pb2.Position, form: str, field: str) -> GameSpec:
    path = f"{field}.game"
    if not message.HasField("game"):
        family = TYPED_FORMS[form].family
        if family is None:
            raise _refused(path, f"is missing; {form} takes one of {_families_of(form)}")
        return parse_game(family)
    game = read_game(message.game, path)
    if rules_of(game.family).typed_form != form:
        allowed = _families_of(form)
        raise _refused(path, f"is {game}; {form} takes one of {allowed}")
    return game


def _families_of(form: str) -> str:
    return ", ".join(family for family in families() if rules_of(family).typed_form == form)


def _wrong_coordinate(form: str, coordinates: tuple[int, ...]) -> str:
    """Return the path to the first negative number of a typed position, if there is one."""
    wrong = next((index for index, value in enumerate(coordinates) if value < 0), None)
    return "" if wrong is None else TYPED_FORMS[form].path(wrong)


@lru_cache(maxsize=256)
def _made_spec(serialized: bytes) -> GameSpec:
    message = game_pb2.GameSpec.FromString(serialized)
    family, options = game_named(message.family, message.options)
    noise = None
    if message.HasField("noise"):
        noise = Perturbation.parse(message.noise.distribution, message.noise.seed)
    return GameSpec(
        family,
        heaps=message.heaps if message.HasField("heaps") else None,
        options=tuple(options.items()),
        passes=message.passes,
        misere=message.misere,
        declared=tuple(tuple(position.values) for position in message.declared),
        noise=noise,
    )


def _at(field: str, function: Callable[..., T], *arguments: object) -> T:
    try:
        return function(*arguments)
    except PositionOracleError as error:
        raise FieldError(field, error) from error


def _check_count(field: str, items: Sequence[object], limit: int, what: str) -> None:
    _check_limit(field, f"has {len(items)} positions", len(items), limit, what)


def _check_limit(field: str, said: str, amount: int, limit: int, what: str) -> None:
    """Refuse an amount above a limit; `what` names the limit for programs."""
    if amount > limit:
        error = TooManyError(f"{said}; the limit is {limit}", what, amount, limit)
        raise FieldError(field, error)


def _check_known(message: Message, field: str) -> None:
    """Refuse a number that is not in the enum of a field, because its meaning is unknown.

    Raises:
        FieldError: there is no such number.
    """
    kind: Any = message.DESCRIPTOR.fields_by_name[field].enum_type
    if (number := getattr(message, field)) not in kind.values_by_number:
        known = ", ".join(kind.values_by_name)
        raise _refused(field, f"is {number}; allowed are {known}")


def _refused(field: str, message: str) -> FieldError:
    return FieldError(field, RequestError(message))


class Paged(Protocol):
    """A request for a page of a list."""

    page_size: int
    page_token: str


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list.

    Attributes:
        question: identity of the question, the same for all pages of a list.
        size: the maximum number of items.
        first: the index of the first item.
        version: identity of the tables of the page before; empty for the first page.
    """

    question: str
    size: int
    first: int = 0
    version: bytes = b""

    @classmethod
    def read(cls, question: str, request: Paged, usual: int, most: int) -> "Page":
        """Return the page that a request asks for.

        Args:
            question: identity of the question.
            request: the request.
            usual: the default size of a page.
            most: the maximum number of items; a larger size is reduced.

        Raises:
            FieldError: the size is negative, or the token belongs to another question.
        """
        size = request.page_size
        if size < 0:
            raise _refused("page_size", f"is {size}; it may not be negative")
        size = min(size or usual, most)
        if not request.page_token:
            return cls(question, size)
        of, version, first = _unpacked(request.page_token)
        if of != _digest(question):
            raise _refused("page_token", "is not a token of a response to this question")
        return cls(question, size, first, version)

    @property
    def end(self) -> int:
        """The index after the page's last item, in a list that is long enough."""
        return self.first + self.size

    def check(self, tables: Tables) -> None:
        """Refuse a page of a list from other tables.

        Raises:
            FieldError: the page before came from other tables.
        """
        if self.version and self.version != _version(tables):
            raise FieldError(
                "page_token", StaleTokenError("is of tables no longer served; begin the list again")
            )

    def cut(self, items: Sequence[T]) -> tuple[Sequence[T], int | None]:
        """Return the items of this page, and the index of the next page; None after the last."""
        return items[self.first : self.end], self.end if self.end < len(items) else None

    def token(self, following: int | None, tables: Tables) -> str:
        """Return the token of the page with a given first item; empty for no page."""
        if following is None:
            return ""
        packed = _TOKEN.pack(_digest(self.question), _version(tables), following)
        return urlsafe_b64encode(packed).decode()


def _digest(question: str) -> bytes:
    return sha256(question.encode()).digest()[:8]


def _unpacked(token: str) -> tuple[bytes, bytes, int]:
    """Return question, version and index of a token; an empty question if it is not valid."""
    try:
        packed = urlsafe_b64decode(token.encode("ascii"))
    except ValueError:
        packed = b""
    of, version, first = _TOKEN.unpack(packed if len(packed) == _TOKEN.size else bytes(_TOKEN.size))
    return of, version, first


def _version(tables: Tables) -> bytes:
    return bytes.fromhex(tables.version)
