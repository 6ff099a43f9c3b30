"""What a pair of sentences looks like to the SVM: one file a feature group, and their registry."""
