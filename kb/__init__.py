"""The embedded knowledge."""
