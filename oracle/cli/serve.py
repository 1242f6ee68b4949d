"""`oracle serve`: answer over gRPC. Its flags are the fields of `ServerSettings`."""

import logging
from dataclasses import fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode
from oracle.server.settings import ServerSettings, SettingsError, name_of, read_settings


def run(db: Path, settings: Path | None, **given: object) -> int:
    """Answer over gRPC until stopped by SIGTERM or Ctrl-C; newly published tables are taken up.

    Prints one line when it is ready: tables loaded, kernels compiled.
    """
    from oracle.server import serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    try:
        serve(db, read_settings(given, settings), announce=typer.echo)
    except SettingsError as error:
        typer.echo(f"oracle: {error}", err=True)
        return ExitCode.BAD_INPUT
    return ExitCode.ANSWERED


def _options() -> Signature:
    """The options of the command: tables, settings file, and one for each setting."""
    file = typer.Option("--settings", envvar="ORACLE_SETTINGS", help="TOML file of settings.")
    options = [_option("db", Db, DEFAULT_DB), _option("settings", Annotated[Path | None, file])]
    for entry in fields(ServerSettings):
        name = name_of(entry)
        flag = f"--{name.replace('_', '-')}"
        shown = f" [default: {entry.default}]" if entry.default not in {None, False} else ""
        kind = bool if entry.default is False else str
        option = typer.Option(
            flag, envvar=f"ORACLE_{name.upper()}", help=entry.metadata["help"] + shown
        )
        options.append(_option(name, Annotated[kind | None, option]))
    return Signature(options, return_annotation=int)


def _option(name: str, kind: Any, default: object = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


run.__signature__ = _options()  # type: ignore[attr-defined]
