"""Let two engines on pipes play a game of Chomp, as a match program would.

python examples/adapters/engine_on_pipes.py
"""

import subprocess
import sys
from contextlib import ExitStack
from typing import IO


class Pipe:
    """An engine in a process of its own."""

    def __init__(self, stack: ExitStack, level: str) -> None:
        """Start an engine with a level."""
        command = [sys.executable, "-m", "position_oracle", "engine"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        stack.enter_context(process)
        assert process.stdin is not None
        assert process.stdout is not None
        self._to: IO[str] = process.stdin
        self._from: IO[str] = process.stdout
        stack.callback(self._to.close)
        self.say("hello")
        self.until("ready")
        self.say(f"setoption name Level value {level}")

    def say(self, line: str) -> None:
        """Send a line to the engine."""
        print(line, file=self._to, flush=True)

    def until(self, word: str) -> str:
        """Return the first line of the engine that begins with a word."""
        for line in self._from:
            if line.split()[:1] == [word]:
                return line.strip()
        raise EOFError("the engine has gone")


def main() -> None:
    """Play one game and print its moves."""
    with ExitStack() as stack:
        players = [Pipe(stack, "perfect"), Pipe(stack, "greedy")]
        position, ply = "chomp:5/5/5", 0
        while True:
            player = players[ply % 2]
            player.say(f"position {position}")
            player.say("go")
            _, move, *action = player.until("bestmove").split()
            if move == "none":
                break
            print(f"{ply + 1}. {' '.join(action[1:])} ({move})")
            position, ply = move, ply + 1
        # In Chomp the player who has eaten the poison has lost: the player to move has won.
        print("perfect wins" if ply % 2 == 0 else "greedy wins")
        for player in players:
            player.say("quit")


if __name__ == "__main__":
    main()
