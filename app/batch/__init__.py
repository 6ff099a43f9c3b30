"""Questions in bulk: a model from files, answers as a stream, and what they are worth."""
