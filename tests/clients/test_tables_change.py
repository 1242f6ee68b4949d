"""The answers of one array come from one state of the tables, though the server changes them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from position_oracle import Outcome, TablesChangedError
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clients.conftest import Connect
from tests.clients.test_failures import scripted


def batch(version: str, outcome: Outcome, count: int = 10) -> pb.BatchGetOutcomesResponse:
    tables = answer_pb2.TableSet(version=version) if version else None
    return pb.BatchGetOutcomesResponse(outcomes=bytes([outcome]) * count, tables=tables)


OLD, NEW = "0" * 16, "1" * 16


def ask(connect: Connect, port: int) -> Any:
    return connect(port, batch_positions=10).outcomes("chomp3", np.zeros((40, 3), int))


def test_what_older_tables_have_answered_is_asked_again(connect: Connect) -> None:
    script = [batch(OLD, Outcome.P), batch(OLD, Outcome.P)]
    script += [batch(NEW, Outcome.N)] * 4
    with scripted(*script) as (server, port):
        outcomes = ask(connect, port)
    assert outcomes.tolist() == [Outcome.N] * 40
    assert len(server.calls) == 6


def test_tables_that_change_again_and_again_are_an_error(connect: Connect) -> None:
    script = [batch(f"version {number}", Outcome.P) for number in range(16)]
    with scripted(*script) as (_, port), pytest.raises(TablesChangedError, match="one state"):
        ask(connect, port)


@pytest.mark.parametrize("version", ["", OLD])
def test_one_state_of_the_tables_is_asked_once(connect: Connect, version: str) -> None:
    """An older server does not say which tables it has. The client then has nothing to compare."""
    with scripted(*[batch(version, Outcome.P)] * 4) as (server, port):
        assert ask(connect, port).tolist() == [Outcome.P] * 40
    assert len(server.calls) == 4


CALLS: dict[str, Callable[[Any], Any]] = {
    "outcome": lambda client: client.outcome("chomp3:[4,3,2]").tables,
    "winning_moves": lambda client: client.winning_moves("nim:[3,5]").tables,
    "analyze": lambda client: client.analyze("nim:[3,5]").answer.tables,
    "win_probability": lambda client: client.win_probability("nim:[3,5]", "random").tables,
    "turns": lambda client: client.turns("nim:[3,5]").tables,
}


@pytest.mark.parametrize("call", CALLS)
def test_every_answer_names_the_tables(connect: Connect, port: int, call: str) -> None:
    client = connect(port)
    tables = client.tables()
    assert len(tables.version) == 16
    assert CALLS[call](client) == tables
