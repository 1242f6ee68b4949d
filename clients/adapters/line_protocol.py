"""An engine on pipes: it reads one command from each line, like chess engines.

    > hello
    id name position-oracle 1.0.0rc1
    option name Level type combo default perfect var perfect var stubborn ...
    ready
    > position chomp:7/7/7/7 moves 2,3
    > go
    info outcome N certainty EXACT_SEARCH remoteness 9
    bestmove chomp:7/2/1/1 action bite row 3, column 2

docs/engine.md has every command. Only `quit` and the end of its input stop the engine. It answers
an invalid command with one line that begins with `error`.
"""

import json
from collections.abc import Callable, Iterator
from typing import Final, TextIO

from position_oracle import __version__
from position_oracle.clients import rules
from position_oracle.clients.bots import LEVELS, bot_of
from position_oracle.clients.errors import (
    AccessDeniedError,
    DeadlineError,
    InvalidQuestionError,
    ServerError,
    ServerUnavailableError,
)
from position_oracle.schema.answerer import Answerer
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.numbers import read_decimal, read_int

MAX_LINE: Final = 1_000_000
"""Maximum length in characters of a line that is read."""

LISTED: Final = 10_000
"""Maximum number of moves that `legal` lists."""

MAX_SEED: Final = 2**63 - 1

OPTIONS: Final = ("Level", "Seed", "Epsilon")

_UNANSWERED: Final = (AccessDeniedError, DeadlineError, ServerError, ServerUnavailableError)
"""Errors of an oracle that is unreachable, or does not answer."""


class Engine:
    """The state of an engine between two lines: its position and its level.

    Attributes:
        has_failed: whether a question could not be asked, e.g. because the server is unreachable.
    """

    def __init__(self, oracle: Answerer) -> None:
        """Make an engine that plays perfectly, at the first position of a board of Chomp."""
        self._oracle = oracle
        self._set: str | None = "chomp:7/7/7/7"
        self.has_failed = False
        self._level, self._seed, self._epsilon = "perfect", 0, 0.1
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "hello": self._hello,
            "uci": self._refuse_uci,
            "isready": lambda _: iter(("readyok",)),
            "newgame": self._new_game,
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "legal": self._legal,
            "analyze": self._analyze,
            "display": self._display,
            "help": self._help,
        }

    def answer(self, line: str) -> Iterator[str]:
        """Return the lines that answer a command; `error ...` for an invalid command."""
        if len(line) > MAX_LINE:
            yield f"error a line of {len(line)} characters; at most {MAX_LINE} are read"
            return
        command, _, rest = line.strip().partition(" ")
        if not command:
            return
        do = self._commands.get(command)
        if do is None:
            yield f"error no command {command[:40]!r}; type help"
            return
        try:
            yield from do(rest.strip())
        except _UNANSWERED as error:
            self.has_failed = True
            yield "error " + " ".join(str(error).split())
        except (PositionOracleError, ValueError, LookupError, RuntimeError, OSError) as error:
            yield "error " + " ".join(str(error).split())

    def _hello(self, _: str) -> Iterator[str]:
        yield f"id name position-oracle {__version__}"
        yield "id author the authors of position-oracle"
        levels = " ".join(f"var {level}" for level in LEVELS)
        yield f"option name Level type combo default perfect {levels}"
        yield f"option name Seed type spin default 0 min 0 max {MAX_SEED}"
        yield "option name Epsilon type string default 0.1"
        yield "ready"

    def _refuse_uci(self, _: str) -> Iterator[str]:
        yield "error this is no engine of chess, and does not speak UCI; say hello"

    @property
    def _position(self) -> str:
        if self._set is None:
            raise InvalidQuestionError("no position is set, since the last one was refused")
        return self._set

    def _new_game(self, _: str) -> Iterator[str]:
        self._seed += 1
        return iter(())

    def _set_option(self, rest: str) -> Iterator[str]:
        words = rest.split()
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise InvalidQuestionError("write setoption name NAME value VALUE")
        name, value = words[1].lower(), words[3]
        if name == "level":
            bot_of(value, self._oracle)
            self._level = value
        elif name == "seed":
            self._seed = read_int(value, 0, MAX_SEED, "seed")
        elif name == "epsilon":
            self._epsilon = read_decimal(value, 0, 1, "epsilon")
        else:
            known = ", ".join(OPTIONS)
            raise InvalidQuestionError(f"no option {words[1][:40]!r}; there are {known}")
        return iter(())

    def _set_position(self, rest: str) -> Iterator[str]:
        self._set = None
        text, _, moves = rest.partition(" moves ")
        position = rules.canonical(text)
        for move in moves.split():
            position = rules.play(position, move.replace("_", " "))
        self._set = position
        return iter(())

    def _go(self, _: str) -> Iterator[str]:
        won = rules.winner(self._position)
        if won is not None:
            yield f"info outcome {won} over"
            yield "bestmove none"
            return
        analysis = self._oracle.analyze(self._position)
        answer, plies = analysis.answer, analysis.values.remoteness
        said = f"info outcome {answer.outcome} certainty {answer.certainty}"
        if plies is not None:
            said += f" remoteness {plies}"
        if analysis.values.grundy is not None:
            said += f" grundy {analysis.values.grundy}"
        yield said if answer.outcome is not Outcome.UNKNOWN else "info outcome unknown"
        bot = bot_of(self._level, self._oracle, self._seed, self._epsilon)
        self._seed += 1
        move = rules.move_of(self._position, bot.choose(self._position))
        yield f"bestmove {_compact(str(move))} action {move.action}"

    def _legal(self, _: str) -> Iterator[str]:
        moves = (
            []
            if rules.is_over(self._position)
            else [_compact(str(move)) for move in rules.legal_moves(self._position, LISTED)]
        )
        yield " ".join(("legalmoves", *moves))

    def _analyze(self, _: str) -> Iterator[str]:
        yield "analysis " + json.dumps(self._oracle.analyze(self._position).as_json(LISTED))

    def _display(self, _: str) -> Iterator[str]:
        yield f"position {self._position}"
        drawn = rules.draw(self._position)
        yield from (f"board {line}" for line in drawn.split("\n") if drawn)

    def _help(self, _: str) -> Iterator[str]:
        yield "commands " + " ".join((*self._commands, "stop", "quit"))


def serve(oracle: Answerer, lines: TextIO, out: TextIO) -> bool:
    """Answer commands until `quit` or the end of the input.

    Args:
        oracle: the answerer of the questions.
        lines: the input lines.
        out: the output, flushed after each answer.

    Returns:
        Whether every question could be asked.

    Raises:
        PositionOracleError: the oracle cannot be asked at all.
    """
    oracle.tables()
    engine = Engine(oracle)
    while line := lines.readline(MAX_LINE + 2):
        rest = line
        while rest and not rest.endswith("\n"):  # the rest of a line that is too long
            rest = lines.readline(MAX_LINE)
        if line.strip() == "quit":
            break
        if line.strip() == "stop":  # every answer comes before the next line is read
            continue
        for said in engine.answer(line):
            print(said, file=out)
        out.flush()
    return not engine.has_failed


def _compact(move: str) -> str:
    """Format a move without spaces, because spaces separate words in a line."""
    return "".join(move.split())
