"""Certificates and accounts, which a running server reads again; and the log settings.

Files are read again when they change, and on SIGHUP. If the contents are not valid, nothing
changes, and the log gives the reason.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import grpc

from position_oracle.oracle.server.auth import Accounts, Cells
from position_oracle.oracle.server.settings import (
    ReadSettings,
    ServerSettings,
    SettingsError,
    read_text,
    taken_up,
)

FileStamp = tuple[int, int, int]

_log = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True)
class Access:
    """Accounts and certificates of the server, read from files.

    Attributes:
        certificates: None for plain text.
        accounts: None if everybody may call.
        stamps: the state of the files before they were read.
    """

    certificates: Certificates | None
    accounts: Accounts | None
    stamps: list[FileStamp | None]

    @classmethod
    def read(cls, settings: ServerSettings, cells: Cells) -> Access:
        """Read the files that the settings name.

        Raises:
            SettingsError: a file cannot be used.
        """
        stamps = _stamps(settings)  # first, so that no later change is missed
        tokens = settings.tokens
        accounts = None if tokens is None else Accounts.read(tokens, cells)
        return cls(Certificates.read(settings), accounts, stamps)


class Rotation:
    """Detects and applies changes of settings and files."""

    def __init__(
        self,
        settings: ServerSettings,
        stamps: list[FileStamp | None],
        read: ReadSettings,
        cells: Cells,
        use: Callable[[ServerSettings, Access], Awaitable[None]],
    ) -> None:
        """Begin with the settings in force.

        Args:
            settings: the settings in force.
            stamps: the state of their files before they were read (`Access.stamps`).
            read: reads the settings again from their origin.
            cells: the storage of quotas.
            use: applies settings and the contents of their files.
        """
        self._settings, self._read, self._cells, self._use = settings, read, cells, use
        self._said: ServerSettings | None = None
        self._stamps = stamps
        self._error = ""

    async def look(self, *, force: bool = False) -> bool | None:
        """Apply changes since the last call.

        Args:
            force: whether to read all files again, and to report an error again.

        Returns:
            Whether the changes are valid, and so in force; None if there is nothing to report.
        """
        try:
            is_changed = await self._apply(force=force)
        except SettingsError as error:
            is_new, self._error = force or str(error) != self._error, str(error)
            if not is_new:
                return None
            _log.error("these changes are not valid and were not applied: %s", error)
            return False
        if not is_changed:
            return None
        self._error = ""
        _log.info("certificates, tokens and log settings applied")
        return True

    async def _apply(self, *, force: bool) -> bool:
        """Apply changes; return whether there are any."""
        said = self._read()
        self._said, before = said, self._said or said
        settings, rest = taken_up(self._settings, before, said)
        if rest:
            _log.warning("these settings change when the server starts again: %s", ", ".join(rest))
        stamps = _stamps(settings)
        if not force and settings == self._settings and stamps == self._stamps:
            return False
        self._stamps = stamps
        access = await asyncio.to_thread(Access.read, settings, self._cells)
        self._settings = settings
        await self._use(settings, access)
        return True


def _stamps(settings: ServerSettings) -> list[FileStamp | None]:
    """Return the state of each file of the settings; None for a missing file."""
    names = settings.tls_cert, settings.tls_key, settings.tls_client_ca, settings.tokens
    return [file_stamp(file) for file in names if file is not None]


def file_stamp(file: Path) -> FileStamp | None:
    """Return a value that changes with a file; None if there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
