"""The errors of coreference: what is missing or wrong, and what to do about it, in one line."""

from __future__ import annotations

from babi_cascade.errors import UserError


class CorefError(UserError):
    """Coreference could not be done; ``str`` is one line: what was found, what was expected."""

    def __init__(self, message: str) -> None:
        super().__init__(
            "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
        )


class MissingRequirement(CorefError):  # noqa: N818 - it names what is missing, as callers say it
    """Something a back end needs is not there; ``command`` is what gets it."""

    def __init__(self, backend: str, missing: str, command: str) -> None:
        super().__init__(
            f"coreference back end {backend!r} needs {missing}; get it with: {command}"
        )
        self.backend = backend
        self.missing = missing
        self.command = command

    def __reduce__(self) -> tuple[type[MissingRequirement], tuple[str, str, str]]:
        # The base class keeps only the message; worker processes must be able to send this back.
        return MissingRequirement, (self.backend, self.missing, self.command)
