"""What a question and its facts look like to the SVM: one file a feature group, and their registry."""
