"""Transfinite Chomp: theorems; small finite positions by search; finite boards as Chomp."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games import transfinite
from position_oracle.engine.games.board_rules import bite_between
from position_oracle.engine.games.notation import is_position
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.bounds import boards_in_box, estimate_ideals, product
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.finite import (
    MAX_STATES,
    from_rows,
    to_rows,
)
from position_oracle.engine.theory.transfinite.ordinal import Ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition as Shape
from position_oracle.oracle.answers import Answer, Certainty, TransfiniteFacts
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.chomp3.index import index_of, sheets_of
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.resources import StoredTable
from position_oracle.oracle.families.sources import Source
from position_oracle.oracle.families.values import Values
from position_oracle.schema.sheets import LoserSheets

SMALL_SHEETS: Final = 128
"""Number of loser sheets of three-row Chomp that are computed if no table has as many."""

MAX_ROWS: Final = 10_000
"""Finite boards with more rows than this are not looked up as Chomp boards."""

_COUNTED: Final = 200
"""Maximum number of cells of a box whose boards are counted."""

_NARROW: Final = 3
"""Number of columns of shapes that theorems decide without a search."""

_CELL_SECONDS: Final = 1e-4
_STATE_SECONDS: Final = 1.5e-6
_STATE_BYTES: Final = 500
"""Bytes for a side of a box, and for a position, in a search of three or more axes."""

_BOARD: Final = GameSpec("chomp")
_THREE_ROW: Final = GameSpec("chomp3")

MAX_VALUED: Final = 36
"""Maximum number of cookies of a position whose Grundy value is searched: at most 0.1 s."""


class TransfiniteProber(Prober):
    """Answers questions about transfinite Chomp."""

    family = "transfinite"

    @cached_property
    def _stored(self) -> StoredTable | None:
        """The stored loser sheets of three-row Chomp, if there are at least `SMALL_SHEETS`."""
        for stored in self.resources.tables("chomp3", "sheets"):
            if stored.game == _THREE_ROW and int(stored.arrays["limit"]) >= SMALL_SHEETS:
                return stored
        return None

    @cached_property
    def _sheets(self) -> LoserSheets:
        """The loser sheets of three-row Chomp that positions of three columns need."""
        if self._stored is None:
            return loser_sheets(SMALL_SHEETS)
        return sheets_of(index_of(dict(self._stored.arrays)))

    def knows(self, game: GameSpec) -> bool:
        """Return whether the game has no passes and normal play."""
        return game == transfinite.TRANSFINITE

    def games(self) -> tuple[Covered, ...]:
        """Return one entry, which describes the decided positions; computes no sheets."""
        end_x = SMALL_SHEETS if self._stored is None else 1 + int(self._stored.arrays["limit"])
        return (
            covered(
                transfinite.TRANSFINITE,
                "sides below epsilon_0: two columns; three columns, of which a finite third"
                f" one below {end_x}; bases within 2 x 2 (types A to F); products with"
                " P-ordered P-positions; small finite positions; finite boards as chomp; of others"
                " those that a bound or one cut decides",
                Certainty.THEOREM,
            ),
        )

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The source with the theorems, and finite boards as Chomp."""
        return (_Theorems(self, lambda: self._sheets),)


class _Theorems(Source):
    """Source with the theorems of transfinite Chomp, and Chomp for other finite boards."""

    def __init__(self, prober: Prober, sheets: Callable[[], LoserSheets]) -> None:
        self._prober = prober
        self._sheets = sheets

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan the outcome, and the known winning moves; see `Answer.winning_moves`."""
        shape = transfinite.shape_of(position)
        board = self._board(shape)
        values = None
        if with_moves and shape.is_finite:
            values = self._prober.graph.plan_values("grundy", position)
        costs = (plan.cost for plan in (board, values) if plan is not None)

        def run() -> Answer:
            return self._answer(position, shape, board, values, with_moves=with_moves)

        return Plan(sum(costs, _cost(shape)), run, is_sure=False)

    def _answer(
        self,
        position: Position,
        shape: Shape,
        board_plan: Plan[Answer] | None,
        values: Plan[Values | None] | None,
        *,
        with_moves: bool,
    ) -> Answer:
        verdict = decide(shape, self._sheets())
        certainty, reason = _certainty(verdict), _reason(shape, verdict)
        moves, bite = _moves(shape, verdict), verdict.bite
        if moves is None and (board := _decided(board_plan)) is not None:
            verdict = _with_outcome_of(board, verdict)
            certainty, reason, moves = board.certainty, board.reason, _moves_of(board)
            numbers = _bite_of(board)
            bite = None if numbers is None else tuple(map(Ordinal.of, numbers))
        elif with_moves and moves is not None and not all(map(_is_readable, moves)):
            reason += "; the position after the bite is too long to be written as a text"
            moves = None
        grundy = verdict.grundy
        if grundy is None and with_moves and verdict.size is not None:
            grundy = _searched_value(position, values, verdict.size)
        return Answer(
            position=position,
            outcome=verdict.outcome,
            certainty=certainty,
            reason=reason,
            winning_moves=moves if with_moves else None,
            transfinite=TransfiniteFacts(
                size=_text(verdict.size),
                rule=None if verdict.rule is Rule.NONE else verdict.rule.value,
                bite=None if bite is None or not with_moves else tuple(map(str, bite)),
                grundy=_text(replace(verdict, grundy=grundy).restricted_grundy),
                grundy_unrestricted=_text(grundy),
            ),
        )

    def _board(self, shape: Shape) -> Plan[Answer] | None:
        """Plan the answer of Chomp about a finite board: outcome and all winning moves."""
        if shape.dimension != 2 or not shape.is_finite or shape.extent[1] > MAX_ROWS:
            return None
        boards = self._prober.resources.prober("chomp")
        return boards.plan(Position(_BOARD, to_rows(shape)), with_moves=True)


def _cost(shape: Shape) -> Cost:
    """Return the cost of the theorems; shapes that are not narrow need searches, too."""
    axes = [side for side in shape.extent if side > 1]
    seconds = 1e-3 + _CELL_SECONDS * len(shape.boxes) * shape.dimension
    if len(axes) < 2 or (len(axes) == 2 and min(axes) <= _NARROW):
        return Cost(seconds, 1 << 20)
    states = float(MAX_STATES)
    if shape.is_finite:
        sides = [int(side) for side in axes]
        if len(axes) == shape.dimension == 2:
            rows = to_rows(shape) if sides[1] <= MAX_ROWS else ()
            states = min(states, estimate_ideals(rows)) if rows else states
        elif product(sides) <= _COUNTED:
            states = min(states, boards_in_box(sides))
    searches = (1 + len(axes)) * states
    return Cost(seconds + _STATE_SECONDS * searches, int(_STATE_BYTES * states) + (1 << 20))


def _decided(board: Plan[Answer] | None) -> Answer | None:
    answer = None if board is None else board.run()
    return answer if answer and answer.outcome and answer.winning_moves is not None else None


def _searched_value(
    position: Position, values: Plan[Values | None] | None, size: Ordinal
) -> Ordinal | None:
    """Return the Grundy value of a small finite position, with every bite allowed."""
    found = None if values is None or size > MAX_VALUED else values.run()
    value = None if found is None else found.at(position)
    return None if value is None else Ordinal.of(value + 1)


def _moves_of(board: Answer) -> tuple[Move, ...]:
    """Return the winning moves of Chomp as positions of transfinite Chomp."""
    moves = board.winning_moves or ()
    return tuple(Move(transfinite.position_of(from_rows(move.child.coordinates))) for move in moves)


def _bite_of(board: Answer) -> Coordinates | None:
    """Return column and row, from 0, of the cookie that the first winning move bites."""
    for move in board.winning_moves or ():
        row, column = bite_between(board.position.coordinates, move.child.coordinates)
        return column - 1, row - 1
    return None


def _certainty(verdict: Decision) -> Certainty:
    if verdict.outcome is Outcome.UNKNOWN:
        return Certainty.UNKNOWN
    return Certainty.EXACT_SEARCH if verdict.rule is Rule.FINITE else Certainty.THEOREM


def _reason(shape: Shape, verdict: Decision) -> str:
    """Return the theorem by name, a build for an unknown outcome, or why no bite is given."""
    if verdict.outcome is Outcome.UNKNOWN:
        return verdict.reason
    if shape.is_empty:
        return f"{verdict.rule}: {verdict.reason}"
    if verdict.outcome is Outcome.N and verdict.bite is None:
        return f"{verdict.rule}; no winning bite is known: {verdict.reason}"
    return verdict.rule.value


def _moves(shape: Shape, verdict: Decision) -> tuple[Move, ...] | None:
    """Return the winning move of the verdict; empty if none wins, None if none is known."""
    if verdict.outcome is Outcome.P or shape.is_empty:
        return ()
    if verdict.bite is None:
        return None
    return (Move(transfinite.position_of(shape.bite(verdict.bite))),)


def _is_readable(move: Move) -> bool:
    return is_position(str(move.child))


def _with_outcome_of(board: Answer, verdict: Decision) -> Decision:
    """Return a verdict on a board from Chomp's answer, without a theorem of the paper."""
    if board.outcome is Outcome.P:
        return replace(Decision.p(Rule.NONE), size=verdict.size)
    return replace(verdict, outcome=Outcome.N, rule=Rule.NONE)


def _text(value: Ordinal | None) -> str | None:
    return None if value is None else str(value)


PROBER = TransfiniteProber
