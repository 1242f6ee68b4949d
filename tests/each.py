"""One test for many small cases, because most cases take less time than pytest takes for a test."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def for_each(name: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Make a test run for each case, given as the argument `name`. A failure names its case."""
    kept = list(cases)
    assert kept, "no cases"

    def decorated(test: Test) -> Test:
        @wraps(test)
        def run(**given: Any) -> None:
            for case in kept:
                try:
                    test(**given, **{name: case})
                except BaseException as error:
                    error.add_note(f"{name}: {case!r}")
                    raise

        signature = inspect.signature(test)
        others = [each for each in signature.parameters.values() if each.name != name]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorated
