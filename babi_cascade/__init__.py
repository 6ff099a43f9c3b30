"""The paper's cascade and everything around it; being filled."""
