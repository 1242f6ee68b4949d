"""The parameters of an address."""

from typing import Final
from urllib.parse import parse_qsl

from position_oracle.oracle.server.errors import FieldError, RequestError

MAX_PARAMETERS: Final = 16


def read_query(query: bytes) -> dict[str, str]:
    """The parameters of the query of an address, each given once.

    Raises:
        RequestError, FieldError: it is not UTF-8, has too many, or one of them twice.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_PARAMETERS,
        )
    except UnicodeDecodeError:
        raise RequestError("the query is not UTF-8 text, percent-encoded") from None
    except ValueError:
        raise RequestError(f"the query has more than {MAX_PARAMETERS} parameters") from None
    if twice := {name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1}:
        raise FieldError(min(twice)[:40], RequestError("is given twice"))
    return dict(pairs)
