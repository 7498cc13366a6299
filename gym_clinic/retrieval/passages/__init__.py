"""Passages that answer a query: building a base, opening it, searching it by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.retrieval.passages.build import ENGINES as ENGINES
    from gym_clinic.retrieval.passages.build import Listener as Listener
    from gym_clinic.retrieval.passages.build import Source as Source
    from gym_clinic.retrieval.passages.knowledge import KnowledgeBase as KnowledgeBase
    from gym_clinic.retrieval.passages.manifest import Manifest as Manifest
    from gym_clinic.retrieval.passages.passage import BrokenRecord as BrokenRecord
    from gym_clinic.retrieval.passages.passage import Passage as Passage
    from gym_clinic.retrieval.passages.query import AllOf as AllOf
    from gym_clinic.retrieval.passages.query import AnyOf as AnyOf
    from gym_clinic.retrieval.passages.query import Phrase as Phrase
    from gym_clinic.retrieval.passages.query import parse as parse
    from gym_clinic.retrieval.passages.searcher import PassageBase as PassageBase
    from gym_clinic.retrieval.passages.searcher import Searcher as Searcher

_HOMES = {
    "AllOf": "query",
    "AnyOf": "query",
    "BrokenRecord": "passage",
    "ENGINES": "build",
    "KnowledgeBase": "knowledge",
    "Listener": "build",
    "Manifest": "manifest",
    "Passage": "passage",
    "PassageBase": "searcher",
    "Phrase": "query",
    "Searcher": "searcher",
    "Source": "build",
    "parse": "query",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
