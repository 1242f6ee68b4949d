"""Games in the form that searches use: small values, and the children of each.

A `Tree` knows only the moves of one game: no notation, no drawing, no words. Every family makes one
(`Rules.tree`), by `plain_tree` or `poset_tree`. Other functions add shared passes and declared
positions to a tree, or make the tree of a sum; `tree_of` applies them.

The positions of a tree, its nodes, are hashable and compare by value. Equivalent positions, such as
heaps in another order, may share a node.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import inf
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.choices import Choices, by_list, in_lines
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.theory.bounds import boards_in_box, product
from position_oracle.engine.theory.boxes import few_points
from position_oracle.schema.errors import ResourceLimitError

WORD_BITS: Final = 64
"""Maximum number of cookies of a poset whose positions are machine words."""

MAX_WORDS: Final = 2**19
"""Maximum number of positions that are machine words."""

_COUNTED: Final = 5
"""Work of counting the options of a component without a list, in listed options."""

MAX_COOKIES: Final = 1024
"""Maximum number of cookies of a poset that is searched."""

Node = TypeVar("Node", bound=Hashable)
Inner = TypeVar("Inner", bound=Hashable)


class Rows(NamedTuple, Generic[Node]):
    """Nodes as rows that never increase, so that compiled code can list their moves.

    Attributes:
        lines: the sets of rows from which a move takes equal numbers, in the order of the rules;
            None for the bites of Chomp, row by row from the poison row, left to right.
        of: returns the rows of a node.
        node: returns the node of rows.
    """

    lines: tuple[tuple[int, ...], ...] | None
    of: Callable[[Node], Coordinates]
    node: Callable[[Coordinates], Node]


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree(Generic[Node]):
    """The moves of one game.

    Attributes:
        options: yields the node after each distinct action, in the order of the rules. Equal heaps
            count as different; the parts of a split heap have no order.
        choices: returns numbered options; games with many options count them without a list. Raises
            ResourceLimitError if more than `MAX_LISTED` would have to be listed.
        node: returns the node of a position of the game, or of a position that play can reach.
        bound: returns an upper bound of the number of nodes that play can reach from a node;
            infinite if there is no bound.
        won: returns whether the player to move has won at a node without options.
        gives_up: returns whether a move to a node loses by rule, as eating the poison does in
            normal play. Random play includes such a move. Grundy values and remoteness leave it
            out.
        is_declared: returns whether a node is declared N; the game, and a sum with it, ends there.
        has_declared: whether positions are declared N.
        bound_is_exact: whether play reaches exactly as many nodes as `bound` says; with passes,
            except for the ends of the game.
        rows: the conversion of nodes to rows; None if nodes are not rows.
        kept: for Chomp on at most `WORD_BITS` cookies, a bit set for each cookie of all cookies
            that its bite leaves; empty for other games.
        inner: the game without passes, if this game has passes.
    """

    options: Callable[[Node], Iterable[Node]]
    choices: Callable[[Node], Choices[Node]]
    node: Callable[[Position], Node]
    bound: Callable[[Node], float]
    won: Callable[[Node], bool]
    gives_up: Callable[[Node], bool] = _never
    is_declared: Callable[[Node], bool] = _never
    has_declared: bool = False
    bound_is_exact: bool = False
    rows: Rows[Any] | None = None
    kept: tuple[int, ...] = ()
    inner: "Tree[Any] | None" = None


def plain_tree(
    moves: Callable[[Inner], Iterator[tuple[Any, Inner]]],
    bound: Callable[[Inner], float],
    *,
    misere: bool,
    node: Callable[[Any], Inner] = lambda value: value,
    form: Callable[[Inner], Inner] | None = None,
    choices: Callable[[Inner], Choices[tuple[Any, Inner]]] | None = None,
    has_poison: bool = False,
    rows: Rows[Inner] | None = None,
) -> Tree[Inner]:
    """Make the tree of a plain game from its moves.

    In normal play a player loses who cannot move, or who has taken the poison.

    Args:
        moves: yields each action and the node after it; `Rules.actions` if nodes are values.
        bound: see `Tree`.
        misere: whether the player who cannot move wins; in Chomp, the player who eats the poison.
        node: returns the node of a value.
        form: converts a result of `moves` to canonical form; None if it has that form already.
        choices: returns the numbered moves; None to list them.
        has_poison: whether nodes are boards of Chomp. Play reaches every board inside. The empty
            board has only zeros, or no numbers.
        rows: see `Tree`.
    """

    def options(at: Inner) -> Iterator[Inner]:
        after = map(itemgetter(1), moves(at))
        return after if form is None else map(form, after)

    def by_number(at: Inner) -> Choices[Inner]:
        if choices is None:
            return by_list(options(at))
        number, option, listed = choices(at)
        if form is None:
            return Choices(number, lambda chosen: option(chosen)[1], listed)
        return Choices(number, lambda chosen: form(option(chosen)[1]), listed)

    return Tree(
        options=options,
        choices=by_number,
        node=lambda position: node(position.value),
        bound=bound,
        won=lambda _: misere != has_poison,
        gives_up=_is_empty if has_poison and not misere else _never,
        bound_is_exact=has_poison,
        rows=rows,
    )


def _is_empty(board: Any) -> bool:
    return not any(board)


def poset_tree(
    position: Position,
    boxes_of: Callable[[Position], Sequence[Coordinates]],
    *,
    misere: bool,
) -> Tree[int]:
    """Make the tree of Chomp on boards of any dimension: a bite takes all nowhere smaller.

    A node is a set of cookies, one bit for each, in ascending order; the poison, with all
    coordinates 0, is first. If nodes are machine words, `words_of` lists them. Otherwise boards
    in a box bound their number.

    Args:
        position: the first position of play.
        boxes_of: returns the boxes whose union a position is.
        misere: whether the player who eats the poison wins.

    Raises:
        ResourceLimitError: there are more than `MAX_COOKIES`.
    """
    cookies = few_points(boxes_of(position), MAX_COOKIES)
    if cookies is None:
        raise ResourceLimitError(
            f"a game of more than {MAX_COOKIES:,} cookies is too large to search"
        )
    points = np.array(cookies, np.int64).reshape(len(cookies), len(cookies[0]) if cookies else 0)
    has_words = len(cookies) <= WORD_BITS

    @cache
    def kept() -> tuple[int, ...]:
        above = np.ones((len(points), len(points)), np.bool_)
        for column in points.T:
            above &= column[np.newaxis] >= column[:, np.newaxis]
        packed = np.packbits(~above, axis=1, bitorder="little")
        return tuple(int.from_bytes(row.tobytes(), "little") for row in packed)

    def node(position: Position) -> int:
        inside = np.zeros(len(points), np.bool_)
        for box in boxes_of(position):
            inside |= (points < np.array(box, np.int64)).all(axis=1)
        return int.from_bytes(np.packbits(inside, bitorder="little").tobytes(), "little")

    def choices(at: int) -> Choices[int]:
        bits = [bit for bit, digit in enumerate(bin(at)[:1:-1]) if digit == "1"]
        return Choices(len(bits), lambda number: at & kept()[bits[number]], len(bits) // 8)

    def bound(at: int) -> float:
        if not has_words:
            return boards_in_box((points.max(axis=0) + 1).tolist())
        try:
            return float(len(words_of(kept(), at)))
        except ResourceLimitError:
            return inf

    return Tree(
        options=lambda at: (at & left for bit, left in enumerate(kept()) if at >> bit & 1),
        choices=choices,
        node=node,
        bound=bound,
        won=lambda _: not misere,
        gives_up=_never if misere else lambda at: not at,
        bound_is_exact=has_words,
        kept=kept() if has_words else (),
    )


def with_passes(tree: Tree[Inner]) -> Tree[tuple[Inner, int]]:
    """Add passes that both players share to a tree; a node then has the number of passes left.

    The pass is the last option. It is not available if the game has no move, or only a move that
    loses by rule (Morrison, Friedman & Landsberg, section 1.2).
    """

    def options(node: tuple[Inner, int]) -> Iterator[tuple[Inner, int]]:
        inner, passes = node
        may_pass = False
        for option in tree.options(inner):
            may_pass = may_pass or not tree.gives_up(option)
            yield option, passes
        if passes and may_pass:
            yield inner, passes - 1

    def choices(node: tuple[Inner, int]) -> Choices[tuple[Inner, int]]:
        inner, passes = node
        count, option, listed = tree.choices(inner)

        def numbered(number: int) -> tuple[Inner, int]:
            return (option(number), passes) if number < count else (inner, passes - 1)

        may_pass = passes > 0 and any(
            not tree.gives_up(option(number)) for number in range(min(count, 2))
        )
        return Choices(count + may_pass, numbered, listed)

    return Tree(
        options=options,
        choices=choices,
        node=lambda position: (tree.node(position), position.game.passes),
        bound=lambda node: tree.bound(node[0]) * (node[1] + 1),
        won=lambda node: tree.won(node[0]),
        gives_up=lambda node: tree.gives_up(node[0]),
        is_declared=lambda node: tree.is_declared(node[0]),
        has_declared=tree.has_declared,
        bound_is_exact=tree.bound_is_exact,
        inner=tree,
    )


def with_declared(tree: Tree[Inner], declares: Callable[[Inner], bool]) -> Tree[Inner]:
    """Make a tree in which the player to move has won at each declared position."""

    def options(node: Inner) -> Iterable[Inner]:
        return () if declares(node) else tree.options(node)

    return replace(
        tree,
        options=options,
        choices=lambda node: by_list(()) if declares(node) else tree.choices(node),
        won=lambda node: declares(node) or tree.won(node),
        is_declared=declares,
        has_declared=True,
        bound_is_exact=False,
    )


def sum_tree(
    parts: tuple[Tree[Any], ...],
    positions: Callable[[Position], tuple[Position, ...]],
    *,
    misere: bool,
) -> Tree[tuple[Hashable, ...]]:
    """Make the tree of a sum: a move is a move in one component.

    A declared position in one component ends the whole sum; the player to move has won. In normal
    play a move to a declared position is left out, like eating the poison: a player without other
    moves loses either way.

    Args:
        parts: the tree of each component; in misere play the trees of misere games.
        positions: the components of a position.
        misere: whether the player who makes the last move of all loses.
    """

    def options(node: tuple[Hashable, ...]) -> Iterator[tuple[Hashable, ...]]:
        if any(tree.is_declared(part) for tree, part in zip(parts, node, strict=True)):
            return
        for index, (tree, part) in enumerate(zip(parts, node, strict=True)):
            before, after = node[:index], node[index + 1 :]
            for option in tree.options(part):
                if not (tree.gives_up(option) or (not misere and tree.is_declared(option))):
                    yield (*before, option, *after)

    def choices(node: tuple[Hashable, ...]) -> Choices[tuple[Hashable, ...]]:
        """Number the options of each component, without the first if it loses by rule."""
        if any(tree.has_declared for tree in parts):
            return by_list(options(node))
        found = [tree.choices(part) for tree, part in zip(parts, node, strict=True)]
        skipped = [
            int(each.number > 0 and tree.gives_up(each.option(0)))
            for tree, each in zip(parts, found, strict=True)
        ]

        def option(index: int, number: int) -> tuple[Hashable, ...]:
            changed = found[index].option(number + skipped[index])
            return (*node[:index], changed, *node[index + 1 :])

        lengths = (each.number - skip for each, skip in zip(found, skipped, strict=True))
        listed = sum(each.listed + _COUNTED for each in found)
        return in_lines(lengths, option, listed)

    return Tree(
        options=options,
        choices=choices,
        node=lambda position: tuple(
            tree.node(part) for tree, part in zip(parts, positions(position), strict=True)
        ),
        bound=lambda node: product(
            tree.bound(part) for tree, part in zip(parts, node, strict=True)
        ),
        won=lambda _: misere,
    )


def value_tree(position: Position, *, misere: bool) -> Tree[Any]:
    """Make a tree whose nodes are the values of positions, by the rules of the family.

    Declared positions are compared with these values; other trees may merge equivalent positions.

    Raises:
        ResourceLimitError: as of `Rules.tree`.
    """
    game = position.game
    rules = rules_of(game.family)
    plain = rules.tree(position, misere=misere)
    spares = rules.has_poison and not misere

    return replace(
        plain_tree(
            lambda value: rules.actions(value, game),
            lambda value: plain.bound(plain.node(Position(game, value))),
            misere=rules.has_poison != misere,
        ),
        gives_up=lambda value: spares and next(rules.actions(value, game), None) is None,
    )


def has_rows(tree: Tree[Any]) -> bool:
    """Return whether the nodes of a tree are rows, with or without passes."""
    return (tree.inner or tree).rows is not None


def is_of_words(tree: Tree[Any]) -> bool:
    """Return whether the nodes of a tree are sets of cookies that fit into machine words."""
    return len(tree.kept) > 0


@lru_cache(maxsize=8)
def words_of(kept: tuple[int, ...], node: int) -> NDArray[np.uint64]:
    """Return all positions inside a position of at most `WORD_BITS` cookies, ascending.

    Args:
        kept: see `Tree`.
        node: the cookies left.

    Raises:
        ResourceLimitError: there are more than `MAX_WORDS`.
    """
    words = np.zeros(1, np.uint64)
    for cookie, needed in _with_needed(kept, node):
        current().check()
        words = np.concatenate((words, words[words & needed == needed] | cookie))
        if len(words) > MAX_WORDS:
            raise ResourceLimitError(f"more than {MAX_WORDS:,} sets of cookies")
    words.sort()
    return words


def _with_needed(kept: tuple[int, ...], node: int) -> list[tuple[np.uint64, np.uint64]]:
    """Return the cookies of a position as bits, those nearer to the poison first.

    Each comes with the cookies below it, which a position with this cookie has.
    """
    bits = [bit for bit in range(len(kept)) if node >> bit & 1]
    below = {bit: sum(1 << each for each in bits if not kept[each] >> bit & 1) for bit in bits}
    order = sorted(bits, key=lambda bit: below[bit].bit_count())
    return [(np.uint64(1 << bit), np.uint64(below[bit] & ~(1 << bit))) for bit in order]


@lru_cache(maxsize=16)
def tree_of(position: Position, *, misere: bool | None = None) -> Tree[Any]:
    """Make the tree of a position, with its passes and declared positions.

    Args:
        position: the first position of play.
        misere: the kind of play; None for the kind of the game. Every component of a misere sum is
            misere.

    Raises:
        ResourceLimitError: the game is too large to search.
    """
    game = position.game
    is_misere = game.misere if misere is None else misere
    tree: Tree[Any]
    if game.is_variant:
        tree = with_declared(value_tree(position, misere=is_misere), game.declares)
    else:
        tree = rules_of(game.family).tree(position, misere=is_misere)
    return with_passes(tree) if game.passes else tree
