"""Reads: files, sentences, trees, entities, frames. Nothing here learns from the tasks."""
