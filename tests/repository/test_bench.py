"""Benchmarks run together, chosen by name."""

import importlib
import inspect
import pkgutil

import pytest

import bench
from bench.__main__ import INFRASTRUCTURE

NAMES = sorted({m.name for m in pkgutil.iter_modules(bench.__path__)} - INFRASTRUCTURE)


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_needs_no_arguments(name: str) -> None:
    main = importlib.import_module(f"bench.{name}").main
    inspect.signature(main).bind()
