"""`oracle completion`: completion of commands and flags in the shell."""

from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from position_oracle.oracle.cli.options import ExitCode

_PROGRAM: Final = "oracle"
_VARIABLE: Final = "_ORACLE_COMPLETE"


class Shell(StrEnum):
    """Shells for which completion is available."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def run(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    install: Annotated[
        bool,
        typer.Option(
            "--install",
            help="Write the script into the folder of the shell instead of printing it.",
        ),
    ] = False,
) -> int:
    """Print or install the script with which a shell completes commands and flags.

    Without --install the script is printed: source it, or put it where your shell looks.
    """
    # Not documented, nor typed: typer is pinned to the version that this was tested with.
    completion: Any = import_module("typer.completion")
    if not install:
        script = completion.get_completion_script(
            prog_name=_PROGRAM, complete_var=_VARIABLE, shell=shell.value
        )
        typer.echo(script)
        return ExitCode.ANSWERED
    _, path = completion.install(shell.value, prog_name=_PROGRAM, complete_var=_VARIABLE)
    typer.echo(f"{path} is written; completion begins with the next shell")
    return ExitCode.ANSWERED
