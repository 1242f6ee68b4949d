"""The command line: `oracle build | serve | ask | play | tables | sheet | verify`.

Exit codes: 0 answered, 2 bad input, 3 unknown, 130 interrupted, 1 anything else.
"""

import os
import sys

import typer

from oracle.cli import ask, build, play, serve, sheet, tables, verify
from oracle.cli.options import ExitCode
from schema.errors import (
    BuildInterruptedError,
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    UnknownAnswerError,
    UnknownGameError,
)

app = typer.Typer(
    name="oracle",
    help="Solved combinatorial games: compute their tables, serve them, ask them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (build, serve, ask, play, tables, sheet, verify):
    app.command(name=command.__name__.rpartition(".")[2])(command.run)


# Typer has had its own copy of click for some time, whose exceptions are not those of click.
_USAGE_ERROR: type[typer.BadParameter] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors go to standard error, without traceback."""
    try:
        return int(app(arguments, standalone_mode=False, prog_name="oracle") or 0)
    except typer.Exit as stop:
        return stop.exit_code
    except _USAGE_ERROR as error:
        error.show()
        return ExitCode.BAD_INPUT
    except (KeyboardInterrupt, typer.Abort, BuildInterruptedError) as stop:
        return _complain(str(stop) or "interrupted", ExitCode.INTERRUPTED)
    except (NotationError, InvalidPositionError, UnknownGameError) as error:
        return _complain(str(error), ExitCode.BAD_INPUT)
    except UnknownAnswerError as error:
        return _complain(str(error), ExitCode.UNKNOWN)
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from complaining when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED
    except (PositionOracleError, OSError) as error:
        return _complain(str(error), ExitCode.FAILED)


def _complain(message: str, code: ExitCode) -> int:
    typer.echo(f"oracle: {message}", err=True)
    return code
