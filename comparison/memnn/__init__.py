"""Memory networks and their extensions (appendix A)."""
