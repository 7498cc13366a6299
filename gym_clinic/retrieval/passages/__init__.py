"""Passages that answer a query: building a base, opening it, searching it by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.retrieval.passages.aliases import AliasTable as AliasTable
    from gym_clinic.retrieval.passages.build import ENGINES as ENGINES
    from gym_clinic.retrieval.passages.build import BuildListener as BuildListener
    from gym_clinic.retrieval.passages.build import PassageSource as PassageSource
    from gym_clinic.retrieval.passages.build import build_base as build_base
    from gym_clinic.retrieval.passages.knowledge import KnowledgeBase as KnowledgeBase
    from gym_clinic.retrieval.passages.manifest import BaseManifest as BaseManifest
    from gym_clinic.retrieval.passages.passage import BrokenRecord as BrokenRecord
    from gym_clinic.retrieval.passages.passage import FoundPassage as FoundPassage
    from gym_clinic.retrieval.passages.passage import FoundPassages as FoundPassages
    from gym_clinic.retrieval.passages.passage import Passage as Passage
    from gym_clinic.retrieval.passages.query import AllOf as AllOf
    from gym_clinic.retrieval.passages.query import AnyOf as AnyOf
    from gym_clinic.retrieval.passages.query import Phrase as Phrase
    from gym_clinic.retrieval.passages.query import parse_query as parse_query
    from gym_clinic.retrieval.passages.reading import QueryReading as QueryReading
    from gym_clinic.retrieval.passages.searcher import PassageBase as PassageBase
    from gym_clinic.retrieval.passages.searcher import Searcher as Searcher

_HOMES = {
    "ENGINES": "build",
    "AliasTable": "aliases",
    "AllOf": "query",
    "AnyOf": "query",
    "BaseManifest": "manifest",
    "BrokenRecord": "passage",
    "BuildListener": "build",
    "FoundPassage": "passage",
    "FoundPassages": "passage",
    "KnowledgeBase": "knowledge",
    "Passage": "passage",
    "PassageBase": "searcher",
    "PassageSource": "build",
    "Phrase": "query",
    "QueryReading": "reading",
    "Searcher": "searcher",
    "build_base": "build",
    "parse_query": "query",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
