"""Show all steps to an answer: compute, store, serve, ask, win.

python examples/demo.py --limit 10000 --census 100000
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

import numpy as np

from position_oracle import OracleClient, Outcome, bots, play

ORACLE = [sys.executable, "-m", "position_oracle"]
START = "chomp3:[1000,0,0]"


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--limit", default="10000", help="largest x of the tables")
    parser.add_argument("--census", default="100000", help="largest x of the census")
    parser.add_argument("--db", default="data", help="folder of the tables")
    options = parser.parse_args()
    print(f"1. compute and store three-row Chomp for every x <= {options.limit}", flush=True)
    build("--limit", options.limit, "--db", options.db)
    print(f"\n2. sweep every sheet to x <= {options.census}, without its P-positions", flush=True)
    build("--kind", "census", "--limit", options.census, "--db", options.db)
    print("\n3. serve them over gRPC", flush=True)
    with served(options.db) as address, OracleClient(address) as oracle:
        print("\n4. ask")
        ask(oracle, "chomp3:[4,3,2]", "chomp:3/3/3", START)
        print("\n5. ask far beyond the tables: an opening that is read, a position that is swept")
        ask(oracle, *far_out(int(options.census)))
        print("\n6. ask a hundred thousand at once")
        ask_many(oracle)
        print(f"\n7. play: a bot that asks wins from {START}")
        watch(oracle)


def build(*options: str) -> None:
    """Compute the tables of three-row Chomp that are missing."""
    done = subprocess.run([*ORACLE, "build", "chomp3", *options, "--if-missing"], check=False)
    if done.returncode:
        sys.exit(done.returncode)  # it has said why


@contextmanager
def served(db: str) -> Iterator[str]:
    """Run a server on a free port and yield its address; print its log if it does not start."""
    command = [*ORACLE, "serve", "--db", db, "--address", "127.0.0.1:0"]
    with (
        TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            line = server.stdout.readline().strip()
            if not line:
                log.seek(0)
                sys.exit(log.read())
            print(f"   {line}")
            yield line.rpartition(" ")[2]
        finally:
            server.terminate()


def ask(oracle: OracleClient, *positions: str) -> None:
    """Ask for the winning moves of a few positions."""
    for text in positions:
        begun = time.perf_counter()
        answer = oracle.winning_moves(text)
        milliseconds = 1000 * (time.perf_counter() - begun)
        moves = ", ".join(move.position for move in answer.winning_moves or ())
        print(f"   {text}: {answer.outcome.name}, wins by {moves or 'no move'}")
        print(f"      {answer.certainty.name}: {answer.reason}; {milliseconds:.0f} ms")


def far_out(census: int) -> tuple[str, str]:
    """Return a rectangle beyond the census, and a position near a loser line."""
    return f"chomp3:[{141 * census // 100},0,0]", (
        f"chomp3:[{9 * census // 10},{9 * census // 100},{61 * census // 100}]"
    )


def ask_many(oracle: OracleClient) -> None:
    """Ask for the outcomes of random positions in one batch."""
    positions = np.random.default_rng(1).integers(0, 1000, (100_000, 3))
    oracle.outcomes("chomp3", positions)
    begun = time.perf_counter()
    outcomes = oracle.outcomes("chomp3", positions)
    seconds = time.perf_counter() - begun
    share = float(np.mean(outcomes == Outcome.P))
    print(f"   {100 * share:.2f}% are P-positions; answered in {1000 * seconds:.0f} ms")


def watch(oracle: OracleClient) -> None:
    """Let the perfect bot play against the other bots."""
    bot = bots.PerfectBot(oracle)
    for opponent in (bots.RandomBot(seed=1), bots.GreedyBot()):
        record = play.play_game(bot, opponent, START)
        first = ", ".join(record.moves[:3])
        print(f"   {bot.name} beats {opponent.name} in {len(record.moves)} moves: {first}, ...")
        assert record.winner == 0, "a bot that asks must win from an N-position"


if __name__ == "__main__":
    main()
