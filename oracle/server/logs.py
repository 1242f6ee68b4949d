"""The log: one JSON object for each line, which can be searched by the id of a request."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final

from position_oracle.oracle.server.auth import Quota
from position_oracle.oracle.server.errors import ErrorStatus
from position_oracle.oracle.server.telemetry import CallRecord

ERRORS_A_MINUTE: Final = 3000
"""Maximum number of log lines for callers' errors in a minute, so that callers cannot fill a
disk."""

OTHERS_A_MINUTE: Final = 60
"""Maximum number of log lines of libraries in a minute; callers can make gRPC write tracebacks."""

_log = logging.getLogger("position_oracle.calls")


class JsonLines(logging.Formatter):
    """Log format: time, level, logger, message, and the facts of `extra={"facts": {...}}`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


class LibraryLimit(logging.Filter):
    """Log filter that passes all lines of the oracle, and a limited number of libraries' lines."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = Quota(OTHERS_A_MINUTE)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        if record.name.partition(".")[0] == "position_oracle":
            return True
        return not self._lines.take(1.0)


def log_to_stderr() -> None:
    """Send all log records of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(LibraryLimit())
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])


class CallLog:
    """Logs calls that have ended: errors, or all calls.

    Without the setting for all calls, errors of callers are logged up to a number in a minute; the
    next line says how many were left out.
    """

    def __init__(self, *, wants_all: bool) -> None:
        self._wants_all = wants_all
        self._lines = Quota(ERRORS_A_MINUTE)
        self._left_out = 0

    def ended(self, call: CallRecord) -> None:
        """Log one call that has ended."""
        if not self._wants_all and (call.error is None or not self._has_room(call.error)):
            return
        facts = _facts(call)
        if self._left_out:
            facts["left_out"], self._left_out = self._left_out, 0
        message = call.method if call.error is None else call.error.message
        _log.info(message, extra={"facts": facts})

    def _has_room(self, error: ErrorStatus) -> bool:
        if self._lines.take(1.0) and not error.is_internal:
            self._left_out += 1
            return False
        return True


def _facts(call: CallRecord) -> dict[str, Any]:
    """Return the fields of a log line besides the message; empty fields are left out."""
    error = call.error
    facts: dict[str, Any] = {
        "request_id": call.request_id,
        "method": call.method,
        "peer": call.caller.peer(),
        "code": call.code.name,
        "ms": _milliseconds(call.seconds),
    }
    if error is not None:
        facts["reason"] = error.reason
        if error.field:
            facts["field"] = error.field
    if call.account is not None:
        facts["caller"] = call.account.name
    if call.cost is not None:
        facts["price_ms"] = _milliseconds(call.cost.seconds_now)
    if call.work:
        facts["queue"] = call.work[-1].queue
        facts["wait_ms"] = _milliseconds(sum(work.wait_seconds for work in call.work))
        facts["cpu_ms"] = _milliseconds(sum(work.cpu_seconds for work in call.work))
    return facts


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1e3, 3)
