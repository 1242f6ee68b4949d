"""The text of a position: `family{options}:body`; every position has one canonical text.

chomp3:[4,3,2]      chomp3:[4,3,2;1]      chomp:9/7/4      nim:[3,5,7]
nim{declared=[1,6,7]}:[2,3,4]             wythoff{rule=all}:[3,5,7]
transfinite:1x(w*3) + 2x(w*2+1)           boxes with ordinal sides
chomp3:[2,1,0] + nim:[3,5]                misere{chomp:4/2 + nim:[3]}
"""

from position_oracle.engine.games.game_text import read_game
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import MAX_TEXT
from position_oracle.engine.games.sum import make_sum, split_sum
from position_oracle.schema.errors import InvalidPositionError, NotationError, UnknownGameError
from position_oracle.schema.numbers import shown


def parse(text: str) -> Position:
    """Read a position from its text.

    An error suggests the position that was probably meant, if there is one; see
    `engine.games.suggest`.

    Raises:
        NotationError: the text has no such form.
        UnknownGameError: there is no such family.
        InvalidPositionError: the text is well-formed, but is not a position of the game.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(
            f"position text has {len(text)} characters; at most {MAX_TEXT} are read"
        )
    try:
        return _parse(text)
    except (NotationError, UnknownGameError, InvalidPositionError) as error:
        from position_oracle.engine.games.suggest import did_you_mean, suggestions

        found = suggestions(text)
        if not found:
            raise
        raise type(error)(f"{error}{did_you_mean(found)}") from None


def is_position(text: str) -> bool:
    """Return whether a text is a position, without making suggestions."""
    try:
        _parse(text)
    except (NotationError, UnknownGameError, InvalidPositionError):
        return False
    return len(text) <= MAX_TEXT


def _parse(text: str) -> Position:
    if (parts := split_sum(text)) is not None:
        components, misere = parts
        return make_sum(tuple(map(_parse_one, components)), misere=misere)
    return _parse_one(text)


def _parse_one(text: str) -> Position:
    head, colon, body = text.strip().rpartition(":")
    if not colon:
        raise NotationError(f"{shown(text)} is not a position; positions look like chomp3:[4,3,2]")
    options = read_game(head)
    if options.passes or options.heaps != options.implied_heaps:
        raise NotationError(
            f"{shown(text)}: the position itself shows heaps and passes, e.g. nim:[3,5,7;2]; leave"
            " the options heaps and passes out"
        )
    return rules_of(options.family).parse_body(body, options)
