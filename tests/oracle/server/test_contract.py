"""The contract itself: generated code that fits it, and a comment on everything."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet

ROOT = Path(__file__).parents[3]
PROTO = ROOT / "schema" / "proto"

pytest.importorskip("grpc_tools", reason="the generator is a development tool")


def test_generated_code_is_what_the_contract_generates() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate_proto.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stdout + check.stderr


def test_drift_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location(
        "generate_proto", ROOT / "scripts" / "generate_proto.py"
    )
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    copy = shutil.copytree(PROTO, tmp_path / "proto")
    monkeypatch.setattr(script, "PROTO", copy)
    script.generate(copy)
    assert script.drift() == []
    source = copy / "position_oracle" / "v1" / "game.proto"
    source.write_text(source.read_text().replace("bool is_pass = 3;", "bool is_passing = 3;"))
    assert script.drift() == [
        "position_oracle/v1/game_pb2.py",
        "position_oracle/v1/game_pb2.pyi",
    ]


def compiled(folder: Path) -> FileDescriptorSet:
    """The contract with its comments."""
    target = folder / "contract.bin"
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}"]
    command += ["--include_source_info", f"--descriptor_set_out={target}", *names]
    subprocess.run(command, check=True)
    return FileDescriptorSet.FromString(target.read_bytes())


def elements(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """Path, as protoc counts, and name of everything that needs a comment."""
    for m, message in enumerate(file.message_type):
        yield (4, m), message.name
        yield from fields(message, (4, m))
    for e, enum in enumerate(file.enum_type):
        yield (5, e), enum.name
        for v, value in enumerate(enum.value):
            yield (5, e, 2, v), value.name
    for s, service in enumerate(file.service):
        yield (6, s), service.name
        for r, method in enumerate(service.method):
            yield (6, s, 2, r), method.name


def fields(
    message: DescriptorProto, path: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], str]]:
    for f, field in enumerate(message.field):
        yield (*path, 2, f), f"{message.name}.{field.name}"


def test_everything_in_the_contract_is_described(tmp_path: Path) -> None:
    files = compiled(tmp_path).file
    assert {file.package for file in files} == {"position_oracle.v1"}
    for file in files:
        described = {
            tuple(location.path)
            for location in file.source_code_info.location
            if location.leading_comments.strip()
        }
        missing = [name for path, name in elements(file) if path not in described]
        assert missing == []
