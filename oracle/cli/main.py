"""The command line: `oracle build | serve | ask | play | tables | sheet | geometry | ...`.

Exit codes: 0 answered, 2 bad input, 3 unknown, 130 interrupted, 1 anything else. The modules of
commands import slow libraries only when they run, so that help and small questions are fast.
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from position_oracle import __version__
from position_oracle.oracle.cli import (
    ask,
    build,
    compare,
    completion,
    count,
    engine,
    estimate,
    export,
    geometry,
    line,
    play,
    plot,
    reproduce,
    serve,
    sheet,
    solve,
    tables,
    verify,
)
from position_oracle.oracle.cli.answerer import words_of
from position_oracle.oracle.cli.options import ExitCode
from position_oracle.schema.errors import (
    BuildInterruptedError,
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    UnknownAnswerError,
    UnknownGameError,
)
from position_oracle.schema.extras import from_extra

app = typer.Typer(
    name="oracle",
    help="Solved combinatorial games: compute their tables, serve them, ask them.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    build,
    serve,
    ask,
    play,
    engine,
    export,
    sheet,
    geometry,
    estimate,
    line,
    compare,
    count,
    solve,
    verify,
    reproduce,
    completion,
):
    app.command(name=command.__name__.rpartition(".")[2])(command.run)
app.add_typer(tables.app)
app.add_typer(plot.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"oracle {__version__}")
        raise typer.Exit


@app.callback()
def common(
    *,
    version: Annotated[  # noqa: ARG001 - its callback has printed it
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    rules: Annotated[
        list[Path] | None,
        typer.Option(
            "--rules",
            envvar="ORACLE_RULES",
            metavar="FILE.py",
            help="A game of your own: a Python file, which is run; see docs/own-game.md. May be"
            " given several times, before or after the command.",
        ),
    ] = None,
) -> None:
    """Solved combinatorial games: compute their tables, serve them, ask them."""
    if rules:
        _use_rules([path.resolve() for path in rules])


def _use_rules(files: list[Path]) -> None:
    from position_oracle.engine.games import own

    for path in files:
        own.use_file(path)
    os.environ[own.VARIABLE] = os.pathsep.join(map(str, files))  # for workers of a server


# Typer has its own copy of click, with separate exceptions.
_USAGE_ERROR: type[typer.BadParameter] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


_CODES: Final[tuple[tuple[tuple[type[BaseException], ...], ExitCode], ...]] = (
    ((KeyboardInterrupt, typer.Abort, BuildInterruptedError), ExitCode.INTERRUPTED),
    ((NotationError, InvalidPositionError, UnknownGameError), ExitCode.BAD_INPUT),
    ((UnknownAnswerError,), ExitCode.UNKNOWN),
)
_LONGEST: Final = 2000
_WITHOUT_WORDS: Final = {ExitCode.INTERRUPTED: "interrupted"}


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.stdout is None:
        sys.exit(_complain("standard output is closed", ExitCode.FAILED))
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_has_gone()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors go to standard error, without traceback."""
    try:
        with from_extra("engine"):
            words = _rules_first(arguments)
            return int(_parser()(words, standalone_mode=False, prog_name="oracle") or 0)
    except typer.Exit as stop:
        return stop.exit_code
    except _USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return ExitCode.BAD_INPUT
        return _complain(_usage(error), ExitCode.BAD_INPUT)
    except BrokenPipeError:
        return _reader_has_gone()
    except (KeyboardInterrupt, typer.Abort, PositionOracleError, OSError, MemoryError) as error:
        code = next((code for kinds, code in _CODES if isinstance(error, kinds)), ExitCode.FAILED)
        return _complain(_words(error) or _WITHOUT_WORDS.get(code, "out of memory"), code)


@cache
def _parser() -> Callable[..., Any]:
    """Return the parser of all commands, which takes 10 ms to make."""
    return typer.main.get_command(app)


def _rules_first(arguments: list[str]) -> list[str]:
    """Return the arguments with the options `--rules` moved before the command.

    Only the parser of the arguments before the command knows them.
    """
    first: list[str] = []
    rest: list[str] = []
    given = iter(arguments)
    for argument in given:
        if argument == "--":
            return [*first, *rest, argument, *given]
        if argument == "--rules":
            first += [argument, *islice(given, 1)]
        else:
            (first if argument.startswith("--rules=") else rest).append(argument)
    return [*first, *rest]


def _usage(error: typer.BadParameter) -> str:
    """Return the fault of the arguments, and the command that explains them."""
    context = error.ctx
    where = "oracle" if context is None else context.command_path
    said = error.format_message().replace(": Value error, ", ": ").rstrip(".")
    return f"{said}; see {where} --help"


def _reader_has_gone() -> int:
    """Prevent an error of the interpreter when it flushes standard output to a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.FAILED


def _words(error: BaseException) -> str:
    """Return the message of an error; for a system error the file first, without its number."""
    if isinstance(error, OSError) and error.strerror:
        file = "" if error.filename is None else f"{error.filename}: "
        return f"{file}{error.strerror.lower()}"
    return words_of(error)


def _complain(message: str, code: ExitCode) -> int:
    line = " ".join(message.splitlines())
    if len(line) > _LONGEST:  # the typed text may have any length
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    typer.echo(f"oracle: {line}", err=True)
    return code
