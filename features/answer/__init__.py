"""The feature groups that choose an answer, one a file."""
