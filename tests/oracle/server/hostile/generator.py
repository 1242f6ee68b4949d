"""Random requests that strangers may send: structured, mutated, and noise.

Everything follows from a seed, so that a harmful request can be made again.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.games.registry import families
from position_oracle.schema.proto.position_oracle.v1 import service_pb2
from position_oracle.schema.proto.position_oracle.v1.service_pb2 import PackedPositions

METHODS: Final = tuple(service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods)

FAMILIES: Final = (*families(), "go", "")
OPTIONS: Final = (
    "", "{}", "{passes=1}", "{passes=64}", "{passes=65}", "{misere}", "{heaps=2}", "{heaps=3}",
    "{heaps=0}", "{rule=all}", "{rule=pairs}", "{rule=both}", "{rule=x}", "{declared=[1,6,7]}",
    "{declared=[1,2,3]+[2,40000,2]}", "{noise=normal(8),seed=7}", "{noise=uniform(3),seed=1}",
    "{noise=normal(1e9),seed=-1}", "{passes=1,misere,heaps=3}", "{take=1+3+4}", "{code=0.77}",
    "{,,,,}", "{x=y}", "{passes=1", "passes=1}",
)  # fmt: skip
GAME_OPTIONS: Final = (
    ("take", "1+3+4"), ("code", "0.77"), ("rule", "all"), ("take", ""), ("code", "9"), ("", "x"),
    ("x" * 300, "y" * 3_000),
)  # fmt: skip
MODELS: Final = (
    "random", "perfect-vs-random", "random-vs-perfect", "perfect-vs-sloppy(0.1)",
    "sloppy(0.5)-vs-perfect", "sloppy(nan)-vs-perfect", "sloppy(-1)-vs-perfect", "", "x",
)  # fmt: skip
TEXTS: Final = (
    "1x(w*3) + 2x(w*2+1)", "3xw^w + 2x(w*2+1)", "2x2x2", "4xw^w^2", "1x1x1x1x1x1x1x1",
    "9/7/4", "9/9/9/9/9", "50/50/50", "7x4", "0", "1/2", "12", "720720", "999999999989",
    "[4,3,2]", "[4,3,2;1]", "[3,5,7]", "[50000,0,0]", "[1,600,0]", "[;]", "[]", "[1,,2]",
    "[1,2,3] + nim:[3,5]", "[9223372036854775807,0,0]", "[9223372036854775808,0,0]",
    "[\u0661,2,3]", "[1e3,0,0]", "[ 1 , 2 , 3 ]", "[007,1,1]", "*" * 4096, "[" * 2000, "\x00",
)  # fmt: skip
SMALL: Final = (0, 1, 2, 3, 4, 5, 7, 10, 17, 64, 65, 100)
LARGE: Final = (
    300, 301, 1000, 10_001, 65_535, 65_536, 2_097_152, 4_194_304, 2**31 - 1, 2**31, 2**40,
    2**62, 2**63 - 1, -1, -2, -(2**31), -(2**63),
)  # fmt: skip


def requests(seed: int) -> Iterator[tuple[str, bytes]]:
    """Methods and messages without end. Equal seeds give equal ones."""
    random = Random(seed)
    makers: tuple[Callable[[Random, Any], bytes], ...] = (_structured, _mutated, _noise, _wrong)
    while True:
        method = random.choice(METHODS)
        maker = random.choices(makers, (70, 20, 5, 5))[0]
        yield method.name, maker(random, method)


def _structured(random: Random, method: Any) -> bytes:
    request = GetMessageClass(method.input_type)()
    _fill(random, request, 0)
    _fill_coordinates(random, request)
    return request.SerializeToString()


def _mutated(random: Random, method: Any) -> bytes:
    data = bytearray(_structured(random, method))
    for _ in range(random.randint(1, 4)):
        place = random.randint(0, len(data))
        match random.randrange(5):
            case 0 if data:
                data[place - 1] ^= 1 << random.randrange(8)
            case 1:
                del data[place:]
            case 2:
                data[place:place] = random.randbytes(random.randint(1, 8))
            case 3:
                data += data[:place]
            case _:
                data += _unknown_field(random)
    return bytes(data)


def _noise(random: Random, _: Any) -> bytes:
    return random.randbytes(random.choice((0, 1, 5, 40, 300, 5_000)))


def _wrong(random: Random, _: Any) -> bytes:
    """Return a message of another call."""
    return _structured(random, random.choice(METHODS))


def _unknown_field(random: Random) -> bytes:
    length = size = random.choice((0, 1, 100, 10_000, 100_000))
    varint = bytearray()
    while size >= 0x80:
        varint.append(size & 0x7F | 0x80)
        size >>= 7
    varint.append(size)
    return b"\xc2\x3e" + bytes(varint) + random.randbytes(length)


def _fill(random: Random, message: Message, depth: int) -> None:
    """Set some fields of a message, usually with one field of each oneof."""
    chosen = set()
    descriptor: Any = message.DESCRIPTOR  # the stubs have two types for it
    for oneof in descriptor.oneofs:
        if random.random() < 0.97:
            chosen.add(random.choice(list(oneof.fields)).name)
    for field in descriptor.fields:
        in_oneof = field.containing_oneof is not None
        likely = 0.95 if depth == 0 else 0.25 if field.name in _OPTIONAL else 0.9
        if field.name in chosen or (not in_oneof and random.random() < likely):
            _set(random, message, field, depth)
    if descriptor.name in _EITHER and random.random() < 0.9:
        for name in random.choice(_EITHER[descriptor.name]):
            message.ClearField(name)


_EITHER: Final = {
    "Position": (("text",), ("game", "three_row_chomp", "heaps", "chomp_board")),
    "Game": (("text",), ("spec",)),
}
"""Fields of one form of a position or game: two forms at once would contradict each other."""

_OPTIONAL: Final = {"game", "options", "passes", "misere", "declared", "noise", "heaps", "spec"}


def _set(random: Random, message: Message, field: FieldDescriptor, depth: int) -> None:
    value = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        for _ in range(_length(random) % 4):
            name, text = random.choice(GAME_OPTIONS)
            value[name] = text
    elif field.is_repeated:
        for _ in range(_length(random)):
            if field.message_type is not None:
                _fill(random, value.add(), depth + 1)
            else:
                value.append(_number(random, field))
    elif field.message_type is not None:
        value.SetInParent()
        _fill(random, value, depth + 1)
    elif field.type == FieldDescriptor.TYPE_STRING:
        setattr(message, field.name, _text(random, field.name))
    elif field.type == FieldDescriptor.TYPE_BOOL:
        setattr(message, field.name, random.random() < 0.5)
    elif field.type != FieldDescriptor.TYPE_BYTES:
        setattr(message, field.name, _number(random, field))


def _fill_coordinates(random: Random, request: Message) -> None:
    """Fill in coordinates that, mostly, fit the width of the batch."""
    positions = getattr(request, "positions", None)
    if not isinstance(positions, PackedPositions):
        return
    positions.width = random.choice((1, 2, 3, 3, 3, 4, positions.width))
    count = random.choice((0, 1, 2, 30, 1000)) * max(0, min(positions.width, 64))
    if random.random() < 0.1:
        count += 1
    numbers = (_small(random) & 0xFFFFFFFF for _ in range(min(count, 5_000)))
    positions.coordinates = b"".join(number.to_bytes(4, "little") for number in numbers)


def _length(random: Random) -> int:
    return random.choice((0, 1, 2, 2, 3, 3, 3, 4, 8, 65, random.choice((300, 2_001))))


def _small(random: Random) -> int:
    return random.choice(SMALL) if random.random() < 0.95 else random.choice(LARGE)


def _number(random: Random, field: FieldDescriptor) -> int:
    number = random.choice(SMALL) if random.random() < 0.75 else random.choice(LARGE)
    wide = field.type in {FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_UINT64}
    return number if wide or -(2**31) <= number < 2**31 else random.choice(SMALL)


def _text(random: Random, name: str) -> str:
    match name:
        case "family":
            return random.choice(FAMILIES)
        case "model":
            return random.choice(MODELS)
        case "text":
            return _position(random)
        case "distribution":
            return random.choice(("normal(8)", "uniform(3)", "normal(0)", "cauchy(1)", ""))
    return "".join(chr(random.choice((32, 65, 0x661, 0x1F36A))) for _ in range(_length(random)))


def _position(random: Random) -> str:
    if random.random() < 0.3:
        body = random.choice(TEXTS)
    elif random.random() < 0.5:
        body = str([_small(random) for _ in range(_length(random))]).replace(" ", "")
    else:
        rows = sorted((random.choice(SMALL) for _ in range(_length(random))), reverse=True)
        body = "/".join(map(str, rows))
    text = random.choice(FAMILIES) + random.choice(("", "", random.choice(OPTIONS))) + ":" + body
    if random.random() < 0.05:
        text = " + ".join([text] * random.randint(2, 200))
    return text
