"""The feature groups that select supporting facts, one a file."""
