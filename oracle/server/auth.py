"""Authentication: tokens and quotas of accounts, trusted proxies, and certificates.

A file of tokens has one account in each line: a name, the SHA-256 of the token in hexadecimal
digits, the calls allowed in a minute, and the seconds of searching allowed in a minute:

    alice  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  6000  30

Lines that begin with `#` are ignored. The tokens themselves are stored nowhere.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from mmap import mmap
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import unquote

import grpc

from position_oracle.oracle.server.errors import AccessError, QuotaError
from position_oracle.oracle.server.settings import (
    Network,
    ReadSettings,
    ServerSettings,
    SettingsError,
    read_text,
    taken_up,
)
from position_oracle.schema.files import FileStamp, file_stamp

_LINE: Final = re.compile(
    r"([!-~]{1,64})\s+([0-9a-f]{64})\s+([0-9]{1,9})\s+([0-9]{1,9}(?:\.[0-9]+)?)"
)
_MINUTE: Final = 60.0
FORWARDED_FOR: Final = "x-forwarded-for"

Address = IPv4Address | IPv6Address

SHARED: Final = "ORACLE_QUOTAS_SHARED"
"""Environment variable with the folder in which workers share quotas."""

_CELL_BYTES: Final = 16

_log = logging.getLogger(__name__)

Cell: TypeAlias = "list[float] | memoryview[float]"
"""Two numbers of a quota; see `Quota`."""


class Cells(dict[bytes, tuple[Cell, Cell]]):
    """The cells of accounts, for calls and for seconds, by the digest of the token; at first zero.

    They persist when a file is reloaded. If the environment names a folder, processes share them
    there, in one file for each account.
    """

    def __missing__(self, digest: bytes) -> tuple[Cell, Cell]:
        """Add the cells of an account."""
        cells: tuple[Cell, Cell] = [0.0, 0.0], [0.0, 0.0]
        if (folder := os.environ.get(SHARED)) is not None:
            with Path(folder, digest.hex()).open("a+b") as file:
                file.truncate(2 * _CELL_BYTES)  # new files get zeros; others have this size
                numbers = memoryview(mmap(file.fileno(), 2 * _CELL_BYTES)).cast("d")
            cells = numbers[:2], numbers[2:]
        self[digest] = cells
        return cells


class Quota:
    """An amount allowed in a minute: a token bucket of one minute, full at the start."""

    def __init__(self, a_minute: float, cell: Cell | None = None) -> None:
        """Begin with a full minute, or with the rest stored in a cell.

        Args:
            a_minute: the amount allowed in a minute.
            cell: two numbers that processes may share, at first 0: the amount left, and its time.
                If two processes write at the same moment, one use may be lost.
        """
        self._size = a_minute
        self._cell = [0.0, 0.0] if cell is None else cell
        self._lock = Lock()

    def wait_seconds(self, amount: float) -> float:
        """Return the seconds until an amount is available; a larger amount needs a full minute."""
        with self._lock:
            return self._wait_seconds(amount)

    def take(self, amount: float) -> float:
        """Use an amount if it is available; otherwise return the seconds until it is."""
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
        name: the name in logs and fair queues.
        calls: the quota of calls in a minute.
        seconds: the quota of seconds of work in a minute.
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

    def check_seconds(self, seconds: float) -> None:
        """Check that seconds of work are left, without using any.

        Raises:
            QuotaError: the seconds of this minute are used up.
        """
        _check(self.seconds.wait_seconds(seconds), "seconds of searching")

    @contextmanager
    def charged(self, seconds: float) -> Iterator[None]:
        """Charge seconds for work, and give back the seconds that the work does not take.

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


class AccountLimits(NamedTuple):
    """A line of a file of tokens: the name of an account, and calls and seconds in a minute."""

    name: str
    calls: float
    seconds: float


class Accounts:
    """All accounts; each is made when its token is first used.

    Attributes:
        by_hash: the limits of each account by the hash of its token.
    """

    def __init__(self, by_hash: Mapping[bytes, AccountLimits], cells: Cells) -> None:
        self.by_hash, self._cells = by_hash, cells
        self._used: dict[bytes, Account] = {}

    @classmethod
    def read(cls, file: Path, cells: Cells | None = None) -> Accounts:
        """Read a file of tokens; `cells` has the rest of the quotas of earlier accounts.

        Raises:
            SettingsError: the file cannot be read, or a line is malformed.
        """
        by_hash: dict[bytes, AccountLimits] = {}
        for number, line in enumerate(read_text(file, "tokens").splitlines(), 1):
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
            by_hash[digest] = AccountLimits(found[1], float(found[3]), float(found[4]))
        if not by_hash:
            raise SettingsError(f"tokens {file}: the file has no account")
        return cls(by_hash, Cells() if cells is None else cells)

    def find(self, metadata: Iterable[tuple[str, str | bytes]] | None) -> Account:
        """Return the account of the token of a call, `authorization: Bearer TOKEN`.

        Raises:
            AccessError: the token is missing or not known, or there are two.
        """
        given = [value for key, value in metadata or () if key == "authorization"]
        if not given:
            raise AccessError("a token is needed: metadata `authorization: Bearer TOKEN`")
        if len(given) > 1:
            raise AccessError(f"{len(given)} tokens are given; send one")
        scheme, _, token = str(given[0]).partition(" ")
        digest = hashlib.sha256(token.strip().encode()).digest()
        if scheme.lower() != "bearer" or digest not in self.by_hash:
            raise AccessError("the token is not known here")
        if digest not in self._used:
            limits, (calls, seconds) = self.by_hash[digest], self._cells[digest]
            quotas = Quota(limits.calls, calls), Quota(limits.seconds, seconds)
            self._used[digest] = Account(limits.name, *quotas)
        return self._used[digest]


def forwarded_address(
    peer: str, headers: Iterable[tuple[str, str | bytes]] | None, proxies: tuple[Network, ...]
) -> str | None:
    """Return the address of a caller behind a trusted proxy; None if the peer is not one.

    Each proxy appends the address of its peer to the header `x-forwarded-for`, so the caller is the
    last address in it that is not a trusted proxy.

    Args:
        peer: the peer in gRPC's format, e.g. `ipv4:10.0.0.2:38842`.
        headers: the headers of the call.
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
    """Return the address of a peer in gRPC's format, `ipv6:%5B::1%5D:38842`; None for a socket."""
    return read_address(unquote(peer).partition(":")[2].rpartition(":")[0])


def read_address(text: str) -> Address | None:
    """Read an address, or None; an IPv4 address in IPv6 form becomes the IPv4 address."""
    try:
        address = ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@dataclass(frozen=True, slots=True)
class Certificates:
    """The certificates of a server.

    Attributes:
        http: the TLS context of HTTP.
        grpc: the TLS credentials of gRPC.
        texts: the certificates of each file, in PEM.
    """

    http: ssl.SSLContext
    grpc: grpc.ServerCertificateConfiguration
    texts: dict[str, str]

    @classmethod
    def read(cls, settings: ServerSettings) -> Certificates | None:
        """Read the certificate files of the settings; None for plain text.

        Raises:
            SettingsError: a file cannot be read or is not a certificate or key, or certificate and
                key do not match.
        """
        cert, key, ca = settings.tls_cert, settings.tls_key, settings.tls_client_ca
        if cert is None or key is None:
            return None
        private = read_text(key, "certificate or key")
        texts = {str(cert): read_text(cert, "certificate or key")}
        pair, roots = (private.encode(), texts[str(cert)].encode()), None
        if ca is not None:
            texts[str(ca)] = read_text(ca, "certificate")
            roots = texts[str(ca)].encode()
        context = _context(cert, key, ca)
        configuration = grpc.ssl_server_certificate_configuration([pair], roots)
        return cls(context, configuration, texts)


def grpc_credentials(
    current: Callable[[], Certificates | None], *, callers_have_certificates: bool
) -> grpc.ServerCredentials | None:
    """Return TLS credentials of gRPC that use the current certificates for each connection.

    Args:
        current: returns the certificates to use, called at every handshake.
        callers_have_certificates: whether callers need a certificate.
    """
    used = current()
    if used is None:
        return None

    def changed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal used
        before, used = used, current()
        return None if used is None or used is before else used.grpc

    return grpc.dynamic_ssl_server_credentials(
        used.grpc,
        changed,  # type: ignore[arg-type] # None is "no change", which the stubs do not know
        require_client_authentication=callers_have_certificates,
    )


def _context(cert: Path, key: Path, ca: Path | None) -> ssl.SSLContext:
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


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", None) or error.strerror or str(error)
    return str(reason).replace("_", " ").lower()


class Access:
    """Certificates and accounts of a server, which are read again while it runs.

    Files are read again when they change, and on SIGHUP. If the contents are not valid, nothing
    changes, and the log gives the reason.

    Attributes:
        settings: the settings in force.
        certificates: None for plain text.
        accounts: None if everybody may call.
    """

    def __init__(self, settings: ServerSettings) -> None:
        """Read the files that the settings name.

        Raises:
            SettingsError: a file cannot be used.
        """
        self._cells = Cells()
        self._said: ServerSettings | None = None
        self._error = ""
        self._use(settings)

    def _use(self, settings: ServerSettings) -> None:
        """Read the files of settings; all that they change is then in force, or nothing is."""
        stamps = _stamps(settings)  # first, so that no later change is missed
        tokens = settings.tokens
        accounts = None if tokens is None else Accounts.read(tokens, self._cells)
        self.certificates = Certificates.read(settings)
        self.settings, self.accounts, self._stamps = settings, accounts, stamps

    async def read_again(self, read: ReadSettings, *, force: bool = False) -> bool | None:
        """Put changes of the settings and of their files in force.

        Args:
            read: reads the settings again from their origin.
            force: whether to read all files again, and to report an error again.

        Returns:
            Whether the changes are valid, and so in force; None if there is nothing to report.
        """
        try:
            is_changed = await self._is_changed(read, force=force)
        except SettingsError as error:
            is_new, self._error = force or str(error) != self._error, str(error)
            if not is_new:
                return None
            _log.error("these changes are not valid and were not applied: %s", error)
            return False
        self._error = ""
        return is_changed or None

    async def _is_changed(self, read: ReadSettings, *, force: bool) -> bool:
        """Put changes in force; return whether there are any."""
        said = read()
        self._said, before = said, self._said or said
        settings, rest = taken_up(self.settings, before, said)
        if rest:
            _log.warning("these settings change when the server starts again: %s", ", ".join(rest))
        if not force and settings == self.settings and _stamps(settings) == self._stamps:
            return False
        await asyncio.to_thread(self._use, settings)
        return True


def _stamps(settings: ServerSettings) -> list[FileStamp | None]:
    """Return the state of each file of the settings; None for a missing file."""
    names = settings.tls_cert, settings.tls_key, settings.tls_client_ca, settings.tokens
    return [file_stamp(file) for file in names if file is not None]
