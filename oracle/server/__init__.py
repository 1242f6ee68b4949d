"""The oracle over gRPC: admission control, fair queues, errors, health, reload and drain.

No module here knows a game. Modules that need gRPC are imported when they are used.
"""

from typing import TYPE_CHECKING, Any

from position_oracle.oracle.server.settings import ServerSettings

if TYPE_CHECKING:
    from position_oracle.oracle.server.process import running_server, serve

__all__ = ["ServerSettings", "running_server", "serve"]


def __getattr__(name: str) -> Any:
    if name in {"running_server", "serve"}:
        from position_oracle.oracle.server import process

        return getattr(process, name)
    raise AttributeError(name)
