"""Files from elsewhere: downloaded, checked against known sums, and only then put into place."""
