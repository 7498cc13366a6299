"""What clinical agents look up: passages, guidelines, similar patients, the symptom graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names
from gym_clinic.retrieval import dense, graph, passages, patients, serving

if TYPE_CHECKING:
    from gym_clinic.retrieval.dense import CHECKPOINTS as CHECKPOINTS
    from gym_clinic.retrieval.dense import DenseIndex as DenseIndex
    from gym_clinic.retrieval.dense import DenseManifest as DenseManifest
    from gym_clinic.retrieval.dense import Embedder as Embedder
    from gym_clinic.retrieval.dense import Embeddings as Embeddings
    from gym_clinic.retrieval.dense import HashedNgrams as HashedNgrams
    from gym_clinic.retrieval.dense import HybridBase as HybridBase
    from gym_clinic.retrieval.dense import QueryEmbedder as QueryEmbedder
    from gym_clinic.retrieval.dense import SentenceTransformer as SentenceTransformer
    from gym_clinic.retrieval.dense import ServedEmbedder as ServedEmbedder
    from gym_clinic.retrieval.dense import build_dense as build_dense
    from gym_clinic.retrieval.dense import dense_folder as dense_folder
    from gym_clinic.retrieval.dense import open_embedder as open_embedder
    from gym_clinic.retrieval.dense import reciprocal_rank_fusion as reciprocal_rank_fusion
    from gym_clinic.retrieval.graph import BELONGS as BELONGS
    from gym_clinic.retrieval.graph import RELATED as RELATED
    from gym_clinic.retrieval.graph import Link as Link
    from gym_clinic.retrieval.graph import Neighbour as Neighbour
    from gym_clinic.retrieval.graph import Node as Node
    from gym_clinic.retrieval.graph import Relation as Relation
    from gym_clinic.retrieval.graph import Subgraph as Subgraph
    from gym_clinic.retrieval.graph import SymptomGraph as SymptomGraph
    from gym_clinic.retrieval.graph import SymptomLinker as SymptomLinker
    from gym_clinic.retrieval.graph import graph_of_facts as graph_of_facts
    from gym_clinic.retrieval.graph import load_graph as load_graph
    from gym_clinic.retrieval.graph import save_graph as save_graph
    from gym_clinic.retrieval.passages import ENGINES as ENGINES
    from gym_clinic.retrieval.passages import AliasTable as AliasTable
    from gym_clinic.retrieval.passages import AllOf as AllOf
    from gym_clinic.retrieval.passages import AnyOf as AnyOf
    from gym_clinic.retrieval.passages import BaseManifest as BaseManifest
    from gym_clinic.retrieval.passages import BrokenRecord as BrokenRecord
    from gym_clinic.retrieval.passages import BuildListener as BuildListener
    from gym_clinic.retrieval.passages import FoundPassage as FoundPassage
    from gym_clinic.retrieval.passages import FoundPassages as FoundPassages
    from gym_clinic.retrieval.passages import KnowledgeBase as KnowledgeBase
    from gym_clinic.retrieval.passages import Passage as Passage
    from gym_clinic.retrieval.passages import PassageBase as PassageBase
    from gym_clinic.retrieval.passages import PassageSource as PassageSource
    from gym_clinic.retrieval.passages import Phrase as Phrase
    from gym_clinic.retrieval.passages import QueryReading as QueryReading
    from gym_clinic.retrieval.passages import Searcher as Searcher
    from gym_clinic.retrieval.passages import build_base as build_base
    from gym_clinic.retrieval.passages import parse_query as parse_query
    from gym_clinic.retrieval.patients import CaseTable as CaseTable
    from gym_clinic.retrieval.patients import Guidance as Guidance
    from gym_clinic.retrieval.patients import GuidelineIndex as GuidelineIndex
    from gym_clinic.retrieval.patients import JoinedPatients as JoinedPatients
    from gym_clinic.retrieval.patients import NameHit as NameHit
    from gym_clinic.retrieval.patients import NameIndex as NameIndex
    from gym_clinic.retrieval.patients import PatientCase as PatientCase
    from gym_clinic.retrieval.patients import PatientMatcher as PatientMatcher
    from gym_clinic.retrieval.patients import as_case as as_case
    from gym_clinic.retrieval.scored import Scored as Scored
    from gym_clinic.retrieval.serving import KnowledgeClient as KnowledgeClient
    from gym_clinic.retrieval.serving import KnowledgeServer as KnowledgeServer
    from gym_clinic.retrieval.serving import OpenSearchBase as OpenSearchBase
    from gym_clinic.retrieval.serving import make_app as make_app

_ROOMS = (dense, graph, passages, patients, serving)
_HOMES = {name: room.__name__.rpartition(".")[2] for room in _ROOMS for name in room.__all__}
_HOMES["Scored"] = "scored"

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
