"""A symptom graph as two CSV files, in this project's own layout.

Nodes, with a header; `synonyms` may be empty or several, separated by ``|``::

    id,kind,name,synonyms
    HP:0012735,symptom,Cough,Coughing|Tussis
    pneumonia,disease,Pneumonia,
    pulmonology,discipline,Pulmonology,

Relations, with a header; the head and the tail are ids of nodes::

    head,relation,tail
    HP:0012735,related_to,pneumonia
    pneumonia,belongs_to_discipline,pulmonology

`kind` is symptom, disease or discipline. Relations may have any names; the walk from symptom to
disease to discipline uses the two above. Columns may be in any order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.names import suggest
from gym_clinic.retrieval.graph.symptom_graph import Node, Relation, SymptomGraph, as_kind

NODES = ("id", "kind", "name", "synonyms")
RELATIONS = ("head", "relation", "tail")


def read_graph(nodes: str | os.PathLike[str], relations: str | os.PathLike[str]) -> SymptomGraph:
    """Read a graph in the form of this module's documentation.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: For a broken row, whose file, line and column the text names, and for a file
            without rows.
    """
    places: dict[str, str] = {}
    found = []
    for place, row in _rows(Path(nodes), NODES, ("synonyms",)):
        if places.setdefault(row["id"], place) != place:
            raise TaskError(f"{place}, column id: {row['id']!r} is at {places[row['id']]} already")
        try:
            kind = as_kind(row["kind"])
        except ValueError as error:
            raise TaskError(f"{place}, column kind: {error}") from None
        synonyms = dict.fromkeys(name.strip() for name in row["synonyms"].split("|"))
        found.append(Node(row["id"], kind, row["name"], tuple(name for name in synonyms if name)))
    if not found:
        raise TaskError(f"{nodes}: no nodes; expected one a line after the header")
    triples = []
    for place, row in _rows(Path(relations), RELATIONS):
        for end in ("head", "tail"):
            if row[end] not in places:
                raise TaskError(
                    f"{place}, column {end}: no node {row[end]!r}; "
                    f"{suggest(row[end], places) if len(places) < 1000 else 'expected an id'}"
                )
        if row["head"] == row["tail"]:
            raise TaskError(f"{place}: {row['head']!r} is related to itself")
        triples.append(Relation(**row))
    if not triples:
        raise TaskError(f"{relations}: no relations; expected one a line after the header")
    return SymptomGraph.build(found, triples)


def _rows(
    file: Path, columns: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row as column -> text without blanks at its ends."""
    for place, cells in csv_rows(file, columns):
        row = {name: cell.strip() for name, cell in cells.items()}
        if empty := [name for name in columns if not row[name] and name not in optional]:
            raise TaskError(f"{place}, column {empty[0]}: empty; expected a value")
        yield place, row
