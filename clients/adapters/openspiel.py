"""OpenSpiel: every family as an OpenSpiel game, and our bots as OpenSpiel bots.

>>> game = load("chomp:4/4/4")                             # doctest: +SKIP
>>> bots = [OracleBot(PerfectBot(oracle)), ...]            # doctest: +SKIP

Importing this module registers the games `position_oracle`, whose parameter `start` is the text of
a position, and, with starts of their own, `oracle_chomp`, `oracle_nim` (with a pass),
`oracle_wythoff` and `oracle_octal`. Commas and equals signs part parameters in OpenSpiel, so that
in `start` they are written as `|` and `~`; `load` does so.

A return of 1 is a win, -1 a loss. The library is `open_spiel`, in the extra `openspiel`.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from position_oracle.clients import rules
from position_oracle.clients.adapters.numbering import Numbering, numbering_of
from position_oracle.clients.bots import Bot
from position_oracle.clients.errors import InvalidQuestionError
from position_oracle.schema.answers import Outcome
from position_oracle.schema.extras import from_extra
from position_oracle.schema.moves import Move

with from_extra("openspiel"):
    import pyspiel

GAMES: Final = {
    "position_oracle": "chomp:4/4/4",
    "oracle_chomp": "chomp:4/4/4",
    "oracle_nim": "nim:[3,4,5;1]",
    "oracle_wythoff": "wythoff:[5,8]",
    "oracle_octal": "kayles:[7]",
}
"""Short names of the games, with their default first positions."""

_WRITTEN: Final = str.maketrans(",=", "|~")
_READ: Final = str.maketrans("|~", ",=")


def load(start: str) -> Any:
    """Return the OpenSpiel game that begins at a position.

    Raises:
        InvalidQuestionError: the text is not a position, or the game has too many actions.
    """
    text = rules.canonical(start)
    return pyspiel.load_game("position_oracle", {"start": text.translate(_WRITTEN)})


def _game_type(name: str) -> Any:
    return pyspiel.GameType(
        short_name=name,
        long_name=f"Position oracle: {name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"start": GAMES[name].translate(_WRITTEN)},
    )


class OracleGame(pyspiel.Game):  # type: ignore[misc]
    """A game that begins at a position."""

    def __init__(self, game_type: Any, parameters: Mapping[str, Any] | None) -> None:
        given = dict(parameters or {})
        start = str(given.get("start", GAMES[game_type.short_name])).translate(_READ)
        self.numbering = numbering_of(start)
        if rules.is_over(start):
            raise InvalidQuestionError(f"{start}: the game is over", "start")
        information = pyspiel.GameInfo(
            num_distinct_actions=self.numbering.actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.numbering.plies,
        )
        super().__init__(game_type, information, given)

    def new_initial_state(self, state: Any = None) -> "OracleState":
        """Return the first position of the game."""
        if state is not None:
            raise ValueError("states are made by playing, or from their history")
        return OracleState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "OracleObserver":
        """Make the observer for learners: the vector of `clients.adapters.numbering`."""
        return OracleObserver(self.numbering)


class OracleState(pyspiel.State):  # type: ignore[misc]
    """A position in a game; `text` is its canonical text."""

    def __init__(self, game: OracleGame) -> None:
        super().__init__(game)
        self.text = game.numbering.start.text
        self._numbering = game.numbering
        self._player = 0
        self._winner = rules.winner(self.text)

    def current_player(self) -> int:
        """Return the player to move, or TERMINAL at the end."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self._player

    def is_terminal(self) -> bool:
        """Return whether no move is left."""
        return self._winner is not None

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser at the end, 0 before."""
        if self._winner is None:
            return [0.0, 0.0]
        won = self._player if self._winner is Outcome.N else 1 - self._player
        return [1.0, -1.0] if won == 0 else [-1.0, 1.0]

    def legal(self) -> dict[int, Move]:
        """Return the legal moves by the numbers of their actions."""
        return {} if self.is_terminal() else self._numbering.legal(self.text)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.legal())

    def _apply_action(self, action: int) -> None:
        self.text = self.legal()[action].child
        self._winner = rules.winner(self.text)
        self._player = 1 - self._player

    def _action_to_string(self, player: int, action: int) -> str:
        move = self.legal().get(action)
        return f"action {action}" if move is None else str(move.action)

    def __str__(self) -> str:
        return self.text


class OracleObserver:
    """The observation of a position for learning programs."""

    def __init__(self, numbering: Numbering) -> None:
        """Make a tensor of the size of the game."""
        self._numbering = numbering
        self.tensor: npt.NDArray[np.float32] = np.zeros(numbering.features, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: OracleState, player: int) -> None:
        """Fill the tensor from a state."""
        self.tensor[:] = self._numbering.vector(rules.read(state.text))

    def string_from(self, state: OracleState, player: int) -> str:
        """Return the text of the position."""
        return state.text


class OracleBot(pyspiel.Bot):  # type: ignore[misc]
    """A bot of `clients.bots` as an OpenSpiel bot; it also plays OpenSpiel's `nim`."""

    def __init__(self, bot: Bot) -> None:
        """Set the bot that chooses; see `clients.bots`."""
        super().__init__()
        self._bot = bot

    def restart_at(self, state: Any) -> None:
        """Do nothing, because bots have no memory."""

    def step(self, state: Any) -> int:
        """Return the action that the bot chooses.

        Raises:
            InvalidQuestionError: the state is of a game that the bot does not play.
        """
        text = position_of(state)
        child = rules.play(text, self._bot.choose(text))
        for action in state.legal_actions():
            if position_of(state.child(action)) == child:
                return int(action)
        raise InvalidQuestionError(
            f"{self._bot.name} chose {child}, which is not a move here", "move"
        )


def position_of(state: Any) -> str:
    """Return the text of the position of a state of our games, or of OpenSpiel's `nim`.

    Raises:
        InvalidQuestionError: the state is of another game.
    """
    if isinstance(state, OracleState):
        return state.text
    name = state.get_game().get_type().short_name
    if name != "nim":
        raise InvalidQuestionError(
            f"states of OpenSpiel's {name} cannot be read; play ours, or its nim", "state"
        )
    piles = str(state).partition(":")[2].split()
    misere = state.get_game().get_parameters().get("is_misere", True)
    return f"nim{'{misere}' if misere else ''}:[{','.join(piles)}]"


def _register() -> None:
    for name in GAMES:
        if name in pyspiel.registered_names():
            continue
        game_type = _game_type(name)

        class Registered(OracleGame):
            """A game registered under one name."""

            _type = game_type

            def __init__(self, params: Mapping[str, Any] | None = None) -> None:
                super().__init__(self._type, params)

        pyspiel.register_game(game_type, Registered)


_register()
