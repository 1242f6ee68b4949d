"""Certificates, tokens, quotas and the log change at run time; invalid changes have no effect."""

import asyncio
import signal
import ssl
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest

from position_oracle.oracle.server.auth import SHARED, Access, Accounts, Cells, Certificates
from position_oracle.oracle.server.metrics import first_end
from position_oracle.oracle.server.settings import (
    ServerSettings,
    read_settings,
    taken_up,
)
from tests.clock import until
from tests.oracle.server.doubles import SERVICE
from tests.oracle.server.keys import Keys, needs_openssl
from tests.oracle.server.words import QUESTION, Words, free_port, number, serving_words

DAY = 86_400.0


@dataclass
class Files:
    """The certificate, key and tokens of a server, and its settings."""

    keys: Keys
    place: Path

    def certify(self, days: int) -> None:
        """Replace the certificate and the key."""
        self.keys.sign("server", "ours", days)

    def account(self, *tokens: str, calls: int = 6000) -> None:
        """Admit these tokens, and no others."""
        lines = [f"{each} {sha256(each.encode()).hexdigest()} {calls} 60" for each in tokens]
        (self.place / "next").write_text("\n".join(lines))
        (self.place / "next").replace(self.place / "tokens")

    def settings(self, web: int) -> dict[str, Any]:
        return {
            "tls_cert": self.keys.file("server.pem"),
            "tls_key": self.keys.file("server.key"),
            "tokens": self.place / "tokens",
            "web": f"127.0.0.1:{web}",
        }


@pytest.fixture
def files(tmp_path: Path) -> Files:
    (tmp_path / "keys").mkdir()
    found = Files(Keys(tmp_path / "keys"), tmp_path)
    found.account("one", "two")
    return found


def ask(port: int, files: Files, token: str) -> grpc.StatusCode | None:
    """Call over a new connection. Return the error, or None for an answer."""
    credentials = grpc.ssl_channel_credentials(files.keys.read("ours.pem"))
    options = (("grpc.use_local_subchannel_pool", 1),)
    with grpc.secure_channel(f"localhost:{port}", credentials, options) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )
        metadata = (("authorization", f"Bearer {token}"),)
        try:
            call(QUESTION.SerializeToString(), metadata=metadata, timeout=10)
        except grpc.RpcError as error:
            return error.code()
    return None


def shown(port: int) -> str:
    """Return the certificate that a server shows."""
    return ssl.get_server_certificate(("127.0.0.1", port))


def hang_up(words: Words, result: str) -> None:
    """Send SIGHUP, and wait until the workers have reloaded their settings."""
    name, workers = "position_oracle_rotations_total", 2
    before = number(words.page("/metrics")[1], name, result=result)
    words.process.send_signal(signal.SIGHUP)
    until(lambda: number(words.page("/metrics")[1], name, result=result) >= before + workers)


@needs_openssl
@pytest.mark.slow
def test_certificates_and_tokens_change_under_load(files: Files, tmp_path: Path) -> None:
    web = free_port()
    with serving_words(tmp_path, workers=2, **files.settings(web)) as words:
        done, failed = threading.Event(), []

        def call() -> None:
            while not done.is_set():
                failed.append(ask(words.port, files, "one"))

        callers = [threading.Thread(target=call) for _ in range(2)]
        for caller in callers:
            caller.start()
        seen = {shown(words.port)}
        assert {shown(web)} == seen
        for days in (3, 4):
            files.certify(days)
            files.account("one", f"{days}" * 3)
            hang_up(words, "valid")
            fresh = {shown(port) for port in (words.port, web) for _ in range(8)}
            assert len(fresh) == 1
            assert not fresh & seen
            seen |= fresh
            assert ask(words.port, files, f"{days}" * 3) is None
            assert ask(words.port, files, "two") is grpc.StatusCode.UNAUTHENTICATED
        done.set()
        for caller in callers:
            caller.join()
        assert len(failed) > 10
        assert set(failed) == {None}
        end = number(
            words.page("/metrics")[1],
            "position_oracle_certificate_expiry_timestamp_seconds",
            file=str(files.keys.file("server.pem")),
        )
        assert abs(end - time.time() - 4 * DAY) < 3600


@needs_openssl
@pytest.mark.slow
def test_invalid_files_change_nothing(files: Files, tmp_path: Path) -> None:
    web = free_port()
    with serving_words(tmp_path, workers=2, **files.settings(web)) as words:
        before = shown(words.port)
        (tmp_path / "tokens").write_text("nonsense")
        hang_up(words, "invalid")
        assert ask(words.port, files, "one") is None
        files.account("three")
        files.keys.file("server.pem").write_bytes(files.keys.read("caller.pem"))  # of another key
        hang_up(words, "invalid")
        assert shown(words.port) == shown(web) == before
        assert ask(words.port, files, "one") is None
        assert ask(words.port, files, "three") is grpc.StatusCode.UNAUTHENTICATED
        assert "rotations_total" in words.page("/metrics")[1]


def test_a_change_while_the_server_starts_is_not_missed(tmp_path: Path) -> None:
    place = tmp_path / "tokens"
    place.write_text(f"one {sha256(b'one').hexdigest()} 1 1")
    settings = ServerSettings(address="127.0.0.1:0", tokens=place)
    access = Access(settings)
    place.write_text(f"three {sha256(b'three').hexdigest()} 1 1")
    assert asyncio.run(access.read_again(lambda: settings)) is True
    assert access.accounts is not None
    assert access.accounts.find([("authorization", "Bearer three")]).name == "three"
    assert asyncio.run(access.read_again(lambda: settings)) is None


@needs_openssl
def test_files_that_change_are_noticed_without_a_signal(files: Files, tmp_path: Path) -> None:
    with serving_words(tmp_path, reload_seconds=0.1, **files.settings(free_port())) as words:
        files.account("three")
        until(lambda: ask(words.port, files, "three") is None)
        before = shown(words.port)
        files.certify(5)
        until(lambda: shown(words.port) != before)


def test_the_settings_of_the_log_change_and_others_are_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('log_level = "warning"')
    read = partial(read_settings, {}, file)
    with (
        (tmp_path / "log").open("w") as log,
        serving_words(tmp_path, read=read, log_level="warning", log=log) as words,
    ):
        words.asked()
        file.write_text('log_level = "info"\naccess_log = true\nmax_calls = 7')
        words.process.send_signal(signal.SIGHUP)
        until(lambda: "settings applied" in (tmp_path / "log").read_text())
        words.asked()
        until(lambda: '"method": "GetOutcome"' in (tmp_path / "log").read_text())
        file.write_text("nonsense = 1")
        words.process.send_signal(signal.SIGHUP)
        until(lambda: "no setting 'nonsense'" in (tmp_path / "log").read_text())
    text = (tmp_path / "log").read_text()
    assert text.count('"method": "GetOutcome"') == 1
    assert "when the server starts again: max_calls" in text


def test_only_live_settings_are_taken_up() -> None:
    before = ServerSettings()
    now = ServerSettings(access_log=True, max_waiting=5, tokens=Path("tokens"))
    found, rest = taken_up(before, before, now)
    assert found == replace(before, access_log=True)
    assert rest == ["tokens", "max_waiting"]
    assert taken_up(found, now, now) == (found, [])


def test_quotas_outlast_a_change_of_the_file(files: Files, tmp_path: Path) -> None:
    cells = Cells()
    files.account("one", "two", calls=3)
    header = [("authorization", "Bearer two")]
    Accounts.read(tmp_path / "tokens", cells).find(header).calls.take(2.0)
    files.account("zero", "two", calls=3)
    account = Accounts.read(tmp_path / "tokens", cells).find(header)
    assert account.calls.take(1.0) == 0
    assert 19 < account.calls.take(1.0) <= 20
    files.account("two", calls=60)
    assert Accounts.read(tmp_path / "tokens", cells).find(header).calls.take(10.0) > 9


def test_processes_share_quotas_by_token(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SHARED, str(tmp_path))
    files.account("one", "two", calls=2)
    first = Accounts.read(tmp_path / "tokens", Cells())
    files.account("two", "three", calls=2)
    second = Accounts.read(tmp_path / "tokens", Cells())  # another order, but the same cells
    header = [("authorization", "Bearer two")]
    assert first.find(header).calls.take(1.0) == 0
    assert second.find(header).calls.take(1.0) == 0
    assert first.find(header).calls.take(1.0) > 0
    assert first.find([("authorization", "Bearer one")]).calls.take(1.0) == 0


@needs_openssl
@pytest.mark.parametrize("days", [1, 40_000])  # from 2050 on, dates have a year of four digits
def test_the_end_of_a_certificate(files: Files, days: int) -> None:
    files.certify(days)
    settings = ServerSettings(
        tls_cert=files.keys.file("server.pem"),
        tls_key=files.keys.file("server.key"),
        tls_client_ca=files.keys.file("ours.pem"),
    )
    found = Certificates.read(settings)
    assert found is not None
    ends = [
        first_end(found.texts[str(file)]) for file in (settings.tls_cert, settings.tls_client_ca)
    ]
    assert ends == pytest.approx([time.time() + days * DAY, time.time() + 2 * DAY], abs=3600)
    for chain in (found.texts.values(), reversed(found.texts.values())):
        assert first_end("".join(chain)) == min(ends)
