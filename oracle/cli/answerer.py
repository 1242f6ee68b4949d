"""The choice of the answerer of a command: a server, or an oracle in this process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from position_oracle.oracle.cli.options import DEFAULT_DB
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    UnknownAnswerError,
    UnknownGameError,
)

if TYPE_CHECKING:
    from position_oracle.clients._sync import OracleClient
    from position_oracle.oracle.core import Oracle
    from position_oracle.schema.answerer import Answerer


_RETRY_SECONDS: Final = 3.0
"""Seconds for which a command retries a server that cannot be reached."""


@contextmanager
def answerer(db: Path, server: str | None) -> "Iterator[Answerer]":
    """Return a client of a server if one is named, else an oracle with the local tables.

    The client speaks TLS if the environment variable ORACLE_CA names certificate authorities: a PEM
    file, or `system` for those that the system trusts. It sends the token in ORACLE_TOKEN.

    Args:
        db: a folder of table files, or one file. If the default folder has none, the oracle has no
            tables.
        server: address of a server, `host:port`.

    Raises:
        TableFileError: the named store has no tables, or unusable ones.
        NotationError: an environment variable has an unusable value.
        PositionOracleError: the server failed; the message begins with its address.
    """
    if server is None:
        yield _local(db)
        return
    with _naming(server), _client(server) as client:
        yield client


def words_of(error: BaseException) -> str:
    """Return the message of an error without the request's field, which a command does not have."""
    return str(error).removeprefix(f"{getattr(error, 'field', '') or 'position'}: ")


def _local(db: Path) -> "Oracle":
    from position_oracle.oracle.core import Oracle
    from position_oracle.schema.store import Store

    if db == DEFAULT_DB and Store.at(db).current() is None:
        return _without_tables()
    return Oracle.open(db)


@cache
def _without_tables() -> "Oracle":
    """Make an oracle with only theorems and searches, and a cache."""
    from position_oracle.oracle.core import Oracle

    return Oracle()


def _client(address: str) -> "OracleClient":
    from position_oracle.clients._channel import tls
    from position_oracle.clients._sync import OracleClient

    authorities, token = os.environ.get("ORACLE_CA"), os.environ.get("ORACLE_TOKEN")
    try:
        ca = None if authorities == "system" else authorities
        credentials = tls(ca=ca) if authorities else None
    except (ValueError, OSError) as error:
        raise NotationError(f"ORACLE_CA: {error}") from None
    try:
        return OracleClient(
            address, credentials=credentials, token=token or None, retry_for=_RETRY_SECONDS
        )
    except ValueError as error:  # it names the fault of the address or the token
        raise NotationError(str(error)) from None


@contextmanager
def _naming(address: str) -> Iterator[None]:
    """Add the address of the server to errors that are not about the question."""
    from position_oracle.clients.errors import OracleClientError

    try:
        yield
    except (InvalidPositionError, UnknownGameError, UnknownAnswerError):
        raise
    except OracleClientError as error:
        raise PositionOracleError(f"{address}: {error}") from None
