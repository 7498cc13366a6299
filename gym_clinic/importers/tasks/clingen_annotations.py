"""Evidence annotations of ClinGen curations, as a curator's team may export them.

Annotations are JSON Lines, one curation a line, or one JSON array of curations::

    {"gene": "GENEX", "hgnc_id": "HGNC:999999901", "disease": "example disease",
     "mondo_id": "MONDO:9999901", "inheritance": "AR", "panel": "Example Panel",
     "classification": "Moderate",
     "articles": [
       {"pmid": "SYN0000001", "pmcid": "PMCSYN1",
        "genetic": {"points": 3.5, "publications": 2, "first_reported": 2009},
        "evidence": [{"subtype": "Rescue in patient cells",
                      "summary": "What the curator wrote about this evidence."}]}]}

`subtype` is a key or any other name of a subtype. `genetic` is the human genetic evidence that
an article reports: points, independent publications and the year of the first. `evidence` may be
empty, but not in every article. Disputed and Refuted pairs are not used. `hgnc_id`, `mondo_id`,
`inheritance`, `summary` and `genetic` may be left out.

Source:
    The fields are those of ClinGen's gene-disease validity records; the layout is this project's.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from gym_clinic.facts.typed_json import read_fields, read_lines
from gym_clinic.importers.facts.clingen import ONE_LINE, Class, Inheritance
from gym_clinic.importers.formats.json import json_value
from gym_clinic.reading import numbered_lines

GENETIC_CAP = 12.0
"""The most points that the ClinGen matrix gives for genetic evidence."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=True)


class Genetic(_Strict):
    """Human genetic evidence that one article reports.

    Attributes:
        points: Points of the ClinGen matrix, 0 to 12.
        publications: Independent publications, this one included.
        first_reported: Year of the first of them.
    """

    points: float = Field(ge=0, le=GENETIC_CAP, allow_inf_nan=False)
    publications: int = Field(ge=0, le=100_000)
    first_reported: int = Field(ge=1900, le=2100)


class AnnotatedEvidence(_Strict):
    """One instance of experimental evidence.

    Attributes:
        subtype: A name of its subtype, as the curator wrote it.
        summary: What the curator wrote about it; may be empty.
    """

    subtype: str = Field(pattern=ONE_LINE)
    summary: str = ""


class AnnotatedArticle(_Strict):
    """The evidence of one article.

    Attributes:
        pmid: PubMed id.
        pmcid: PubMed Central id.
        genetic: Its human genetic evidence, None if there is none or it was not recorded.
        evidence: Its experimental evidence.
    """

    pmid: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    pmcid: str = Field(pattern=r"^PMC[A-Za-z0-9_-]+$")
    genetic: Genetic | None = None
    evidence: list[AnnotatedEvidence]

    @field_validator("pmid", mode="before")
    @classmethod
    def _text(cls, pmid: object) -> object:
        if isinstance(pmid, str) and pmid.strip().upper().startswith("PMC"):
            raise ValueError(f"{pmid!r} is a PMCID; expected the PMID of the article")
        return str(pmid) if isinstance(pmid, int) and not isinstance(pmid, bool) else pmid


class Annotation(_Strict):
    """One curation with its articles.

    Attributes:
        gene: HGNC symbol.
        hgnc_id: "HGNC:" and a number; may be empty.
        disease: Disease name.
        mondo_id: "MONDO:" and seven digits; may be empty.
        inheritance: Mode of inheritance, as abbreviated in ClinGen's download; None if not given.
        panel: Expert panel; all its curations go to one split.
        classification: One of the five labels.
        articles: Its articles, at least one with evidence.
    """

    gene: str = Field(pattern=ONE_LINE)
    hgnc_id: str = Field("", pattern=r"^(HGNC:[1-9][0-9]*)?$")
    disease: str = Field(pattern=ONE_LINE)
    mondo_id: str = Field("", pattern=r"^(MONDO:[0-9]{7})?$")
    inheritance: Inheritance | None = None
    panel: str = Field(pattern=ONE_LINE)
    classification: Class
    articles: list[AnnotatedArticle] = Field(min_length=1)

    @field_validator("articles")
    @classmethod
    def _distinct(cls, articles: list[AnnotatedArticle]) -> list[AnnotatedArticle]:
        for ids in ([item.pmid for item in articles], [item.pmcid for item in articles]):
            if double := [name for name, count in Counter(ids).items() if count > 1]:
                raise ValueError(f"{double[0]!r} is a duplicate; expected one entry per article")
        if not any(item.evidence for item in articles):
            raise ValueError("no article has evidence; expected at least one")
        return articles


def read_annotations(path: str | os.PathLike[str]) -> Iterator[Annotation]:
    """Read evidence annotations.

    Args:
        path: A file in the form of this module's documentation.

    Yields:
        The annotations, in the order of the file.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: For a broken annotation; the text names file, line or item, field and what
            would be right.
    """
    file = Path(path)
    if not _is_array(file):
        yield from (annotation for _, annotation in read_lines(file, Annotation))
        return
    for number, item in enumerate(json_value(file, "curations, one a line or an array"), 1):
        yield read_fields(item, Annotation, f"{file} item {number}")


def _is_array(file: Path) -> bool:
    """Whether the first character of a file opens a JSON array."""
    for _, line in numbered_lines(file):
        if text := line.strip():
            return text.startswith(b"[")
    return False
