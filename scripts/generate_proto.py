#!/usr/bin/env python3
"""Generate the Python code of the gRPC contract beside its `.proto` files.

    python scripts/generate_proto.py            write the generated files
    python scripts/generate_proto.py --check    fail, and name the files, where they would change

The import root of the contract is `schema/proto`, so that files are called
`position_oracle/v1/game.proto` in every language. Python needs them under
`position_oracle.schema.proto`: that
prefix is put into the generated import lines.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PROTO: Final = ROOT / "schema" / "proto"
GENERATED: Final = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")
_SERVICE: Final = re.compile(r"^service ", re.MULTILINE)
_IMPORT: Final = re.compile(r"^(\s*)(from|import) position_oracle\b", re.MULTILINE)


def generate(target: Path) -> None:
    """Write the generated files of every `.proto` file under a folder.

    Raises:
        subprocess.CalledProcessError: the contract does not compile; the compiler prints the
            reason.
    """
    sources = sorted(PROTO.glob("position_oracle/**/*.proto"))
    services = [path for path in sources if _SERVICE.search(path.read_text())]
    compile_contract(sources, f"--python_out={target}", f"--mypy_out=quiet:{target}")
    compile_contract(services, f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}")
    for path in generated(target):
        path.write_text(
            _IMPORT.sub(r"\1\2 position_oracle.schema.proto.position_oracle", path.read_text())
        )


def compile_contract(sources: list[Path], *outputs: str) -> None:
    """Run the protocol compiler on files of the contract.

    Raises:
        subprocess.CalledProcessError: the files do not compile; the compiler prints the reason.
    """
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *outputs]
    scripts = Path(sys.executable).parent  # where the mypy plugins of this environment are
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}"}
    names = [str(path.relative_to(PROTO)) for path in sources]
    subprocess.run([*command, *names], check=True, env=environment)


def generated(folder: Path) -> list[Path]:
    """Return the generated files under a folder, in order."""
    return sorted(path for pattern in GENERATED for path in folder.rglob(pattern))


def drift() -> list[str]:
    """Return the names of the committed files that differ from newly generated files."""
    with tempfile.TemporaryDirectory() as name:
        fresh = Path(name)
        generate(fresh)
        new = {str(path.relative_to(fresh)): path.read_text() for path in generated(fresh)}
    old = {str(path.relative_to(PROTO)): path.read_text() for path in generated(PROTO)}
    return sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name))


def main() -> int:
    """Run the command line; return 1 if `--check` finds a difference."""
    parser = argparse.ArgumentParser(description="Generate the code of the gRPC contract.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    if not parser.parse_args().check:
        generate(PROTO)
        return 0
    changed = drift()
    for name in changed:
        print(f"schema/proto/{name} is not what the contract generates; run make proto")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
