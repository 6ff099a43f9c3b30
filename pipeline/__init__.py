"""The cascade, and everything a user of it runs."""
