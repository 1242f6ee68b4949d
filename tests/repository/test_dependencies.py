"""Every import is declared in the right extra; every declared library is used and explained."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import position_oracle

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
DOCUMENT = (ROOT / "docs/dependencies.md").read_text()
ROOMS = ("position_oracle/__init__.py", "schema", "engine", "oracle", "clients")
OURS = {"position_oracle", "bench", "scripts", "tests"}
STANDARD = sys.stdlib_module_names

# Folders that may import libraries of extras other than `engine`. A longer path takes precedence.
PLACES = {
    "position_oracle": [],
    "clients": [],
    "clients/plot": ["plot"],
    "clients/adapters/openspiel.py": ["openspiel"],
    "clients/adapters/zoo.py": ["pettingzoo"],
    "schema": ["engine"],
    "engine": ["engine"],
    "engine/jobs/ensembles.py": ["engine", "distributed"],
    "oracle": ["engine"],
    "oracle/command.py": [],
    "oracle/shipping.py": ["engine", "tables"],
    "oracle/web": ["engine", "web"],
    "oracle/server/metrics.py": ["engine", "metrics"],
    "oracle/server/traces.py": ["engine", "tracing"],
    "oracle/cli/plotting": ["engine", "plot"],
    "oracle/cli/reproduce.py": ["engine", "plot"],
    "oracle/reproduce": ["engine", "plot"],
}
# Undocumented parts of other packages, and the libraries that need a pin because of them.
UNDOCUMENTED = {
    "numba.core": "numba",
    "numba.np": "numba",
    "llvmlite": "llvmlite",
    "uvicorn.protocols": "uvicorn",
    "uvicorn.server": "uvicorn",
    "h11": "h11",
    "typer.completion": "typer",
}
GENERATED = "schema/proto/position_oracle/v1/service_pb2_grpc.py"


def declared(requirements: list[str]) -> set[str]:
    names: set[str] = {canonicalize_name(Requirement(each).name) for each in requirements}
    return names - {canonicalize_name(PROJECT["name"])}


def python_files(*places: str) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


@cache
def imported(file: Path) -> tuple[tuple[str, list[str]], ...]:
    """Return the modules that a file imports, also by name, with the names taken from each."""
    return tuple(_imported(ast.parse(file.read_text())))


def _imported(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module), [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = getattr(node.func, "attr", getattr(node.func, "id", None))
            if function in {"import_module", "__import__", "importorskip"}:
                yield str(node.args[0].value), []


@cache
def packages() -> Mapping[str, list[str]]:
    """Return the packages that install each module; to find them takes longer than most tests."""
    return packages_distributions()


def libraries(file: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield the foreign modules that a file imports, and the packages that install each."""
    for module, _ in imported(file):
        top = module.partition(".")[0]
        if top not in STANDARD and top not in OURS:
            parts = packages().get(top, [])
            yield module, {canonicalize_name(part) for part in parts}


FILES = [file for file in python_files(*ROOMS) if file.is_file()]


def allowed(file: Path) -> set[str]:
    path = str(file.relative_to(ROOT))
    inside = [place for place in PLACES if path == place or path.startswith(f"{place}/")]
    extras = PLACES[max(inside, key=len)]
    requirements = [each for extra in extras for each in EXTRAS[extra]]
    return declared([*PROJECT["dependencies"], *requirements])


def undocumented(module: str) -> str | None:
    for part, library in UNDOCUMENTED.items():
        if module == part or module.startswith(f"{part}."):
            return library
    return None


def test_every_import_of_the_rooms_is_declared_where_it_is_needed() -> None:
    """Every declared library is imported, too. The files are read once."""
    assert len(FILES) > 300
    imports = [
        (str(file.relative_to(ROOT)), module, names)
        for file in FILES
        for module, names in imported(file)
    ]
    found = [(file, *each) for file in FILES for each in libraries(file)]
    undeclared = [(str(file), module) for file, module, by in found if not by & allowed(file)]
    assert not undeclared
    users = [each for extra in EXTRAS if extra != "dev" for each in EXTRAS[extra]]
    used = {package for _, _, packages in found for package in packages}
    assert declared([*PROJECT["dependencies"], *users]) - used == set()
    modules = {f"{module}.{n}" for _, module, names in imports for n in names}
    modules |= {module for _, module, _ in imports}
    assert {undocumented(module) for module in modules} == {None, *UNDOCUMENTED.values()}
    private = {
        f"{place}: {module} {name}"
        for place, module, names in imports
        if module.partition(".")[0] not in STANDARD | OURS
        for name in (*module.split("."), *names)
        if re.match(r"_(?!_)", name)
    }
    assert private == {f"{GENERATED}: grpc._utilities _utilities"}, "called private"


def test_every_import_of_tests_and_tools_is_declared() -> None:
    everything = declared([*PROJECT["dependencies"], *(e for x in EXTRAS.values() for e in x)])
    undeclared = [
        f"{file.relative_to(ROOT)}: {module}"
        for file in python_files("tests", "bench", "examples", "scripts")
        for module, packages in libraries(file)
        if not packages & everything
    ]
    assert not undeclared


def test_every_declared_library_is_explained() -> None:
    explained = {
        name
        for line in DOCUMENT.splitlines()
        if line.startswith("|")
        for name in re.findall(r"`([a-z0-9-]+)`", line)
    }
    everything = [*PROJECT["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
    assert declared(everything) - explained == set()
    tables = DOCUMENT.split("\n## ")
    for title, section in (("The client\n", PROJECT["dependencies"]), ("Extras\n", EXTRAS["web"])):
        (table,) = [each for each in tables if each.startswith(title)]
        assert declared(section) <= set(re.findall(r"`([a-z0-9-]+)`", table))


def test_undocumented_parts_are_pinned_and_listed() -> None:
    requirements = {Requirement(each).name: each for extra in EXTRAS.values() for each in extra}
    for library in set(UNDOCUMENTED.values()):
        low, high = re.findall(r"0\.(\d+)", requirements[library])
        assert int(high) == int(low) + 1, library
        assert f"`{library}`" in DOCUMENT.split("that are not documented")[1], library


# The documents of the libraries name these. PettingZoo tells environments to call the last two.
DOCUMENTED = {"_asdict", "_fields", "_replace", "_exit", "_accumulate_rewards", "_was_dead_step"}


@pytest.mark.parametrize("room", ROOMS[1:])
def test_no_private_attribute_of_another_package_is_read(room: str) -> None:
    """An attribute with a leading underscore belongs to a class or module of the same package."""
    files = [file for file in python_files(room) if not file.name.endswith(("_pb2.py", "_grpc.py"))]
    trees = {file: ast.parse(file.read_text()) for file in files}
    ours = {name for tree in trees.values() for name in named(tree)}
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and re.match(r"_(?!_)", node.attr):
                assert node.attr in ours | DOCUMENTED, f"{file.relative_to(ROOT)}: {node.attr}"


def named(tree: ast.AST) -> Iterator[str]:
    """Return the names that a module defines: functions, classes, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def test_the_version_has_one_place() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert "version" not in PROJECT
    text = position_oracle.__version__
    places = [
        file.relative_to(ROOT)
        for pattern in ("*.toml", "*.yml", "Dockerfile", "Makefile", "position_oracle/*.py")
        for file in ROOT.glob(pattern)
        if re.search(rf"(?<![\d.]){re.escape(text)}(?![\d.])", file.read_text())
    ]
    assert places == [Path("position_oracle/__init__.py")]
