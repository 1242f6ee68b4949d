"""Stored tables of Grundy values and remoteness; all families share this module."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from position_oracle.engine.games.position import Position
from position_oracle.oracle.answers import Certainty, GameSource, Limits
from position_oracle.oracle.families.coverage import Covered
from position_oracle.oracle.families.resources import Arrays, Loader, Resources, StoredTable
from position_oracle.oracle.families.sources import KINDS
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.games import Build

if TYPE_CHECKING:
    from position_oracle.engine.jobs.value_layouts import Layout
    from position_oracle.schema.snapshot import Snapshot


@dataclass(frozen=True)
class StoredValues:
    """A stored table of values.

    Attributes:
        table: the values, int32, in the order of the layout.
    """

    table: StoredTable

    @property
    def kind(self) -> str:
        """`grundy` or `remoteness`."""
        return self.table.build.kind

    @cached_property
    def layout(self) -> "Layout":
        """The positions of the table and their order."""
        from position_oracle.engine.jobs.value_layouts import layout_of

        layout = layout_of(self.table.game, self.table.build.limit, self.kind)
        if len(self.table.arrays["values"]) != layout.count:
            build = self.table.build
            raise CorruptTableError(
                f"{build.game} {build.kind} up to {build.limit} has"
                f" {len(self.table.arrays['values'])} rows instead of {layout.count}"
            )
        return layout

    def at(self, position: Position) -> int | None:
        """Return the value of a position in the table; None if it has none."""
        place = self.layout.place(position.coordinates)
        return int(self.table.arrays["values"][place]) if place >= 0 else None

    @property
    def reason(self) -> str:
        """The reason in answers."""
        return f"table of {self.kind} of {self.table.game.text}, {self.layout.range}"

    @property
    def info(self) -> Covered:
        """A description of the positions it answers."""
        build, limits = self.table.build, self._limits
        known, questions = Certainty.EXACT_TABLE, (self.kind,)
        source = GameSource(self.layout.range, known, questions, limits, build)
        return Covered(self.table.game, source)

    @property
    def _limits(self) -> Limits:
        sides = self.layout.sides
        if self.table.game.family == "chomp3":
            return {"columns": sides[0]}
        if self.table.game.family == "chomp":
            return {"rows": sides[0], "columns": sides[-1]}
        return {"heaps": len(sides), "heap": min(sides)}


def stored_values(resources: Resources, family: str) -> tuple[StoredValues, ...]:
    """Return the stored tables of values of a family."""
    return tuple(StoredValues(table) for kind in KINDS for table in resources.tables(family, kind))


def _load(snapshot: "Snapshot", build: Build) -> Arrays:
    return {"values": snapshot.read_column(build.kind, "value", build.game)}


VALUE_LOADERS: Final[Mapping[str, Loader]] = MappingProxyType(dict.fromkeys(KINDS, _load))
