"""Records of games as text, in the manner of chess: tags, then numbered moves.

    [Start "chomp3:[4,3,2]"]
    [First "you"]
    [Second "perfect"]
    [Result "0-1"]

    1. chomp3:[4,3,1] {a mistake: chomp3:[4,3,0] wins} chomp3:[4,2,2] {wins}
    2. ...

A move is the position that it leads to, or `pass`. The result is `1-0` if the first player won,
`0-1` if the second player won, and `*` if the game was broken off. Braces hold comments, which
readers skip.
"""

import re
from collections.abc import Sequence
from typing import Final

from position_oracle.clients.errors import ClientTypeError, InvalidQuestionError
from position_oracle.clients.play import Game, GameRecord

_TAGS: Final = ("Start", "First", "Second", "Result")
_RESULTS: Final = {0: "1-0", 1: "0-1", None: "*"}
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
# Braces directly behind a word are options, as in nim{misere}:[3], also within a comment.
_COMMENT: Final = re.compile(r"(?<!\S)\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_NUMBER: Final = re.compile(r"[0-9]+\.")
MAX_CHARACTERS: Final = 50_000_000


def format_record(record: GameRecord, comments: Sequence[str] = ()) -> str:
    """Write a game as text.

    Args:
        record: the game.
        comments: a comment on each move, with braces only in texts of games; may be shorter than
            the moves.

    Raises:
        ValueError: a comment has an unmatched brace, or several lines.
    """
    if any(not _COMMENT.fullmatch(f"{{{text}}}") or "\n" in text for text in comments):
        raise ValueError("a comment is one line; only games such as nim{misere} may have braces")
    values = (record.start, *record.players, _RESULTS[record.winner])
    tags = [f'[{tag} "{_quoted(value)}"]' for tag, value in zip(_TAGS, values, strict=True)]
    said = [*comments, *[""] * (len(record.moves) - len(comments))]
    # Texts of some positions have spaces, which readers do not need.
    texts = [re.sub(r"\s+", "", move) for move in record.moves]
    moves = [f"{move} {{{said[i]}}}" if said[i] else move for i, move in enumerate(texts)]
    lines = [
        f"{number}. {' '.join(moves[2 * number - 2 : 2 * number])}"
        for number in range(1, (len(moves) + 1) // 2 + 1)
    ]
    return "\n".join([*tags, "", *lines, _RESULTS[record.winner]]) + "\n"


def parse_record(text: str) -> GameRecord:
    """Read a game from its text, and check every move.

    Raises:
        InvalidQuestionError: the text has another form, or a move is not legal.
        ClientTypeError: the argument is not a text.
    """
    if not isinstance(text, str):
        raise ClientTypeError(f"record is a {type(text).__name__}; it is given as text (str)")
    if len(text) > MAX_CHARACTERS:
        raise InvalidQuestionError(f"a record of {len(text)} characters is too long", "record")
    found = _TAG.findall(_head(text))
    tags = {name: _unquoted(value) for name, value in found}
    if len(tags) < len(found):
        raise InvalidQuestionError("the record has a tag twice", "record")
    missing = [tag for tag in _TAGS if tag not in tags]
    if missing:
        raise InvalidQuestionError(f"the record has no tag {missing[0]}", "record")
    game = Game(tags["Start"], (tags["First"], tags["Second"]))
    for word in _COMMENT.sub(" ", _body(text)).split():
        if word in _RESULTS.values() or _NUMBER.fullmatch(word):
            continue
        game.play(word)
    record = game.record()
    if tags["Result"] != _RESULTS[record.winner]:
        raise InvalidQuestionError(
            f"the result is {tags['Result'][:10]!r}, but the moves lead to"
            f" {_RESULTS[record.winner]!r}",
            "record",
        )
    return record


def _head(text: str) -> str:
    """Return the lines of tags."""
    return "\n".join(line for line in text.split("\n") if line.lstrip().startswith("["))


def _body(text: str) -> str:
    """Return the lines of moves."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("["))


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)
