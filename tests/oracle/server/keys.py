"""Keys and certificates for tests, made with openssl."""

import shutil
import subprocess
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the keys")


class Keys:
    """Two certificate authorities: one signs for server and caller, the other for a stranger."""

    def __init__(self, place: Path) -> None:
        """Make all keys and certificates in a folder."""
        self.place = place
        for name in ("ours", "other"):
            self._run("req", "-x509", "-subj", f"/CN={name}", "-out", f"{name}.pem", name=name)
        for name, authority in (("server", "ours"), ("caller", "ours"), ("stranger", "other")):
            self.sign(name, authority)

    def file(self, name: str) -> Path:
        """Return the path of a file."""
        return self.place / name

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return self.file(name).read_bytes()

    def sign(self, name: str, authority: str, days: int = 2) -> None:
        """Make a key, and a certificate for this name."""
        self._run("req", "-subj", f"/CN={name}", "-out", f"{name}.csr", name=name)
        self.file("names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
        command = f"openssl x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key"
        command += f" -CAcreateserial -days {days} -extfile names -out {name}.pem"
        subprocess.run(command.split(), cwd=self.place, check=True, capture_output=True)

    def _run(self, *arguments: str, name: str) -> None:
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
        command = ["openssl", *arguments, *key, "-keyout", f"{name}.key"]
        subprocess.run(command, cwd=self.place, check=True, capture_output=True)
