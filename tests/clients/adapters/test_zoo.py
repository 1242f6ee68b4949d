"""Our games as environments of PettingZoo."""

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

from pettingzoo.test import api_test

from position_oracle import InvalidQuestionError, Outcome, rules
from position_oracle.clients.adapters.zoo import AGENTS, OracleEnv, env
from tests.clients.adapters.test_openspiel import STARTS

pytestmark = pytest.mark.filterwarnings(
    # PettingZoo's own board games, too, give observations with a mask as dictionaries.
    "ignore:Observation space for each agent:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation numpy array is all zeros:UserWarning",  # as they are after the last move
)


@pytest.mark.parametrize("start", STARTS)
def test_environments_pass_the_tests_of_pettingzoo(
    start: str, capsys: pytest.CaptureFixture[str]
) -> None:
    api_test(env(start), num_cycles=40, verbose_progress=False)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("start", STARTS)
def test_games_at_random_go_to_the_end(start: str) -> None:
    environment = env(start, render_mode="ansi")
    environment.reset(seed=3)
    chance = np.random.default_rng(3)
    rewards = dict.fromkeys(AGENTS, 0.0)
    raw, movers = environment.unwrapped, list[str]()
    for agent in environment.agent_iter():
        observation, reward, ended, cut, _ = environment.last()
        rewards[agent] += reward
        if ended or cut:
            environment.step(None)
            continue
        assert environment.observation_space(agent).contains(observation)
        legal = np.flatnonzero(observation["action_mask"])
        assert len(legal) == len({move.child for move in rules.legal_moves(raw.position)})
        before = raw.position
        movers.append(agent)
        environment.step(int(chance.choice(legal)))
        assert raw.position in {move.child for move in rules.legal_moves(before)}
        assert environment.render().startswith(raw.position)
    made_last = 1.0 if rules.winner(raw.position) is Outcome.P else -1.0
    assert rewards[movers[-1]] == made_last
    assert sum(rewards.values()) == 0


def test_illegal_actions_are_refused_or_lose() -> None:
    raw = OracleEnv("chomp:2/1")
    raw.reset()
    with pytest.raises(InvalidQuestionError, match="action 3 is not legal in chomp:2/1"):
        raw.step(3)
    checked = env("chomp:2/1")
    checked.reset()
    checked.step(3)
    assert checked.terminations["player_0"]
    with pytest.raises(InvalidQuestionError, match="over"):
        env("chomp:0")
