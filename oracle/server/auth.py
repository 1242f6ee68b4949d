"""Authentication: certificates for TLS, accounts with tokens and quotas, and trusted proxies.

A file of tokens has one account a line: a name, the SHA-256 of the token in hexadecimal digits, the
calls allowed in a minute, and the seconds of searching allowed in a minute:

    alice  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  6000  30

Lines that begin with `#` are ignored. The tokens themselves are stored nowhere.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from mmap import mmap
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final
from urllib.parse import unquote

import grpc

from position_oracle.oracle.server.errors import AccessError, QuotaError
from position_oracle.oracle.server.settings import Network, ServerSettings, SettingsError
from position_oracle.schema.files import read_small

_LINE: Final = re.compile(
    r"([!-~]{1,64})\s+([0-9a-f]{64})\s+([0-9]{1,9})\s+([0-9]{1,9}(?:\.[0-9]+)?)"
)
_MINUTE: Final = 60.0
FORWARDED_FOR: Final = "x-forwarded-for"

Address = IPv4Address | IPv6Address

SHARED: Final = "ORACLE_QUOTAS_SHARED"
"""The variable that names the file in which workers share quotas."""

CELL_BYTES: Final = 16
_MAX_FILE: Final = 16 * 1024 * 1024


class Quota:
    """An amount that may be used in a minute: a token bucket of one minute, full at the start."""

    def __init__(self, a_minute: float, cell: memoryview[float] | None = None) -> None:
        """Begin with a full minute.

        Args:
            a_minute: what may be used in a minute.
            cell: two numbers that processes share, first 0: what was left, and when that was. Two
                that write at one moment may lose a use, no more. None keeps them here.
        """
        self._size = a_minute
        self._cell: list[float] | memoryview[float] = (
            [a_minute, monotonic()] if cell is None else cell
        )
        self._lock = Lock()

    def wait_seconds(self, amount: float) -> float:
        """How long until an amount may be used; an amount above a minute's needs a full minute."""
        with self._lock:
            return self._wait_seconds(amount)

    def take(self, amount: float) -> float:
        """Use an amount if that is allowed now; otherwise how long until it is."""
        with self._lock:
            wait = self._wait_seconds(amount)
            if not wait:
                self._cell[0] -= amount
            return wait

    def give_back(self, amount: float) -> None:
        """Undo the use of an amount."""
        with self._lock:
            self._cell[0] += amount

    def _wait_seconds(self, amount: float) -> float:
        now = monotonic()
        left, seen = self._cell
        left = min(self._size, left + (now - seen) * self._size / _MINUTE) if seen else self._size
        self._cell[0], self._cell[1] = left, now
        missing = min(amount, self._size) - left
        return max(missing, 0.0) / self._size * _MINUTE if self._size else _MINUTE


@dataclass(slots=True)
class Account:
    """A caller with a token.

    Attributes:
        name: for logs and fair queues.
        calls: calls a minute.
        seconds: seconds of searching a minute.
    """

    name: str
    calls: Quota
    seconds: Quota

    def admit_call(self) -> None:
        """Count a call.

        Raises:
            QuotaError: the calls of this minute are used up.
        """
        _check(self.calls.take(1.0), "calls")

    def give_back_call(self) -> None:
        """Undo the count of a call that the server had no room for."""
        self.calls.give_back(1.0)

    def check_seconds(self, seconds: float) -> None:
        """Check that seconds of searching are left, and use none.

        Raises:
            QuotaError: the seconds of this minute are used up.
        """
        _check(self.seconds.wait_seconds(seconds), "seconds of searching")

    @contextmanager
    def charged(self, seconds: float) -> Iterator[None]:
        """Charge seconds of searching for work, and give back those that it does not take.

        Raises:
            QuotaError: the seconds of this minute are used up.
        """
        _check(self.seconds.take(seconds), "seconds of searching")
        begun = monotonic()
        try:
            yield
        finally:
            self.seconds.give_back(max(seconds - (monotonic() - begun), 0.0))


def _check(wait_seconds: float, what: str) -> None:
    if wait_seconds:
        raise QuotaError(f"the {what} of this minute are used up", min(wait_seconds, 2 * _MINUTE))


@dataclass(frozen=True, slots=True)
class Accounts:
    """All accounts, by the hash of the token."""

    by_hash: dict[bytes, Account] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Accounts:
        """Read a file of tokens.

        Where the environment names a file in `ORACLE_QUOTAS_SHARED`, processes share the quotas
        there.

        Raises:
            SettingsError: the file cannot be read, or a line is malformed.
        """
        by_hash: dict[bytes, Account] = {}
        cells = _shared_cells()
        for number, line in enumerate(_text(file, "tokens").splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if (found := _LINE.fullmatch(line.strip())) is None:
                raise SettingsError(
                    f"tokens {file}, line {number}: a line is a name, a SHA-256 of 64 digits,"
                    " calls a minute and seconds a minute"
                )
            digest = bytes.fromhex(found[2])
            if digest in by_hash:
                raise SettingsError(f"tokens {file}, line {number}: the token is there twice")
            calls, seconds = next(cells, None), next(cells, None)
            by_hash[digest] = Account(
                found[1], Quota(float(found[3]), calls), Quota(float(found[4]), seconds)
            )
        if not by_hash:
            raise SettingsError(f"tokens {file}: the file has no account")
        return cls(by_hash)

    def find(self, metadata: Iterable[tuple[str, str | bytes]] | None) -> Account:
        """The account of the token of a call, `authorization: Bearer TOKEN`.

        Raises:
            AccessError: the token is missing or not known.
        """
        for key, value in metadata or ():
            if key == "authorization" and isinstance(value, str):
                scheme, _, token = value.partition(" ")
                account = self.by_hash.get(hashlib.sha256(token.strip().encode()).digest())
                if scheme.lower() == "bearer" and account is not None:
                    return account
                raise AccessError("the token is not known here")
        raise AccessError("a token is needed: metadata `authorization: Bearer TOKEN`")


def forwarded_address(
    peer: str, headers: Iterable[tuple[str, str | bytes]] | None, proxies: tuple[Network, ...]
) -> str | None:
    """The address of a caller behind a trusted proxy; None where the peer is no such proxy.

    Each proxy appends the address of its peer to the header `x-forwarded-for`, so the caller is the
    last address there that is not itself a trusted proxy.

    Args:
        peer: as gRPC writes it, e.g. `ipv4:10.0.0.2:38842`.
        headers: of the call.
        proxies: networks of the trusted proxies.
    """

    def is_proxy(address: Address | None) -> bool:
        return address is not None and any(address in network for network in proxies)

    if not proxies or not is_proxy(address_of(peer)):
        return None
    forwarded = ",".join(str(value) for key, value in headers or () if key == FORWARDED_FOR)
    hops = (read_address(hop.strip()) for hop in reversed(forwarded.split(",")))
    found = next((hop for hop in hops if not is_proxy(hop)), None)
    return None if found is None else str(found)


def address_of(peer: str) -> Address | None:
    """The address of a peer as gRPC writes it, e.g. `ipv6:%5B::1%5D:38842`; None of a socket."""
    return read_address(unquote(peer).partition(":")[2].rpartition(":")[0])


def read_address(text: str) -> Address | None:
    """An address, or None; the same in both ways in which addresses of IPv4 are written."""
    try:
        address = ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _shared_cells() -> Iterator[memoryview[float] | None]:
    """A cell for each quota, in a file that workers share; None where there is none."""
    place = os.environ.get(SHARED)
    if place is None:
        yield from itertools.repeat(None)
        return
    with Path(place).open("r+b") as file:
        numbers = memoryview(mmap(file.fileno(), 0)).cast("d")
    for start in range(0, len(numbers) - 1, 2):
        yield numbers[start : start + 2]


def credentials(settings: ServerSettings) -> grpc.ServerCredentials | None:
    """TLS of gRPC as the settings say; None for plain text.

    Raises:
        SettingsError: a file cannot be read, or is no certificate or key, or they do not fit.
    """
    cert, key, ca = settings.tls_cert, settings.tls_key, settings.tls_client_ca
    if cert is None or key is None:
        return None
    texts = [_text(file, "certificate or key").encode() for file in (key, cert)]
    roots = None if ca is None else _text(ca, "certificate").encode()
    tls_context(settings)  # raises errors that say more
    pair = (texts[0], texts[1])
    return grpc.ssl_server_credentials([pair], roots, require_client_auth=ca is not None)


def tls_context(settings: ServerSettings) -> ssl.SSLContext | None:
    """TLS of HTTP as the settings say; None for plain text.

    Raises:
        SettingsError: a file is no certificate or key, or they do not fit.
    """
    cert, key, ca = settings.tls_cert, settings.tls_key, settings.tls_client_ca
    if cert is None or key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(cert, key, password="")
    except (ssl.SSLError, OSError) as error:
        raise SettingsError(f"tls_cert {cert} and tls_key {key}: {_why(error)}") from error
    if ca is None:
        return context
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_verify_locations(ca)
    except (ssl.SSLError, OSError) as error:
        raise SettingsError(f"tls_client_ca {ca}: {_why(error)}") from error
    return context


def _text(file: Path, what: str) -> str:
    try:
        return read_small(file, _MAX_FILE).decode("ascii")
    except OSError as error:
        raise SettingsError(f"{what} {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{what} {file}: is no plain text") from error


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", None) or error.strerror or str(error)
    return str(reason).replace("_", " ").lower()
