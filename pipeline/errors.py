"""The errors of reading: one line that says what is wrong, where, and what to do about it."""

from __future__ import annotations

from babi_cascade.errors import UserError


class ReadingError(UserError):
    """Stories cannot be read as asked; whatever a message quotes, it is one printable line."""

    def __init__(self, message: str) -> None:
        super().__init__(
            "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
        )


class MissingRequirement(ReadingError):  # noqa: N818 - it names what is missing
    """Something that a back end needs is not there; ``command`` is what gets it.

    Parameters
    ----------
    kind : "coref" or "srl", as the option is called
    backend : the name of the back end
    """

    def __init__(self, kind: str, backend: str, missing: str, command: str) -> None:
        super().__init__(f"--{kind} {backend} needs {missing}; get it with: {command}")
        self.kind, self.backend, self.missing, self.command = kind, backend, missing, command

    def __reduce__(self) -> tuple[type[MissingRequirement], tuple[str, str, str, str]]:
        # The base class keeps only the message; worker processes must be able to send this back.
        return MissingRequirement, (self.kind, self.backend, self.missing, self.command)
