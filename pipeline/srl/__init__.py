"""Semantic roles: frames of sentences, from one of several back ends behind one protocol."""

from babi_cascade.pipeline.srl.backend import (
    BACKENDS,
    MissingRequirement,
    RoleBackend,
    role_backend,
)
from babi_cascade.pipeline.srl.extraction import extract_frames
from babi_cascade.pipeline.srl.frames import WH, YES_NO, Argument, Asked, Frame

__all__ = [
    "BACKENDS",
    "WH",
    "YES_NO",
    "Argument",
    "Asked",
    "Frame",
    "MissingRequirement",
    "RoleBackend",
    "extract_frames",
    "role_backend",
]
