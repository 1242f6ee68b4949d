"""The rules of games in words, for people who do not know the games.

Each family describes its best-known games. This module finds the description that fits a game,
fills in its options, and adds the effects of passes, misere play and declared positions.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from position_oracle.engine.games.listed import ListedRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import families, rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.sum import components_of
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.games import Introduction


def introductions() -> Iterator[Introduction]:
    """Yield the descriptions of the games that have names of their own, family by family."""
    for family in families():
        for each in rules_of(family).introductions:
            yield introduction_of(_start(each))


def introduction_of(position: Position) -> Introduction:
    """Describe the game of a position; for a sum, the rules of its components."""
    found = introduction_of_game(position.game)
    parts = dict.fromkeys(introduction_of_game(part.game) for part in components_of(position))
    rules = [found.rules, *(f"{part.title}: {part.rules}" for part in parts)]
    if not position.game.misere and any(_has_poison(part.game) for part in components_of(position)):
        rules.append("In a sum the poison stays: nobody may eat it.")
    if rules_of(position.game.family).hides:  # the numbers of another start show other options
        found = replace(found, start=str(position))
    return replace(found, rules=" ".join(rules))


def introduction_of_game(game: GameSpec) -> Introduction:
    """Describe a game; an external game without a description has only its name."""
    rules = rules_of(game.family)
    known = rules.introductions
    if isinstance(rules, ListedRules) and not known:
        example = rules.example_position()
        nothing = Introduction(game.name, str(example), rules="", loses="you cannot move")
        return _changed(nothing, game, example)
    found = max(known, key=lambda each: _likeness(game, _start(each).game))
    options = {name: text.replace("+", ", ") for name, text in game.options}
    options = {"a": "1", "b": ""} | options
    title, rules_ = found.title.format(**options), found.rules.format(**options)
    return _changed(replace(found, title=title, rules=rules_), game, _start(found))


def _has_poison(game: GameSpec) -> bool:
    return rules_of(game.family).has_poison


@lru_cache(maxsize=256)
def _start(words: Introduction) -> Position:
    from position_oracle.engine.games.notation import parse

    return parse(words.start)


def _likeness(game: GameSpec, other: GameSpec) -> tuple[bool, ...]:
    """Rank the similarities of two games of a family, the most important first."""
    names = [[name for name, _ in each.options] for each in (game, other)]
    return (
        names[0] == names[1],
        game.options == other.options,
        game.misere == other.misere,
        game.passes == other.passes,
        not other.misere and not other.passes,
    )


def _start_in(game: GameSpec, start: Position) -> str:
    """Return the start in another game; unchanged if it does not fit."""
    from position_oracle.engine.games.notation import is_position

    with suppress(PositionOracleError):
        text = str(replace(start, game=replace(game, heaps=start.game.heaps)))
        if is_position(text):
            return text
    return str(start)


def _changed(words: Introduction, game: GameSpec, start: Position) -> Introduction:
    """Adapt the description of one game, with its start, to another game of its family."""
    described = start.game
    if replace(game, heaps=None) != replace(described, heaps=None):
        words = replace(words, start=_start_in(game, start))
    if game.misere and not described.misere:
        loses = "nothing is left for you" if _has_poison(game) else "you make the last move"
        words = replace(words, title=f"{words.title}, misère", loses=loses, note="")
    if game.passes != described.passes:
        count = "one pass" if game.passes == 1 else f"{game.passes} passes"
        share = f"The players share {count}, which may be used while a move is left."
        title = f"{words.title} with {count}" if game.passes else words.title
        words = replace(words, title=title, rules=f"{words.rules} {share}", note="")
    if game.is_variant:
        ends = "Moving to a position that is declared a win for the next player loses."
        title = f"{words.title} with declared positions"
        words = replace(words, title=title, rules=f"{words.rules} {ends}", note="")
    return words
