"""`oracle engine`: an engine on pipes, one command a line."""

import sys

from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Server


def run(db: Db = DEFAULT_DB, server: Server = None) -> int:
    """Play as an engine: read commands from standard input, answer on standard output.

    The commands are much like those of engines of chess: hello, position, go, quit; docs/engine.md
    has them all.
    """
    from position_oracle.clients.adapters.line_protocol import serve

    if server is not None:
        from position_oracle.oracle.cli.remote import remote_client

        with remote_client(server) as client:
            serve(client, sys.stdin, sys.stdout)
    else:
        from position_oracle.oracle.cli.local import open_oracle

        serve(open_oracle(db), sys.stdin, sys.stdout)
    return ExitCode.ANSWERED
