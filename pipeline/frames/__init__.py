"""Frames: who did what to whom, made in one way from a tree and the roles of any labeller."""

from babi_cascade.pipeline.frames.extract import extract_frames
from babi_cascade.pipeline.frames.model import WH, YES_NO, Argument, Asked, Frame

__all__ = ["WH", "YES_NO", "Argument", "Asked", "Frame", "extract_frames"]
