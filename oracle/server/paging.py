"""Lists that come in pages: where a page begins, and the token that asks for the next.

A token names the question, the tables and where to go on. It is not a secret, and holds no state of
the server: any server with the same tables takes it.
"""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeVar

from position_oracle.oracle.server.errors import FieldError, RequestError
from position_oracle.schema.answers import Tables

_FORM: Final = struct.Struct(">8s8sQ")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list that is asked for.

    Attributes:
        question: identity of what is asked.
        first: where it begins.
        size: the most items; None for all of them.
        version: identity of the tables that the page before was answered from; empty for the first.
    """

    question: bytes
    first: int = 0
    size: int | None = None
    version: bytes = b""

    @classmethod
    def read(cls, question: str, size: int, token: str) -> "Page":
        """The page that a request asks for.

        Args:
            question: what is asked, the same for all pages of a list.
            size: the most items; 0 for all of them.
            token: from the response before; empty for the first page.

        Raises:
            FieldError: the size is negative, or the token is not of this question.
        """
        if size < 0:
            raise FieldError("page_size", RequestError(f"is {size}; it may not be negative"))
        asked = sha256(question.encode()).digest()[:8]
        if not token:
            return cls(asked, size=size or None)
        of, version, first = _unpacked(token)
        if of != asked:
            raise FieldError(
                "page_token", RequestError("is not a token of a response to this question")
            )
        return cls(asked, first, size or None, version)

    def check(self, tables: Tables) -> None:
        """Refuse to go on with a list of other tables.

        Raises:
            FieldError: the page before was answered from other tables.
        """
        if self.version and self.version != _version(tables):
            raise FieldError(
                "page_token", RequestError("is of tables no longer served; begin the list again")
            )

    def cut(self, items: Sequence[T], tables: Tables) -> tuple[Sequence[T], str]:
        """The items of this page, and the token of the next; empty after the last."""
        self.check(tables)
        end = len(items) if self.size is None else min(self.first + self.size, len(items))
        following = end if end < len(items) else None
        return items[self.first : end], self.token(following, tables)

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
