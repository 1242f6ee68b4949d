"""Unions of boxes, compared with sets of points."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.boxes import bitten, few_points, has, maximal, points_of

Box = tuple[int, ...]


@st.composite
def unions(draw: st.DrawFn) -> list[Box]:
    dimension = draw(st.integers(1, 4))
    side = st.integers(1, 4)
    return draw(st.lists(st.tuples(*[side] * dimension), max_size=6))


def points(boxes: tuple[Box, ...] | list[Box]) -> set[Box]:
    return {point for box in boxes for point in product(*map(range, box))}


@given(unions())
def test_maximal_boxes_are_the_same_union(boxes: list[Box]) -> None:
    found = maximal(boxes)
    assert points(found) == points(boxes)
    assert list(found) == sorted(set(found))
    assert set(found) <= set(boxes)
    assert not any(
        one != other and points([one]) <= points([other]) for one in found for other in found
    )
    assert maximal(boxes, 2) == found or len(maximal(boxes, 2)) == 3


@given(unions(), st.data())
def test_a_bite_leaves_what_is_not_beyond_it(boxes: list[Box], data: st.DataObject) -> None:
    if not boxes:
        return
    at = data.draw(st.tuples(*[st.integers(0, 5)] * len(boxes[0])))
    left = {p for p in points(boxes) if any(x < y for x, y in zip(p, at, strict=True))}
    found = bitten(maximal(boxes), at)
    assert points(found) == left
    assert found == maximal(found)


@given(unions())
def test_points_ascend(boxes: list[Box]) -> None:
    found = list(points_of(boxes))
    assert found == sorted(points(boxes))
    assert all(has(boxes, point) for point in found)


@given(unions())
def test_points_are_listed_as_long_as_they_are_few(boxes: list[Box]) -> None:
    """The number of all points decides, not that of the largest box."""
    count = len(points(boxes))
    assert few_points(boxes, count) == few_points(boxes, count + 1) == sorted(points(boxes))
    if count:
        assert few_points(boxes, count - 1) is None
