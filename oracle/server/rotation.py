"""What a server reads again while it runs: certificates, accounts, and settings of the log.

Files are read again when they change, and on SIGHUP. Where what they say is not valid, nothing
changes, and the log says why.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from position_oracle.oracle.server.auth import Accounts, Cells
from position_oracle.oracle.server.certificates import Certificates
from position_oracle.oracle.server.settings import ServerSettings, taken_up

_log = logging.getLogger(__name__)

Stamps = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call, and the certificates of the server, as files say.

    Attributes:
        certificates: None for plain text.
        accounts: None where everybody may call.
    """

    certificates: Certificates | None
    accounts: Accounts | None

    @classmethod
    def read(cls, settings: ServerSettings, cells: Cells) -> "Access":
        """Read the files that the settings name.

        Raises:
            SettingsError: a file cannot be used.
        """
        tokens = settings.tokens
        accounts = None if tokens is None else Accounts.read(tokens, cells)
        return cls(Certificates.read(settings), accounts)


class Rotation:
    """Looks for changes and applies them.

    Attributes:
        error: the last error that was said; empty after a change that was valid.
    """

    def __init__(
        self,
        settings: ServerSettings,
        read: Callable[[], ServerSettings],
        cells: Cells,
        use: Callable[[ServerSettings, Access], Awaitable[None]],
    ) -> None:
        """Begin with the settings in force.

        Args:
            settings: in force.
            read: reads them again from where they come from.
            cells: where quotas are kept.
            use: applies settings and what their files say.
        """
        self._settings, self._read, self._cells, self._use = settings, read, cells, use
        self._said: ServerSettings | None = None
        self._stamps = _stamps(settings)
        self.error = ""

    async def look(self, *, force: bool = False) -> bool:
        """Apply what has changed since the last look; whether something was applied.

        Raises:
            SettingsError: what has changed is not valid.
        """
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


def _stamps(settings: ServerSettings) -> Stamps:
    names = settings.tls_cert, settings.tls_key, settings.tls_client_ca, settings.tokens
    return tuple(_stamp(file) for file in names if file is not None)


def _stamp(file: Path) -> tuple[int, ...]:
    try:
        status = file.stat()
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns
