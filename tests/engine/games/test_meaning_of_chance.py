"""docs/random-play.md, "Meaning of chance": the number of equally likely actions of positions."""

import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.tree import tree_of

ACTIONS = {
    "chomp:3/2": 5,  # each cookie, including the poison
    "chomp:3/2 + nim:[1]": 5,  # the poison is no action in a sum in normal play
    "misere{chomp:3/2 + nim:[1]}": 6,
    "divisors:12": 6,  # each number
    "transfinite:2x2": 4,
    "nim:[3,3]": 6,  # two equal heaps are two heaps
    "nim:[3,3;1]": 7,  # a pass is an action
    "nim:[0;1]": 0,  # no pass after the last move
    "chomp:1;1": 1,  # no pass where only the poison is left
    "nim{heappass}:[3p]": 4,
    "wythoff:[2,2]": 6,
    "octal{code=0.77}:[7]": 7,  # the parts of a split heap have no order
    "octal{code=0.77,heappass}:[5p]": 9,  # which part keeps the pass makes two actions
    "partition{parts=2}:[5]": 2,
    "toads:TT.FF": 2,  # each animal that can move
    "nodekayles:path(4)": 4,
    "chomp3{declared=[1,0,0]}:[1,0,0]": 0,  # play has ended
}


@pytest.mark.parametrize(("text", "actions"), ACTIONS.items())
def test_every_distinct_action_is_one(text: str, actions: int) -> None:
    position = parse(text)
    tree = tree_of(position)
    assert len(list(tree.options(tree.node(position)))) == actions


@pytest.mark.parametrize(
    ("text", "won"),
    [
        ("nim:[0]", False),
        ("nim{misere}:[0]", True),
        ("chomp:0", True),
        ("chomp{misere}:0", False),
        ("chomp3{declared=[1,0,0]}:[1,0,0]", True),
    ],
)
def test_who_has_won_at_the_end(text: str, won: bool) -> None:
    position = parse(text)
    tree = tree_of(position)
    assert tree.won(tree.node(position)) is won
