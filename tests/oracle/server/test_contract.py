"""The contract: the generated code is current, and everything has a comment."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodOptions,
)

from position_oracle.schema.proto.position_oracle.v1 import service_pb2

ROOT = Path(__file__).parents[3]
PROTO = ROOT / "schema" / "proto"
BEFORE = ROOT / "tests" / "golden" / "contract_v1.binpb"

pytest.importorskip("grpc_tools", reason="the generator is a development tool")


@pytest.mark.parametrize(
    "script", ["generate_proto", "generate_openapi", "generate_contract_reference"]
)
def test_generated_files_are_what_the_contract_generates(script: str) -> None:
    check = subprocess.run(
        [sys.executable, "-m", f"scripts.{script}", "--check"],
        cwd=ROOT,
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
    source.write_text(source.read_text().replace("Position child = 2;", "Position after = 2;"))
    assert script.drift() == [
        "position_oracle/v1/game_pb2.py",
        "position_oracle/v1/game_pb2.pyi",
    ]


def compiled(folder: Path) -> FileDescriptorSet:
    """Compile the contract with its comments."""
    target = folder / "contract.bin"
    names = sorted(
        str(path.relative_to(PROTO)) for path in PROTO.glob("position_oracle/**/*.proto")
    )
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}"]
    command += ["--include_source_info", f"--descriptor_set_out={target}", *names]
    subprocess.run(command, check=True)
    return FileDescriptorSet.FromString(target.read_bytes())


def elements(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """Path (in protoc's numbers) and name of everything that needs a comment."""
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


def test_every_answer_names_its_tables() -> None:
    """The response or its answer names the tables. Graphs of callers need no tables."""
    for method in service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods:
        if method.name == "SolveGraph":
            continue
        response = method.output_type
        inside = [field.message_type for field in response.fields if field.message_type]
        named = {field.name for message in (response, *inside) for field in message.fields}
        assert "tables" in named, method.name


def test_every_call_changes_nothing() -> None:
    """Clients may repeat any call, and ask by GET."""
    for method in service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods:
        level = method.GetOptions().idempotency_level
        assert level == MethodOptions.NO_SIDE_EFFECTS, method.name


def test_every_list_comes_in_pages() -> None:
    """A response with a list of messages has a token for the next page, and its request a size."""
    for method in service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods:
        fields = method.output_type.fields
        has_list = any(field.is_repeated and field.message_type for field in fields)
        if has_list and not method.name.startswith("Batch"):  # as long as the list of the request
            assert "next_page_token" in method.output_type.fields_by_name, method.name
            assert {"page_size", "page_token"} <= set(method.input_type.fields_by_name)


def test_the_contract_before_is_kept() -> None:
    """`buf breaking` compares with a file that has every call of clients in use."""
    before = FileDescriptorSet.FromString(BEFORE.read_bytes())
    (service,) = (service for file in before.file for service in file.service)
    now = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"]
    assert {method.name for method in service.method} <= set(now.methods_by_name)


def buf(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "buf"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the contract that tests may damage."""
    if not (Path(sys.executable).parent / "buf").exists():
        pytest.skip("buf is a development tool")
    shutil.copytree(PROTO, tmp_path / "schema" / "proto")
    shutil.copy(ROOT / "buf.yaml", tmp_path)
    return tmp_path


def test_buf_finds_nothing(copy: Path) -> None:
    assert buf("lint", folder=copy).stdout == ""
    assert buf("breaking", "--against", str(BEFORE), folder=copy).stdout == ""


BREAKS = {
    "Position child = 2;": "Position child = 9;",
    "string text = 1;": "bytes text = 1;",
    "OUTCOME_P = 1;": "OUTCOME_PREVIOUS = 1;",
    "rpc GetInstantWinners(": "rpc ListInstantWinners(",
    "bytes coordinates = 3;": "",
    "option java_multiple_files = true;": "",
    "option idempotency_level = NO_SIDE_EFFECTS;": "",
    "message Fraction {": "message Quotient {",
}


@pytest.mark.parametrize("kept", BREAKS)
def test_buf_finds_what_would_break_clients(copy: Path, kept: str) -> None:
    own = copy.glob("schema/proto/position_oracle/**/*.proto")
    file = next(path for path in sorted(own) if kept in path.read_text())
    file.write_text(file.read_text().replace(kept, BREAKS[kept], 1))
    found = buf("breaking", "--against", str(BEFORE), folder=copy)
    assert found.returncode == 100
    assert file.name in found.stdout
