"""Settings of the environment that lead to an S3 server."""

import pytest


def use_s3(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Set the address `http://host:port` of an S3 server without encryption."""
    for name, value in {
        "AWS_ENDPOINT_URL": address,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
