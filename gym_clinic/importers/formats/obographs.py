"""Ontologies as OBO Graphs JSON (`hp.json`, `mondo.json`) -> terms.

The classes of every graph are read in the order of the file; properties and relations other than
"is a" are skipped. The file is one JSON value and is read at once.

Source:
    OBO Graphs, https://github.com/geneontology/obographs
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import OnBroken, read_fields, read_object, stop
from gym_clinic.importers.formats.ontology import Scope, Synonym, Term
from gym_clinic.importers.formats.records import intact_records

_SCOPES: dict[str, Scope] = {
    "hasExactSynonym": "EXACT",
    "hasBroadSynonym": "BROAD",
    "hasNarrowSynonym": "NARROW",
    "hasRelatedSynonym": "RELATED",
}
_REPLACED_BY = "IAO_0100001"
_CONSIDER = "consider"
_PLACES = (
    (r"https?://purl\.obolibrary\.org/obo/([A-Za-z]+)_(\w+)", None),
    (r"https?://www\.orpha\.net/ORDO/(Orphanet)_(\w+)", None),
    (r"https?://identifiers\.org/(\w+)/(\S+)", None),
    (r"https?://omim\.org/entry/(\w+)", "OMIM"),
    (r"https?://linkedlifedata\.com/resource/umls/id/(\w+)", "UMLS"),
    (r"https?://purl\.bioontology\.org/ontology/(ICD10CM)/(\S+)", None),
)
_CAPITALS = frozenset({"omim", "mesh", "umls", "icd10cm"})


class _GraphRecord(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _Value(_GraphRecord):
    val: str


class _Said(_GraphRecord):
    pred: str
    val: str


class _Meta(_GraphRecord):
    definition: _Value | None = None
    synonyms: list[_Said] = Field(default_factory=list)
    xrefs: list[_Value] = Field(default_factory=list)
    properties: list[_Said] = Field(default_factory=list, alias="basicPropertyValues")
    deprecated: bool = False


class _Node(_GraphRecord):
    id: str
    name: str = Field(default="", alias="lbl")
    type: str = ""
    meta: _Meta = Field(default_factory=_Meta)


class _Edge(_GraphRecord):
    sub: str
    pred: str
    obj: str


def read_obo_graph(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[Term]:
    """Read an ontology.

    Args:
        path: The file.
        broken: Called with the error of a broken node or edge; if it returns, it is skipped.
            Raises the error by default.

    Yields:
        One term for each class.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a file that is not OBO Graphs JSON or has no class; by default, for a broken
            node or edge. The text names file, node, field and what would be right.
    """
    file = Path(path)
    found = False
    for number, graph in enumerate(_list(str(file), read_object(file), "graphs")):
        place = f"{file} graphs[{number}]"
        parents: dict[str, list[str]] = defaultdict(list)
        for edge in intact_records(_placed(place, graph, "edges"), _edge, broken):
            if edge.pred == "is_a":
                parents[edge.sub].append(curie(edge.obj))
        for node in intact_records(_placed(place, graph, "nodes"), _node, broken):
            if node.type == "CLASS":
                found = True
                yield _term(node, tuple(parents[node.id]))
    if not found:
        raise TaskError(f"{file}: no node of type CLASS; expected an ontology as OBO Graphs JSON")


def curie(address: str) -> str:
    """Return the id of a term from its web address; an unknown address is returned unchanged.

    >>> curie("http://purl.obolibrary.org/obo/HP_0000118")
    'HP:0000118'
    """
    for pattern, prefix in _PLACES:
        if match := re.fullmatch(pattern, address):
            if prefix:
                return f"{prefix}:{match[1]}"
            name = match[1].upper() if match[1] in _CAPITALS else match[1]
            return f"{name}:{match[2]}"
    return address


def _placed(place: str, graph: Any, field: str) -> Iterator[tuple[str, Any]]:
    for at, raw in enumerate(_list(place, graph, field)):
        yield f"{place}.{field}[{at}]", raw


def _edge(raw: Any, place: str) -> _Edge:
    return read_fields(raw, _Edge, place)


def _node(raw: Any, place: str) -> _Node:
    node = read_fields(raw, _Node, place)
    if node.type == "CLASS" and not node.name and not node.meta.deprecated:
        raise TaskError(f"{place}, field lbl: {node.id} has no name; only an obsolete one may not")
    return node


def _list(place: str, value: Any, field: str) -> list[Any]:
    if not isinstance(value, dict) or not isinstance(value.get(field), list):
        raise TaskError(f"{place}, field {field}: expected a JSON array; OBO Graphs JSON has one")
    return list(value[field])


def _term(node: _Node, parents: tuple[str, ...]) -> Term:
    meta = node.meta
    return Term(
        id=curie(node.id),
        name=node.name,
        definition=meta.definition.val if meta.definition else "",
        synonyms=tuple(
            Synonym(one.val, _SCOPES[one.pred]) for one in meta.synonyms if one.pred in _SCOPES
        ),
        parents=parents,
        alternatives=_said(meta, "hasAlternativeId"),
        xrefs=tuple(one.val for one in meta.xrefs),
        exact=_said(meta, "exactMatch"),
        obsolete=meta.deprecated,
        replaced_by=_said(meta, _REPLACED_BY),
        consider=_said(meta, _CONSIDER),
    )


def _said(meta: _Meta, predicate: str) -> tuple[str, ...]:
    """The values of the properties whose address ends in a name."""
    return tuple(
        curie(one.val) for one in meta.properties if re.split(r"[/#]", one.pred)[-1] == predicate
    )
