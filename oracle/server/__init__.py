"""The oracle over gRPC: admission control, fair queues, errors, health, reload and drain.

No module here knows a game. Modules that need gRPC are imported when they are used.
"""

from typing import TYPE_CHECKING, Any

from position_oracle.oracle.server.settings import ServerSettings

if TYPE_CHECKING:
    from position_oracle.oracle.server.process import serve

__all__ = ["ServerSettings", "serve"]


def __getattr__(name: str) -> Any:
    if name == "serve":
        from position_oracle.oracle.server.process import serve

        return serve
    raise AttributeError(name)
