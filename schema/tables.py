"""The tables of a table file; no other module names a table or column.

`file_info`, `game`, `build` and `checksum` describe the file; the other tables hold results. A
family that needs more storage only adds a `Table` below. A new file gets every table of this
module. Results are written, checked and replaced by game and kind. The checksums cover every column
of every result table.

Result tables have `game_id` as first column, are sorted, and have no key and no index. Sorted
columns compress to 2 to 3 bytes a row, and DuckDB skips the columns and row groups that a query
does not need. An index costs ten times the loading time and four times the space.
"""

from typing import Any, Final

import pyarrow as pa
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
)
from sqlalchemy.types import TypeEngine

FORMAT_VERSION: Final = 1
"""Format written and read by this program.

Increase it when a table or column changes its meaning or is removed. A new table does not change
it: files without the table have no results of that kind.

Version history:
    1: game, build, checksum, sheet, census, checkpoint, p_position, outer_board,
       board_p_position, board_count, random_play, grundy, remoteness, transfinite_position,
       frontier; later also sheet_geometry, geometry, geometry_scatter,
       census_geometry, experiment, misere_quotient, misere_class, misere_heap, position_value.
"""

OLDEST_READABLE: Final = 1
"""Oldest format that this program can read."""

metadata: Final = MetaData()


def _column(name: str, kind: TypeEngine[Any], comment: str, *, null: bool = False) -> Column[Any]:
    return Column(name, kind, nullable=null, comment=comment)


def _game_id() -> Column[Any]:
    return _column("game_id", BigInteger(), "number of the game; see table game")


def _build_kind() -> Column[Any]:
    return _column("kind", String(), "what was computed, e.g. sheets")


file_info: Final = Table(
    "file_info",
    metadata,
    _column("format_version", Integer(), "format of this file; programs refuse newer formats"),
    _column("program", String(), "name and version of the program that wrote the file"),
    _column("created_at", DateTime(), "when writing began (UTC)"),
    _column(
        "finished_at",
        DateTime(),
        "when writing ended (UTC); NULL: unfinished, refused by programs",
        null=True,
    ),
    comment="One row: format and state of this file",
)

game: Final = Table(
    "game",
    metadata,
    _column("game_id", BigInteger(), "number made from the name, the same in every file"),
    _column("name", String(), "canonical text of the game, e.g. chomp3{passes=1}"),
    _column("family", String(), "family of the game, e.g. chomp3, nim or octal"),
    _column("heaps", Integer(), "number of heaps; NULL where a family has none", null=True),
    _column("rule", String(), "three-heap Wythoff: pairs, all or both; else NULL", null=True),
    _column("passes", Integer(), "passes left, shared by the players"),
    _column("misere", Boolean(), "whether the player who makes the last move loses"),
    _column("declared", ARRAY(BigInteger(), dimensions=2), "positions declared N (generic games)"),
    _column("noise", String(), "distribution of randomly declared N-positions, or NULL", null=True),
    _column("seed", BigInteger(), "seed of the noise, or NULL", null=True),
    comment="The games that this file has results for",
)

build: Final = Table(
    "build",
    metadata,
    _column("build_id", BigInteger(), "number of the build in this file, from 1"),
    _game_id(),
    _build_kind(),
    _column("limit_text", String(), "limit of the build, e.g. 10000"),
    _column("started_at", DateTime(), "when the computation began (UTC)"),
    _column("seconds", Double(), "wall-clock seconds of computing and writing"),
    _column("rows", BigInteger(), "rows of the largest table written"),
    _column(
        "checksum",
        String(),
        "checksum of all values written, 16 hexadecimal digits; equal for equal tables",
    ),
    _column("program", String(), "name and version of the program that computed the tables"),
    _column("environment", String(), "versions of Python, libraries and platform, as JSON"),
    comment="Provenance: when and how the results of each game and kind were built",
)

checksum: Final = Table(
    "checksum",
    metadata,
    _game_id(),
    _build_kind(),
    _column("table_name", String(), "name of a result table"),
    _column("column_name", String(), "name of a column of the table"),
    _column("rows", BigInteger(), "rows of the game in the table"),
    _column("digest", String(), "SHA-256 of the column in stored order, first 16 hex digits"),
    comment="Checksums of every result column, recomputed before a file is published",
)

sheet: Final = Table(
    "sheet",
    metadata,
    _game_id(),
    _column("x", Integer(), "number of the sheet"),
    _column(
        "prefix_length",
        Integer(),
        "number of columns y = 0, 1, ... before the tail, the stop or the cut",
    ),
    _column(
        "tail_period",
        Integer(),
        "period of the tail from y = prefix_length on; 0: no P-positions there;"
        " -1: not computed there",
    ),
    _column("tail_z", ARRAY(Integer()), "z at y = prefix_length, ...: one period of the tail"),
    _column("p_count", Integer(), "rows of the sheet in p_position: prefix and one period"),
    _column("diagonal_z", Integer(), "z at y = 0, on the deadly diagonal; NULL: none", null=True),
    _column("max_z", Integer(), "largest z of the sheet; NULL: no P-position", null=True),
    comment="Loser sheets L_x: one row a sheet, sorted by game_id, x",
)

census: Final = Table(
    "census",
    metadata,
    _game_id(),
    _column("x", Integer(), "number of the sheet"),
    _column(
        "prefix_length", Integer(), "number of columns y = 0, 1, ... before the tail or the stop"
    ),
    _column("tail_period", Integer(), "period of the tail from y = prefix_length on; 0: none"),
    _column("tail_z", ARRAY(Integer()), "z at y = prefix_length, ...: one period of the tail"),
    _column("diagonal_z", Integer(), "z at y = 0, on the deadly diagonal"),
    _column("max_z", Integer(), "largest z of the sheet"),
    _column("lower", Integer(), "P-positions of the prefix on the lower loser line"),
    _column("upper", Integer(), "P-positions of the prefix on the upper loser line"),
    comment="Loser sheets L_x without their P-positions: one row a sheet; see docs/row-sweep.md",
)

checkpoint: Final = Table(
    "checkpoint",
    metadata,
    _game_id(),
    _column("row", Integer(), "row b: number of columns of height 2 or 3"),
    _column("first_x", Integer(), "the smallest sheet that has not ended before the row"),
    _column("states", Integer(), "number of sheets whose state is stored"),
    _column(
        "data",
        LargeBinary(),
        "states of the sheets, compressed, with a checksum; engine.solvers.row_sweep reads them",
    ),
    comment="Three-row Chomp: states at regularly spaced rows, from which the census sweeps on",
)

p_position: Final = Table(
    "p_position",
    metadata,
    _game_id(),
    _column("x", Integer(), "columns of height 3 (Chomp) or first heap"),
    _column("y", Integer(), "columns of height 2 (Chomp) or second heap"),
    _column("z", Integer(), "columns of height 1 (Chomp) or third heap"),
    comment="P-positions [x, y, z], sorted by game_id, x, y; of a periodic tail one period",
)


def _line_columns(line: str) -> list[Column[Any]]:
    """Return the columns about one line of a sheet."""
    sums = [("y", "y"), ("z", "z"), ("yy", "y^2"), ("yz", "y z"), ("zz", "z^2")]
    return [
        _column(f"{line}_count", BigInteger(), f"P-positions with y > 0 on the {line} line"),
        *(
            _column(f"{line}_{name}", BigInteger(), f"sum of {what} over these P-positions")
            for name, what in sums
        ),
        _column(
            f"{line}_least",
            Double(),
            f"least distance in z from the {line} line of equation (5)",
            null=True,
        ),
        _column(
            f"{line}_most",
            Double(),
            f"greatest distance in z from the {line} line of equation (5)",
            null=True,
        ),
    ]


sheet_geometry: Final = Table(
    "sheet_geometry",
    metadata,
    _game_id(),
    _column("x", Integer(), "number of the sheet"),
    _column(
        "has_tail",
        Boolean(),
        "whether the sheet has infinitely many P-positions; NULL: not known",
        null=True,
    ),
    _column("tail_height", Double(), "mean z of the tail; NULL: no tail", null=True),
    _column(
        "line_length",
        Integer(),
        "columns y = 0, 1, ... up to the last P-position of the lower line",
    ),
    *_line_columns("upper"),
    *_line_columns("lower"),
    comment="Chomp: sums along the lines of each sheet, sorted by x; see docs/geometry.md",
)


def _measures(name: str, source: str) -> Table:
    return Table(
        name,
        metadata,
        _game_id(),
        _column("first_x", Integer(), "first sheet of a range"),
        _column("last_x", Integer(), "last sheet of the range"),
        _column("quantity", String(), "measured quantity, e.g. alpha; see docs/geometry.md"),
        _column("value", Double(), "the measured value"),
        _column(
            "standard_error", Double(), "standard error by a block jackknife; NULL: none", null=True
        ),
        _column(
            "expected",
            Double(),
            "value by equation (5) of Friedman and Landsberg (2007); NULL: none",
            null=True,
        ),
        comment=f"Chomp: the shape of {source} over ranges of x; see docs/geometry.md",
    )


geometry: Final = _measures("geometry", "the sheets")

census_geometry: Final = _measures("census_geometry", "the sheets of a census")

experiment: Final = Table(
    "experiment",
    metadata,
    _game_id(),
    _column("x0", Integer(), "sheet of the P-position that was declared N"),
    _column("number", Integer(), "number of the trial among those of the same x0 and seed"),
    _column("seed", BigInteger(), "seed of the random draws"),
    _column("declared", ARRAY(Integer()), "the position [x0, y, z] that was declared N"),
    _column(
        "fate",
        String(),
        "inert, healed, shifted, closed, independent or spreading (undecided at 2 x0)",
    ),
    _column(
        "sheet",
        Integer(),
        "healed: sheet from which on all are as before; else the first sheet that differs",
    ),
    _column(
        "half_moved_x",
        Integer(),
        "first sheet with half of its P-positions moved; NULL: none",
        null=True,
    ),
    _column(
        "shares", ARRAY(Double()), "share of P-positions moved at x / x0 = 1.05, 1.10, ..., 2.00"
    ),
    comment="Chomp: trials in which one P-position was declared N; see docs/geometry.md",
)

geometry_scatter: Final = Table(
    "geometry_scatter",
    metadata,
    _game_id(),
    _column("first_x", Integer(), "first sheet of a range"),
    _column("last_x", Integer(), "last sheet of the range"),
    _column("line", String(), "upper or lower"),
    _column("distance", Double(), "lower end of the bin of the distance in z from the line"),
    _column("positions", BigInteger(), "P-positions of the range in this bin"),
    comment="Chomp: how P-positions scatter around the lines, in bins of 1/4",
)

outer_board: Final = Table(
    "outer_board",
    metadata,
    _game_id(),
    _column("outer_id", Integer(), "number of the bounding board in this game, from 0"),
    _column("name", String(), "box as ROWSxCOLUMNS, or n: all boards of at most n cookies"),
    _column("row_lengths", ARRAY(Integer()), "row lengths of the bounding board, poison row first"),
    _column(
        "boards", BigInteger(), "boards inside, including the empty board and the bounding board"
    ),
    _column("p_positions", BigInteger(), "P-positions inside: the rows of board_p_position"),
    _column("complete_cookies", Integer(), "largest n: every board of n cookies or fewer fits"),
    comment="Chomp: the bounding boards; the other tables have the boards inside them",
)

board_p_position: Final = Table(
    "board_p_position",
    metadata,
    _game_id(),
    _column("outer_id", Integer(), "number of the bounding board; see table outer_board"),
    _column("rank", BigInteger(), "number of the board among those inside; see docs/boards.md"),
    _column("row_lengths", ARRAY(Integer()), "row lengths, poison row first, no empty rows"),
    comment="Chomp: the P-positions inside each bounding board, sorted by game_id, outer_id, rank",
)

board_count: Final = Table(
    "board_count",
    metadata,
    _game_id(),
    _column("outer_id", Integer(), "number of the bounding board; see table outer_board"),
    _column("height", Integer(), "number of rows"),
    _column("width", Integer(), "length of the poison row"),
    _column("cookies", Integer(), "number of cookies; 0: the empty board"),
    _column("boards", BigInteger(), "boards of this size"),
    _column("p_positions", BigInteger(), "P-positions of this size"),
    _column("one_winning_bite", BigInteger(), "N-positions with exactly one winning bite"),
    _column("more_winning_bites", BigInteger(), "N-positions with several winning bites"),
    comment="Chomp: the boards inside each bounding board, counted by size",
)

random_play: Final = Table(
    "random_play",
    metadata,
    _game_id(),
    _column("a", Integer(), "length of the poison row"),
    _column("b", Integer(), "length of the second row"),
    _column("c", Integer(), "length of the third row"),
    _column("p_mover", Double(), "both random: probability that the player to move wins"),
    _column("is_p", Boolean(), "whether the position is P"),
    _column(
        "p_random_wins",
        Double(),
        "probability that a random player beats a perfect one: in a P-position with the perfect"
        " player to move, in an N-position with the random one; 0 also below 5e-324",
    ),
    comment="Three-row Chomp against chance, sorted by game_id, a, b, c; see docs/random-play.md",
)


def _values(name: str, what: str) -> Table:
    return Table(
        name,
        metadata,
        _game_id(),
        _column(
            "coordinates",
            ARRAY(Integer()),
            "[x, y, z] in three-row Chomp, row lengths on other boards, heaps in heap games",
        ),
        _column("value", Integer(), f"{what} of the position"),
        comment=f"{what} of every position up to a limit, in a fixed order; see docs/grundy.md",
    )


grundy: Final = _values("grundy", "Grundy value")

remoteness: Final = _values("remoteness", "Remoteness")

position_value: Final = Table(
    "position_value",
    metadata,
    _game_id(),
    _column("passes", Integer(), "passes left, at most those of the game"),
    _column(
        "coordinates",
        ARRAY(Integer()),
        "[x, y, z] in three-row Chomp, row lengths on other boards, heaps in other games",
    ),
    _column("wins", Boolean(), "whether the player to move wins: an N-position"),
    _column(
        "grundy",
        Integer(),
        "Grundy value, poison not eaten; NULL: misere play, declared positions, the empty board",
        null=True,
    ),
    _column("remoteness", Integer(), "moves to the end; NULL: the empty board", null=True),
    _column("p_mover", Double(), "both random: probability that the player to move wins"),
    _column(
        "perfect_loses", Double(), "perfect player to move, random opponent: probability to lose"
    ),
    _column("random_wins", Double(), "random player to move, perfect opponent: probability to win"),
    _column("turns", Double(), "both random: expected number of turns to the end"),
    comment="Values and win probabilities of every position up to a limit, sorted by coordinates",
)

transfinite_position: Final = Table(
    "transfinite_position",
    metadata,
    _game_id(),
    _column("base", String(), "two_wide, three_wide or two_by_two"),
    _column("block_type", String(), "two_by_two: type A to F; NULL: another base", null=True),
    _column("position", String(), "canonical text, e.g. transfinite:1x(w*2) + 2xw"),
    _column(
        "heights", ARRAY(String()), "heights of the columns: [u, v], [u, v, x] or [u, v, y, z]"
    ),
    _column("height_keys", ARRAY(String()), "sort keys of the heights"),
    _column("outcome", String(), "P or N; NULL: not known", null=True),
    _column("grundy", String(), "Grundy value, poison not eaten; NULL: not known", null=True),
    _column("grundy_unrestricted", String(), "Grundy value, every bite allowed", null=True),
    _column("grundy_key", String(), "sort key of grundy_unrestricted", null=True),
    _column("size", String(), "number of cookies, an ordinal"),
    _column("size_key", String(), "sort key of size"),
    _column("rule", String(), "theorem that the outcome rests on"),
    _column(
        "bite",
        ARRAY(String()),
        "coordinates of the cookie of a winning bite; NULL: none known",
        null=True,
    ),
    _column("reason", String(), "why no outcome or no bite is known, or NULL", null=True),
    comment="Transfinite Chomp on a grid of ordinals, by base and height_keys; keys sort ordinals",
)

frontier: Final = Table(
    "frontier",
    metadata,
    _game_id(),
    _column("a", Integer(), "side of the box, from 0"),
    _column("box_value", SmallInteger(), "G(4 x a); NULL: above 127", null=True),
    _column(
        "side_top_value",
        SmallInteger(),
        "G((4 x a) + (2 x w)), if the scan went far enough; NULL: above 127, or not computed",
        null=True,
    ),
    _column(
        "latest_height",
        Integer(),
        "latest h of a (h, h, c, d) that the scan needed, c, d <= a; NULL: not computed",
        null=True,
    ),
    comment="Transfinite Chomp, section 12: unrestricted Grundy values, sorted by a",
)

misere_quotient: Final = Table(
    "misere_quotient",
    metadata,
    _game_id(),
    _column("code", String(), "the octal code, e.g. 0.77"),
    _column("order", Integer(), "number of classes of positions in misere play"),
    _column("p_classes", Integer(), "number of classes of P-positions"),
    _column("heaps", Integer(), "the largest heap whose class is in misere_heap"),
    _column("period", Integer(), "period of the classes of heaps; 0: larger heaps are not known"),
    _column("preperiod", Integer(), "heap from which on the classes repeat; 0: not known"),
    _column("is_tame", Boolean(), "whether the quotient is that of Nim heaps; else it is wild"),
    _column("generators", ARRAY(Integer()), "heaps whose classes generate the quotient, ascending"),
    comment="Octal games in misere play: one row a quotient; see docs/misere-quotients.md",
)

misere_class: Final = Table(
    "misere_class",
    metadata,
    _game_id(),
    _column("element", Integer(), "number of the class; 0: the class of the empty position"),
    _column("is_p", Boolean(), "whether the positions of the class are P"),
    _column("products", ARRAY(Integer()), "the class with one more heap, for each generator"),
    comment="Octal games in misere play: the classes of a quotient, sorted by element",
)

misere_heap: Final = Table(
    "misere_heap",
    metadata,
    _game_id(),
    _column("heap", Integer(), "tokens in the heap"),
    _column("element", Integer(), "class of the heap (pretending function Phi); see misere_class"),
    _column("is_p", Boolean(), "whether the heap alone is a P-position"),
    comment="Octal games in misere play: the class of every heap, sorted by heap",
)

DESCRIPTIVE: Final = (file_info, game, build, checksum)


def result_tables() -> dict[str, Table]:
    """Return the tables that hold results, by name, in order of declaration."""
    return {t.name: t for t in metadata.sorted_tables if t not in DESCRIPTIVE}


def value_columns(table: Table) -> list[Column[Any]]:
    """Return the columns of a result table that are written, i.e. all except `game_id`."""
    return [column for column in table.columns if column.name != "game_id"]


def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of the value columns of a result table."""
    fields = [pa.field(c.name, _arrow_type(c.type), bool(c.nullable)) for c in value_columns(table)]
    return pa.schema(fields)


_ARROW_TYPES: Final[list[tuple[type[TypeEngine[Any]], pa.DataType]]] = [
    (SmallInteger, pa.int16()),
    (BigInteger, pa.int64()),
    (Integer, pa.int32()),
    (Boolean, pa.bool_()),
    (Double, pa.float64()),
    (String, pa.string()),
    (LargeBinary, pa.binary()),
]


def _arrow_type(kind: TypeEngine[Any]) -> pa.DataType:
    if isinstance(kind, ARRAY):
        return pa.list_(_arrow_type(kind.item_type))
    return next(arrow for sql, arrow in _ARROW_TYPES if isinstance(kind, sql))
