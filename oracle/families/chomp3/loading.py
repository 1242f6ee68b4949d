"""The loaders of three-row Chomp: from stored rows to arrays for look-ups."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from position_oracle.oracle.families.chomp3.census import load_census
from position_oracle.oracle.families.chomp3.geometry import load_shapes
from position_oracle.oracle.families.chomp3.index import build_index
from position_oracle.oracle.families.resources import Arrays, Loader
from position_oracle.oracle.families.stored_values import VALUE_LOADERS
from position_oracle.schema.games import Build

if TYPE_CHECKING:
    from position_oracle.schema.snapshot import Snapshot


def _sheets(snapshot: "Snapshot", build: Build) -> Arrays:
    index = build_index(snapshot.read_sheets(build.game, compact=True))
    return {**index.arrays(), **load_shapes(snapshot, build.game, build.kind)}


def _random_play(snapshot: "Snapshot", build: Build) -> Arrays:
    columns = ("p_mover", "is_p", "p_random_wins")
    return {name: snapshot.read_column(build.kind, name, build.game) for name in columns}


LOADERS: Final[Mapping[str, Loader]] = MappingProxyType(
    {
        "sheets": _sheets,
        "census": load_census,
        **VALUE_LOADERS,
        "random_play": _random_play,
    }
)
