"""Commands that ask a server with tokens and TLS."""

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.settings import ServerSettings
from tests.oracle.server.keys import Keys, needs_openssl
from tests.serving import running_server

TOKEN = "a-token"  # noqa: S105 - of a server that lives as long as its test


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server with TLS and tokens, and the certificate of its authority."""
    place = tmp_path_factory.mktemp("keys")
    keys = Keys(place)
    callers = place / "callers"
    callers.write_text(f"alice {hashlib.sha256(TOKEN.encode()).hexdigest()} 100 30\n")
    settings = replace(
        ServerSettings(),
        address="127.0.0.1:0",
        drain_seconds=1.0,
        tls_cert=keys.file("server.pem"),
        tls_key=keys.file("server.key"),
        tokens=callers,
    )
    with running_server(Oracle(), settings) as port:
        yield f"localhost:{port}", keys.file("ours.pem")


@needs_openssl
def test_token_and_authorities_come_from_the_environment(
    guarded: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    address, ca = guarded
    monkeypatch.setenv("ORACLE_CA", str(ca))
    assert run(["ask", "--server", address, "nim:[3]"]) == 1
    assert "a token is needed" in capsys.readouterr().err
    monkeypatch.setenv("ORACLE_TOKEN", TOKEN)
    assert run(["ask", "--server", address, "nim:[3]"]) == 0
    assert "N: the player to move wins" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [("ORACLE_CA", "/none.pem", "none.pem"), ("ORACLE_TOKEN", "a b\n", "token")],
)
def test_wrong_settings_are_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    says: str,
) -> None:
    monkeypatch.setenv(variable, value)
    assert run(["ask", "--server", "127.0.0.1:1", "nim:[3]"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_a_token_is_not_sent_in_plain_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ORACLE_TOKEN", TOKEN)
    assert run(["ask", "--server", "oracle.example:1", "nim:[3]"]) == 2
    assert "plain text" in capsys.readouterr().err


def test_a_question_that_is_refused_costs_only_its_own_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = replace(ServerSettings(), address="127.0.0.1:0", drain_seconds=1.0, call_seconds=0.1)
    with running_server(Oracle(), settings) as port:
        address = f"127.0.0.1:{port}"
        monkeypatch.setattr("sys.stdin", io.StringIO("kayles:[30000]\nnim:[3]\n"))
        assert run(["ask", "-", "--server", address]) == 3
        refused, answered = map(json.loads, capsys.readouterr().out.splitlines())
        assert "the limit is 0.1 s" in refused["error"]
        assert answered["outcome"] == "N"
        monkeypatch.setattr("sys.stdin", io.StringIO("hint\nquit\n"))
        assert run(["play", "kayles:[30000]", "--server", address]) == 0
        assert "there is no hint: the question takes about" in capsys.readouterr().out
