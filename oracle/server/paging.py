"""Lists that come in pages: where a page begins, and the token that asks for the next.

A token names the question, the tables and where to go on. It is not a secret, and holds no state of
the server: any server with the same tables takes it.
"""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol, TypeVar

from position_oracle.oracle.server.errors import FieldError, RequestError, StaleTokenError
from position_oracle.schema.answers import Tables

_FORM: Final = struct.Struct(">8s8sQ")

T = TypeVar("T")


class Paged(Protocol):
    """A request for a page of a list."""

    page_size: int
    page_token: str


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list that is asked for.

    Attributes:
        question: identity of what is asked.
        size: the most items.
        first: where it begins.
        version: identity of the tables that the page before was answered from; empty for the first.
    """

    question: bytes
    size: int
    first: int = 0
    version: bytes = b""

    @classmethod
    def read(cls, question: str, request: Paged, usual: int, most: int) -> "Page":
        """The page that a request asks for.

        Args:
            question: what is asked, the same for all pages of a list.
            request: the request.
            usual: the size of a page where the request gives none.
            most: the most items; a larger size is cut.

        Raises:
            FieldError: the size is negative, or the token is not of this question.
        """
        size = request.page_size
        if size < 0:
            raise FieldError("page_size", RequestError(f"is {size}; it may not be negative"))
        size = min(size or usual, most)
        asked = sha256(question.encode()).digest()[:8]
        if not request.page_token:
            return cls(asked, size)
        of, version, first = _unpacked(request.page_token)
        if of != asked:
            raise FieldError(
                "page_token", RequestError("is not a token of a response to this question")
            )
        return cls(asked, size, first, version)

    @property
    def end(self) -> int:
        """Where the page ends in a list that is long enough."""
        return self.first + self.size

    def check(self, tables: Tables) -> None:
        """Refuse to go on with a list of other tables.

        Raises:
            FieldError: the page before was answered from other tables.
        """
        if self.version and self.version != _version(tables):
            raise FieldError(
                "page_token", StaleTokenError("is of tables no longer served; begin the list again")
            )

    def cut(self, items: Sequence[T], tables: Tables) -> tuple[Sequence[T], str]:
        """The items of this page, and the token of the next; empty after the last."""
        self.check(tables)
        following = self.end if self.end < len(items) else None
        return items[self.first : self.end], self.token(following, tables)

    def token(self, following: int | None, tables: Tables) -> str:
        """The token of the page that begins somewhere; empty for no page."""
        if following is None:
            return ""
        packed = _FORM.pack(self.question, _version(tables), following)
        return urlsafe_b64encode(packed).decode()


def _unpacked(token: str) -> tuple[bytes, bytes, int]:
    """Question, version and place of a token; of no question where it is none."""
    try:
        packed = urlsafe_b64decode(token.encode("ascii"))
    except ValueError:
        packed = b""
    of, version, first = _FORM.unpack(packed if len(packed) == _FORM.size else bytes(_FORM.size))
    return of, version, first


def _version(tables: Tables) -> bytes:
    return bytes.fromhex(tables.version)
