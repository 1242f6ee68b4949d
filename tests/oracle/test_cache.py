import threading
import time
from collections.abc import Callable
from functools import partial
from weakref import ref

import numpy as np
import pytest

from position_oracle.engine.budget import Budget, current
from position_oracle.oracle import cache as cache_module
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.core import Oracle, prober_of
from position_oracle.oracle.families.base import Prober
from position_oracle.schema.errors import StoppedError


class Maker:
    """Returns its argument, and keeps a list of the arguments."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def __call__(self, result: int) -> int:
        self.made.append(result)
        return result


def size(result: object) -> int:
    return 10


def in_thread(
    work: Callable[[], object], budget: Budget
) -> "tuple[threading.Thread, list[object]]":
    results: list[object] = []

    def run() -> None:
        with budget.active():
            try:
                results.append(work())
            except BaseException as error:
                results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def wait_for_stop() -> str:
    while True:
        current().check()
        time.sleep(0.001)


def test_a_result_is_computed_once_and_kept() -> None:
    cache, made = Cache(), Maker()
    for _ in range(3):
        assert cache.find("squares", 7, partial(made, 49), size) == 49
    assert made.made == [49]
    assert cache.nbytes == 10


def test_it_has_a_result_once_that_is_made() -> None:
    cache, told = Cache(), list[bool]()

    def made() -> int:
        told.append(cache.has("squares", 7))
        return 49

    assert not cache.has("squares", 7)
    cache.find("squares", 7, made, size)
    assert told == [False]
    assert cache.has("squares", 7)
    assert not cache.has("squares", 8)
    assert not cache.has("cubes", 7)


def test_keys_of_different_kinds_do_not_meet() -> None:
    cache = Cache()
    assert cache.find("a", 1, lambda: "a1", size) == "a1"
    assert cache.find("b", 1, lambda: "b1", size, lambda _: True) == "b1"


def test_the_result_of_another_key_may_serve() -> None:
    cache = Cache()
    cache.find("up to", 100, lambda: "up to 100", size)
    assert cache.find("up to", 50, lambda: "up to 50", size, lambda key: key >= 50) == "up to 100"
    assert cache.find("up to", 101, lambda: "more", size, lambda key: key >= 101) == "more"


@pytest.mark.parametrize(("room", "kept"), [(29, 2), (30, 3), (9, 0)])
def test_the_least_recently_used_go_first(room: int, kept: int) -> None:
    cache, made = Cache(room), Maker()
    for key in (1, 2, 3):
        cache.find("k", key, partial(made, key), size)
    assert cache.nbytes == 10 * kept
    for key in (3, 2, 1)[:kept]:
        cache.find("k", key, partial(made, key), size)
    assert made.made == [1, 2, 3]


def test_results_without_a_size_have_a_maximum_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "MAX_RESULTS", 3)
    cache = Cache()
    for number in range(6):
        cache.find("a", number, lambda: None, lambda _: 0)
    assert [cache.has("a", number) for number in range(6)] == [False] * 3 + [True] * 3


def test_a_result_that_is_found_is_used_again() -> None:
    cache, made = Cache(20), Maker()
    for key in (1, 2, 1, 3, 1, 4, 1):
        assert cache.find("k", key, partial(made, key), size) == key
    assert made.made == [1, 2, 3, 4]


def test_an_error_is_raised_and_not_kept() -> None:
    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.find("k", 1, lambda: 1 // 0, size)
    assert cache.find("k", 1, lambda: 5, size) == 5


def test_a_hit_does_not_wait_for_another_computation() -> None:
    cache, slow = Cache(), Budget()
    cache.find("k", "quick", lambda: 1, size)
    thread, _ = in_thread(lambda: cache.find("k", "slow", wait_for_stop, size), slow)
    assert cache.find("k", "quick", lambda: 2, size) == 1
    assert cache.find("k", "other", lambda: 3, size) == 3
    slow.cancel()
    thread.join(5)
    assert not thread.is_alive()


def test_work_continues_while_one_caller_waits_for_it() -> None:
    cache, go = Cache(), threading.Event()
    first, second = Budget(), Budget()

    def make() -> str:
        while not go.is_set():
            current().check()
            time.sleep(0.001)
        return "done"

    one, _ = in_thread(lambda: cache.find("k", 1, make, size), first)
    time.sleep(0.05)
    two, results = in_thread(lambda: cache.find("k", 1, make, size), second)
    time.sleep(0.05)
    first.cancel()
    time.sleep(0.05)
    go.set()
    one.join(5)
    two.join(5)
    assert results == ["done"]


def test_work_stops_when_the_last_one_gives_up() -> None:
    cache, budgets = Cache(), [Budget(), Budget()]
    threads = []
    for budget in budgets:
        threads.append(in_thread(lambda: cache.find("k", 1, wait_for_stop, size), budget))
        time.sleep(0.03)
    for budget in budgets:
        budget.cancel()
    for thread, results in threads:
        thread.join(5)
        assert not thread.is_alive()
        assert isinstance(results[0], StoppedError)
    assert cache.nbytes == 0


def test_two_threads_share_a_prober() -> None:
    """The second thread asks while the first one makes the prober."""
    oracle, made, others = Oracle(), list[str](), list[threading.Thread]()
    nim = prober_of("nim")
    found = list[Prober]()

    def ask() -> None:
        found.append(oracle._made("nim", kind))

    def kind() -> type[Prober]:
        made.append("nim")
        if not others:
            others.append(threading.Thread(target=ask))
            others[0].start()
            time.sleep(0.05)
        return nim

    ask()
    others[0].join(5)
    assert made == ["nim"]
    assert found[0] is found[1]


def test_a_question_does_not_hold_the_results_that_were_dropped() -> None:
    """The budget of a list is told of every computation, and lives until the list is answered."""
    cache = Cache(max_bytes=10)
    with Budget().active():
        first = ref(cache.find("kind", 1, lambda: np.zeros(1), size))
        assert first() is not None
        cache.find("kind", 2, lambda: np.zeros(1), size)
        assert first() is None
