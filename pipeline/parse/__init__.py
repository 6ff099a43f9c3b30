"""Annotation: every sentence parsed once, kept on disk, and handed on with coreference and frames."""
