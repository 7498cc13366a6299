"""Readers of published record formats, one module per source."""
