"""`oracle ask`: the outcome and the winning moves of positions."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TextIO

import typer

from position_oracle.clients.errors import ServerLimitError
from position_oracle.oracle.cli.answerer import answerer, words_of
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server, whole_number
from position_oracle.oracle.cli.terminal import fitted, standard_input
from position_oracle.schema.analyses import Analysis, Method, Turns, WinProbability
from position_oracle.schema.answers import Certainty
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    ResourceLimitError,
    UnknownAnswerError,
    UnknownGameError,
)

SHOWN_MOVES: Final = 10
"""Number of moves listed in text unless another number is given."""

MAX_LINE: Final = 65_536
"""Maximum number of characters of a line of standard input that are read; positions are shorter."""

if TYPE_CHECKING:
    from position_oracle.schema.answerer import Answerer


class Reply(NamedTuple):
    """The answer to a question.

    Attributes:
        analysis: the analysis of the position.
        chance: the win probability, if a model was given.
        turns: the length of a random game, if it was asked for.
    """

    analysis: Analysis[Any]
    chance: WinProbability[Any] | None
    turns: Turns[Any] | None

    @property
    def code(self) -> ExitCode:
        """The exit code: whether every requested answer is known."""
        known = self.chance is None or self.chance.value is not None
        known = known and (self.turns is None or self.turns.mean is not None)
        is_answered = self.analysis.answer.outcome and known
        return ExitCode.ANSWERED if is_answered else ExitCode.UNKNOWN


def run(
    positions: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION...",
            help="Positions such as 'chomp3:[4,3,2]', 'chomp3:[4,3,2;1]' (one pass left) or"
            " 'chomp:9/7/4' (row lengths); - reads them from standard input, one a line, and"
            " prints one JSON object a line in the same order.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Also say how likely the player to move is to win: random, perfect-vs-random,"
            " random-vs-perfect, 'perfect-vs-sloppy(0.1)' or 'sloppy(0.1)-vs-perfect', the player"
            " to move first.",
        ),
    ] = None,
    turns: Annotated[
        bool,
        typer.Option(
            "--turns", help="Also say how many turns a game lasts if both players move at random."
        ),
    ] = False,
    moves: Annotated[
        int | None,
        typer.Option(
            "--moves",
            parser=whole_number(0),
            metavar="INTEGER",
            help="How many moves to list, best first: 10 in text; in JSON none, unless given.",
        ),
    ] = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Say who wins a position, how that is known, and which moves win.

    Exit code: 0 if every position was answered, 2 if one was bad, 3 if one is unknown.
    """
    chance = None if model is None else _canonical(model)
    from_input = positions == ["-"]
    for_programs = from_input or as_json
    # Listing all moves takes longer than everything else, so programs get moves only on request.
    listed = (0 if for_programs else SHOWN_MOVES) if moves is None else moves
    texts = _lines(standard_input()) if from_input else iter(positions)
    with answerer(db, server) as oracle:

        def ask(text: str) -> Reply:
            analysis = oracle.analyze(text, moves=listed > 0)
            position = str(analysis.answer.position)
            return Reply(
                analysis,
                None if chance is None else _win_probability(oracle, position, chance),
                oracle.turns(position) if turns else None,
            )

        if for_programs:
            return _print_objects(texts, ask, moves)
        return _print_texts(texts, ask, listed)


def _canonical(model: str) -> str:
    from position_oracle.engine.theory.random_play.model import Model

    return Model.parse(model).text


def _lines(stream: TextIO) -> Iterator[str]:
    """Yield lines without their ends, at most `MAX_LINE` characters each."""
    while line := stream.readline(MAX_LINE):
        rest = line
        while len(rest) == MAX_LINE and not rest.endswith("\n"):
            rest = stream.readline(MAX_LINE)
        yield line.rstrip("\r\n")


def _win_probability(oracle: "Answerer", position: str, model: str) -> WinProbability[Any]:
    """Return the win probability; for a game without one, an answer that says so."""
    try:
        return oracle.win_probability(position, model)
    except UnknownAnswerError as error:
        return WinProbability(
            position=position,
            model=model,
            value=None,
            exact=None,
            error_bound=None,
            certainty=Certainty.UNKNOWN,
            method=Method.UNKNOWN,
            reason=words_of(error),
        )


def _print_objects(
    texts: Iterable[str], ask: Callable[[str], Reply], most_moves: int | None
) -> int:
    code = ExitCode.ANSWERED
    for text in texts:
        try:
            reply = ask(text)
        except (NotationError, InvalidPositionError, UnknownGameError) as error:
            _print_line({"position": text, "error": words_of(error)})
            code = ExitCode.BAD_INPUT
            continue
        except (UnknownAnswerError, ResourceLimitError, ServerLimitError) as error:
            _print_line({"position": text, "error": words_of(error)})
            code = code or ExitCode.UNKNOWN
            continue
        value = reply.analysis.as_json(most_moves)
        if reply.chance is not None:
            value["win_probability"] = reply.chance.as_json()
        if reply.turns is not None:
            value["turns"] = reply.turns.as_json()
        _print_line(value)
        if code is ExitCode.ANSWERED:
            code = reply.code
    return code


def _print_line(value: dict[str, object]) -> None:
    # Flushed line by line, so that a program may hold a conversation over pipes.
    print(json.dumps(value), flush=True)  # noqa: T201 - quicker than `typer.echo`


def _print_texts(texts: Iterable[str], ask: Callable[[str], Reply], most_moves: int) -> int:
    from position_oracle.oracle.cli.render import answer_text, turn_lines
    from position_oracle.oracle.cli.render_moves import move_lines, table_shows_wins, value_lines

    code = ExitCode.ANSWERED
    for text in texts:
        reply = ask(text)
        analysis = reply.analysis
        more = [
            *turn_lines(reply.turns),
            *value_lines(analysis.values),
            *move_lines(analysis, most_moves),
        ]
        list_wins = not table_shows_wins(analysis, most_moves)
        typer.echo(fitted(answer_text(analysis.answer, reply.chance, more, list_wins=list_wins)))
        if code is ExitCode.ANSWERED:
            code = reply.code
    return code
