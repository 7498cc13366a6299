"""Evidence annotations and article full texts -> tasks of ClinGen curation.

Annotations are JSON Lines in the form that `clingen_annotations.py` describes: for each curation
its facts, its class, and what each article holds. Disputed and Refuted pairs are no task.

Full texts are JATS XML, one file for each article named by its PMCID or PMID ("PMC….xml",
".nxml"), or files of any name that hold many articles.

Each curation becomes one line of `<split>.jsonl`::

    {"id": "clingen-3f9c0a71be",
     "record": {"gene", "hgnc_id", "disease", "mondo_id", "inheritance", "panel",
                "articles": [{"pmid", "pmcid", "year", "title", "abstract",
                              "sections": [{"title", "text"}]}]},
     "gold": {"classification",
              "evidence": [{"pmid", "subtype", "summary"}],
              "genetic": [{"pmid", "points", "publications", "first_reported"}]},
     "provenance": "imported"}

with `subtype` a key. Tasks stand in the order of their ids, articles in that of their PMIDs.

Source:
    Paper 000, section 3: records with experimental evidence from open-access articles; whole
    expert panels go to one split.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import json_line, replace_files
from gym_clinic.importers.formats.jats import Article, Section, read_articles, read_jats
from gym_clinic.importers.tasks.clingen_annotations import (
    AnnotatedArticle,
    Annotation,
    read_annotations,
)

__all__ = [
    "SPLITS",
    "Annotation",
    "Article",
    "Built",
    "Section",
    "build_tasks",
    "read_annotations",
    "read_articles",
    "read_jats",
]

SPLITS = ("train", "dev", "test")
"""The splits that a task folder may have."""


class Built(NamedTuple):
    """What `build_tasks` wrote.

    Attributes:
        tasks: Number of tasks in each split.
        panels: The split of each panel.
        shared_genes: Genes that occur in more than one split: panels are kept apart, but two
            panels may curate one gene.
        shared_articles: PMIDs that occur in more than one split, for the same reason.
    """

    tasks: dict[str, int]
    panels: dict[str, str]
    shared_genes: tuple[str, ...]
    shared_articles: tuple[str, ...]


def build_tasks(
    annotations: str | os.PathLike[str] | Iterable[Annotation],
    articles_dir: str | os.PathLike[str],
    target_dir: str | os.PathLike[str],
    split_of: Mapping[str, str] | Mapping[str, float],
    *,
    salt: str = "imported",
) -> Built:
    """Make task files from annotations and full texts.

    Everything is read and checked before anything is written.

    Args:
        annotations: The annotation file, or what `read_annotations` gives.
        articles_dir: Folder of JATS XML files.
        target_dir: Folder of the task files; made if it is missing.
        split_of: Either the split of each panel, {"Example Panel": "train"}, or the share of
            each split, {"train": 0.8, "test": 0.2}; the largest panels are placed first, each
            where most is wanting.
        salt: Task ids are hashes of this and a running number.

    Returns:
        What was written, and what the splits share.

    Raises:
        ConfigError: If `split_of` leaves out a panel, names an unknown split or its shares are
            not positive numbers that add up to 1; if a folder cannot be read, or the target
            holds a split of an earlier import that this one would not replace.
        TaskError: For a broken annotation or article, an article without full text or one that
            is missing; the text names file and field.
    """
    if isinstance(annotations, (str, os.PathLike)):
        annotations = read_annotations(annotations)
    curations = list(annotations)
    if not curations:
        raise TaskError("no annotations; expected at least one curation")
    panels = _assign(Counter(curation.panel for curation in curations), split_of)
    target = Path(target_dir)
    for split in SPLITS:
        if split not in panels.values() and (target / f"{split}.jsonl").exists():
            raise ConfigError(
                f"{target / f'{split}.jsonl'} is of an earlier import, whose panels may overlap; "
                "remove it or choose another folder"
            )
    library = _Library(Path(articles_dir))
    tasks: dict[str, list[dict[str, Any]]] = defaultdict(list)
    genes: dict[str, set[str]] = defaultdict(set)
    articles: dict[str, set[str]] = defaultdict(set)
    for task_id, curation in zip(_ids(salt), curations, strict=False):
        split = panels[curation.panel]
        tasks[split].append(_task(task_id, curation, library))
        genes[curation.gene].add(split)
        for article in curation.articles:
            articles[article.pmid].add(split)
    splits = [split for split in SPLITS if split in tasks]
    replace_files(
        {
            target / f"{split}.jsonl": map(
                json_line, sorted(tasks[split], key=lambda task: str(task["id"]))
            )
            for split in splits
        }
    )
    return Built(
        {split: len(tasks[split]) for split in splits},
        panels,
        tuple(sorted(gene for gene, found in genes.items() if len(found) > 1)),
        tuple(sorted(pmid for pmid, found in articles.items() if len(found) > 1)),
    )


def _ids(salt: str) -> Iterator[str]:
    """Task ids: hashes of a running number, so that they encode nothing."""
    seen = set()
    for number in itertools.count():
        task_id = "clingen-" + hashlib.sha256(f"{salt}:{number}".encode()).hexdigest()[:10]
        if task_id not in seen:
            seen.add(task_id)
            yield task_id


def _task(task_id: str, curation: Annotation, library: _Library) -> dict[str, Any]:
    annotated = sorted(curation.articles, key=lambda item: item.pmid)
    return {
        "id": task_id,
        "record": {
            **curation.model_dump(exclude={"articles", "classification"}),
            "articles": [library.record(item) for item in annotated],
        },
        "gold": {
            "classification": curation.classification,
            "evidence": [
                {"pmid": item.pmid, **evidence.model_dump()}
                for item in annotated
                for evidence in item.evidence
            ],
            "genetic": [
                {"pmid": item.pmid, **item.genetic.model_dump()}
                for item in annotated
                if item.genetic is not None
            ],
        },
        "provenance": "imported",
    }


def _assign(
    sizes: Mapping[str, int], split_of: Mapping[str, str] | Mapping[str, float]
) -> dict[str, str]:
    """The split of each panel."""
    if not isinstance(split_of, Mapping) or not split_of:
        raise ConfigError(
            f"split_of is {split_of!r:.100}; expected the split of each panel or the share of each "
            'split, like {"train": 0.8, "test": 0.2}'
        )
    named = {panel: split for panel, split in split_of.items() if isinstance(split, str)}
    if len(named) < len(split_of):
        return _assign_by_share(sizes, split_of)
    if unknown := sorted(set(named.values()) - set(SPLITS)):
        raise ConfigError(f"split_of names unknown splits {unknown}; choose from {list(SPLITS)}")
    if missing := sorted(sizes.keys() - named.keys()):
        raise ConfigError(f"split_of lacks the panels {missing}; give each a split of {SPLITS}")
    return {panel: named[panel] for panel in sorted(sizes)}


def _assign_by_share(sizes: Mapping[str, int], share_of: Mapping[str, Any]) -> dict[str, str]:
    if unknown := sorted(set(share_of) - set(SPLITS)):
        raise ConfigError(f"split_of names unknown splits {unknown}; choose from {list(SPLITS)}")
    for split, share in share_of.items():
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not share > 0:
            raise ConfigError(f"the share of {split} is {share!r}; expected a number above 0")
    if not math.isclose(math.fsum(share_of.values()), 1, abs_tol=1e-6):
        raise ConfigError(f"the shares {dict(share_of)} do not add up to 1")
    if len(sizes) < len(share_of):
        raise ConfigError(
            f"{len(sizes)} panels cannot fill {len(share_of)} splits; a panel goes to one split"
        )
    total = sum(sizes.values())
    wanting = {split: share_of[split] * total for split in SPLITS if split in share_of}
    empty = set(wanting)
    placed: dict[str, str] = {}
    for panel in sorted(sizes, key=lambda name: (-sizes[name], name)):
        # No split may stay empty, so the last panels go where there is none yet.
        open_splits = empty if len(sizes) - len(placed) == len(empty) else wanting
        split = max(
            (name for name in wanting if name in open_splits), key=lambda name: wanting[name]
        )
        wanting[split] -= sizes[panel]
        empty.discard(split)
        placed[panel] = split
    return dict(sorted(placed.items()))


class _Library:
    """The articles of a folder, each file read once."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ConfigError(f"{folder} is no folder; expected the folder of the JATS files")
        self.folder = folder
        self.files = {
            file.name: file for file in sorted(folder.iterdir()) if file.suffix in (".xml", ".nxml")
        }
        self.read: dict[str, list[Article]] = {}

    def record(self, wanted: AnnotatedArticle) -> dict[str, Any]:
        """An article as it stands in a task."""
        name, article = self.find(wanted)
        file = self.files[name]
        for kind in ("pmid", "pmcid"):
            theirs, ours = getattr(article, kind), getattr(wanted, kind)
            if theirs and theirs != ours:
                raise TaskError(f"{file}: its {kind} is {theirs}; the annotation says {ours}")
        if article.year is None:
            raise TaskError(f"{file}: no <pub-date> with the <year> of publication")
        if not article.sections:
            raise TaskError(f"{file}: {wanted.pmcid} has no <body> text; expected the full text")
        return {
            "pmid": wanted.pmid,
            "pmcid": wanted.pmcid,
            "year": article.year,
            "title": article.title,
            "abstract": article.abstract,
            "sections": [{"title": part.title, "text": part.text} for part in article.sections],
        }

    def find(self, wanted: AnnotatedArticle) -> tuple[str, Article]:
        """The file and the article: from the file of its name, else from any."""
        stems = (wanted.pmcid, wanted.pmid)
        own = [f"{stem}{end}" for stem in stems for end in (".xml", ".nxml")]
        own = [name for name in own if name in self.files]
        for name in own or self.files:
            for article in self.articles(name):
                if article.pmcid == wanted.pmcid or article.pmid == wanted.pmid:
                    return name, article
        where = self.files[own[0]] if own else f"the {len(self.files)} XML files of {self.folder}"
        raise TaskError(
            f"{where}: no article {wanted.pmcid} (PMID {wanted.pmid}); expected its JATS XML, "
            f"as {wanted.pmcid}.xml for example"
        )

    def articles(self, name: str) -> list[Article]:
        if name not in self.read:
            self.read[name] = list(read_articles(self.files[name]))
        return self.read[name]
