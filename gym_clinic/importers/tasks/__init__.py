"""Benchmarks -> tasks."""
