"""The one error that people are told: one line with what was found, where, what was expected, what to do."""


class UserError(ValueError):
    """Something is wrong with what was given, not with the program.

    The command line prints it as one line and leaves with exit code 2; a stream of questions makes it
    the ``error`` of a record and goes on. A room derives a class of its own only where somebody must
    tell it from the others.
    """
