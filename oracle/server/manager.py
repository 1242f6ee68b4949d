"""Telling systemd how the service does, where it has started it with `Type=notify`."""

import os
import socket
from contextlib import suppress


def tell_manager(state: str) -> None:
    """Send a state, e.g. `READY=1`, to the socket in `NOTIFY_SOCKET`, if there is one."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place.startswith(("/", "@")):
        return
    address = "\0" + place[1:] if place.startswith("@") else place
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.sendto(state.encode(), address)
