"""What the commands measure: one file a plan."""
