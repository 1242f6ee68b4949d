"""One test for many small cases: to collect and report a test takes longer than most of them."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def for_each(name: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each case, as an argument of that name; a failure names its case."""
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
