"""Win probabilities where one player or both play at random: position in, probability out.

A position is answered by the first of these that knows it: a closed form, the outcome where a
perfect player decides the game, exact recursion, a table in double precision, and in the last
resort simulated games.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from engine.games import chomp3
from engine.games.position import Outcome, Position
from engine.games.spec import GameSpec
from engine.solvers.random_play.three_row import random_error_bound
from engine.theory.random_play import Model, Perfect
from oracle.answers import Answer, Certainty, GameInfo, Method, WinProbability
from oracle.probers import chance_batches, chance_chomp, chance_nim
from oracle.probers.base import Coordinates, Outcomes
from oracle.probers.chance_answers import exactly
from oracle.probers.chance_chomp import relative_bound
from oracle.probers.chance_tables import ChanceTables, Floats, StoredChances
from schema.errors import UnknownAnswerError, UnknownGameError

AskOne = Callable[[Position], Answer]
AskMany = Callable[[GameSpec, Coordinates], Outcomes]

FAMILIES: Final = ("chomp3", "chomp", "nim")


class ChanceProber:
    """Answers for Chomp and Nim, without passes and declared positions; Nim also in misere play."""

    def __init__(self, stored: StoredChances | None = None) -> None:
        self._tables = ChanceTables(stored)

    def warm_up(self) -> None:
        """Ask one question of each kind, so that kernels are compiled or loaded beforehand."""
        board = np.array([[0, 0, 1]], np.int32)
        for perfect in Perfect:
            rows = chance_batches.rows_of(GameSpec("chomp3"), board)
            self._tables.win_probabilities(rows, Model(perfect))
        self._tables.random(1)
        self._tables.chances(Model(Perfect.MOVER), 1)

    def answers(self, game: GameSpec) -> bool:
        """Whether the game has models of chance here."""
        is_variant = bool(game.declared) or game.noise is not None
        return game.family in FAMILIES and not game.passes and not is_variant

    def add_question(self, info: GameInfo) -> GameInfo:
        """What is answered about a game, win probabilities included."""
        if not self.answers(info.game):
            return info
        return replace(info, questions=(*info.questions, "win_probability"))

    def ask(self, position: Position, model: Model, winning_moves: AskOne) -> WinProbability:
        """The probability that the player to move wins.

        Args:
            position: a legal position.
            model: how both players choose their moves.
            winning_moves: tells the outcome and the winning moves of a position.

        Raises:
            UnknownAnswerError: games against chance are not answered for this game.
        """
        self._check(position.game)
        if position.game.family == "nim":
            closed = chance_nim.closed_form(position, model)
        else:
            closed = chance_chomp.closed_form(position, board_of(position), model)
        if closed is not None:
            return closed
        settled = _settled(position, model, winning_moves)
        if settled is not None and (settled.best_moves is not None or not model.mover_chooses):
            return settled
        if position.game.family == "nim":
            found = chance_nim.by_recursion(position, model)
        else:
            found = chance_chomp.computed(position, board_of(position), model, self._tables)
        return found if settled is None or found.best_moves is not None else settled

    def ask_many(
        self, game: GameSpec, coordinates: Coordinates, model: Model, outcomes: AskMany
    ) -> Floats:
        """The probabilities (n,), float64, that the player to move wins; NaN where not known.

        Args:
            game: the game.
            coordinates: integers (n, k) up to 2^31 - 1.
            model: how both players choose their moves.
            outcomes: tells the outcomes of many positions.

        Raises:
            UnknownAnswerError: games against chance are not answered for this game.
            InvalidPositionError: a row is no position; the message names the row.
        """
        self._check(game)
        if game.family == "nim":
            chances = chance_nim.batch(game, coordinates, model)
        else:
            rows = chance_batches.rows_of(game, coordinates)
            chances = chance_batches.win_probabilities(rows, model, self._tables)
        if model.perfect is not Perfect.NOBODY:
            _settle_rest(chances, game, coordinates, model, outcomes)
        return chances

    def error_bound(self, model: Model) -> float:
        """Bound on the error of every probability that `ask_many` knows.

        That of the tables: closed forms and exact values, rounded, are nearer.
        """
        longest = self._tables.limit(model)
        if model.perfect is Perfect.NOBODY:
            return random_error_bound(longest)
        return relative_bound(longest, model.epsilon) + 2.0**-53

    def _check(self, game: GameSpec) -> None:
        if not self.answers(game):
            raise UnknownAnswerError(
                f"games against chance are not answered for {game.text}; they are for"
                f" {', '.join(FAMILIES)} without passes and declared positions"
            )


def board_of(position: Position) -> tuple[int, ...]:
    """Row lengths of a Chomp position without empty rows, poison row first."""
    if position.game.family == "chomp":
        return position.coordinates
    return tuple(row for row in chomp3.to_rows(position.coordinates) if row)


def _settled(position: Position, model: Model, winning_moves: AskOne) -> WinProbability | None:
    """The answer where the outcome alone decides: a perfect player wins what can be won."""
    if model.perfect is Perfect.NOBODY:
        return None
    try:
        answer = winning_moves(position)
    except UnknownGameError:
        return None
    decides = Outcome.N if model.mover_chooses else Outcome.P
    if answer.outcome is not decides or answer.certainty is Certainty.ESTIMATE:
        return None
    reason = f"{answer.outcome.name}-position: the perfect player wins for certain; {answer.reason}"
    moves = answer.winning_moves if model.mover_chooses else None
    chance = int(model.mover_chooses)
    return exactly(position, model, chance, answer.certainty, Method.EXACT, reason, moves)


def _settle_rest(
    chances: Floats, game: GameSpec, coordinates: Coordinates, model: Model, outcomes: AskMany
) -> None:
    """Fill in what the outcome decides and nothing else did."""
    rest = np.flatnonzero(np.isnan(chances))
    if not len(rest):
        return
    try:
        found = outcomes(game, coordinates[rest])
    except UnknownGameError:
        return
    decides = Outcome.N if model.mover_chooses else Outcome.P
    chances[rest[found == decides]] = float(model.mover_chooses)
