"""The oracle over gRPC: prices, turns, trust, errors, health, reload and drain.

Nothing here knows a game. What needs gRPC is imported when it is asked for.
"""

from typing import TYPE_CHECKING, Any

from position_oracle.oracle.server.settings import ServerSettings

if TYPE_CHECKING:
    from position_oracle.oracle.server.serving import running_server, serve

__all__ = ["ServerSettings", "running_server", "serve"]


def __getattr__(name: str) -> Any:
    if name in {"running_server", "serve"}:
        from position_oracle.oracle.server import serving

        return getattr(serving, name)
    raise AttributeError(name)
