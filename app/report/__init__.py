"""Something to look at: runs as one self-contained page, plots, and questions as a reader sees them."""
