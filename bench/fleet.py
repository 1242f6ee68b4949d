"""Simulate replicas behind a balancer: the load that ten carry, and the failure of one.

Each replica has servers, which answer one call at a time: the event loops of its workers, or the
threads for searches. Calls arrive at random. The balancer draws two replicas that it takes for
healthy and sends the call to the one with fewer calls in progress, as Envoy does (power of two
choices). It asks each replica for its health every two seconds. A call that met a replica that is
gone is sent to another one, at most twice. One that waits too long is refused.

Run with `python -m bench fleet`.
"""

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import simpy

CHECK_SECONDS: Final = 2.0
RETRIES: Final = 2

Rate = Callable[[float], float]
"""Number of calls a second at a given time."""

Draw = Callable[[random.Random], float]
"""Function that returns a random service time, in seconds."""

Process = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class Absence:
    """A time in which a replica answers nothing.

    Attributes:
        replica: number of the replica.
        begin: start of the absence, in seconds.
        seconds: length of the absence.
        is_announced: whether the replica announces the absence and finishes its calls, as in a
            rollout.
    """

    replica: int
    begin: float
    seconds: float
    is_announced: bool = False


@dataclass(frozen=True, slots=True)
class Fleet:
    """The replicas and the conditions of a simulation.

    Attributes:
        replicas: number of replicas.
        servers: number of servers in each replica.
        service: function that returns the time a server needs for a call.
        wait_seconds: longest wait before a call is refused.
        slow: factor of the service time, by number of the replica.
        absences: times in which replicas answer nothing.
    """

    replicas: int
    servers: int
    service: Draw
    wait_seconds: float = 5.0
    slow: dict[int, float] = field(default_factory=dict)
    absences: tuple[Absence, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a simulation, as the callers saw them.

    Attributes:
        calls: number of calls.
        seconds: time of each answered call, in the order in which they ended.
        refused: calls that waited too long.
        lost: calls that no replica took.
        tried_again: calls that met a replica that was gone.
        span: seconds in which calls arrived.
    """

    calls: int
    seconds: np.ndarray[Any, np.dtype[np.float64]]
    refused: int
    lost: int
    tried_again: int
    span: float

    @property
    def throughput(self) -> float:
        """Number of answers a second."""
        return len(self.seconds) / self.span

    def quantile(self, q: float) -> float:
        """Return the time within which this share of the answers came, in seconds."""
        return float(np.quantile(self.seconds, q)) if len(self.seconds) else float("nan")


class _Simulation:
    def __init__(self, fleet: Fleet, rate: Rate, span: float, seed: int) -> None:
        self.fleet, self.rate, self.span = fleet, rate, span
        self.random = random.Random(seed)  # noqa: S311 - a simulation
        self.env = simpy.Environment()
        self.servers = [simpy.Resource(self.env, fleet.servers) for _ in range(fleet.replicas)]
        self.busy = [0] * fleet.replicas
        self.is_there = [True] * fleet.replicas
        self.is_healthy = [True] * fleet.replicas
        self.calls = self.refused = self.lost = self.tried_again = 0
        self.seconds: list[float] = []

    def run(self) -> Outcome:
        self.env.process(self._arrivals())
        for absence in self.fleet.absences:
            self.env.process(self._absent(absence))
        for replica in range(self.fleet.replicas):
            self.env.process(self._checked(replica))
        self.env.run(self.span + self.fleet.wait_seconds)
        return Outcome(
            self.calls, np.array(self.seconds), self.refused, self.lost, self.tried_again, self.span
        )

    def _arrivals(self) -> Process:
        while self.env.now < self.span:
            yield self.env.timeout(self.random.expovariate(self.rate(self.env.now)))
            self.calls += 1
            self.env.process(self._call())

    def _call(self) -> Process:
        begun, avoided = self.env.now, set[int]()
        for _ in range(1 + RETRIES):
            replica = self._chosen(avoided)
            if replica is None:
                break
            if not self.is_there[replica]:  # the connection is refused at once
                avoided.add(replica)
                self.tried_again += 1
                continue
            self.busy[replica] += 1
            with self.servers[replica].request() as turn:
                yield turn | self.env.timeout(self.fleet.wait_seconds)
                if turn.triggered:
                    factor = self.fleet.slow.get(replica, 1.0)
                    yield self.env.timeout(factor * self.fleet.service(self.random))
            self.busy[replica] -= 1
            if turn.triggered:
                self.seconds.append(self.env.now - begun)
            else:
                self.refused += 1
            return
        self.lost += 1

    def _chosen(self, avoided: set[int]) -> int | None:
        healthy = [
            replica
            for replica, is_healthy in enumerate(self.is_healthy)
            if is_healthy and replica not in avoided
        ]
        if not healthy:
            return None
        drawn = self.random.choices(healthy, k=2)
        return min(drawn, key=self.busy.__getitem__)

    def _checked(self, replica: int) -> Process:
        yield self.env.timeout(self.random.uniform(0, CHECK_SECONDS))
        while True:
            self.is_healthy[replica] = self.is_there[replica]
            yield self.env.timeout(CHECK_SECONDS)

    def _absent(self, absence: Absence) -> Process:
        yield self.env.timeout(absence.begin)
        if absence.is_announced:
            self.is_healthy[absence.replica] = False
        self.is_there[absence.replica] = False
        yield self.env.timeout(absence.seconds)
        self.is_there[absence.replica] = True


def simulate(fleet: Fleet, rate: Rate, span: float, seed: int = 1) -> Outcome:
    """Simulate calls that arrive at a fleet for some seconds."""
    return _Simulation(fleet, rate, span, seed).run()


def measured_outcomes(rng: random.Random) -> float:
    """Return the service time of an outcome from tables: 0.32 to 0.44 ms (docs/operation.md).

    One call in a hundred takes ten times as long, because the outcome is computed.
    """
    return rng.uniform(0.00032, 0.00044) * (10 if rng.random() < 0.01 else 1)


def steady(calls: float) -> Rate:
    """Return a constant rate of calls."""
    return lambda _: calls


def crowd(before: float, during: float, begin: float, end: float) -> Rate:
    """Return a rate of calls that is higher between two times."""
    return lambda now: during if begin <= now < end else before


SPAN: Final = 12.0
TEN: Final = Fleet(10, 2, measured_outcomes)
SCENARIOS: Final[tuple[tuple[str, Fleet, Rate], ...]] = (
    ("10,000 calls a second", TEN, steady(10_000)),
    ("30,000 calls a second", TEN, steady(30_000)),
    ("40,000 calls a second", TEN, steady(40_000)),
    ("a crowd: 10,000, for 3 s 60,000", TEN, crowd(10_000, 60_000, 3, 6)),
    (
        "a machine is lost without a word",
        Fleet(10, 2, measured_outcomes, absences=(Absence(0, 3, 60),)),
        steady(10_000),
    ),
    (
        "a machine takes ten times as long",
        Fleet(10, 2, measured_outcomes, slow={0: 10.0}),
        steady(10_000),
    ),
    (
        "a rollout, a machine each second",
        Fleet(
            10,
            2,
            measured_outcomes,
            absences=tuple(Absence(n, 1.0 + n, 1.0, is_announced=True) for n in range(10)),
        ),
        steady(10_000),
    ),
)


def main() -> None:
    """Print a table of scenarios."""
    print("| scenario | answered | 50 % ms | 99 % ms | tried again | refused | lost |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, fleet, rate in SCENARIOS:
        found = simulate(fleet, rate, SPAN)
        times = " | ".join(f"{1000 * found.quantile(q):.1f}" for q in (0.5, 0.99))
        share = len(found.seconds) / found.calls
        print(
            f"| {name} | {share:.2%} | {times} | {found.tried_again} | {found.refused}"
            f" | {found.lost} |"
        )


if __name__ == "__main__":
    main()
