"""A symptom graph as one SQLite file: tables for SQL queries, arrays for fast loading.

Tables: ``node`` (id, kind, name, synonyms as JSON), ``relation`` (head, relation, tail) and
``csr`` (name, data: the arrays of :class:`gym_clinic.retrieval.graph.symptom_graph.SymptomGraph`).
``PRAGMA user_version`` is the version of this layout.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval.graph.symptom_graph import Node, Relation, SymptomGraph, as_kind
from gym_clinic.retrieval.passages.database import check_replaceable

VERSION = 1
TABLES: dict[str, tuple[tuple[str, ...], str | tuple[str, ...]]] = {
    "node": (("id", "kind", "name", "synonyms"), "id"),
    "relation": (Relation._fields, Relation._fields),
}
ARRAYS = {"starts": "<i8", "neighbour": "<i4", "step": "<i2"}


def save_graph(graph: SymptomGraph, path: str | os.PathLike[str]) -> None:
    """Write a graph; an existing file is replaced when the new one is complete.

    Raises:
        ConfigError: If there is a file that is no graph.
        OSError: If the file cannot be written.
    """
    from sqlite_utils import Database

    target = Path(path)
    check_replaceable(target, "csr", "symptom graph")
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    beside.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(beside)) as connection:
            # The file is synchronised and then renamed, so it needs neither.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            database: Any = Database(connection)
            for table, (columns, key) in TABLES.items():
                database[table].create(dict.fromkeys(columns, str), pk=key)
            connection.executemany(
                "INSERT INTO node VALUES (?, ?, ?, ?)",
                ((*one[:3], orjson.dumps(one[3]).decode()) for one in map(astuple, graph.nodes)),
            )
            connection.executemany("INSERT INTO relation VALUES (?, ?, ?)", graph.triples())
            arrays = {
                name: getattr(graph, name).astype(kind).tobytes() for name, kind in ARRAYS.items()
            }
            database["csr"].create({"name": str, "data": bytes}, pk="name")
            database["csr"].insert_all({"name": name, "data": arrays[name]} for name in ARRAYS)
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.commit()
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def load_graph(path: str | os.PathLike[str]) -> SymptomGraph:
    """Read a graph that :func:`save_graph` wrote.

    Raises:
        ConfigError: If there is no such file.
        TaskError: If it is no graph, or a damaged one.
    """
    source = Path(path)
    if not source.is_file():
        raise ConfigError(f"no graph {source}; 'gym-clinic kb graph build' makes one")
    try:
        with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            return _read(opened)
    except (sqlite3.DatabaseError, ValueError) as error:
        raise TaskError(f"{source} is no symptom graph: {error}") from None


def _read(opened: sqlite3.Connection) -> SymptomGraph:
    (version,) = opened.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise ValueError(f"layout {version}; expected {VERSION}")
    nodes = tuple(
        Node(key, as_kind(kind), name, tuple(orjson.loads(synonyms)))
        for key, kind, name, synonyms in opened.execute(
            "SELECT id, kind, name, synonyms FROM node ORDER BY id"
        )
    )
    names = opened.execute("SELECT DISTINCT relation FROM relation ORDER BY relation")
    relations = tuple(name for (name,) in names)
    arrays: dict[str, NDArray[Any]] = {
        name: np.frombuffer(data, ARRAYS[name])
        for name, data in opened.execute("SELECT name, data FROM csr")
        if name in ARRAYS
    }
    (edges,) = opened.execute("SELECT count(*) FROM relation").fetchone()
    expected = {"starts": len(nodes) + 1, "neighbour": 2 * edges, "step": 2 * edges}
    if {name: len(array) for name, array in arrays.items()} != expected:
        raise ValueError(f"its arrays do not fit {len(nodes):,} nodes and {edges:,} relations")
    starts, neighbour, step = (arrays[name] for name in ARRAYS)
    steps = np.diff(starts, prepend=0, append=len(neighbour))
    inside = _within(neighbour, len(nodes)) and _within(step, 2 * len(relations))
    if not inside or starts[0] or (steps < 0).any():
        raise ValueError("its arrays point beyond its nodes and relations")
    return SymptomGraph(nodes, relations, starts, neighbour, step)


def _within(array: NDArray[Any], end: int) -> bool:
    return not len(array) or bool(array.min() >= 0 and array.max() < end)
