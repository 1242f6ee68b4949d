"""`oracle serve`: answer over gRPC."""

import logging
from typing import Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode


def run(
    db: Db = DEFAULT_DB,
    address: Annotated[
        str,
        typer.Option(
            "--address",
            envvar="ORACLE_ADDRESS",
            help="Where to listen; 0.0.0.0:50051 listens on all interfaces, port 0 takes a free"
            " one.",
        ),
    ] = "127.0.0.1:50051",
    reload_seconds: Annotated[
        float,
        typer.Option(
            envvar="ORACLE_RELOAD_SECONDS",
            help="How often to look for newly published tables; 0 looks only on SIGHUP.",
        ),
    ] = 5.0,
    max_batch: Annotated[
        int,
        typer.Option(
            envvar="ORACLE_MAX_BATCH",
            help="Positions in one batch; change it only with the clients, which send 100,000.",
        ),
    ] = 100_000,
    max_message_bytes: Annotated[
        int,
        typer.Option(
            envvar="ORACLE_MAX_MESSAGE_BYTES",
            help="Size of one request; raise it together with --max-batch.",
        ),
    ] = 4 * 1024 * 1024,
    max_calls: Annotated[
        int,
        typer.Option(
            envvar="ORACLE_MAX_CALLS",
            help="Calls answered at a time; lower it where memory is scarce.",
        ),
    ] = 512,
    batch_threads: Annotated[
        int,
        typer.Option(envvar="ORACLE_BATCH_THREADS", help="Threads for batches: one a core."),
    ] = 2,
    notice_seconds: Annotated[
        float,
        typer.Option(
            envvar="ORACLE_NOTICE_SECONDS",
            help="On SIGTERM, how long to answer on while the health check says NOT_SERVING; set"
            " it behind a load balancer.",
        ),
    ] = 0.0,
    drain_seconds: Annotated[
        float,
        typer.Option(
            envvar="ORACLE_DRAIN_SECONDS",
            help="After that, how long calls in progress may take.",
        ),
    ] = 10.0,
    access_log: Annotated[
        bool,
        typer.Option(
            "--access-log",
            envvar="ORACLE_ACCESS_LOG",
            help="Write a JSON object for each call to standard error.",
        ),
    ] = False,
) -> int:
    """Answer over gRPC until stopped by SIGTERM or Ctrl-C; newly published tables are taken up.

    Prints one line when it is ready.
    """
    from oracle.server import ServerSettings, serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    settings = ServerSettings(
        address=address,
        max_batch_positions=max_batch,
        max_message_bytes=max_message_bytes,
        max_concurrent_calls=max_calls,
        batch_threads=batch_threads,
        reload_seconds=reload_seconds,
        notice_seconds=notice_seconds,
        drain_seconds=drain_seconds,
        access_log=access_log,
    )
    serve(db, settings, announce=typer.echo)
    return ExitCode.ANSWERED
