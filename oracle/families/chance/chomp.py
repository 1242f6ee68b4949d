"""Random play on Chomp boards: closed forms, tables and simulations."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games.board_rules import RowRules
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.engine.theory.random_play.turns import expected_turns, expected_turns_float
from position_oracle.engine.theory.random_play.two_rows import (
    MAX_SECOND_ROW,
    hook_of,
    hook_win_probability,
    two_rows_of,
    win_probability,
    win_probability_batch,
)
from position_oracle.oracle.answers import Certainty, Method, Turns, WinProbability
from position_oracle.oracle.families.chance.answers import (
    approximately,
    exactly,
    moves_to,
    plan_turns_by_theorem,
    simulated,
    unknown,
)
from position_oracle.oracle.families.chance.tables import (
    SIZES,
    ChanceTables,
    RowLengths,
    relative_bound,
)
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    Floats,
    KnownChances,
    RowIndices,
    Rows,
    Source,
)
from position_oracle.schema.errors import (
    InvalidPositionError,
    UnknownAnswerError,
)

if TYPE_CHECKING:
    from position_oracle.engine.solvers.random_play.three_row_chances import ScaledChance

FEWEST_GAMES: Final = 1_000
SEED: Final = 0
BY_THEOREM: Final = "with one pass, docs/random-play.md, theorem 2"
STEPS: Final = 2**30
"""Games times turns times rows of a simulation: some tenths of a second."""

_COMPUTED: Final = Cost(0.8, 64 << 20)
"""Maximum cost of a table or a simulation."""


def closed_form(position: Position, board: Coordinates, model: Model) -> WinProbability | None:
    """Apply the closed forms: the empty board, and random play on two rows, columns and hooks."""
    if not board:
        reason = "the empty board: the opponent has eaten the poison"
        best = () if model.mover_chooses else None
        return exactly(position, model, 1, Certainty.THEOREM, Method.CLOSED_FORM, reason, best)
    if model.perfect is not Perfect.NOBODY:
        return None
    pair, hook = two_rows_of(board), hook_of(board)
    if pair is not None and pair[1] <= MAX_SECOND_ROW:
        chance, reason = win_probability(*pair), "Devlin & Trifonova, Theorem 1.3"
    elif hook is not None:
        chance, reason = hook_win_probability(*hook), "closed form of hooks, docs/random-play.md"
    else:
        return None
    return exactly(position, model, chance, Certainty.THEOREM, Method.CLOSED_FORM, reason)


class ChompChances(Source):
    """Source for random play on plain Chomp boards, by row lengths; also three-row Chomp."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    @cached_property
    def _tables(self) -> ChanceTables:
        return ChanceTables(self._resources)

    def plan_known_chance(
        self, position: Position, model: Model
    ) -> Plan[WinProbability | None] | None:
        """See `closed_form`."""
        if not _has_chances(position.game):
            return None
        found = closed_form(position, board_of(position), model)
        return None if found is None else Plan(LOOK_UP, lambda: found)

    def plan_turns(self, position: Position) -> Plan[Turns | None] | None:
        """Plan by Theorem 1.1, for boards of any size, with at most one pass."""
        game = position.game
        if game.passes > 1 or not game.is_plain:
            return None
        board, reason = board_of(position), "Devlin & Trifonova, Theorem 1.1"
        reason += f"; {BY_THEOREM}" * game.passes
        means = expected_turns, expected_turns_float
        return plan_turns_by_theorem(position, board, means, reason)

    def plan_chance(self, position: Position, model: Model) -> Plan[WinProbability | None] | None:
        """Plan by a table or a simulation; unknown beyond both."""
        if not _has_chances(position.game):
            return None

        def run() -> WinProbability:
            board = board_of(position)
            found = _by_table(position, board, model, self._tables)
            if found is None and model.perfect is Perfect.NOBODY:
                found = _by_simulation(position, board, model)
            return found or unknown(position, model, _what_would_decide(board, model, self._tables))

        return Plan(_COMPUTED, run)

    def plan_chances(self, game: GameSpec, rows: Rows, model: Model) -> KnownChances | None:
        """Plan by closed forms and tables."""
        if not _has_chances(game):
            return None
        return plan_boards(rows_of(game, rows), model, self._tables)

    def warm_up(self) -> None:
        """Ask one question of each kind, so that kernels are compiled or loaded beforehand."""
        rows = np.array([[1, 0, 0]])
        for perfect in Perfect:
            self._tables.win_probabilities(rows, Model(perfect))
        self._tables.random(1)
        self._tables.chances(Model(Perfect.MOVER), 1)


def _has_chances(game: GameSpec) -> bool:
    return not game.passes and game.is_plain


def _rules_of(game: GameSpec) -> RowRules:
    rules = rules_of(game.family)
    assert isinstance(rules, RowRules)  # noqa: S101 - the families of this source are Chomp
    return rules


def rows_of(game: GameSpec, coordinates: Rows) -> RowLengths:
    """Return row lengths (n, 3 or more), int64, poison row first, of checked rows of a batch."""
    if game.family == "chomp3":
        return np.cumsum(coordinates, axis=1, dtype=np.int64)[:, ::-1]
    missing = max(0, 3 - coordinates.shape[1])
    return np.pad(coordinates.astype(np.int64), ((0, 0), (0, missing)))


def board_of(position: Position) -> tuple[int, ...]:
    """Return row lengths of a Chomp position without empty rows, poison row first."""
    return _rules_of(position.game).rows_of(position)


def _by_table(
    position: Position, board: Coordinates, model: Model, tables: ChanceTables
) -> WinProbability | None:
    from position_oracle.engine.solvers.random_play.three_row import random_error_bound, three_rows

    try:
        longest = three_rows(board, tables.limit(model))[0]
    except UnknownAnswerError:
        return None
    stored = tables.stored_for(model, longest)
    source = f"three-row boards with a first row of at most {longest}, in double precision"
    certainty = Certainty.EXACT_SEARCH
    if stored is not None:
        source = f"table random_play up to {stored.limit}, in double precision"
        certainty = Certainty.EXACT_TABLE
    value = tables.win_probability(board, model)
    best = None
    if model.perfect is Perfect.NOBODY:
        bound = random_error_bound(longest)
    else:
        small = value if not model.mover_chooses else 1 - value
        table = tables.chances(model, longest) if longest <= SIZES[-1] else None
        if table is not None:
            scaled = table.losing(board, to_move=model.mover_chooses)
            small = float(scaled)
            source += _if_tiny(scaled)
            best = _moves(position, table.best_moves(board)) if model.mover_chooses else None
        bound = small * relative_bound(longest, model.epsilon)
        bound += 2.0**-53 if model.mover_chooses else 2.0**-1074
    method = Method.FLOATING_POINT
    return approximately(position, model, value, bound, certainty, method, source, best)


def _if_tiny(chance: "ScaledChance") -> str:
    if chance.mantissa == 0 or chance.exponent > -100:
        return ""
    return f"; the fallible player wins with probability about 10^{chance.log10:.2f}"


def _by_simulation(position: Position, board: Coordinates, model: Model) -> WinProbability | None:
    from position_oracle.engine.solvers.random_play.simulate import simulate_chomp
    from position_oracle.engine.solvers.simulate import GAMES

    each = (expected_turns_float(board) + 1) * (len(board) + 1)
    games = min(GAMES, int(STEPS / each))
    if games < FEWEST_GAMES:
        return None
    try:
        simulation = simulate_chomp(board, SEED, games)
    except InvalidPositionError:  # more cookies than can be numbered
        return None
    return simulated(position, model, simulation)


def _what_would_decide(board: Coordinates, model: Model, tables: ChanceTables) -> str:
    from position_oracle.engine.solvers.random_play.three_row import MAX_LIMIT

    reason = (
        f"too many boards inside for exact recursion, and not among three rows of at most"
        f" {tables.limit(model)}"
    )
    thin = len(board) <= 3 or board[0] <= 3
    longest = max(len(board), board[0])
    if thin and longest <= MAX_LIMIT and model.epsilon == 1:
        reason += f"; oracle build chomp3 --kind random_play --limit {longest} would decide it"
    return reason


def _moves(position: Position, children: tuple[Coordinates, ...]) -> tuple[Move, ...]:
    return moves_to(position, map(_rules_of(position.game).value_of, children))


def plan_boards(rows: RowLengths, model: Model, tables: ChanceTables) -> KnownChances:
    """Return which boards closed forms and tables know, bool (n,), and a plan for these.

    The plan gives float64 (m,): the probabilities that the player to move wins.
    """
    thin, lines = _three_rows(rows)
    is_random = model.perfect is Perfect.NOBODY
    reached = thin[:, 0] <= tables.limit(model)
    # Theorem 1.3 answers boards beyond the tables.
    two = is_random & ~reached & (thin[:, 2] == 0) & (thin[:, 1] <= MAX_SECOND_ROW)
    hooks = is_random & (rows[:, 1] == 1)
    known = (rows[:, 0] == 0) | hooks
    known[lines[reached | two]] = True
    cost = Cost(1e-6 * len(rows), 64 * rows.size)
    if reached.any():
        cost += tables.cost(model, int(thin[reached, 0].max()))

    def run() -> Floats:
        chances = np.full(len(rows), np.nan)
        chances[rows[:, 0] == 0] = 1.0
        if reached.any():
            chances[lines[reached]] = tables.win_probabilities(thin[reached], model)
        if two.any():
            pairs = np.ascontiguousarray(thin[two, :2])
            chances[lines[two]] = win_probability_batch(pairs)
        _fill_hooks(chances, rows, np.flatnonzero(hooks & np.isnan(chances)))
        found: Floats = chances[known]
        return found

    return known, Plan(cost, run)


def _three_rows(rows: RowLengths) -> tuple[RowLengths, RowIndices]:
    """Return boards of at most three rows or columns as (a, b, c), and their rows in the batch."""
    current().check()
    if rows.shape[1] == 3:
        return np.ascontiguousarray(rows), np.arange(len(rows))
    low, narrow = rows[:, 3] == 0, rows[:, 0] <= 3
    columns = np.stack([(rows > column).sum(axis=1) for column in range(3)], axis=1)
    thin = np.where(low[:, None], rows[:, :3], columns)
    lines = np.flatnonzero(low | narrow)
    return np.ascontiguousarray(thin[lines]), lines


def _fill_hooks(chances: Floats, rows: RowLengths, lines: RowIndices) -> None:
    """Apply the closed form of hooks; see `engine.theory.random_play.two_rows`."""
    p = (rows[lines, 0] - 1).astype(np.float64)
    q = np.count_nonzero(rows[lines], axis=1) - 1.0
    n = p + q + 1
    # Quotients of numbers close to 1: products of large ones would round more.
    chances[lines] = 0.5 - (p / n) * (q / (n - 1)) / (n - 2)
