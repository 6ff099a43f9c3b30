"""What can go wrong with a batch, and what can go wrong with one question of it."""

from __future__ import annotations

from babi_cascade.errors import UserError


class BatchError(UserError):
    """Questions, predictions or a model that cannot be used as asked; the text says why."""


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the stages between a story and its answer."""
    from babi_cascade.cascade import CascadeError
    from babi_cascade.pipeline.annotate.errors import ParserError
    from babi_cascade.pipeline.coref.errors import CorefError
    from babi_cascade.pipeline.srl.backend import MissingRequirement
    from babi_cascade.pipeline.srl.model_header import LabellerError
    from babi_cascade.pipeline.srl.senna import SennaError
    from babi_cascade.pipeline.trees import ConlluError
    from babi_cascade.svm.errors import SvmError

    return (
        ParserError, CorefError, MissingRequirement, LabellerError, SennaError, ConlluError,
        CascadeError, SvmError, RecursionError,
    )  # fmt: skip
