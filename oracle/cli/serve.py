"""`oracle serve`: answer over gRPC."""

from typing import Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, whole_number
from schema.addresses import check_address
from schema.errors import NotationError


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
            parser=whole_number(1, 10**9),
            metavar="INTEGER",
            help="Positions in one batch; change it only with the clients, which send 100,000.",
        ),
    ] = 100_000,
    max_message_bytes: Annotated[
        int,
        typer.Option(
            envvar="ORACLE_MAX_MESSAGE_BYTES",
            parser=whole_number(1, 2**31 - 1),
            metavar="INTEGER",
            help="Size of one request; raise it together with --max-batch.",
        ),
    ] = 4 * 1024 * 1024,
    max_calls: Annotated[
        int,
        typer.Option(
            envvar="ORACLE_MAX_CALLS",
            parser=whole_number(1, 10**6),
            metavar="INTEGER",
            help="Calls answered at a time; lower it where memory is scarce.",
        ),
    ] = 512,
    batch_threads: Annotated[
        int,
        typer.Option(
            envvar="ORACLE_BATCH_THREADS",
            parser=whole_number(1, 10**4),
            metavar="INTEGER",
            help="Threads for batches: one a core.",
        ),
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
    import logging

    from oracle.server import ServerSettings, serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    try:
        settings = ServerSettings(
            address=check_address(address, least_port=0),
            max_batch_positions=max_batch,
            max_message_bytes=max_message_bytes,
            max_concurrent_calls=max_calls,
            batch_threads=batch_threads,
            reload_seconds=reload_seconds,
            notice_seconds=notice_seconds,
            drain_seconds=drain_seconds,
            access_log=access_log,
        )
    except ValueError as error:
        raise NotationError(str(error)) from None
    serve(db, settings, announce=typer.echo)
    return ExitCode.ANSWERED
