"""Results as records: what was measured, under which settings, and what the paper reports."""
