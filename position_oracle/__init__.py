"""Solved combinatorial games: clients of a position oracle, the oracle itself, rules, bots, plots.

>>> from position_oracle import OracleClient, bots, rules
>>> rules.legal_moves("nim:[1,2]")
('nim:[0,2]', 'nim:[1,1]', 'nim:[1,0]')

The stub beside this file lists every public name and the module that it comes from. A name is
imported when it is first used, so that a bot that asks a server needs neither numba nor a database.
"""

import ast
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

__version__ = "1.0.0rc1"

_NEEDS = {"plot": "matplotlib", "Snapshot": "duckdb"}
"""Libraries of the extras that a public name needs."""


@cache
def _homes() -> dict[str, str]:
    """Return the module that each public name comes from, as the stub says."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return {name.name: node.module or "" for node in imports for name in node.names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name == "__all__":
        return _listed()
    if name.startswith("_") or name not in _homes():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _homes()[name]
    module = import_module(home)
    value = getattr(module, name) if hasattr(module, name) else import_module(f"{home}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, for tab completion and `help`."""
    return [*_listed(), "__version__"]


def _listed() -> list[str]:
    """Return the public names that can be imported with the installed libraries."""
    missing = {name for name, library in _NEEDS.items() if find_spec(library) is None}
    return sorted(_homes().keys() - missing)
