"""Knowledge bases behind HTTP: a server, its client, and the OpenSearch adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.retrieval.serving.client import KnowledgeClient as KnowledgeClient
    from gym_clinic.retrieval.serving.opensearch import OpenSearchBase as OpenSearchBase
    from gym_clinic.retrieval.serving.server import KnowledgeServer as KnowledgeServer
    from gym_clinic.retrieval.serving.server import make_app as make_app

_HOMES = {
    "KnowledgeClient": "client",
    "KnowledgeServer": "server",
    "OpenSearchBase": "opensearch",
    "make_app": "server",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
