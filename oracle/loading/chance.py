"""Three-row Chomp against chance, from stored rows to arrays that answer."""

from collections.abc import Iterable

from oracle.probers.chance_tables import StoredChances
from schema.provenance import BuildRecord
from schema.snapshot import Snapshot

KIND = "random_play"


def load_table(snapshot: Snapshot, builds: Iterable[BuildRecord]) -> StoredChances | None:
    """The table `random_play`, where the file has one."""
    for build in builds:
        if build.kind == KIND:
            p_mover, is_p, p_random_wins = (
                snapshot.read_column(KIND, column, build.game, check=False)
                for column in ("p_mover", "is_p", "p_random_wins")
            )
            return StoredChances(int(build.limit), p_mover, is_p, p_random_wins, build)
    return None
