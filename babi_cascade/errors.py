"""The one error that people are told: one line with what was found, where, what was expected, what to do."""


class UserError(ValueError):
    """Something is wrong with what was given, not with the program.

    The command line prints it as one line and leaves with exit code 2; a stream of questions makes it
    the ``error`` of a record and goes on. A room derives a class of its own only where somebody must
    tell it from the others.
    """


EXPECTED = (UserError, RecursionError, MemoryError)
"""What may happen to one story while the next one is sound: told in a line, it ends nothing."""


def in_one_line(error: Exception) -> str:
    """Return an error as one line; those of Python itself say little."""
    told = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        what = f"not enough memory ({told})" if told else "not enough memory"
        return f"{what}; fewer or shorter stories at a time need less"
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    return told
