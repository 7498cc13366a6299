"""Diseases of MONDO -> profiles without features.

Source:
    Mondo Disease Ontology, as OBO Graphs JSON (`mondo.json`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import Codes
from gym_clinic.facts.records.profiles import Profile
from gym_clinic.facts.typed_json import OnBroken, make_record, stop
from gym_clinic.importers.formats.obographs import read_obo_graph
from gym_clinic.importers.formats.ontology import Term
from gym_clinic.importers.formats.records import intact_records

SOURCE = "mondo"
"""Key of this source in the profiles."""


def read_diseases(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[Profile]:
    """Read the diseases of `mondo.json`.

    Args:
        path: The file.
        broken: Called with the error of a broken node; if it returns, the node is skipped. Raises
            the error by default.

    Yields:
        One profile for each disease; see `disease_profiles`.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: As `read_obo_graph` and `disease_profiles`.
    """
    return disease_profiles(read_obo_graph(path, broken), str(path), broken)


def disease_profiles(
    terms: Iterable[Term], place: str = "", broken: OnBroken = stop
) -> Iterator[Profile]:
    """Return MONDO's diseases as profiles without features.

    Codes come from exact matches only, because a cross-reference may lead to a wider term. Only
    exact synonyms are used.

    Args:
        terms: Terms of MONDO; other and obsolete terms are skipped.
        place: Name of the file, for errors.
        broken: As in `read_diseases`.

    Yields:
        One profile for each disease.

    Raises:
        TaskError: If there is no disease; by default, for an invalid id or name, which the text
            names by its term.
    """
    diseases = (
        (f"{place} {term.id}".lstrip(), term)
        for term in terms
        if not term.obsolete and term.id.startswith("MONDO:")
    )
    found = False
    for profile in intact_records(diseases, _profile, broken):
        found = True
        yield profile
    if not found:
        raise TaskError(f"{place}: no disease of MONDO; expected some".lstrip(": "))


def _profile(term: Term, place: str) -> Profile:
    name, *others = dict.fromkeys(
        " ".join(text.split())
        for text in (term.name, *(one.text for one in term.synonyms if one.scope == "EXACT"))
    )
    orpha = _coded(term, r"Orphanet:[1-9][0-9]*")
    icd10cm = _coded(term, r"ICD10CM:[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?")
    codes = make_record(
        Codes,
        place,
        omim=_coded(term, r"OMIM:[0-9]{6}"),
        orpha=tuple(f"ORPHA:{code.partition(':')[2]}" for code in orpha),
        mondo=(term.id,),
        icd10cm=tuple(code.partition(":")[2] for code in icd10cm),
    )
    return make_record(
        Profile,
        place,
        id=term.id,
        name=name,
        synonyms=tuple(others),
        codes=codes,
        source=SOURCE,
    )


def _coded(term: Term, pattern: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for code in term.exact if re.fullmatch(pattern, code)))
