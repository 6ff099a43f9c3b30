"""Structured SVM that knows nothing of stories: problems, exact search, learners (none yet)."""
