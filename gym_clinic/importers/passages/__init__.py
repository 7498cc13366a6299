"""Texts of any supported format -> passages of a knowledge base."""

from gym_clinic.importers.passages.chunks import chunks
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.sources import READERS, find_sources, format_of

__all__ = ["READERS", "Labels", "chunks", "find_sources", "format_of"]
