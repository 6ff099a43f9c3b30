"""Semantic roles: frames of sentences, from one of several back ends behind one protocol."""

from pipeline.srl.backend import BACKENDS, MissingRequirement, RoleBackend, role_backend
from pipeline.srl.extraction import extract_frames
from pipeline.srl.frames import WH, YES_NO, Argument, Asked, Frame

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
