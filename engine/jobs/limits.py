"""Limits of builds as texts: whole numbers joined by `x`."""

from position_oracle.schema.numbers import read_digits


def read_sides(limit: str, count: int) -> tuple[int, ...] | None:
    """The numbers of a limit, none negative; one number stands for all of them.

    Args:
        limit: a text such as `4096` or `100x4096`.
        count: how many numbers there are.

    Returns:
        So many numbers, or None where the text is no such limit.
    """
    parts = limit.strip().split("x")
    if len(parts) not in {1, count} or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    numbers = [read_digits(part) for part in parts]
    sides = tuple(number for number in numbers if number is not None)
    return sides * (count // len(parts)) if len(sides) == len(parts) else None
