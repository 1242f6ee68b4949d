"""Parallel test processes compile each kernel once: one compiles, the others load the result."""

import os
from fcntl import LOCK_EX, lockf
from importlib import import_module
from pathlib import Path
from typing import Any


def compile_each_kernel_once() -> None:
    """Let one process at a time compile a kernel, and let the others load the code from the cache.

    The lock is taken inside numba's own lock for the process, so that no two threads wait for each
    other. Each kernel takes it anew, in the order of calls.
    """
    import_module("position_oracle.engine.solvers.compiled")  # sets the folder of the cache
    from numba.core import dispatcher
    from numba.core.compiler_lock import global_compiler_lock

    kind: Any = dispatcher.Dispatcher
    compiled, folder = kind.compile, Path(os.environ["NUMBA_CACHE_DIR"])

    def compiled_once(self: Any, signature: Any) -> Any:
        function = self.py_func
        if not function.__module__.startswith("position_oracle."):
            return compiled(self, signature)
        lock = folder / f"{function.__module__}.{function.__qualname__}.lock"
        with global_compiler_lock, lock.open("w") as file:
            lockf(file, LOCK_EX)
            return compiled(self, signature)

    kind.compile = compiled_once
