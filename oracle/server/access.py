"""The access log: one JSON object for each call, on the logger `oracle.access`."""

import json
import logging

import grpc

_log = logging.getLogger("oracle.access")


def log_call(method: str, peer: str, code: grpc.StatusCode, seconds: float) -> None:
    """Log one call that has ended.

    Args:
        method: name of the call, e.g. `GetOutcome`.
        peer: the client's address as gRPC writes it.
        code: how it ended.
        seconds: how long it took.
    """
    entry = {"method": method, "peer": peer, "code": code.name, "ms": round(seconds * 1e3, 3)}
    _log.info(json.dumps(entry))
