"""What users import: a short list, mirrored clients, errors that derive from built-in ones."""

import inspect
import subprocess
import sys

import pytest

import position_oracle
from position_oracle import AsyncOracleClient, OracleClient, errors

PUBLIC = {
    "Action",
    "Bite",
    "HeapChange",
    "Oracle",
    "PositionOracleError",
    "adapters",
    "annotate",
    "bots",
    "errors",
    "play",
    "plot",
    "record",
    "rules",
    "AccessDeniedError",
    "Analysis",
    "AnalyzedMove",
    "Answer",
    "ArrayTypeError",
    "AsyncOracleClient",
    "BestLine",
    "Build",
    "Calibration",
    "Candidate",
    "Certainty",
    "ClientClosedError",
    "DeadlineError",
    "Estimate",
    "Estimates",
    "GameInfo",
    "Geometry",
    "IllegalMoveError",
    "InvalidQuestionError",
    "Measure",
    "Limits",
    "Method",
    "Move",
    "OracleClient",
    "OracleClientError",
    "Origin",
    "Outcome",
    "PositionValues",
    "ServerError",
    "ServerLimitError",
    "ServerUnavailableError",
    "Shape",
    "Tables",
    "TablesChangedError",
    "TransfiniteFacts",
    "UnknownGameError",
    "UnsupportedQuestionError",
    "WinProbability",
    "tls",
}


def test_the_public_names() -> None:
    assert set(position_oracle.__all__) == PUBLIC
    assert all(hasattr(position_oracle, name) for name in PUBLIC)


def public_methods(kind: type) -> dict[str, inspect.Signature]:
    methods = inspect.getmembers(kind, inspect.isfunction)
    return {name: inspect.signature(method) for name, method in methods if not name.startswith("_")}


def test_the_clients_mirror_each_other() -> None:
    ours, theirs = public_methods(OracleClient), public_methods(AsyncOracleClient)
    assert ours == theirs
    assert set(ours) == {
        "analyze",
        "best_line",
        "best_move",
        "close",
        "estimate_column",
        "estimate_opening",
        "games",
        "geometry",
        "instant_winners",
        "losers",
        "moves",
        "outcome",
        "outcomes",
        "tables",
        "wait_ready",
        "win_probabilities",
        "win_probability",
        "winning_move_batch",
        "winning_moves",
    }
    assert inspect.signature(OracleClient) == inspect.signature(AsyncOracleClient)


BUILT_IN = {
    errors.AccessDeniedError: PermissionError,
    errors.TablesChangedError: RuntimeError,
    errors.InvalidQuestionError: ValueError,
    errors.IllegalMoveError: ValueError,
    errors.ArrayTypeError: TypeError,
    errors.UnknownGameError: LookupError,
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


def test_the_tree_in_the_docstring_names_every_error() -> None:
    defined = {
        name
        for name, value in inspect.getmembers(errors, inspect.isclass)
        if value.__module__ == errors.__name__
    }
    assert defined == {errors.OracleClientError.__name__, *(error.__name__ for error in BUILT_IN)}
    assert all(name in (errors.__doc__ or "") for name in defined)


def test_clients_import_neither_engine_nor_oracle() -> None:
    program = (
        "import sys; from position_oracle import OracleClient, bots, play;"
        "rooms = {p for name in sys.modules for p in name.split('.')[:2]};"
        "print(sorted(rooms & {'engine', 'oracle', 'numba', 'duckdb', 'sqlalchemy'}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"
