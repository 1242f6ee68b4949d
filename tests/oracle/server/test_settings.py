"""Settings come from flags, the environment and a file; each wrong one is reported in one line."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.process import fitted
from position_oracle.oracle.server.settings import (
    ReadSettings,
    SettingsError,
    read_settings,
)
from tests.each import for_each

NUMBERS = [
    (entry.name, entry.metadata["low"], entry.metadata["high"])
    for entry in fields(ServerSettings)
    if isinstance(entry.default, int | float) and not isinstance(entry.default, bool)
]
ADDRESSES = (
    "", "nonsense", ":50051", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1",
    "127.0.0.1:65536", "127.0.0.1:99999", "127.0.0.1: 1", "127.0.0.1:\u0661", "::1:50051",
    "0.0.0.0:50051", "[::]:50051", "example.org:50051", "192.168.0.1:1",
)  # fmt: skip


@pytest.mark.parametrize("address", ["127.0.0.1:0", "127.9.9.9:65535", "localhost:1", "[::1]:5"])
def test_loopback_addresses_need_no_more(address: str) -> None:
    assert ServerSettings(address=address).address == address


@pytest.mark.parametrize("address", ADDRESSES)
def test_invalid_and_unsafe_addresses_are_refused(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", "--db", str(tmp_path), "--address", address]) == 2
    assert_one_line(capsys, "address" if address else "")


def test_other_addresses_need_tls_and_a_list_of_callers(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert", tmp_path / "key"
    outside = "0.0.0.0:1"
    assert ServerSettings(address=outside, insecure=True)
    assert ServerSettings(address=outside, tls_cert=cert, tls_key=key, tokens=tmp_path)
    assert ServerSettings(address=outside, tls_cert=cert, tls_key=key, tls_client_ca=cert)
    with pytest.raises(SettingsError, match="can be reached from outside"):
        ServerSettings(address=outside, tls_cert=cert, tls_key=key)
    with pytest.raises(SettingsError, match="can be reached from outside"):
        ServerSettings(address=outside, tokens=tmp_path)
    with pytest.raises(SettingsError, match="together"):
        ServerSettings(tls_cert=cert)
    with pytest.raises(SettingsError, match="tls_client_ca needs"):
        ServerSettings(tls_client_ca=cert)


NAMES = [name for name, _, _ in NUMBERS]
NO_NUMBERS = ["", "x", "nan", "inf", "1e400", "0x10"]


@for_each(
    "wrong",
    [
        *((name, "-1") for name in NAMES),
        *((name, value) for name in ("workers", "call_seconds") for value in NO_NUMBERS),
    ],
)
def test_invalid_numbers_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, str]
) -> None:
    name, value = wrong
    flag = f"--{name.replace('_', '-')}={value}"
    assert run(["serve", "--db", str(tmp_path), flag]) == 2
    assert_one_line(capsys, name)


@pytest.mark.parametrize(("name", "low", "high"), NUMBERS)
def test_numbers_at_their_limits(name: str, low: float, high: float) -> None:
    assert read_settings({name: low})
    assert read_settings({name: high})
    with pytest.raises(SettingsError, match=f"^{name} = .*; allowed is"):
        read_settings({name: low - 1})
    with pytest.raises(SettingsError, match="allowed is"):
        read_settings({name: high + 1})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("drain = 1", "no setting 'drain'"),
        ("drain_seconds = 'x'", "drain_seconds = 'x'"),
        ("drain_seconds = true", "drain_seconds = True"),
        ("drain_seconds = [1]", r"drain_seconds = \[1\]"),
        ("max_calls = 1.5", "max_calls = 1.5"),
        ("access_log = 3", "access_log = 3"),
        ("address = 5", "address = 5"),
        ("drain_seconds", "settings file"),
        ("[drain_seconds]\nx = 1", "drain_seconds"),
        ("max_calls = '\u0967'", "give a whole number"),
        ("max_calls = '1_0'", "give a whole number"),
        (f"max_calls = '{'9' * 5000}'", "give a whole number"),
        (f"max_calls = {'[' * 5000}", "settings file"),
        ('tokens = "a\\u0000b"', "give a path"),
        ("web_hosts = 'a b'", "'a b' is not a name"),
        ("traces = 'http://localhost:99999'", "is not http://host:port"),
        ("web = 'unix:/x'", "write host:port"),
        (f"web = '{'x' * 5000}'", "web = "),
        (f"{'x' * 5000} = 1", "no setting"),
        (f"address = '{'x' * 5000}:1'", "can be reached from outside"),
    ],
)
def test_files_that_are_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=says):
        read_settings({}, file)
    assert run(["serve", "--db", str(tmp_path), "--settings", str(file)]) == 2
    assert_one_line(capsys, "")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (tmp_path / "none", tmp_path, pipe, Path("/dev/zero")):
        with pytest.raises(SettingsError, match="settings file"):
            read_settings({}, file)


def test_flags_win_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[ServerSettings] = []

    def serve(settings: ServerSettings, read: ReadSettings, announce: object) -> None:
        assert announce
        assert read() == settings
        served.append(settings)

    monkeypatch.setattr("position_oracle.oracle.server.process.serve", serve)
    file = tmp_path / "settings.toml"
    file.write_text("drain_seconds = 1\nnotice_seconds = 2\nmax_calls = 3\naccess_log = true\n")
    monkeypatch.setenv("ORACLE_SETTINGS", str(file))
    monkeypatch.setenv("ORACLE_NOTICE_SECONDS", "20")
    monkeypatch.setenv("ORACLE_DRAIN_SECONDS", "10")
    assert run(["serve", "--drain-seconds", "100"]) == 0
    (settings,) = served
    assert (settings.drain_seconds, settings.notice_seconds) == (100.0, 20.0)
    assert settings.max_calls == 3
    assert settings.access_log is True
    assert settings.insecure is False


def test_each_wrong_setting_has_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("nonsense = 1\nnotice_seconds = -1\n")
    monkeypatch.setenv("ORACLE_MAX_CALLS", "many")
    flags = ["--settings", str(file), "--address", "nowhere", "--tls-client-ca", str(file)]
    assert run(["serve", *flags]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("oracle: ") for line in lines)
    wrong = ("nonsense", "notice_seconds = -1", "max_calls = 'many'", "address", "tls_client_ca")
    assert all(any(name in line for line in lines) for name in wrong), lines
    assert len(lines) == len(wrong)


def test_the_settings_shown_say_where_they_come_from_and_are_a_settings_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, shown = tmp_path / "settings.toml", tmp_path / "shown.toml"
    file.write_text('drain_seconds = 1\nnotice_seconds = 2\ntokens = "call\\"ers"\n')
    monkeypatch.setenv("ORACLE_NOTICE_SECONDS", "20")
    flags = ["--settings", str(file), "--max-calls", "7", "--db", "d\u00e9", "--show-settings"]
    assert run(["serve", *flags]) == 0
    text = capsys.readouterr().out
    for line in (
        f"drain_seconds = 1.0  # {file}",
        "notice_seconds = 20.0  # ORACLE_NOTICE_SECONDS",
        "max_calls = 7  # --max-calls",
        "access_log = false  # default",
        "# tls_cert =  # default",
    ):
        assert line in text.splitlines()
    shown.write_text(text)
    given = {"max_calls": 7, "db": "d\u00e9", "notice_seconds": 20}
    assert read_settings({}, shown) == read_settings(given, file)


def test_the_help_names_every_setting() -> None:
    command = [sys.executable, "-m", "position_oracle", "serve", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for entry in fields(ServerSettings):
        assert f"--{entry.name.replace('_', '-')}" in text


def assert_one_line(capsys: pytest.CaptureFixture[str], says: str) -> None:
    error = capsys.readouterr().err
    assert error.startswith("oracle: ")
    assert error.count("\n") == 1
    assert len(error) < 1000
    assert says in error


def test_questions_fit_in_the_memory_that_there_is() -> None:
    settings = ServerSettings(workers=2)
    assert fitted(settings, 64 << 30) is settings
    assert fitted(settings, 2 << 30).call_bytes == 256 << 20
