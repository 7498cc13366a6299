"""What ships: a knowledge base, guidelines, similar patients and a symptom graph.

All of them are derived from the fact tables under ``kb/facts``. Each is made when it is first
asked for, once a process, and serves any number of threads, which wait while one of them makes it;
the knowledge base is a file, which is built once a machine. The clinical content is a simulation.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.facts.profiles import profiles
from gym_clinic.files import numbered_lines
from gym_clinic.paths import cache_dir, data_dir
from gym_clinic.retrieval.dense.hashed import HashedNgrams
from gym_clinic.retrieval.graph.facts_graph import graph_of_facts
from gym_clinic.retrieval.graph.linking import SymptomLinker
from gym_clinic.retrieval.graph.symptom_graph import SymptomGraph
from gym_clinic.retrieval.passages import fts5
from gym_clinic.retrieval.passages.build import Source, build
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.manifest import FORMAT
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage
from gym_clinic.retrieval.patients.guidelines import GuidelineIndex
from gym_clinic.retrieval.patients.matcher import PatientMatcher, as_case
from gym_clinic.simulate.patients import Known, embedded_patients

_NAME = "clinic.db"
_FIELDS = ("id", "source", "title", "content", "category", "licence")

Given = ParamSpec("Given")
Made = TypeVar("Made")

_making = threading.RLock()

if sys.platform != "win32":
    # A child has none of its parent's other threads, and would wait for one that was making.
    os.register_at_fork(
        before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
    )


def _one_at_a_time(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Let threads in one by one: a cache alone would let each make what the first one makes."""

    @wraps(make)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        with _making:
            return make(*args, **kwargs)

    return made


@_one_at_a_time
@lru_cache(maxsize=1)
def knowledge() -> KnowledgeBase:
    """Return the embedded passages, on diseases, drugs, scores, guidelines and emergencies.

    Raises:
        ConfigError: If there are no passages, or the base has to be built first and the cache
            folder cannot be written.
        TaskError: If a passage of one's own (``$GYM_CLINIC_DATA``) is broken.
    """
    file = data_dir("kb") / "passages.jsonl"
    if not file.is_file():
        raise ConfigError(
            f"no passages {file}; expected a JSON object a line: {', '.join(_FIELDS)}"
        )
    made_of = f"{FORMAT} {fts5.TOKENIZER} ".encode() + file.read_bytes()
    content = hashlib.sha256(made_of).hexdigest()
    folder = cache_dir() / f"handbook-{content[:16]}"
    if not (folder / _NAME).exists():
        _build(Source(str(file), content, lambda: _passages(file)), folder)
    return KnowledgeBase(folder / _NAME)


def _build(source: Source, folder: Path) -> None:
    """Build a base in a folder of its own; of many processes at once, one gives theirs."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
            new = Path(scratch) / folder.name
            build([source], new / _NAME, engine=fts5.NAME, strict=True)
            try:
                new.rename(folder)
            except OSError:
                if not (folder / _NAME).exists():  # else another process was faster
                    raise
    except OSError as error:
        raise ConfigError(
            f"cannot write {folder}: {error.strerror}; "
            "point $GYM_CLINIC_CACHE at a folder that can be written"
        ) from None


def _passages(file: Path) -> Iterator[Passage | BrokenRecord]:
    for number, line in numbered_lines(file):
        try:
            record = orjson.loads(line)
            texts = [record[field] for field in _FIELDS]
        except (ValueError, KeyError, TypeError):
            texts = [None]
        if all(isinstance(text, str) for text in texts):
            yield Passage(*texts)
        else:
            what = f"expected a JSON object with the texts {', '.join(_FIELDS)}"
            yield BrokenRecord(str(file), f"line {number}", what)


@_one_at_a_time
@lru_cache(maxsize=1)
def guidelines() -> GuidelineIndex:
    """Return the phenotype profiles of the embedded diseases, by their names."""
    return GuidelineIndex(profiles(load()))


@_one_at_a_time
@lru_cache(maxsize=4)
def patients(keep_out: tuple[str | Known, ...] = ()) -> PatientMatcher:
    """Return the database of 5,000 simulated patients, without those of the evaluation tasks.

    Args:
        keep_out: Patients of other evaluations: ids, or the patients themselves, whose
            near-duplicates are then kept out as well.
    """
    return PatientMatcher(map(as_case, embedded_patients(keep_out)), HashedNgrams())


@_one_at_a_time
@lru_cache(maxsize=1)
def graph() -> SymptomGraph:
    """Return the graph of the embedded symptoms, diseases and disciplines."""
    return graph_of_facts(load())


@_one_at_a_time
@lru_cache(maxsize=1)
def linker() -> SymptomLinker:
    """Return what finds the graph's symptoms in free text."""
    return SymptomLinker(graph())
