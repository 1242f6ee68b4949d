"""The forms in which messages travel: the wire format, and what other envelopes add."""

from typing import Final, TypeVar

from google.protobuf.message import DecodeError, Message

from position_oracle.oracle.server.envelope import check_batch, check_size
from position_oracle.oracle.server.faults import RequestError
from position_oracle.oracle.server.settings import ServerSettings

M = TypeVar("M", bound=Message)


class Form:
    """The wire format of protocol buffers; other forms derive from it.

    Attributes:
        quick_bytes: answers of more bytes in the wire format are written by a thread.
    """

    quick_bytes = 2**31

    def longest(self, settings: ServerSettings, *, is_batch: bool) -> int:
        """Bytes that a request may have."""
        return settings.max_message_bytes if is_batch else settings.max_question_bytes

    def check(self, serialized: bytes, settings: ServerSettings, *, is_batch: bool) -> None:
        """Look at a request before it is parsed, which holds the interpreter.

        Raises:
            ResourceLimitError: it is too long.
            RequestError: it is no message.
        """
        if is_batch:
            check_batch(serialized, settings.max_message_bytes, settings.max_question_bytes)
        else:
            check_size(serialized, settings.max_question_bytes)

    def read(self, kind: type[M], serialized: bytes) -> M:
        """The message that bytes are.

        Raises:
            RequestError: they are none.
        """
        try:
            return kind.FromString(serialized)
        except DecodeError:
            raise RequestError(f"the message is no {kind.DESCRIPTOR.name}") from None

    def write(self, message: Message) -> bytes:
        """The bytes of a message."""
        return message.SerializeToString()


PROTO: Final = Form()
