"""`oracle serve`: the gRPC service; its flags are the fields of `ServerSettings`."""

import os
from dataclasses import fields
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from position_oracle.oracle.cli.options import ExitCode
from position_oracle.oracle.server.settings import (
    ReadSettings,
    ServerSettings,
    SettingsError,
    read_file,
    read_settings,
    settings_text,
)


def run(
    context: typer.Context, settings: Path | None, *, show_settings: bool, **given: object
) -> int:
    """Answer over gRPC until stopped by SIGTERM or Ctrl-C; newly published tables are taken up.

    Prints one line when it is ready: tables loaded, kernels compiled. The log goes to standard
    error, a JSON object a line.
    """
    try:
        read = read_settings(given, settings)
        if show_settings:
            typer.echo(_shown(context, read, settings))
            return ExitCode.ANSWERED
        _serve(read, partial(read_settings, given, settings))
    except SettingsError as error:
        for line in str(error).splitlines():
            typer.echo(f"oracle: {line}", err=True)
        return ExitCode.BAD_INPUT
    return ExitCode.ANSWERED


def _serve(settings: ServerSettings, read: ReadSettings) -> None:
    # Callers can make gRPC write endless lines that are not JSON; workers inherit this setting.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from position_oracle.oracle.server.logs import log_to_stderr
    from position_oracle.oracle.server.process import serve

    log_to_stderr()
    serve(settings, read, typer.echo)


def _shown(context: typer.Context, settings: ServerSettings, file: Path | None) -> str:
    """Return the settings in force and the origin of each."""
    origins = dict.fromkeys(read_file(file), str(file))
    for entry in fields(ServerSettings):
        name = entry.name
        source = context.get_parameter_source(name)
        if source is not None and source.name in {"COMMANDLINE", "ENVIRONMENT"}:
            origins[name] = _flag(name) if source.name == "COMMANDLINE" else _variable(name)
    return settings_text(settings, origins)


def _options() -> Signature:
    """Return the options of the command: the settings file, and one option for each setting."""
    file = typer.Option("--settings", envvar="ORACLE_SETTINGS", help="TOML file of settings.")
    show = typer.Option(
        "--show-settings",
        help="Print the settings in force and the source of each, as a settings file, and exit.",
    )
    options = [
        _option("context", typer.Context, Parameter.empty),
        _option("settings", Annotated[Path | None, file]),
        _option("show_settings", Annotated[bool, show], default=False),
    ]
    for entry in fields(ServerSettings):
        shown = f" [default: {entry.default}]" if entry.default not in {None, False} else ""
        kind = bool if entry.default is False else str
        option = typer.Option(
            _flag(entry.name), envvar=_variable(entry.name), help=entry.metadata["help"] + shown
        )
        options.append(_option(entry.name, Annotated[kind | None, option]))
    return Signature(options, return_annotation=int)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _variable(name: str) -> str:
    return f"ORACLE_{name.upper()}"


def _option(name: str, kind: Any, default: object = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


run.__signature__ = _options()  # type: ignore[attr-defined]
