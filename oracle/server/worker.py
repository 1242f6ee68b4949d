"""One of several processes that answer on one port: see `workers.COMMAND`.

It reads its settings as one line of JSON from standard input, and stops when that ends, with the
process that looks after it. It says one line when it is ready.
"""

import json
import os
import signal
import sys
import threading

from position_oracle.engine.games import own
from position_oracle.oracle.server.logs import log_to_stderr
from position_oracle.oracle.server.serving import serve_here
from position_oracle.oracle.server.settings import read_settings
from position_oracle.schema.errors import PositionOracleError


def main() -> int:
    """Serve until a signal, or until nobody looks after this process; the exit code."""
    log_to_stderr()
    settings = read_settings(json.loads(sys.stdin.readline()))
    own.use_environment()
    threading.Thread(target=stop_with_supervisor, daemon=True).start()
    try:
        serve_here(settings, _say)
    except (PositionOracleError, OSError, MemoryError) as error:
        sys.stderr.write(f"oracle: {' '.join(str(error).splitlines())}\n")
        return 1
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def stop_with_supervisor() -> None:
    """Wait until standard input ends, then stop this process as a signal does."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
