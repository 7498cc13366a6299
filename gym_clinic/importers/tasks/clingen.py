"""Evidence annotations and article full texts -> tasks of ClinGen curation.

Annotations are JSON Lines, described in `clingen_annotations.py`: for each curation its facts, its
class and the evidence of each article. Disputed and Refuted pairs are not used.

Full texts are JATS XML, one file for each article named by its PMCID or PMID ("PMC….xml",
".nxml"), or files of any name that hold many articles.

Each curation becomes a task::

    {"id": "clingen-3f9c0a71be52d604",
     "record": {"gene", "hgnc_id", "disease", "mondo_id", "inheritance", "panel",
                "articles": [{"pmid", "pmcid", "year", "title", "abstract",
                              "sections": [{"title", "text"}]}]},
     "gold": {"classification",
              "evidence": [{"pmid", "subtype", "summary"}],
              "genetic": [{"pmid", "points", "publications", "first_reported"}]},
     "provenance": "imported"}

`subtype` is as the curators wrote it; the ClinGen domain reads its many spellings. The id is a
hash of the pair, the panel and the articles, not of the class or the evidence. Articles are in the
order of their PMIDs.

Source:
    Paper 000, section 3: records with experimental evidence from open-access articles; whole
    expert panels go to one split.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.formats.jats import JatsArticle, read_articles
from gym_clinic.importers.tasks.clingen_annotations import (
    AnnotatedArticle,
    Annotation,
    read_annotations,
)
from gym_clinic.reading import plain_name
from gym_clinic.reading.folders import visible_files


def read(
    path: str | os.PathLike[str], articles: str | os.PathLike[str] | None = None
) -> Iterator[Task]:
    """Read curations with the full texts of their articles.

    Args:
        path: The annotation file.
        articles: Folder of the JATS XML files; by default the folder ``articles`` beside the
            annotation file.

    Yields:
        One task for each curation.

    Raises:
        ConfigError: If the file or the folder cannot be read, or lxml is missing.
        TaskError: For a broken annotation or article, an article without full text or one that
            is missing; the text names file and field.
    """
    file = Path(path)
    library = _Library(file.parent / "articles" if articles is None else Path(articles))
    for curation in read_annotations(file):
        yield _task(curation, library)


def _task(curation: Annotation, library: _Library) -> Task:
    annotated = sorted(curation.articles, key=lambda item: item.pmid)
    pair = curation.model_dump(exclude={"articles", "classification"})
    identity = [*pair.values(), *((item.pmid, item.pmcid) for item in annotated)]
    evidence = [
        {"pmid": item.pmid, **evidence.model_dump()}
        for item in annotated
        for evidence in item.evidence
    ]
    genetic = [
        {"pmid": item.pmid, **item.genetic.model_dump()}
        for item in annotated
        if item.genetic is not None
    ]
    return Task(
        id=f"clingen-{hashlib.sha256(orjson.dumps(identity)).hexdigest()[:16]}",
        record={**pair, "articles": [library.record(item) for item in annotated]},
        gold={
            "classification": curation.classification,
            "evidence": evidence,
            "genetic": genetic,
        },
        provenance="imported",
    )


class _Library:
    """The articles of a folder, each file read once."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ConfigError(f"{folder} is not a folder; expected the folder of the JATS files")
        self.folder = folder
        # The name without the suffix of packing, so that PMC1.xml.gz is the file of PMC1.
        self.files = {
            plain_name(file).name: file
            for file in visible_files(folder, ".xml", ".nxml", deep=False)
        }
        self.read: dict[str, list[JatsArticle]] = {}

    def record(self, wanted: AnnotatedArticle) -> dict[str, Any]:
        """An article in the form of a task."""
        name, article = self.find(wanted)
        file = self.files[name]
        for kind in ("pmid", "pmcid"):
            theirs, ours = getattr(article, kind), getattr(wanted, kind)
            if theirs and theirs != ours:
                raise TaskError(f"{file}: its {kind} is {theirs}; the annotation has {ours}")
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

    def find(self, wanted: AnnotatedArticle) -> tuple[str, JatsArticle]:
        """The file and the article: from the file with its name, or else from any file."""
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

    def articles(self, name: str) -> list[JatsArticle]:
        if name not in self.read:
            self.read[name] = list(read_articles(self.files[name]))
        return self.read[name]
