"""The oracle over gRPC: limits, errors, health, reload and drain. Nothing here knows a game."""

from oracle.server.serving import running_server, serve
from oracle.server.settings import ServerSettings

__all__ = ["ServerSettings", "running_server", "serve"]
