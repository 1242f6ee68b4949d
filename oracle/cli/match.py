"""Games in the terminal, which are saved even if they are interrupted."""

from pathlib import Path

import typer

from position_oracle.clients.bots import Bot, bot_of
from position_oracle.clients.play import Game, GameRecord
from position_oracle.clients.record import format_record
from position_oracle.oracle.cli.person import Person, Wish, tell
from position_oracle.schema.answerer import Answerer


class Match:
    """Seats two players and lets them play."""

    def __init__(self, oracle: Answerer, epsilon: float, record: Path | None) -> None:
        """Set up a match.

        Args:
            oracle: the answerer that gives good moves.
            epsilon: the probability that a sloppy player makes a random move.
            record: the file to which games are saved.
        """
        self._oracle = oracle
        self._epsilon = epsilon
        self._record = record

    def play(self, start: str, players: tuple[str, str], seed: int) -> GameRecord:
        """Play one game; a person who quits ends it."""
        seats = [self._seat(player, seed + index) for index, player in enumerate(players)]
        game = Game(start, (seats[0].name, seats[1].name))
        persons = sum(isinstance(seat, Person) for seat in seats)
        self._save(game)
        try:
            while not game.is_over:
                seat = seats[game.to_move]
                if isinstance(seat, Person):
                    if not _take_turn(seat, game, plies_back=3 - persons):
                        break
                    continue
                before, move = game.position, seat.choose(game.position)
                if persons:
                    tell(seat.name, before, move)
                game.play(move)
        finally:
            self._save(game)
        return game.record()

    def _save(self, game: Game) -> None:
        # Also before the first move, to detect at once a file that cannot be written.
        if self._record is not None:
            self._record.write_text(format_record(game.record()), encoding="utf-8")

    def _seat(self, player: str, seed: int) -> Person | Bot:
        if player == Person.name:
            return Person(self._oracle)
        return bot_of(player, self._oracle, seed, self._epsilon)


def _take_turn(person: Person, game: Game, plies_back: int) -> bool:
    """Ask a person for one move, who may also take back the last move and the reply.

    Returns:
        Whether the game goes on; False if the person quits.
    """
    wish = person.ask(game)
    if isinstance(wish, str):
        game.play(wish)
    elif wish is Wish.UNDO and not game.undo(plies_back):
        typer.echo("there is nothing to take back")
    return wish is not Wish.QUIT
