"""Stage I and IV of the paper: which disease a diagnosis is, whether it is rare, and HPO names.

A disease is rare if it is listed in Orphanet, or its name has a similarity above .95 with a name of
a listed disease. The names and codes are those of the fact tables, with those of Orphanet's product
1 where it is given. A source that classes its cases itself keeps its classes.

Source:
    Deep-DxSearch paper, section 4.1, stages I and IV. The paper compares by BioLORD
    (``embedder="biolord"``); the default compares spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError
from gym_clinic.facts import Facts, Profile, words
from gym_clinic.importers.cases.reported import ReportedCase, one_line
from gym_clinic.retrieval import Embedder

SAME = 0.95
"""Similarity above which two names are of one disease (section 4.1, stage I)."""

SHORTEST_NAME = 4
"""Letters of a name at least that is looked for in a text in small letters."""

_ICD = ("ICD10CM", "ICD10")
_CATEGORY = 3


@dataclass(frozen=True)
class ListedDisease:
    """A disease of the taxonomy.

    Attributes:
        id: Its id in the tables, or that of Orphanet.
        name: Preferred name.
        synonyms: Other names.
        codes: Ids elsewhere, with their prefixes.
        rare: Whether Orphanet lists it, or the tables class it as rare.
    """

    id: str
    name: str
    synonyms: tuple[str, ...]
    codes: tuple[str, ...]
    rare: bool

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the preferred one first."""
        return tuple(dict.fromkeys((self.name, *self.synonyms)))


@dataclass(frozen=True)
class CodedFinding:
    """A finding with the preferred name of its term.

    Attributes:
        name: Preferred name; the name as given where no term is found.
        hpo: Id of the term; empty where none is found.
    """

    name: str
    hpo: str


class Taxonomy:
    """Names and codes of diseases and findings.

    Args:
        facts: The fact tables.
        orphanet: Diseases of Orphanet, as ``gym-clinic kb import orphanet-names`` reads them.
        terms: Further terms of the HPO: id -> name.
        icd: Titles of ICD-10-CM: code with its point -> title.
        embedder: Compares names.
    """

    def __init__(
        self,
        facts: Facts,
        orphanet: Iterable[Profile] = (),
        terms: Mapping[str, str] | None = None,
        icd: Mapping[str, str] | None = None,
        *,
        embedder: Embedder,
    ) -> None:
        self._embedder = embedder
        self.diseases = _merged(facts, orphanet)
        self._by_code: dict[str, list[ListedDisease]] = {}
        self._by_name: dict[tuple[str, ...], ListedDisease] = {}
        for disease in self.diseases:
            for code in disease.codes:
                self._by_code.setdefault(code, []).append(disease)
            for name in disease.names:
                self._by_name.setdefault(words(name), disease)
        self._longest = max(map(len, self._by_name))
        self._icd = dict(icd or {})
        self._icd_titles: dict[tuple[str, ...], str] = {}
        for code, title in self._icd.items():
            self._icd_titles.setdefault(_title(title), code)
        self._findings: dict[tuple[str, ...], CodedFinding] = {}
        for key, name in (terms or {}).items():
            self._findings[words(name)] = CodedFinding(name, key)
        for finding in facts.phenotypes.values():
            coded = CodedFinding(finding.name, finding.id if finding.id.startswith("HP:") else "")
            for name in (finding.name, *finding.synonyms):
                self._findings.setdefault(words(name), coded)

    def find(self, reported: ReportedCase) -> ListedDisease | None:
        """Return the disease of a diagnosis: by its codes, its names, or a similar name.

        A code of ICD-10 is read by its title, or by that of a code above it; a code that several
        diseases share decides nothing.
        """
        for code in reported.case.codes:
            found = self._by_code.get(code, [])
            if len(found) == 1:
                return found[0]
        names = [reported.case.diagnosis, *reported.synonyms]
        for name in names:
            if words(name) in self._by_name:
                return self._by_name[words(name)]
        for code in reported.case.codes:
            if near := self._of_icd(code):
                return near
        return next((near for name in names if (near := self._similar(name))), None)

    def known(self, reported: ReportedCase) -> ListedDisease:
        """Return the disease of a case with all that its source says of it.

        A diagnosis that is not in the taxonomy is a disease of its own, rare if the source says
        so.
        """
        case, found = reported.case, self.find(reported)
        names = [_plain(name) for name in (case.diagnosis, *reported.synonyms)]
        if found is None:
            key = "own:" + "-".join(words(names[0]))
            near = next((like for name in names if (like := self._like(name))), None)
            listed = any(code.startswith("ORPHA:") for code in case.codes)
            listed = listed or (near is not None and self._by_name[near].rare)
            rare = listed if reported.rare is None else reported.rare
            codes = case.codes or self._icd_codes(names)
            return ListedDisease(key, names[0], tuple(names[1:]), codes, rare)
        extra = tuple(name for name in names if name not in found.names)
        stated = case.codes or self._icd_codes(found.names)
        return replace(
            found,
            synonyms=(*found.synonyms, *extra),
            codes=tuple(dict.fromkeys((*found.codes, *stated))),
            rare=found.rare if reported.rare is None else reported.rare,
        )

    def named_in(self, text: str) -> list[ListedDisease]:
        """Return the diseases that a text names, each once, by the longest names."""
        tokens, found = words(text), {}
        place = 0
        while place < len(tokens):
            for length in range(min(self._longest, len(tokens) - place), 0, -1):
                name = tokens[place : place + length]
                disease = self._by_name.get(name)
                if disease and (length > 1 or len(name[0]) >= SHORTEST_NAME):
                    found[disease.id] = disease
                    place += length - 1
                    break
            place += 1
        return list(found.values())

    def finding(self, name: str) -> CodedFinding:
        """Return the finding of a name, with the preferred name of the HPO where it has one."""
        name = one_line(name)
        return self._findings.get(words(name)) or self._near_finding(name)

    def _near_finding(self, name: str) -> CodedFinding:
        keys, vectors = self._finding_vectors
        if not words(name):
            return CodedFinding(name, "")
        similar = vectors @ self._vectors([" ".join(words(name))])[0]
        best = int(similar.argmax())
        alike = similar[best] > SAME and _marks(keys[best]) == _marks(words(name))
        return self._findings[keys[best]] if alike else CodedFinding(name, "")

    def _of_icd(self, code: str) -> ListedDisease | None:
        """Return the disease that has the title of an ICD-10 code, or of one above it."""
        system, _, wanted = code.partition(":")
        while system in _ICD and len(wanted) >= _CATEGORY:
            found = self._by_name.get(_title(self._icd.get(wanted, "")))
            if found is not None:
                return found
            wanted = wanted[:-1].removesuffix(".")
        return None

    def _icd_codes(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the code of ICD-10-CM whose title is one of some names; none if there is none."""
        known = (self._icd_titles.get(_title(name)) for name in names)
        return next(((f"{_ICD[0]}:{code}",) for code in known if code), ())

    def _similar(self, name: str) -> ListedDisease | None:
        """Return the disease that has a name like this, with the same numbers and short words."""
        known = self._like(name)
        return self._by_name[known] if known and _marks(known) == _marks(words(name)) else None

    def _like(self, name: str) -> tuple[str, ...] | None:
        """Return the words of the nearest name, if its similarity is above `SAME`."""
        if not words(name):
            return None
        similar = self._disease_vectors @ self._vectors([" ".join(words(name))])[0]
        best = int(similar.argmax())
        return list(self._by_name)[best] if similar[best] > SAME else None

    @cached_property
    def _disease_vectors(self) -> NDArray[np.float32]:
        return self._vectors([" ".join(name) for name in self._by_name])

    @cached_property
    def _finding_vectors(self) -> tuple[list[tuple[str, ...]], NDArray[np.float32]]:
        keys = list(self._findings)
        return keys, self._vectors([" ".join(name) for name in keys])

    def _vectors(self, names: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.asarray(self._embedder.embed(names), np.float32)
        if len(vectors) != len(names):
            raise ConfigError(
                f"{self._embedder.name}: {len(vectors)} vectors of {len(names)} names"
            )
        return vectors


def _merged(facts: Facts, orphanet: Iterable[Profile]) -> tuple[ListedDisease, ...]:
    """Return the diseases of the tables and of Orphanet; one that both have is of the tables."""
    own = [
        ListedDisease(
            disease.id,
            disease.name,
            disease.synonyms,
            (
                *disease.codes.orpha,
                *disease.codes.omim,
                *disease.codes.mondo,
                *(f"ICD10CM:{code}" for code in disease.codes.icd10cm),
            ),
            disease.rare or bool(disease.codes.orpha),
        )
        for disease in facts.diseases.values()
    ]
    at = {code: place for place, disease in enumerate(own) for code in disease.codes}
    at |= {" ".join(words(disease.name)): place for place, disease in enumerate(own)}
    for profile in orphanet:
        codes = (profile.id, *profile.codes.omim, *profile.codes.mondo)
        place = at.get(profile.id, at.get(" ".join(words(profile.name))))
        if place is None:
            own.append(ListedDisease(profile.id, profile.name, profile.synonyms, codes, rare=True))
            continue
        disease = own[place]
        names = (profile.name, *profile.synonyms)
        own[place] = replace(
            disease,
            synonyms=tuple(dict.fromkeys((*disease.synonyms, *names))),
            codes=tuple(dict.fromkeys((*disease.codes, *codes))),
            rare=True,
        )
    return tuple(own)


def _title(name: str) -> tuple[str, ...]:
    """Return the words of a name without "unspecified", as titles of ICD-10-CM have it."""
    return tuple(word for word in words(name) if word != "unspecified")


def _marks(name: tuple[str, ...]) -> list[str]:
    """Return the words that tell the types of a disease apart: numbers, letters, Roman numerals."""
    return sorted(word for word in name if len(word) <= 2 or not word.isalpha())


def _plain(name: str) -> str:
    """Return a name without what would end a tag, a list of diagnoses, or a reference."""
    return one_line(name.translate(str.maketrans("[]{}<>", "      "))) or name
