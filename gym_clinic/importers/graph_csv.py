"""A symptom graph as two CSV files, in this project's own layout.

Nodes, with a header; `synonyms` may be empty, several are set apart by ``|``::

    id,kind,name,synonyms
    HP:0012735,symptom,Cough,Coughing|Tussis
    pneumonia,disease,Pneumonia,
    pulmonology,discipline,Pulmonology,

Relations, with a header; the head and the tail are ids of nodes::

    head,relation,tail
    HP:0012735,related_to,pneumonia
    pneumonia,belongs_to_discipline,pulmonology

`kind` is symptom, disease or discipline. Relations may have any names; the two above are those
that the walk from symptom to disease to discipline takes. Files are UTF-8; columns may stand in
any order.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.names import suggest
from gym_clinic.retrieval.graph import Node, Relation, SymptomGraph, as_kind

NODES = ("id", "kind", "name", "synonyms")
RELATIONS = ("head", "relation", "tail")


def read_graph(nodes: str | os.PathLike[str], relations: str | os.PathLike[str]) -> SymptomGraph:
    """Read a graph in the form of this module's documentation.

    Raises:
        ConfigError: If a file cannot be opened.
        TaskError: For a broken row; the text names file, line and column.
    """
    lines: dict[str, int] = {}
    found = []
    for line, row in _rows(Path(nodes), NODES, ("synonyms",)):
        place = f"{nodes} line {line}, column"
        if lines.setdefault(row["id"], line) != line:
            raise TaskError(f"{place} id: {row['id']!r} stands on line {lines[row['id']]} already")
        try:
            kind = as_kind(row["kind"])
        except ValueError as error:
            raise TaskError(f"{place} kind: {error}") from None
        synonyms = dict.fromkeys(name.strip() for name in row["synonyms"].split("|"))
        found.append(Node(row["id"], kind, row["name"], tuple(name for name in synonyms if name)))
    triples = []
    for line, row in _rows(Path(relations), RELATIONS):
        for end in ("head", "tail"):
            if row[end] not in lines:
                raise TaskError(
                    f"{relations} line {line}, column {end}: there is no node {row[end]!r}; "
                    f"{suggest(row[end], lines) if len(lines) < 1000 else 'expected an id'}"
                )
        if row["head"] == row["tail"]:
            raise TaskError(f"{relations} line {line}: {row['head']!r} is related to itself")
        triples.append(Relation(**row))
    return SymptomGraph.build(found, triples)


def _rows(
    file: Path, columns: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row as column -> text without blanks at its ends, with its line."""
    try:
        opened = file.open(encoding="utf-8-sig", newline="")
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    with opened:
        reader = csv.reader(opened, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if sorted(header) != sorted(columns):
                raise TaskError(f"{file} line 1: columns {header}; expected {list(columns)}")
            for cells in reader:
                if not cells:
                    continue
                place = f"{file} line {reader.line_num}"
                if len(cells) != len(header):
                    raise TaskError(f"{place}: {len(cells)} columns; expected {len(header)}")
                row = {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
                empty = [name for name in columns if not row[name] and name not in optional]
                if empty:
                    raise TaskError(f"{place}, column {empty[0]}: empty; expected a value")
                yield reader.line_num, row
        except csv.Error as error:
            raise TaskError(f"{file} line {reader.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise TaskError(f"{file} after line {reader.line_num}: not UTF-8") from None
