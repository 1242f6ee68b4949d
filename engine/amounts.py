"""Times and sizes as text for people."""


def duration_text(seconds: float) -> str:
    """Format a time with two digits, e.g. `0.25 ms`, `0.25 s`, `10 s`, `4 min`, `3 h`."""
    if seconds < 1e-3:
        return f"{_two_digits(1e3 * seconds)} ms"
    if seconds < 90:
        return f"{_two_digits(seconds)} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 1e6 else "weeks"


def size_text(size: float) -> str:
    """Format a number of bytes, e.g. `100 bytes`, `1.1 GB`, `250 MB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB", "EB"):
        if size < 999.5 or unit == "EB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{_two_digits(size)} {unit}"
        size /= 1000
    raise AssertionError


def _two_digits(number: float) -> str:
    """Format a number below 1,000 with two significant digits, and all digits before the point."""
    if number >= 10:
        return f"{number:.0f}"
    digits = f"{float(f'{number:.2g}'):.9f}"
    return digits.rstrip("0").rstrip(".")
