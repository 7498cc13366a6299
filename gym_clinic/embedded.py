"""The knowledge that ships with gym_clinic, and bases of one's own in its place.

The embedded knowledge base, guidelines, patients and symptom graph are derived from the fact
tables under ``kb/facts``; their clinical content is simulated. Each is made once a process, when
it is first used, and serves any number of threads. The knowledge base is a file, which is built
once a machine.

:func:`open_knowledge`, :func:`open_patients` and :func:`open_graph` open what a plain-JSON option
of a domain names. The same option gives the same object in a process and in its forks; a spawned
process opens its own.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.facts import load, profiles_of
from gym_clinic.facts.aliases import search_names
from gym_clinic.facts.passages import COLLECTION, LICENCE, fingerprint, handbook
from gym_clinic.facts.records.terms import read_terms
from gym_clinic.facts.tables import default_folder
from gym_clinic.names import call_with_options, nearest
from gym_clinic.paths import cache_dir
from gym_clinic.retrieval import (
    AliasTable,
    GuidelineIndex,
    HashedNgrams,
    KnowledgeBase,
    Passage,
    PassageBase,
    PassageSource,
    PatientMatcher,
    SymptomGraph,
    SymptomLinker,
    as_case,
    build_base,
    graph_of_facts,
    load_graph,
    open_embedder,
)
from gym_clinic.retrieval.passages import fts5
from gym_clinic.retrieval.passages.manifest import FORMAT
from gym_clinic.retrieval.patients.table import MATRIX, CaseTable
from gym_clinic.simulate.patients import Known, embedded_patients

EMBEDDED = "embedded"
"""The option that stands for what ships."""

_NAME = "clinic.db"

Given = ParamSpec("Given")
Made = TypeVar("Made")

_making = threading.RLock()
_opened: dict[Hashable, tuple[object, Any]] = {}
"""What was opened: option -> the state of its file at that time, and the object."""

if sys.platform != "win32":
    # A fork waits until no thread is making anything: the child has none of the other threads.
    os.register_at_fork(
        before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
    )


def _one_at_a_time(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Let one thread in at a time, so that a cached object is made once."""

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
        ConfigError: If there are no fact tables (``$GYM_CLINIC_DATA``), or the base has to be built
            first and the cache folder cannot be written.
        TaskError: If a fact table is broken.
    """
    folder = default_folder()
    made_of = f"{FORMAT} {fts5.TOKENIZER} {fingerprint(folder)}"
    content = hashlib.sha256(made_of.encode()).hexdigest()
    home = cache_dir() / f"handbook-{content[:16]}"
    if not (home / _NAME).exists():
        _build(PassageSource(str(folder), content, _passages), home)
    return KnowledgeBase(home / _NAME, aliases=aliases())


@_one_at_a_time
@lru_cache(maxsize=1)
def aliases() -> AliasTable:
    """Return what people type for what the fact tables describe: brands, abbreviations, lay words.

    Raises:
        ConfigError: If there are no fact tables.
        TaskError: If a fact table is broken.
    """
    return AliasTable(*search_names(load()))


def _build(source: PassageSource, folder: Path) -> None:
    """Build a base in a new folder; if several processes do, the first to finish provides it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
            new = Path(scratch) / folder.name
            build_base([source], new / _NAME, engine=fts5.NAME, strict=True)
            try:
                new.rename(folder)
            except OSError:
                if not (folder / _NAME).exists():  # otherwise another process was faster
                    raise
    except OSError as error:
        raise ConfigError(
            f"cannot write {folder}: {error.strerror}; "
            "point $GYM_CLINIC_CACHE at a folder that can be written"
        ) from None


def _passages() -> Iterator[Passage]:
    for one in handbook(load()):
        yield Passage(one.id, COLLECTION, one.title, one.text, one.category, LICENCE)


@_one_at_a_time
@lru_cache(maxsize=1)
def guidelines() -> GuidelineIndex:
    """Return the phenotype profiles of the embedded diseases, by their names and aliases."""
    facts = load()
    aliases: dict[str, list[str]] = {}
    for one in facts.aliases.values():
        aliases.setdefault(one.term.casefold(), []).extend(one.names)
    return GuidelineIndex(profiles_of(facts), aliases=aliases)


@_one_at_a_time
@lru_cache(maxsize=4)
def patients(keep_out: tuple[str | Known, ...] = ()) -> PatientMatcher:
    """Return the database of 5,000 simulated patients, without those of the evaluation tasks.

    Args:
        keep_out: Further patients to leave out: ids, or the patients themselves, whose
            near-duplicates are then left out too.
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
    """Return the linker that finds symptoms of the embedded graph in free text."""
    return linker_of(graph())


def linker_of(symptom_graph: SymptomGraph) -> SymptomLinker:
    """Return a linker of a graph, with the embedded terms of the findings that it has."""
    return SymptomLinker(symptom_graph, terms=read_terms())


def open_knowledge(knowledge_base: str | Mapping[str, Any] = EMBEDDED) -> PassageBase:
    """Open the knowledge base that an option names.

    Args:
        knowledge_base: ``"embedded"``; the path of a base that ``gym-clinic kb build`` wrote;
            ``{"path": "clinic.db", "aliases": "embedded"}``, such a base that is searched by the
            embedded aliases too; or ``{"url": "http://127.0.0.1:8377"}``, a server started by
            ``gym-clinic kb serve``, with the further options of
            :class:`gym_clinic.retrieval.KnowledgeClient`.

    Raises:
        ConfigError: If the option has another form, or there is no such base.
    """
    if isinstance(knowledge_base, Mapping) and "url" in knowledge_base:
        options = dict(knowledge_base)
        return _once(("url", orjson.dumps(options, option=orjson.OPT_SORT_KEYS)), _client, options)
    forms = f"{EMBEDDED!r}, the path of a base, or {{'url': 'http://127.0.0.1:8377'}}"
    if isinstance(knowledge_base, Mapping) and "aliases" in knowledge_base:
        options = dict(knowledge_base)
        if options.pop("aliases") != EMBEDDED or options.keys() != {"path"}:
            right = {"path": "clinic.db", "aliases": EMBEDDED}
            raise ConfigError(f"a base with aliases is {right}; got {knowledge_base!r}")
        path = _path("knowledge base", options["path"], forms)
        return knowledge() if path is None else _once(("with aliases", path), _with_aliases, path)
    path = _path("knowledge base", knowledge_base, forms)
    return knowledge() if path is None else _once(("knowledge", path), KnowledgeBase, path)


def open_patients(patient_cases: str = EMBEDDED) -> PatientMatcher:
    """Open the patient database that an option names.

    Args:
        patient_cases: ``"embedded"``, or the folder that :meth:`PatientMatcher.save` wrote.

    Raises:
        ConfigError: If the option has another form, or there is no such folder.
        TaskError: If a file of the folder is broken.
    """
    path = _path("patient database", patient_cases, f"{EMBEDDED!r} or the folder of a database")
    return patients() if path is None else _once(("patients", path), _matcher, path)


def open_graph(symptom_graph: str = EMBEDDED) -> SymptomGraph:
    """Open the symptom graph that an option names.

    Args:
        symptom_graph: ``"embedded"``, or the path of a graph that ``gym-clinic kb graph build``
            wrote.

    Raises:
        ConfigError: If the option has another form, or there is no such file.
        TaskError: If the file is broken.
    """
    path = _path("symptom graph", symptom_graph, f"{EMBEDDED!r} or the path of a graph")
    return graph() if path is None else _once(("graph", path), load_graph, path)


def _path(what: str, given: object, forms: str) -> Path | None:
    """Return the path that an option names; None for what ships."""
    if given == EMBEDDED:
        return None
    if not isinstance(given, str) or not given:
        raise ConfigError(f"a {what} is {forms}; got {given!r}")
    path = Path(given).absolute()
    if not path.exists():
        near = f"; did you mean {EMBEDDED!r}?" if nearest(given, (EMBEDDED,)) else ""
        raise ConfigError(f"no {what} {given!r}{near or f'; expected {forms}'}")
    return path


@_one_at_a_time
def _once(key: tuple[str, Hashable], make: Callable[[Any], Made], given: Any) -> Made:
    """Return the object of an option, made anew only if its file was replaced."""
    state = _state(given) if isinstance(given, Path) else None
    if key not in _opened or _opened[key][0] != state:
        _opened[key] = state, make(given)
    made: Made = _opened[key][1]
    return made


def _state(path: Path) -> tuple[int, int, int]:
    found = (path / MATRIX if (path / MATRIX).is_file() else path).stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _with_aliases(path: Path) -> KnowledgeBase:
    return KnowledgeBase(path, aliases=aliases())


def _client(options: Mapping[str, Any]) -> PassageBase:
    from gym_clinic.retrieval.serving import KnowledgeClient

    client: PassageBase = call_with_options(KnowledgeClient, options, "a served knowledge base")
    return client


def _matcher(folder: Path) -> PatientMatcher:
    table = CaseTable.load(folder)
    return PatientMatcher(table, open_embedder(table.embedder))
