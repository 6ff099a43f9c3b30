"""What the server and the process with the model say to each other: a kind, and a text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a message is about."""

    TEXT = "text"
    """To the model: answer this."""

    STOP = "stop"
    """To the model: what is being answered is not wanted any more."""

    READY = "ready"
    ANSWERS = "answers"
    """The body of the reply, as JSON."""

    REFUSED = "refused"
    """What is wrong with the text."""

    FAILED = "failed"
    """The traceback of an error that is not the text's."""

    ENDED = "ended"
    """How the process that answered came to its end."""

    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    kind: Kind
    body: str = ""

    def to_bytes(self) -> bytes:
        """Return the form in which it is sent."""
        return f"{self.kind.value}\n{self.body}".encode(errors="surrogatepass")

    @staticmethod
    def from_bytes(data: bytes) -> Message:
        """Read a message."""
        kind, _, body = data.decode(errors="surrogatepass").partition("\n")
        return Message(Kind(kind), body)
