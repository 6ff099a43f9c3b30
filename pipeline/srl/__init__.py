"""Semantic roles: which words are arguments of which predicate, from one of several back ends."""

from babi_cascade.pipeline.srl.backend import (
    BACKENDS,
    MissingRequirement,
    RoleBackend,
    role_backend,
)

__all__ = ["BACKENDS", "MissingRequirement", "RoleBackend", "role_backend"]
