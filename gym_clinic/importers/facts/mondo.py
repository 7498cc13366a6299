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
from gym_clinic.importers.formats.records import LeftOut, intact_records, unnoted

SOURCE = "mondo"
"""Key of this source in the profiles."""


def read_diseases(
    path: str | os.PathLike[str], broken: OnBroken = stop, left_out: LeftOut = unnoted
) -> Iterator[Profile]:
    """Read the diseases of `mondo.json`.

    Args:
        path: The file.
        broken: Called with the error of a broken node; if it returns, the node is skipped. Raises
            the error by default.
        left_out: Called with the reason for each term that is no disease any more.

    Yields:
        One profile for each disease; see `disease_profiles`.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: As `read_obo_graph` and `disease_profiles`.
    """
    return disease_profiles(read_obo_graph(path, broken), str(path), broken, left_out)


def disease_profiles(
    terms: Iterable[Term],
    place: str = "",
    broken: OnBroken = stop,
    left_out: LeftOut = unnoted,
) -> Iterator[Profile]:
    """Return MONDO's diseases as profiles without features.

    Codes come from exact matches only, because a cross-reference may lead to a wider term. Only
    exact synonyms are used.

    Args:
        terms: Terms of MONDO; other and obsolete terms are skipped.
        place: Name of the file, for errors.
        broken: As in `read_diseases`.
        left_out: As in `read_diseases`.

    Yields:
        One profile for each disease.

    Raises:
        TaskError: If there is no disease; by default, for an invalid id or name, which the text
            names by its term.
    """
    seen: set[str] = set()

    def _diseases() -> Iterator[tuple[str, Term]]:
        for term in terms:
            prefix = term.id.partition(":")[0]
            seen.add(f"{prefix}:")
            if prefix == "MONDO" and term.obsolete:
                left_out("obsolete terms of MONDO were left out")
            elif prefix == "MONDO":
                yield f"{place} {term.id}".lstrip(), term

    found = False
    for profile in intact_records(_diseases(), _profile, broken):
        found = True
        yield profile
    if not found:
        prefixes = ", ".join(sorted(seen)) or "no term"
        raise TaskError(
            f"{place}: no disease of MONDO, but {prefixes}; expected MONDO: terms".lstrip(": ")
        )


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
