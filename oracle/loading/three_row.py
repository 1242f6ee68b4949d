"""Loser sheets of three-row games, from stored rows to arrays that answer."""

from collections.abc import Iterable

from engine.games.game_text import parse_game
from oracle.index import build_index
from oracle.probers.sheet_table import SheetTable
from schema.provenance import BuildRecord
from schema.snapshot import Snapshot


def load_tables(snapshot: Snapshot, builds: Iterable[BuildRecord]) -> list[SheetTable]:
    """The tables of all three-row games among the builds of a file."""
    games = {build: parse_game(build.game) for build in builds if build.kind == "sheets"}
    return [
        SheetTable(game, build_index(snapshot.read_sheets(build.game, check=False)), build)
        for build, game in games.items()
        if game.family == "chomp3"
    ]
