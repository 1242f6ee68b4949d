"""The choice of who answers a command: a server, or an oracle in this process."""

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
    """A client of a server where one is named, else an oracle of the tables here.

    The client speaks TLS where the environment names authorities in ORACLE_CA: a PEM file, or
    `system` for those that the system trusts. It sends the token in ORACLE_TOKEN.

    Args:
        db: a folder of table files, or one file. Where the default folder has none, an oracle
            without tables answers.
        server: address of a server, `host:port`.

    Raises:
        TableFileError: a store that was named has no tables, or they cannot be used.
        NotationError: what the environment says cannot be used.
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
    """An oracle of theorems and searches alone, which keeps what it has computed."""
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
    """Name the server in errors that are not about the question."""
    from position_oracle.clients.errors import OracleClientError

    try:
        yield
    except (InvalidPositionError, UnknownGameError, UnknownAnswerError):
        raise
    except OracleClientError as error:
        raise PositionOracleError(f"{address}: {error}") from None
