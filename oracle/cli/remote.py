"""Questions put to a server; its answers are printed as those of an oracle here."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from position_oracle.clients import errors
from position_oracle.clients._channel import tls
from position_oracle.clients._sync import OracleClient
from position_oracle.schema.analyses import Analysis, WinProbability
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    UnknownAnswerError,
    UnknownGameError,
)


class RemoteOracle:
    """Asks a server; what goes wrong is raised as an error of this package."""

    def __init__(self, client: OracleClient, address: str) -> None:
        self._client = client
        self._address = address

    def analyze(self, text: str, *, moves: bool = True) -> Analysis:
        """Everything known about a position given as text."""
        with translated(self._address):
            return self._client.analyze(text, moves=moves)

    def win_probability(self, text: str, model: str) -> WinProbability:
        """How likely the player to move is to win."""
        with translated(self._address):
            return self._client.win_probability(text, model)


@contextmanager
def remote_oracle(address: str) -> Iterator[RemoteOracle]:
    """An oracle that asks a server."""
    with remote_client(address) as client:
        yield RemoteOracle(client, address)


@contextmanager
def remote_client(address: str) -> Iterator[OracleClient]:
    """A client, of which all that goes wrong is raised as an error of this package.

    It speaks TLS where the environment names authorities in ORACLE_CA, a PEM file, or `system` for
    those that the system trusts; and it carries the token that stands in ORACLE_TOKEN.
    """
    with translated(address), _client(address) as client:
        yield client


def _client(address: str) -> OracleClient:
    authorities, token = os.environ.get("ORACLE_CA"), os.environ.get("ORACLE_TOKEN")
    try:
        ca = None if authorities == "system" else authorities
        credentials = tls(ca=ca) if authorities else None
        return OracleClient(address, credentials=credentials, token=token or None)
    except PositionOracleError:  # the address says itself what is wrong with it
        raise
    except (ValueError, OSError) as error:
        raise NotationError(f"ORACLE_CA, ORACLE_TOKEN: {error}") from None


@contextmanager
def translated(address: str) -> Iterator[None]:
    """Errors of a client as errors of this package."""
    try:
        yield
    except errors.InvalidQuestionError as error:
        # The field of the request means nothing to whoever typed a position.
        raise InvalidPositionError(str(error).removeprefix(f"{error.field}: ")) from None
    except errors.UnknownGameError as error:
        raise UnknownGameError(str(error)) from None
    except errors.UnsupportedQuestionError as error:
        raise UnknownAnswerError(str(error).removeprefix("position: ")) from None
    except errors.OracleClientError as error:
        raise PositionOracleError(f"{address}: {error}") from None
