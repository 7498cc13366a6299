"""The UMLS Metathesaurus (RRF files) -> a symptom graph.

The files are ``MRSTY.RRF`` (6 columns), ``MRCONSO.RRF`` (18) and ``MRREL.RRF`` (16), each plain or
packed (``.RRF.gz``). Every field ends with ``|``; there is no header.

* A concept is a node if its semantic type is one of three: Sign or Symptom (T184), Disease or
  Syndrome (T047), Biomedical Occupation or Discipline (T091). If it has several, the first in this
  list decides. Neoplasms (T191) and findings (T033) are other types, so they are not in the graph.
* Names are English names that no source has suppressed. The preferred name is the preferred form
  of the preferred term (TS P, STT PF, ISPREF Y), or else the first name in the file. Concepts
  without an English name are left out.
* A row of MRREL relates its second concept to its first: it reads CUI2 -> CUI1. The relation is
  RELA, or REL if RELA is empty. Suppressed rows and rows of a concept with itself are skipped.
  Sources state most relations in both directions, under two names; both are kept.

Source:
    UMLS Reference Manual, Metathesaurus Rich Release Format; the three types and the restriction
    to English are those of the KACR paper, appendix F.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.errors import TaskError
from gym_clinic.reading import numbered_lines, plain_or_packed
from gym_clinic.retrieval.graph.symptom_graph import Node, NodeKind, Relation, SymptomGraph

KIND_OF_TYPE: dict[str, NodeKind] = {"T184": "symptom", "T047": "disease", "T091": "discipline"}
"""Semantic type -> kind of node; the first decides for a concept of several types."""

COLUMNS = {"MRSTY": 6, "MRCONSO": 18, "MRREL": 16}


def read_umls(folder: str | os.PathLike[str]) -> SymptomGraph:
    """Read the graph from the folder of the RRF files (META of a release).

    The files are streamed; only the concepts of the three types are kept in memory.

    Raises:
        ConfigError: If a file is missing or cannot be opened.
        TaskError: For a broken line, which the text names, and if there is no concept of the three
            types.
    """
    place = Path(folder)
    kinds = _kinds(place)
    nodes = _nodes(place, kinds)
    if not nodes:
        raise TaskError(
            f"{place}: no concept of the types {list(KIND_OF_TYPE)} has an English name; expected "
            "a release, or a subset that keeps these"
        )
    return SymptomGraph.build(nodes, _relations(place, {node.id for node in nodes}))


def _kinds(folder: Path) -> dict[str, NodeKind]:
    order = list(KIND_OF_TYPE)
    found: dict[str, str] = {}
    for cui, tui, *_ in _rows(folder, "MRSTY"):
        if tui in KIND_OF_TYPE:
            found[cui] = min(found.get(cui, tui), tui, key=order.index)
    return {cui: KIND_OF_TYPE[tui] for cui, tui in found.items()}


def _nodes(folder: Path, kinds: dict[str, NodeKind]) -> list[Node]:
    names: dict[str, dict[str, None]] = {}
    preferred: dict[str, str] = {}
    for row in _rows(folder, "MRCONSO"):
        cui, language, status, kind_of_string, is_preferred = row[0], *row[1:3], row[4], row[6]
        name, suppress = row[14], row[16]
        if cui not in kinds or language != "ENG" or suppress != "N":
            continue
        names.setdefault(cui, {})[name] = None
        if (status, kind_of_string, is_preferred) == ("P", "PF", "Y"):
            preferred.setdefault(cui, name)
    nodes = []
    for cui, found in names.items():
        name = preferred.get(cui) or next(iter(found))
        nodes.append(Node(cui, kinds[cui], name, tuple(one for one in found if one != name)))
    return nodes


def _relations(folder: Path, known: set[str]) -> Iterator[Relation]:
    for row in _rows(folder, "MRREL"):
        first, rel, second, rela, suppress = row[0], row[3], row[4], row[7], row[14]
        if suppress == "N" and first != second and first in known and second in known:
            yield Relation(second, rela or rel, first)


def _rows(folder: Path, name: str) -> Iterator[list[str]]:
    """The rows of a file; each has the number of fields of that file."""
    file = plain_or_packed(folder / f"{name}.RRF")
    width = COLUMNS[name]
    for line, data in numbered_lines(file):
        try:
            row = data.decode().rstrip("\n").split("|")
        except UnicodeDecodeError:
            raise TaskError(f"{file} line {line}: not UTF-8") from None
        if row == [""]:
            continue
        if len(row) != width + 1 or row[-1]:
            raise TaskError(
                f"{file} line {line}: {len(row) - 1} fields; expected {width}, each ended by '|'"
            )
        yield row
