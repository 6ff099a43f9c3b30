"""What can go wrong with a batch, and what can go wrong with one question of it."""

from __future__ import annotations


class BatchError(Exception):
    """Questions, predictions or a model that cannot be used as asked; the text says why."""


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the stages between a story and its answer."""
    from pipeline.annotate.errors import ParserError
    from pipeline.cascade import CascadeError
    from pipeline.coref.errors import CorefError
    from pipeline.srl.backend import MissingRequirement
    from pipeline.srl.model_header import LabellerError
    from pipeline.srl.senna import SennaError
    from pipeline.trees import ConlluError
    from svm.errors import SvmError

    return (
        ParserError, CorefError, MissingRequirement, LabellerError, SennaError, ConlluError,
        CascadeError, SvmError, RecursionError,
    )  # fmt: skip
