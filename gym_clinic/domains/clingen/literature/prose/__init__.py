"""The articles of a literature in words: every sentence renders records."""
