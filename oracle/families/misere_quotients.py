"""Octal games in misere play: answers for heaps of any size from misere quotients.

A stored certificate answers first. Otherwise a quotient is found on demand, and proved; its effort
depends only on the largest heap of the position, so answers do not depend on earlier questions.
Without a quotient of its heaps a position is searched.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.heap_sums import distinct
from position_oracle.engine.theory.misere_quotients import MisereQuotient, Monoid
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.oracle.families.heap_sums import SingleHeaps
from position_oracle.oracle.families.resources import Arrays, Loader, Resources, StoredTable
from position_oracle.oracle.families.sources import Ints, Outcomes
from position_oracle.schema.errors import UnknownAnswerError
from position_oracle.schema.games import Build

if TYPE_CHECKING:
    from position_oracle.schema.snapshot import Snapshot

KIND: Final = "misere_quotient"

MAX_SPLITS: Final = 300_000
"""Maximum number of pairs of heaps that are checked for winning moves."""

_CHUNK: Final = 1 << 15


@dataclass(frozen=True, slots=True)
class _Reach:
    """The effort to find a quotient, for heaps up to some size."""

    heap: float
    heaps_max: int
    words_max: int
    cost: Cost


_REACHES: Final = (
    _Reach(16, 16, 1 << 12, Cost(0.3, 16 << 20)),
    _Reach(32, 32, 1 << 19, Cost(3.0, 64 << 20)),
    _Reach(float("inf"), 512, 1 << 19, Cost(4.0, 64 << 20)),
)


@dataclass(frozen=True, slots=True)
class MisereHeaps(SingleHeaps):
    """Heaps of an octal game in misere play with a proved quotient."""

    quotient: MisereQuotient

    @property
    def certificate(self) -> str | None:
        """The certified period of the pretending function."""
        found = self.quotient
        if not found.period:
            return None
        return (
            f"classes of heaps periodic with period {found.period} from heap {found.preperiod} on;"
            f" proved up to heap {found.heaps_max}, certain beyond by the argument of Guy and Smith"
            " (1956)"
        )

    @property
    def theorem(self) -> str:
        """The quotient, its order, its heaps, and whether it is tame."""
        found = self.quotient
        heaps = "all heaps" if found.period else f"heaps up to {found.heaps_max}"
        period = f", period {found.period}" if found.period else ""
        kind = "tame" if found.is_tame else "wild"
        return (
            f"Plambeck and Siegel: the misere quotient of {heaps} has order {found.order}{period}"
            f" ({kind}); P exactly if the product of the classes of the heaps is a P-class"
        )

    def grundy(self, coordinates: Coordinates) -> int:
        """Raise UnknownAnswerError: misere play has no Grundy values."""
        raise UnknownAnswerError("Grundy values belong to normal play")

    def is_p_position(self, coordinates: Coordinates) -> bool:
        """Return whether the product of the classes of the heaps is P."""
        return self.quotient.is_p_position(coordinates)

    def winning_moves(self, coordinates: Coordinates) -> Iterator[Coordinates] | None:
        """Return winning moves in order; None for very large heaps that may be split."""
        code = self.quotient.code
        if code.splits and sum(set(coordinates)) * len(code.digits) > 2 * MAX_SPLITS:
            return None
        return self._winning(coordinates)

    def one_winning_move(self, coordinates: Coordinates) -> Coordinates | None:
        """Return a winning move whose smaller rest is in the first period, if there is one."""
        found = self.quotient
        return next(self._winning(coordinates, found.preperiod + found.period), None)

    def _winning(
        self, coordinates: Coordinates, part_max: int | None = None
    ) -> Iterator[Coordinates]:
        monoid = self.quotient.monoid
        for heap, others in distinct(coordinates):
            wins = monoid.wins_beside[self.quotient.element(others)]
            for left in _left_of(self.quotient, heap, wins, part_max):
                yield tuple(sorted(others + left))

    def values(self, rows: Ints) -> Ints:
        """Raise UnknownAnswerError: misere play has no Grundy values."""
        raise UnknownAnswerError("Grundy values belong to normal play")

    def outcomes(self, rows: Ints) -> Outcomes:
        """Return outcomes by the product of the classes."""
        places = self.quotient.places(rows)
        table, phi = self.quotient.monoid.table, self.quotient.phi
        found = np.zeros(len(rows), np.int32)
        for column in places.T:
            found = table[found, phi[column]]
        return np.where(self.quotient.monoid.is_p[found], np.uint8(Outcome.P), np.uint8(Outcome.N))


def _left_of(
    quotient: MisereQuotient, heap: int, wins: NDArray[np.bool_], part_max: int | None
) -> Iterator[tuple[int, ...]]:
    """Yield the rests of a heap whose classes are in a set, in the order of the rules."""
    code, table = quotient.code, quotient.monoid.table
    for taken in range(min(code.length, heap), -1, -1):
        digit, rest = code.digits[taken], heap - taken
        if rest == 0 and digit & 1 and wins[0]:
            yield ()
        if rest > 0 and digit & 2 and wins[quotient.at(rest)]:
            yield (rest,)
        if digit & 4:
            most = rest // 2 if part_max is None else min(rest // 2, part_max)
            for begin in range(1, most + 1, _CHUNK):
                current().check()
                parts = np.arange(begin, min(begin + _CHUNK, most + 1))
                left, right = quotient.classes(parts), quotient.classes(rest - parts)
                for part in parts[wins[table[left, right]]].tolist():
                    yield part, rest - part


class MisereQuotients:
    """Misere quotients, stored or found on demand."""

    def __init__(self, resources: Resources) -> None:
        """Read the stored quotients.

        Args:
            resources: Stored tables and the cache.
        """
        self._cache = resources.cache
        self._stored = {
            code_of(table.game): quotient_of(table) for table in resources.tables("octal", KIND)
        }

    def find(self, game: GameSpec, largest: int) -> MisereQuotient:
        """Return the quotient of all heaps up to one.

        Raises:
            UnknownAnswerError: none is stored, and none was found on demand.
        """
        code, reach = code_of(game), _reach_of(largest)
        stored = self._stored.get(code)
        if stored is not None and stored.knows(largest):
            return stored
        key = (code, reach.heaps_max)
        found = self._cache.find("misere quotient", key, lambda: _find(code, reach), _size)
        if not found.knows(largest):
            raise UnknownAnswerError(
                f"{game.text}: no misere quotient was found beyond heap {found.heaps_max}, and a"
                " search of the position is too large; either would decide it"
            )
        return found

    def plan(self, game: GameSpec, largest: int) -> Plan[SingleHeaps]:
        """Plan the search of `find`; running the plan raises the errors of `find`."""
        code, reach = code_of(game), _reach_of(largest)
        stored = self._stored.get(code)
        is_stored = stored is not None and stored.knows(largest)
        is_cached = self._cache.has("misere quotient", (code, reach.heaps_max))
        found = reach.cost.once("misere quotient", code, reach.heaps_max, is_cached=is_cached)
        return Plan(
            _STORED if is_stored else found,
            lambda: MisereHeaps(self.find(game, largest)),
            is_sure=is_stored,
        )


_STORED: Final = Cost(1e-6)
"""Cost of a stored quotient; above 0, so that the answer does not count as looked up."""


def _reach_of(largest: int) -> _Reach:
    return next(reach for reach in _REACHES if largest <= reach.heap)


def _find(code: OctalCode, reach: _Reach) -> MisereQuotient:
    from position_oracle.engine.solvers.misere_quotients import find_quotient

    return find_quotient(code, reach.heaps_max, words_max=reach.words_max)


def _size(quotient: MisereQuotient) -> int:
    # The table of 4-byte products, and the two of flags.
    return 6 * quotient.order**2 + quotient.phi.nbytes


def quotient_of(table: StoredTable) -> MisereQuotient:
    """Return the certificate of a stored table."""
    arrays = table.arrays
    monoid = Monoid(arrays["actions"].astype(np.int32), arrays["is_p"].astype(np.bool_))
    period, preperiod = arrays["period"].tolist()
    generators = tuple(arrays["generators"].tolist())
    phi = arrays["phi"].astype(np.int32)
    return MisereQuotient(code_of(table.game), monoid, generators, phi, period, preperiod)


def _load(snapshot: "Snapshot", build: Build) -> Arrays:
    whole = snapshot.read_table("misere_quotient", build.game).to_pylist()[0]
    classes = snapshot.read_table("misere_class", build.game).to_pydict()
    actions = np.array(classes["products"], np.int32).reshape(len(classes["is_p"]), -1)
    return {
        "actions": actions,
        "is_p": np.array(classes["is_p"], np.bool_),
        "phi": snapshot.read_column("misere_heap", "element", build.game),
        "generators": np.array(whole["generators"], np.int64),
        "period": np.array([whole["period"], whole["preperiod"]], np.int64),
    }


QUOTIENT_LOADERS: Final[Mapping[str, Loader]] = MappingProxyType({KIND: _load})
