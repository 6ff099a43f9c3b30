"""What ships with the code: lexicons, checksums and a sample story file."""
