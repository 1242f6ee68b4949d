"""Certificates and keys of the server for TLS, read from files in PEM.

The dates are found by walking through the DER of a certificate (X.509, RFC 5280, section 4.1).
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Final

import grpc

from position_oracle.oracle.server.settings import ServerSettings, SettingsError, read_text

_PEM: Final = re.compile(
    "-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL | re.ASCII
)
_VERSION: Final = 0xA0
_UTC_TIME: Final = 0x17
_VALIDITY: Final = 3
"""Place of the validity in a certificate, behind serial number, algorithm and issuer."""

_LONG: Final = 0x80


@dataclass(frozen=True, slots=True)
class Certificates:
    """The certificates of a server.

    Attributes:
        http: TLS of HTTP.
        grpc: TLS of gRPC.
        expiry: when the first certificate of each file ends, in seconds since 1970.
    """

    http: ssl.SSLContext
    grpc: grpc.ServerCertificateConfiguration
    expiry: dict[str, float]

    @classmethod
    def read(cls, settings: ServerSettings) -> Certificates | None:
        """Read the files that the settings name; None for plain text.

        Raises:
            SettingsError: a file cannot be read, or is no certificate or key, or they do not fit.
        """
        cert, key, ca = settings.tls_cert, settings.tls_key, settings.tls_client_ca
        if cert is None or key is None:
            return None
        texts = {file: read_text(file, "certificate or key") for file in (key, cert)}
        roots = None if ca is None else read_text(ca, "certificate")
        context = _context(cert, key, ca)
        pair = texts[key].encode(), texts[cert].encode()
        configuration = grpc.ssl_server_certificate_configuration(
            [pair], None if roots is None else roots.encode()
        )
        expiry = {str(cert): _first_end(texts[cert])}
        if roots is not None:
            expiry[str(ca)] = _first_end(roots)
        return cls(context, configuration, expiry)


def grpc_credentials(
    current: Callable[[], Certificates | None], *, callers_have_certificates: bool
) -> grpc.ServerCredentials | None:
    """TLS of gRPC with the certificates of the moment, for each connection; None for plain text.

    Args:
        current: the certificates to use now, called at every handshake.
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


def _first_end(text: str) -> float:
    return min(map(_end, _PEM.findall(text)), default=inf)


def _end(pem: str) -> float:
    """The expiry of a certificate, in seconds since 1970."""
    ((_, certificate),) = _elements(ssl.PEM_cert_to_DER_cert(pem))
    (_, signed), *_ = _elements(certificate)
    parts = [content for tag, content in _elements(signed) if tag != _VERSION]
    tag, end = _elements(parts[_VALIDITY])[1]
    form = "%y%m%d%H%M%SZ" if tag == _UTC_TIME else "%Y%m%d%H%M%SZ"
    return datetime.strptime(end.decode(), form).replace(tzinfo=UTC).timestamp()


def _elements(content: bytes) -> list[tuple[int, bytes]]:
    """The elements of a sequence in DER: tag and content of each."""
    found, place = [], 0
    while place < len(content):
        tag, size, begin = content[place], content[place + 1], place + 2
        if size >= _LONG:  # the number of bytes that have the size
            begin += size - _LONG
            size = int.from_bytes(content[place + 2 : begin])
        place = begin + size
        found.append((tag, content[begin:place]))
    return found
