"""The settings of a server, in one place.

Each field of `ServerSettings` is a flag of `oracle serve` (`--drain-seconds`), a variable of the
environment (`ORACLE_DRAIN_SECONDS`) and a key of the settings file (`drain_seconds = 10`, TOML).
Flags win over the environment, the environment over the file. An error names all invalid settings,
with one line for each.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from ipaddress import IPv4Network, IPv6Network, ip_network
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from position_oracle.schema.addresses import MAX_PORT, check_address, host_and_port, is_loopback
from position_oracle.schema.errors import NotationError, PositionOracleError
from position_oracle.schema.files import read_small

if TYPE_CHECKING:
    from position_oracle.engine.budget import Cost

MAX_MESSAGE_BYTES: Final = 2**22
MAX_BATCH_POSITIONS: Final = 100_000
_DAY: Final = 86_400.0
_LEVELS: Final = ("debug", "info", "warning", "error")
_MAX_TEXT: Final = 16 * 1024 * 1024
_MAX_FILE: Final = 1024 * 1024
_URL: Final = re.compile(r"https?://([^\s/:]+:[0-9]{1,5})/?")
_NAME: Final = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:]+\]", re.IGNORECASE)
_ORIGIN: Final = re.compile(
    r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?"
)
_WEB_NAMES: Final = (
    ("web_origins", _ORIGIN, "an origin", "https://example.org"),
    ("web_frames", _ORIGIN, "an origin", "https://example.org"),
    ("web_hosts", _NAME, "a name", "oracle.example.org"),
)
"""Settings that list names: the form of each, and for messages its kind and an example."""

Network = IPv4Network | IPv6Network

T = TypeVar("T")


class SettingsError(PositionOracleError, ValueError):
    """Raised for invalid settings; the message has a line with the name of each."""


_ANY: Final = (-inf, inf)
_FEW: Final = (1, 256)
_MANY: Final = (1, 100_000)
_CALLS: Final = (1, 1_000_000)
_PAUSE: Final = (0, _DAY)
_LIFE: Final = (1, _DAY)
_WAIT: Final = (0.001, _DAY)
"""Limits of numbers of threads, streams and calls, and of seconds."""


def _set(default: T, text: str, limits: tuple[float, float] = _ANY, *, is_live: bool = False) -> T:
    """Define a setting: default, description, and allowed numbers.

    Live settings may change while the server runs.
    """
    facts = {"help": text, "low": limits[0], "high": limits[1], "live": is_live}
    made: T = field(default=default, metadata=facts)
    return made


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Addresses, authentication, limits and times of the service.

    Each field has a help text, which the command line prints.

    Raises:
        SettingsError: a value is not valid.
    """

    db: Path = _set(  # noqa: RUF009
        Path("data"), "Tables: a folder, whose current file is found by its pointer, or one file."
    )
    address: str = _set(
        "127.0.0.1:50051",
        "Where to listen, host:port; 0.0.0.0:50051 listens on all interfaces, port 0 takes a free"
        " one.",
    )
    workers: int = _set(
        1, "Processes that answer on this address; they share the memory of the tables.", _FEW
    )
    metrics: str | None = _set(
        None, "Where to show /metrics, /healthz, /readyz without authentication, host:port."
    )
    traces: str | None = _set(
        None,
        "Where to send traces by OTLP, http://host:4317; OTEL_ variables of the environment set"
        " more.",
    )
    web: str | None = _set(
        None,
        "Where to listen for HTTP, too, host:port, e.g. 127.0.0.1:8080: JSON, gRPC-Web, and a page"
        " to play on.",
    )
    web_origins: str | None = _set(
        None, "Origins whose pages may ask over HTTP, e.g. https://example.org; commas between."
    )
    web_frames: str | None = _set(
        None, "Origins whose pages may show the page in a frame; commas between."
    )
    web_hosts: str | None = _set(
        None, "Host names for HTTP, besides those of this machine; commas between."
    )
    insecure: bool = _set(
        False, "Listen on other than the loopback address without TLS and tokens, too."
    )
    tls_cert: Path | None = _set(  # noqa: RUF009
        None, "Certificate chain of the server, PEM; with --tls-key.", is_live=True
    )
    tls_key: Path | None = _set(None, "Private key of the server, PEM.", is_live=True)  # noqa: RUF009
    tls_client_ca: Path | None = _set(  # noqa: RUF009
        None, "Certificates, PEM, that sign those of callers; callers then need one.", is_live=True
    )
    tokens: Path | None = _set(  # noqa: RUF009
        None,
        "File of callers, one a line: name, SHA-256 of the token, calls and seconds a minute.",
        is_live=True,
    )
    trusted_proxies: str | None = _set(
        None,
        "Addresses or networks of proxies whose header x-forwarded-for names the caller, e.g."
        " 10.0.0.0/8; commas between.",
    )
    max_batch: int = _set(
        MAX_BATCH_POSITIONS,
        "Positions in one batch; clients ask for it, and cut their arrays accordingly.",
        (1, 10_000_000),
    )
    max_message_bytes: int = _set(
        MAX_MESSAGE_BYTES, "Size of one batch; raise it together with --max-batch.", (1, 2**28)
    )
    max_question_bytes: int = _set(2**16, "Size of a question about one position.", (1, 2**22))
    max_response_bytes: int = _set(2**23, "Size of one answer.", (1024, 2**30))
    max_calls: int = _set(
        1024, "Calls in progress or waiting; further ones are refused, and may retry.", _CALLS
    )
    max_held_bytes: int = _set(2**28, "Memory of all requests in progress.", (1024, 2**40))
    max_streams: int = _set(
        256, "Calls in progress of one connection; clients hold back further ones.", _MANY
    )
    max_connections: int = _set(1024, "Connections at a time.", _CALLS)
    max_watches: int = _set(16, "Health watches, and reflection streams, of one connection.", _MANY)
    max_waiting: int = _set(1024, "Calls of all callers that wait for a thread.", _CALLS)
    call_seconds: float = _set(
        10.0, "Processor time that one question may be expected to take.", _WAIT
    )
    call_bytes: int = _set(
        2**30, "Memory that one question may be expected to take.", (1024, 2**60)
    )
    deadline_seconds: float = _set(
        30.0, "Longest time for one call, and the deadline of callers who set none.", _WAIT
    )
    wait_seconds: float = _set(
        5.0, "Longest wait for a thread; then the question is refused, and may be retried.", _WAIT
    )
    arrival_seconds: float = _set(
        10.0, "Longest wait for the message of a call that has begun.", _WAIT
    )
    idle_seconds: float = _set(600.0, "Connections without calls are closed after it.", _LIFE)
    age_seconds: float = _set(
        3600.0, "Connections are renewed after it, so that load spreads.", _LIFE
    )
    search_threads: int = _set(2, "Threads for single questions of up to 0.1 s.", _FEW)
    long_threads: int = _set(
        4, "Processes for what is expected to take longer; a caller gets a quarter.", _FEW
    )
    batch_threads: int = _set(2, "Threads for batches: one a core.", _FEW)
    reload_seconds: float = _set(
        5.0, "How often to look for newly published tables; 0 looks only on SIGHUP.", _PAUSE
    )
    scrub_seconds: float = _set(
        600.0,
        "How often to check mapped arrays, and make damaged ones again; 0 checks only at the start"
        " and on SIGHUP.",
        _PAUSE,
    )
    notice_seconds: float = _set(
        0.0,
        "On SIGTERM, how long to answer on while the health check says NOT_SERVING; set it behind"
        " a load balancer.",
        _PAUSE,
    )
    drain_seconds: float = _set(
        10.0, "After that, how long calls in progress may take before they are cut.", _PAUSE
    )
    access_log: bool = _set(
        False, "Log each call to standard error, a JSON object, not only errors.", is_live=True
    )
    log_level: str = _set(
        "info", "The least level that is logged: debug, info, warning or error.", is_live=True
    )

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        wrong = [*self._beyond_limits(), *self._not_together()]
        if wrong:
            raise SettingsError("\n".join(wrong))

    def _beyond_limits(self) -> Iterator[str]:
        for entry in fields(self):
            value = getattr(self, entry.name)
            low, high = entry.metadata["low"], entry.metadata["high"]
            if isinstance(value, int | float) and not low <= value <= high:
                yield f"{entry.name} = {value}; allowed is {low:g} to {high:g}"
        if self.log_level not in _LEVELS:
            yield f"log_level = {self.log_level[:80]!r}; allowed are {', '.join(_LEVELS)}"

    def _not_together(self) -> Iterator[str]:
        if (self.tls_cert is None) != (self.tls_key is None):
            yield "tls_cert and tls_key are given together or not at all"
        if self.tls_client_ca is not None and self.tls_cert is None:
            yield "tls_client_ca needs tls_cert and tls_key"
        for name in ("metrics", "web"):
            try:
                host_and_port(getattr(self, name) or "127.0.0.1:0")
            except NotationError as error:
                yield f"{name} = {error}"
        if self.traces is not None and not _is_url(self.traces):
            yield f"traces = {self.traces[:80]!r} is not http://host:port"
        is_trusted = self.tls_cert is not None and (self.tokens or self.tls_client_ca)
        for name in ("address", "web"):
            address: str | None = getattr(self, name)
            if address is None:
                continue
            try:
                check_address(address, 0)
            except NotationError as error:
                if name == "address":
                    yield f"{name} = {error}"
                continue
            if not (is_trusted or self.insecure or is_loopback(address)):
                yield (
                    f"{name} = {address[:80]} can be reached from outside; that needs tls_cert,"
                    " tls_key, and tokens or tls_client_ca, or insecure"
                )
        try:
            _ = self.proxies
        except ValueError as error:
            yield f"trusted_proxies: {str(error)[:80]}; write e.g. 10.0.0.0/8"
        yield from self._not_on_the_web()

    def _not_on_the_web(self) -> Iterator[str]:
        for name, form, what, example in _WEB_NAMES:
            for text in listed(getattr(self, name)):
                if not form.fullmatch(text):
                    yield f"{name}: {text[:80]!r} is not {what}; write e.g. {example}"

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The networks of trusted proxies."""
        return tuple(map(ip_network, listed(self.trusted_proxies)))

    @property
    def limit(self) -> "Cost":
        """The most expensive question that is answered."""
        # It imports numpy, which the help does not need.
        from position_oracle.engine.budget import Cost

        return Cost(self.call_seconds, self.call_bytes)


def listed(text: str | None) -> tuple[str, ...]:
    """Return the parts of a comma-separated setting."""
    parts = (part.strip() for part in (text or "").split(","))
    return tuple(part for part in parts if part)


def read_settings(given: Mapping[str, object], file: Path | None = None) -> ServerSettings:
    """Return the settings from flags, environment and a file.

    Args:
        given: values by name, from flags and the environment; texts are parsed, and None means not
            given.
        file: a TOML file with values by name, for those not given otherwise.

    Raises:
        SettingsError: the file cannot be read, a name is unknown, or a value is not valid.
    """
    values = {**read_file(file), **{k: v for k, v in given.items() if v is not None}}
    kinds = {entry.name: _KINDS[entry.type] for entry in fields(ServerSettings)}
    read: dict[str, Any] = {}
    wrong: list[str] = []
    for name, value in values.items():
        if name not in kinds:
            wrong.append(f"there is no setting {name[:80]!r}")
            continue
        try:
            read[name] = _read(name, value, kinds[name])
        except SettingsError as error:
            wrong.append(str(error))
    try:
        settings = ServerSettings(**read)
    except SettingsError as error:
        wrong.append(str(error))
    if wrong:
        raise SettingsError("\n".join(wrong))
    return settings


ReadSettings = Callable[[], ServerSettings]
"""Function that reads the settings again from their origin."""


def taken_up(
    current: ServerSettings, before: ServerSettings, now: ServerSettings
) -> tuple[ServerSettings, list[str]]:
    """Return the settings in force, updated by those that may change while the server runs.

    Args:
        current: the settings in force.
        before: the settings read before.
        now: the settings read now.

    Returns:
        The settings, and the names of other settings that have changed but need a restart.

    Raises:
        SettingsError: the settings are not valid together.
    """
    changes, rest = {}, []
    for entry in fields(ServerSettings):
        old, new = getattr(current, entry.name), getattr(now, entry.name)
        # The use of TLS, callers' certificates and tokens cannot change.
        if entry.metadata["live"] and (old is None) == (new is None):
            changes[entry.name] = new
        elif getattr(before, entry.name) != new:
            rest.append(entry.name)
    return replace(current, **changes), rest


def read_text(file: Path, what: str) -> str:
    """Return the text of a file that a setting names.

    Raises:
        SettingsError: the file cannot be read, or is not ASCII text.
    """
    try:
        return read_small(file, _MAX_TEXT).decode("ascii")
    except OSError as error:
        raise SettingsError(f"{what} {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{what} {file}: is not plain text") from error


def settings_text(settings: ServerSettings, origins: Mapping[str, str]) -> str:
    """Format the settings as a settings file, with the origin of each.

    Args:
        settings: the settings in force.
        origins: the origins of settings that are not defaults, by name.
    """
    lines = []
    for entry in fields(ServerSettings):
        name, value = entry.name, getattr(settings, entry.name)
        # Strings of JSON are valid in TOML; settings without a value are left out.
        shown = "" if value is None else json.dumps(value, default=str)
        line = f"{name} = {shown}" if shown else f"# {name} ="
        lines.append(f"{line}  # {origins.get(name, 'default')}")
    return "\n".join(lines)


def read_file(file: Path | None) -> dict[str, object]:
    """Return the values of a settings file by name; none if there is no file.

    Raises:
        SettingsError: the file cannot be read.
    """
    if file is None:
        return {}
    try:
        return tomllib.loads(read_small(file, _MAX_FILE).decode())
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingsError(f"settings file {file}: {reason}") from error


_DIGITS: Final = re.compile(r"[-+0-9.eE]{1,40}")
"""Allowed characters of numbers: ASCII digits only, and no nan."""

_WORDS: Final[dict[type, str]] = {
    str: "text", Path: "a path", bool: "true or false", int: "a whole number", float: "a number",
}  # fmt: skip
_KINDS: Final[dict[object, type]] = {
    **{kind: kind for kind in _WORDS}, str | None: str, Path | None: Path,
}  # fmt: skip
"""The type of each setting, by its annotation."""


def _read(name: str, value: object, kind: type) -> Any:
    """Convert a value to its type; a text is parsed, other types must match."""
    if (
        kind in {str, Path}
        and isinstance(value, str | Path)
        and str(value)
        and "\0" not in str(value)
    ):
        return kind(value)
    if kind is bool and str(value).lower() in {"true", "false", "1", "0"}:
        return str(value).lower() in {"true", "1"}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind in {int, float} and (is_number or _DIGITS.fullmatch(str(value))):
        with suppress(ValueError, OverflowError):
            return kind(str(value))
    raise SettingsError(f"{name} = {repr(value)[:80]}; give {_WORDS[kind]}")


def _is_url(text: str) -> bool:
    found = _URL.fullmatch(text)
    return found is not None and int(found[1].rpartition(":")[2]) <= MAX_PORT
