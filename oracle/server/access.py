"""The access log: one JSON object for each call, on the logger `oracle.access`."""

import json
import logging

import grpc

from oracle.server.service import Bill

_log = logging.getLogger("oracle.access")


def log_call(method: str, peer: str, code: grpc.StatusCode, seconds: float, bill: Bill) -> None:
    """Log one call that has ended.

    Args:
        method: name of the call, e.g. `GetOutcome`.
        peer: the caller's address as gRPC writes it.
        code: how it ended.
        seconds: how long it took.
        bill: who asked, what it was expected to take and took; the latter two are left out for
            what was answered at once.
    """
    entry = {"method": method, "peer": peer, "code": code.name, "ms": round(seconds * 1e3, 3)}
    if bill.client is not None:
        entry["caller"] = bill.client.name
    if bill.price is not None:
        entry["price_ms"] = round(bill.price.seconds * 1e3, 3)
        entry["cpu_ms"] = round(bill.cpu_seconds * 1e3, 3)
    _log.info(json.dumps(entry))
