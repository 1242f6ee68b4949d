"""PettingZoo: every family as an environment for two agents that alternate.

>>> environment = env("chomp:4/4/4")                       # doctest: +SKIP
>>> environment.reset()                                    # doctest: +SKIP

An agent sees `observation`, the vector of `clients.adapters.numbering`, and `action_mask`, 1 for
each legal action. The reward is 1 for the winner and -1 for the loser at the end. The library is
`pettingzoo`, in the extra of that name.
"""

from typing import Any, Final

import numpy as np

from position_oracle.clients import rules
from position_oracle.clients.adapters.numbering import numbering_of
from position_oracle.clients.errors import InvalidQuestionError
from position_oracle.schema.answers import Outcome
from position_oracle.schema.extras import from_extra

with from_extra("pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

AGENTS: Final = ("player_0", "player_1")


def env(start: str = "chomp:4/4/4", render_mode: str | None = None) -> AECEnv:
    """Return the environment, wrapped so that illegal actions are detected.

    Args:
        start: the first position of games.
        render_mode: `ansi` returns drawings as text, `human` prints them.

    Raises:
        InvalidQuestionError: the text is not a position, its game is over, or the game has too many
            actions.
    """
    made: AECEnv = OracleEnv(start, render_mode)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class OracleEnv(AECEnv):  # type: ignore[misc]
    """A game that begins at a position, without wrappers."""

    metadata: Final = {
        "name": "position_oracle_v1",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, start: str = "chomp:4/4/4", render_mode: str | None = None) -> None:
        super().__init__()
        if rules.is_over(start):
            raise InvalidQuestionError(f"{start}: the game is over", "start")
        self._numbering = numbering_of(start)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        actions = self._numbering.actions
        largest = np.full(self._numbering.features, self._numbering.largest, np.float32)
        space = spaces.Dict(
            {
                "observation": spaces.Box(np.zeros_like(largest), largest, dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.position = self._numbering.start.text

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations, equal for both agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions, equal for both agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game."""
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.position = self._numbering.start.text
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the position and the legal actions of an agent; none if it is not its turn."""
        vector = self._numbering.vector(rules.read(self.position))
        mask = np.zeros(self._numbering.actions, np.int8)
        if agent == self.agent_selection and not rules.is_over(self.position):
            mask[list(self._numbering.legal(self.position))] = 1
        return {"observation": np.array(vector, np.float32), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Make the move of the agent whose turn it is.

        Raises:
            InvalidQuestionError: the action is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._numbering.legal(self.position)
        move = legal.get(-1 if action is None else int(action))
        if move is None:
            raise InvalidQuestionError(f"action {action} is not legal in {self.position}", "action")
        self._cumulative_rewards[agent] = 0.0
        self.position = move.child
        other = AGENTS[1 - AGENTS.index(agent)]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        winner = rules.winner(self.position)
        if winner is not None:
            won, lost = (other, agent) if winner is Outcome.N else (agent, other)
            self.rewards = {won: 1.0, lost: -1.0}
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = other
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Draw the position."""
        drawn = f"{self.position}\n{rules.draw(self.position)}".rstrip()
        if self.render_mode == "human":
            print(drawn)  # noqa: T201 - that is what the mode is for
            return None
        return drawn

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
