"""Semantic roles: which words are arguments of which predicate, one back end a file."""
