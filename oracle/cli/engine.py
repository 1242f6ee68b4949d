"""`oracle engine`: an engine on pipes, one command a line."""

import sys

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Server
from position_oracle.oracle.cli.terminal import standard_input


def run(db: Db = DEFAULT_DB, server: Server = None) -> int:
    """Play as an engine: read commands from standard input, answer on standard output.

    The commands are much like those of engines of chess: hello, position, go, quit; docs/engine.md
    has them all.
    """
    from position_oracle.clients.adapters.line_protocol import serve

    with answerer(db, server) as oracle:
        is_answered = serve(oracle, standard_input(), sys.stdout)
    return ExitCode.ANSWERED if is_answered else ExitCode.FAILED
