"""The embedded task files."""
