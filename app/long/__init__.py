"""Long stories: facts hidden in running text, made for ourselves and for language models."""
