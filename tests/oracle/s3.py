"""Settings of the environment that lead to a server of S3."""

import pytest


def use_s3(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Ask a server without encryption, by its address `http://host:port`."""
    for name, value in {
        "AWS_ENDPOINT_URL": address,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
