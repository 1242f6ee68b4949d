"""The public interface: a list of names, one protocol, errors that derive from built-in ones."""

import inspect
import pydoc
import re
import subprocess
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import position_oracle
from position_oracle import (
    Answerer,
    AsyncAnswerer,
    AsyncOracleClient,
    GameSpec,
    Oracle,
    OracleClient,
    Outcome,
    Position,
    errors,
)
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.sum import make_sum
from position_oracle.engine.theory.transfinite.ordinal import Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.schema import errors as base
from position_oracle.schema.moves import Action, Bite, Move
from tests.each import for_each

MODULES = {"annotate", "bots", "errors", "play", "plot", "record", "rules"}
ERRORS = {
    "CredentialsFileError",
    "InvalidArgumentError",
    "AccessDeniedError",
    "ArrayTypeError",
    "ClientClosedError",
    "DeadlineError",
    "IllegalMoveError",
    "InvalidPositionError",
    "InvalidRowError",
    "InvalidQuestionError",
    "MissingExtraError",
    "MissingTableError",
    "NotationError",
    "OracleClientError",
    "PositionOracleError",
    "ResourceLimitError",
    "ServerError",
    "ServerLimitError",
    "ServerUnavailableError",
    "StoppedError",
    "TableFileError",
    "TablesChangedError",
    "UnknownAnswerError",
    "UnknownGameError",
    "UnsupportedQuestionError",
}
ANSWERERS = {"Answerer", "AsyncAnswerer", "AsyncOracleClient", "Oracle", "OracleClient", "tls"}
RECORDS = {
    "Action",
    "Analysis",
    "AnalyzedMove",
    "Answer",
    "BestLine",
    "Bite",
    "Bot",
    "Build",
    "Calibration",
    "Candidate",
    "Certainty",
    "Estimate",
    "Estimates",
    "Game",
    "GameInfo",
    "GameSource",
    "GameRecord",
    "GameSpec",
    "Geometry",
    "HeapChange",
    "Introduction",
    "Limits",
    "Measure",
    "Method",
    "Move",
    "Origin",
    "Outcome",
    "Position",
    "PositionValues",
    "Shape",
    "SolvedGraph",
    "Snapshot",
    "State",
    "Tables",
    "TransfiniteFacts",
    "TypedPosition",
    "Turns",
    "WinProbability",
}
PUBLIC = MODULES | ERRORS | ANSWERERS | RECORDS


def test_the_public_names() -> None:
    assert set(position_oracle.__all__) == PUBLIC
    assert all(hasattr(position_oracle, name) for name in PUBLIC)


def test_tab_completion_offers_them() -> None:
    assert set(dir(position_oracle)) == PUBLIC | {"__version__"}


def test_the_version_is_that_of_the_program() -> None:
    assert position_oracle.__version__.count(".") == 2


def test_help_describes_every_name() -> None:
    text = pydoc.plain(pydoc.render_doc(position_oracle))
    assert "Solved combinatorial games" in text
    assert "Return the outcome of a position, e.g. `chomp3:[4,3,2]`." in text
    described = [name for name in PUBLIC if name in text]
    assert len(described) == len(PUBLIC)


def test_the_reference_has_every_name() -> None:
    """A name is in the reference itself, or in a public module that the reference has as a
    whole.
    """
    text = (Path(__file__).parents[1] / "docs/api.md").read_text()
    listed = set(re.findall(r"^::: position_oracle\.(\w+)$", text, re.MULTILINE))
    modules = [getattr(position_oracle, name) for name in MODULES & listed]
    inside = {name for module in modules for name in vars(module)}
    assert listed <= PUBLIC
    assert PUBLIC - listed <= inside


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Answr'"):
        _ = position_oracle.Answr  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="Answr"):
        exec("from position_oracle import Answr")  # noqa: S102


WITHOUT = ("numba", "duckdb", "sqlalchemy", "matplotlib", "typer", "pyarrow", "scipy", "rich")


def program(text: str) -> str:
    """Return the output of a program that runs in a process of its own."""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_help_works_where_the_client_is_alone() -> None:
    """All names except those of pictures and of table files work without extras."""
    blocked = f"import sys; sys.modules |= dict.fromkeys({WITHOUT})"
    described = program(
        f"{blocked}; import pydoc, position_oracle; pydoc.render_doc(position_oracle);"
        "names = [name for name in dir(position_oracle) if hasattr(position_oracle, name)];"
        "print(len(names), position_oracle.Oracle().outcome('nim:[3,5]').outcome)"
    )
    assert described == f"{len(PUBLIC) - 1} N\n"  # with its version


def test_a_client_imports_neither_engine_nor_oracle() -> None:
    printed = program(
        "import sys; from position_oracle import OracleClient, Outcome, bots, play;"
        "rooms = {p for name in sys.modules for p in name.split('.')[:2]};"
        "print(sorted(rooms & {'engine', 'oracle', 'numba', 'duckdb', 'sqlalchemy', 'typer'}))"
    )
    assert printed == "[]\n"


QUESTIONS = {
    "analyze",
    "answers",
    "best_line",
    "best_move",
    "estimate_column",
    "estimate_opening",
    "games",
    "geometry",
    "instant_winners",
    "losers",
    "moves",
    "outcome",
    "outcomes",
    "series",
    "solve_graph",
    "tables",
    "turns",
    "values",
    "win_probabilities",
    "win_probability",
    "winning_move_batch",
    "winning_moves",
}


def public_methods(kind: type) -> dict[str, inspect.Signature]:
    methods = inspect.getmembers(kind, inspect.isfunction)
    return {name: inspect.signature(method) for name, method in methods if not name.startswith("_")}


def parameters(kind: type, question: str) -> list[tuple[str, Any, Any]]:
    """Return name, kind and default of each parameter of a question, except clients' timeout."""
    signature = inspect.signature(getattr(kind, question))
    return [
        (each.name, each.kind, each.default)
        for each in signature.parameters.values()
        if each.name != "timeout"
    ]


def test_the_questions() -> None:
    assert public_methods(Answerer).keys() == QUESTIONS
    assert public_methods(AsyncAnswerer).keys() == QUESTIONS


@for_each("question", sorted(QUESTIONS))
@pytest.mark.parametrize("kind", [AsyncAnswerer, Oracle, OracleClient, AsyncOracleClient])
def test_every_answerer_is_asked_in_the_same_way(kind: type, question: str) -> None:
    assert parameters(kind, question) == parameters(Answerer, question)


@pytest.mark.parametrize("kind", [Oracle, OracleClient, AsyncOracleClient])
def test_questions_are_described_once(kind: type) -> None:
    for question in QUESTIONS:
        assert getattr(kind, question).__doc__ == getattr(Answerer, question).__doc__


def test_the_clients_mirror_each_other() -> None:
    ours, theirs = public_methods(OracleClient), public_methods(AsyncOracleClient)
    assert ours == theirs
    assert ours.keys() == QUESTIONS | {"close", "wait_ready"}
    assert inspect.signature(OracleClient) == inspect.signature(AsyncOracleClient)


def test_an_oracle_and_a_client_are_answerers() -> None:
    with OracleClient() as client:
        assert isinstance(client, Answerer)
    assert isinstance(Oracle(), Answerer)


def ask(oracle: Answerer) -> Outcome:
    """Typed code that accepts any answerer; mypy checks this file."""
    return oracle.outcome("nim:[3]").outcome


def ask_here(oracle: Answerer[Position]) -> GameSpec:
    return oracle.outcome("nim:[3]").position.game


def test_typed_code_takes_either() -> None:
    assert ask(Oracle()) is Outcome.N
    assert ask_here(Oracle()).family == "nim"
    assert get_type_hints(ask)["return"] is Outcome


BUILT_IN = {
    errors.AccessDeniedError: PermissionError,
    errors.TablesChangedError: RuntimeError,
    errors.InvalidQuestionError: ValueError,
    errors.InvalidArgumentError: ValueError,
    errors.CredentialsFileError: OSError,
    errors.ClientIllegalMoveError: ValueError,
    errors.ClientTypeError: TypeError,
    errors.ClientUnknownGameError: LookupError,
    errors.UnsupportedQuestionError: NotImplementedError,
    errors.ServerLimitError: RuntimeError,
    errors.ServerUnavailableError: ConnectionError,
    errors.DeadlineError: TimeoutError,
    errors.ServerError: RuntimeError,
    errors.ClientClosedError: RuntimeError,
}


@pytest.mark.parametrize("error", BUILT_IN, ids=lambda error: error.__name__)
def test_errors_derive_from_built_in_ones(error: type[Exception]) -> None:
    assert issubclass(error, BUILT_IN[error])
    assert issubclass(error, errors.OracleClientError)
    assert issubclass(error, position_oracle.PositionOracleError)


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_one_name_catches_the_error_of_any_answerer(name: str) -> None:
    """If clients and the oracle both define an error, the public name is the common base class."""
    public = getattr(position_oracle, name)
    for home in (base, errors):
        assert issubclass(getattr(home, name, public), public)


def test_the_tree_in_the_docstring_names_every_error() -> None:
    defined = {
        name
        for name, value in inspect.getmembers(errors, inspect.isclass)
        if value.__module__ == errors.__name__
    }
    assert defined == {errors.OracleClientError.__name__, *(error.__name__ for error in BUILT_IN)}
    assert all(name in (errors.__doc__ or "") for name in defined)


ROOMS = (
    "schema.answers",
    "schema.analyses",
    "schema.export",
    "engine.solvers.instant_winners",
    "engine.theory.transfinite.decision",
    "engine.theory.geometry.dynamics",
    "engine.theory.random_play.model",
    "clients.plot.sheets",
    "oracle.cli.options",
)


def enum_members() -> list[Enum]:
    modules = [import_module(f"position_oracle.{room}") for room in ROOMS]
    kinds = {
        value
        for module in modules
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, Enum)
        and value.__module__ == module.__name__
    }
    return [member for kind in sorted(kinds, key=str) for member in kind]


def values() -> list[object]:
    """Values that may be equal to one another, or to plain values."""
    heap = parse("nim:[3]")
    return [
        *enum_members(),
        *(member.value for member in enum_members()),
        *(parse_ordinal(text) for text in ("0", "3", "w", "w+3", "w*2")),
        *range(8),
        *(GameSpec(family) for family in ("nim", "chomp3", "sum")),
        *("nim", "chomp3", "nim:[3]"),
        *(heap, make_sum((heap,)), make_sum((heap, heap))),
        *(Action(bite=Bite(1, 2), words="a"), Action(bite=Bite(1, 2), words="b")),
        *(Move("nim:[3]"), Move(heap), Move("nim:[3]", action=Action())),
    ]


def test_what_is_equal_has_equal_hashes() -> None:
    all_values = values()
    assert any(isinstance(value, Ordinal) for value in all_values)
    for one in all_values:
        for other in all_values:
            if one == other:
                assert hash(one) == hash(other), (one, other)
                assert other == one, (one, other)
