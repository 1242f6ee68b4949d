"""Play a game of Kayles in PettingZoo's loop: a greedy agent against a random agent.

python examples/adapters/pettingzoo_loop.py
"""

import numpy as np

from position_oracle.clients.adapters.zoo import env


def main() -> None:
    """Play one game, and print who won."""
    environment = env("kayles:[9]", render_mode="ansi")
    environment.reset(seed=1)
    chance = np.random.default_rng(1)
    print(environment.render())
    rewards = {}
    for agent in environment.agent_iter():
        observation, reward, ended, _, _ = environment.last()
        if ended:
            rewards[agent] = reward
            environment.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        action = legal[-1] if agent == "player_0" else chance.choice(legal)
        environment.step(int(action))
        print(environment.render())
    print("won by", max(rewards, key=lambda agent: rewards[agent]))


if __name__ == "__main__":
    main()
