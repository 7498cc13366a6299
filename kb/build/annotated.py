"""What annotations say of the findings of diseases: frequencies, and findings that were missing.

Taken are annotations of an id that the disease has, under a name that the disease has: an id alone
may have changed its meaning. A share is taken if it was counted in enough patients. A band is a
judgement, as the authors' is. Where the two are two bands apart, the authors' is corrected, or
`judged.json` says why it stands: Orphanet's list has slips (eosinophilia as occasional in DRESS
syndrome). Very frequent findings that a disease does not have are added, unless `judged.json`
refuses them, they name the disease, or the table of phenotypes does not have them.

The annotations of ORPHA ids are Orphanet's own, under CC-BY-4.0, and name it as their source; those
of OMIM ids are not taken, because of the HPO's licence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.errors import TaskError
from gym_clinic.facts import (
    BANDS,
    Profile,
    ProfileFeature,
    ancestors,
    restates_diagnosis,
    same_name,
)
from gym_clinic.facts.records.models import BandName, Disease, DiseaseEntry, Phenotype
from gym_clinic.facts.records.profiles import strength
from gym_clinic.facts.typed_json import Strict, read_fields, read_object
from gym_clinic.importers.facts import hpoa, orphanet
from kb.build.proof import name_variants

JUDGED = Path(__file__).with_name("judged.json")
"""What the authors judged of Orphanet's annotations."""

ALWAYS: tuple[BandName, ...] = ("obligate", "very_frequent")
"""Bands of the findings that are added, and whose recall is measured."""

PARTS = {
    "ORPHA:178029": "central diabetes insipidus",
    "ORPHA:231169": "Usher syndrome, type 1",
    "ORPHA:537": "toxic epidermal necrolysis, the severe form",
    "ORPHA:77259": "Gaucher disease, type 1",
    "ORPHA:93473": "Hurler syndrome, the severe form",
}
"""Ids of one form of a disease, whose frequencies may differ from the whole -> the form."""

COUNTED = 30
"""Patients of whom a share is taken, at least; a smaller series is mostly of unusual cases."""


class Annotated(NamedTuple):
    """A feature of a disease as an annotation has it.

    Attributes:
        disease: The disease.
        feature: The feature.
    """

    disease: DiseaseEntry
    feature: ProfileFeature


class Dispute(Strict):
    """An authored band that is two bands or more from Orphanet's and stands.

    Attributes:
        disease: Id of the disease.
        finding: Name of the finding.
        orphanet: Orphanet's band.
        why: Why the authored one stands.
    """

    disease: str
    finding: str
    orphanet: BandName
    why: str


class Judged(NamedTuple):
    """What the authors judged.

    Attributes:
        disputes: Ids of a disease and of a finding -> why the authors' band stands.
        refused: Ids of diseases and findings that are not added.
    """

    disputes: dict[tuple[str, str], Dispute]
    refused: dict[str, frozenset[str]]


def read_judged(ids: Mapping[str, str], file: Path = JUDGED) -> Judged:
    """Read what the authors judged.

    Args:
        ids: Ids of phenotypes by name.
        file: The file.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is broken.
    """
    table = read_object(file, distinct=True)
    disputes = {}
    for number, fields in enumerate(table["bands"], 1):
        place = f"{file} band {number}"
        one = read_fields(fields, Dispute, place)
        if one.finding not in ids:
            raise TaskError(f"{place}: unknown finding {one.finding!r}")
        disputes[one.disease, ids[one.finding]] = one
    return Judged(disputes, {key: frozenset(names) for key, names in table["findings"].items()})


def annotated(
    entries: Mapping[str, DiseaseEntry],
    codes: Mapping[str, Iterable[str]],
    annotations: Path,
) -> Iterator[Annotated]:
    """Yield Orphanet's features of the diseases.

    Args:
        entries: The diseases by id.
        codes: OMIM and ORPHA ids by the id of the disease.
        annotations: HPO annotations.
    """
    diseases = {code: entries[key] for key, several in codes.items() for code in several}
    for profile in hpoa.read_hpoa(annotations):
        for code in profile.codes.orpha:  # CC-BY-4.0; the others are under the HPO's licence
            if code in diseases and code not in PARTS and _is_named(profile, diseases[code]):
                for has in profile.features:
                    yield Annotated(diseases[code], has)


def bands_apart(one: BandName | None, other: BandName | None) -> int:
    """Return how many bands lie between two, 1 for neighbours; 0 if one is unknown."""
    order = list(BANDS)
    return 0 if one is None or other is None else abs(order.index(one) - order.index(other))


def check_disputes(features: Iterable[Annotated], ids: Mapping[str, str], judged: Judged) -> None:
    """Check that every band two bands from Orphanet's was judged, and no other.

    Raises:
        TaskError: If one was not, or a judgement does not apply any more.
    """
    left = dict(judged.disputes)
    for disease, has in features:
        for one in disease.findings:
            if ids[one.finding] != has.id or bands_apart(one.band, has.frequency.band) < 2:
                continue
            found = left.pop((disease.id, has.id), None)
            if found is None or found.orphanet != has.frequency.band:
                raise TaskError(
                    f"{disease.id}: {one.finding!r} is {one.band} here and {has.frequency.band} "
                    f"in Orphanet; correct the band, or say in {JUDGED.name} why it stands"
                )
    if left:
        raise TaskError(f"{JUDGED.name}: no such dispute: {sorted(left)}")


def stated_frequencies(
    features: Iterable[Annotated], ids: Mapping[str, str]
) -> dict[tuple[str, str], ProfileFeature]:
    """Return what the annotations state of the findings that diseases have.

    Args:
        features: The annotations.
        ids: Ids of the phenotypes by name.

    Returns:
        Ids of a disease and of a finding -> the feature with its frequency.
    """
    stated: dict[tuple[str, str], ProfileFeature] = {}
    for disease, has in features:
        bands = {ids[one.finding]: one.band for one in disease.findings}
        if has.id in bands and _is_taken(has, bands[has.id]):
            key = (disease.id, has.id)
            stated[key] = max(stated.get(key, has), has, key=strength)
    return stated


def very_frequent(
    features: Iterable[Annotated], phenotypes: Mapping[str, Phenotype], judged: Judged
) -> dict[str, Sequence[ProfileFeature]]:
    """Return the very frequent findings that the authors left out, by disease.

    Args:
        features: The annotations.
        phenotypes: The findings of the tables by id.
        judged: What is refused.
    """
    above = ancestors(phenotypes)
    ids = {one.name: one.id for one in phenotypes.values()}
    found: dict[str, dict[str, ProfileFeature]] = {}
    for disease, has in features:
        if has.frequency.band not in ALWAYS or has.id not in phenotypes:
            continue
        own = {ids[one.finding] for one in disease.findings if one.band or not one.stated}
        one = phenotypes[has.id]
        if (
            has.id not in own
            and not any(has.id in above[key] for key in own)
            and one.name not in judged.refused.get(disease.id, ())
            and not restates_diagnosis(_named(disease), one)
        ):
            found.setdefault(disease.id, {}).setdefault(has.id, has)
    added: dict[str, Sequence[ProfileFeature]] = {}
    for key, several in found.items():
        general = frozenset().union(*(above[one] for one in several))
        added[key] = [has for one, has in sorted(several.items()) if one not in general]
    return added


def stated_fields(has: ProfileFeature) -> dict[str, Any]:
    """Return a stated frequency as it is written in the table."""
    frequency = has.frequency
    if frequency.value is None:
        found: dict[str, Any] = {"band": frequency.band}
    else:
        found = {"value": float(f"{frequency.value:.4g}"), "patients": frequency.patients}
    found |= {"source": orphanet.SOURCE, "references": list(has.references)}
    return {name: value for name, value in found.items() if value not in (None, [])}


def _named(entry: DiseaseEntry) -> Disease:
    fields = {name: getattr(entry, name) for name in DiseaseEntry.model_fields}
    del fields["findings"]
    return Disease(**fields, phenotypes=())


def _is_named(profile: Profile, entry: DiseaseEntry) -> bool:
    """Whether an annotated disease has a name of the disease in the tables."""
    published = [one for name in (profile.name, *profile.synonyms) for one in name_variants(name)]
    ours = (entry.name, *entry.synonyms)
    return any(same_name(name, theirs) for name in ours for theirs in published)


def _is_taken(has: ProfileFeature, written: BandName | None) -> bool:
    stated = has.frequency
    if stated.value is not None:
        return (stated.patients or COUNTED) >= COUNTED
    return stated.band is not None and bands_apart(stated.band, written) < 2
