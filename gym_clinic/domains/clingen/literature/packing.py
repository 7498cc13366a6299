"""The compact JSON of a literature: lists by position, references by place, defaults left out.

What follows from other records is not stored: comparisons and odds ratios are computed again, and
the gene, disease and PMC number of an article are stored only where they differ from the usual. A
round trip is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gym_clinic.domains.clingen.literature.comparisons import case_control, compare
from gym_clinic.domains.clingen.literature.records import (
    Arm,
    CaseControl,
    Experiment,
    GroupComparison,
    Literature,
    Proband,
    Publication,
    SequenceVariant,
)
from gym_clinic.errors import TaskError

ROLES = ("test", "reference", "partner", "control")
"""Roles of the arms of an experiment, in their usual order."""

_HEAD = (
    "gene", "hgnc_id", "disease", "mondo_id", "inheritance", "mechanism", "product", "does",
    "pathway", "family", "gene_partners", "tissues",
)  # fmt: skip
_ADAPTER: TypeAdapter[Literature] = TypeAdapter(Literature)


def pack(literature: Literature) -> dict[str, Any]:
    """Return the compact JSON values of a literature."""
    pmids = {one.pmid: place for place, one in enumerate(literature.articles)}
    variants = {one.id: place for place, one in enumerate(literature.variants)}
    signs = {name: place for place, name in enumerate(literature.phenotypes)}
    return {
        "about": [_plain(getattr(literature, name)) for name in _HEAD],
        "phenotypes": [*literature.phenotypes],
        "variants": [_short(_variant(one)) for one in literature.variants],
        "persons": [_short(_person(one, variants, signs, pmids)) for one in literature.persons],
        "families": [
            [one.id, one.affected_carriers, one.phenocopies, one.unaffected_carriers, one.lod]
            for one in literature.families
        ],
        "results": [_short(_result(one, literature)) for one in literature.results],
        "articles": [_short(_article(one, literature, pmids)) for one in literature.articles],
    }


def unpack(value: Mapping[str, Any]) -> Literature:
    """Read what `pack` gives.

    Raises:
        TaskError: If the value is no literature.
    """
    try:
        found = _PackedReader(value).literature()
        return _ADAPTER.validate_python(found)
    except (ValidationError, KeyError, IndexError, TypeError, ValueError) as error:
        raise TaskError(f"no literature: {type(error).__name__}: {error}") from None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _short(row: list[Any]) -> list[Any]:
    """Leave out what is empty at the end of a row."""
    while row and row[-1] in (None, False, 0, []):
        row.pop()
    return row


def _variant(one: SequenceVariant) -> list[Any]:
    return [
        one.id, one.kind, one.population_total, one.exon, int(one.null), one.load,
        one.population_alleles,
    ]  # fmt: skip


def _person(
    one: Proband, variants: Mapping[str, int], signs: Mapping[str, int], pmids: Mapping[str, int]
) -> list[Any]:
    return [
        one.id,
        one.sex,
        one.onset_months,
        [variants.get(key, key) for key in one.variants],
        one.origin,
        [signs.get(name, name) for name in one.present],
        [signs.get(name, name) for name in one.absent],
        pmids.get(one.first_article, one.first_article),
        int(one.parents_tested),
        int(one.in_trans),
        one.other_cause,
        int(one.consanguineous),
    ]


def _result(one: Experiment, literature: Literature) -> list[Any]:
    comparison = one.comparison
    return [
        one.id,
        one.design,
        one.system,
        one.measure,
        one.unit,
        one.units_of_n,
        [_short(_arm(arm, place)) for place, arm in enumerate(one.arms)],
        one.reading,
        one.subtype,
        one.person,
        one.variant,
        one.organism,
        one.partner,
        one.confounder,
        None if one.gene == literature.gene else one.gene,
        None
        if compare(*one.arms[:2]) == comparison
        else [
            comparison.test,
            comparison.difference,
            comparison.low,
            comparison.high,
            comparison.p,
        ],
    ]


def _arm(one: Arm, place: int) -> list[Any]:
    role = None if one.role == ROLES[place] else one.role
    return [one.label, one.n, _whole(one.mean), _whole(one.sd), one.count, role]


def _whole(number: float | None) -> float | int | None:
    return int(number) if number is not None and number == int(number) else number


def _article(one: Publication, literature: Literature, pmids: Mapping[str, int]) -> list[Any]:
    plan = one.abstract
    return [
        one.pmid,
        one.year,
        one.kind,
        [*one.persons],
        [*one.families],
        [*one.results],
        [pmids.get(pmid, pmid) for pmid in one.cites],
        int(one.short),
        _short([[*plan.omits], [*plan.hedges], [*plan.overstates]]),
        _counts(one.case_control) if one.case_control else None,
        None if one.gene == literature.gene else one.gene,
        None if one.disease == literature.disease else one.disease,
        None if one.pmcid == _pmcid(one.pmid) else one.pmcid,
    ]


def _counts(one: CaseControl) -> list[Any]:
    counts = [one.case_carriers, one.cases, one.control_carriers, one.controls]
    if one == case_control(*counts):
        return counts
    return [*counts, one.odds_ratio, one.low, one.high, one.p]


def _pmcid(pmid: str) -> str:
    return pmid.replace("SIM", "SIMC")


class _PackedReader:
    """Reads the compact values into the fields of the records."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value
        self.about = dict(zip(_HEAD, value["about"], strict=True))
        self.pmids = [row[0] for row in value["articles"]]
        self.variant_ids = [row[0] for row in value["variants"]]

    def literature(self) -> dict[str, Any]:
        """Return all fields."""
        value = self.value
        return self.about | {
            "phenotypes": value["phenotypes"],
            "variants": [self.variant(row) for row in value["variants"]],
            "persons": [self.person(row) for row in value["persons"]],
            "families": [
                dict(
                    zip(
                        ("id", "affected_carriers", "phenocopies", "unaffected_carriers", "lod"),
                        row,
                        strict=True,
                    )
                )
                for row in value["families"]
            ],
            "results": [self.result(row) for row in value["results"]],
            "articles": [self.article(row) for row in value["articles"]],
        }

    def variant(self, row: Sequence[Any]) -> dict[str, Any]:
        key, kind, total, exon, null, load, alleles = _filled(row, 7)
        return {
            "id": key,
            "kind": kind,
            "exon": exon,
            "null": bool(null),
            "load": load,
            "population_alleles": alleles or 0,
            "population_total": total,
        }

    def person(self, row: Sequence[Any]) -> dict[str, Any]:
        row = _filled(row, 12)
        signs = self.value["phenotypes"]
        return {
            "id": row[0],
            "sex": row[1],
            "onset_months": row[2] or 0,
            "variants": [_at(self.variant_ids, one) for one in row[3] or ()],
            "origin": row[4],
            "present": [_at(signs, one) for one in row[5] or ()],
            "absent": [_at(signs, one) for one in row[6] or ()],
            "first_article": _at(self.pmids, row[7] or 0),
            "parents_tested": bool(row[8]),
            "in_trans": bool(row[9]),
            "other_cause": row[10],
            "consanguineous": bool(row[11]),
        }

    def result(self, row: Sequence[Any]) -> dict[str, Any]:
        row = _filled(row, 16)
        arms = tuple(self.arm(one, place) for place, one in enumerate(row[6]))
        names = ("id", "design", "system", "measure", "unit", "units_of_n")
        rest = ("reading", "subtype", "person", "variant", "organism", "partner", "confounder")
        return {
            **dict(zip(names, row, strict=False)),
            **dict(zip(rest, row[7:], strict=False)),
            "arms": arms,
            "gene": row[14] or self.about["gene"],
            "comparison": GroupComparison(*row[15]) if row[15] else compare(*arms[:2]),
        }

    def arm(self, row: Sequence[Any], place: int) -> Arm:
        label, n, mean, sd, count, role = _filled(row, 6)
        given = sd is not None
        return Arm(
            role or ROLES[place],
            label,
            n,
            float(mean or 0) if given else None,
            float(sd) if given else None,
            None if given else count or 0,
        )

    def article(self, row: Sequence[Any]) -> dict[str, Any]:
        row = _filled(row, 13)
        counts, control = row[9], None
        if counts:
            control = case_control(*counts) if len(counts) == 4 else CaseControl(*counts)
        names = ("omits", "hedges", "overstates")
        return {
            "pmid": row[0],
            "pmcid": row[12] or _pmcid(row[0]),
            "year": row[1],
            "kind": row[2],
            "gene": row[10] or self.about["gene"],
            "disease": row[11] or self.about["disease"],
            "persons": row[3] or (),
            "families": row[4] or (),
            "case_control": control,
            "results": row[5] or (),
            "cites": [_at(self.pmids, one) for one in row[6] or ()],
            "short": bool(row[7]),
            "abstract": dict(zip(names, row[8] or (), strict=False)),
        }


def _filled(row: Sequence[Any], number: int) -> list[Any]:
    if len(row) > number:
        raise ValueError(f"{row!r:.80}: expected at most {number} values")
    return [*row, *[None] * (number - len(row))]


def _at(names: Sequence[str], place: Any) -> Any:
    """The name at a place; a name that had no place stands for itself."""
    return names[place] if isinstance(place, int) else place
