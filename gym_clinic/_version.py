"""The version, where setup.cfg can read it without importing gymnasium."""

__version__ = "0.1.0"
