"""What the phrases need to know, as text: slots filled from the records."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gym_clinic.domains.clingen.literature.prose.labels import measure_text
from gym_clinic.domains.clingen.literature.prose.style import COUNT_WORDS, AuthorStyle
from gym_clinic.domains.clingen.literature.records import (
    Experiment,
    Literature,
    Proband,
    Publication,
    SequenceVariant,
)

INHERITANCE = {
    "AR": "autosomal recessive",
    "AD": "autosomal dominant",
    "SD": "semidominant",
    "XL": "X-linked",
    "MT": "maternally inherited",
}
MECHANISM = {
    "loss of function": "loss of function",
    "haploinsufficiency": "haploinsufficiency",
    "gain of function": "gain of function",
    "dominant negative": "a dominant negative effect",
    "repeat expansion": "expansion of a repeat",
    "mitochondrial DNA": "a defect of mitochondrial DNA",
    "RNA gene": "altered function of an RNA",
}
RARE = 5
"""Alleles in the reference population up to which a short account does not give them."""

_WORDS = ("SNARE", "RING", "LIM", "SUMO", "FERM", "HECT", "SANT", "SET ", "SH3", "LON")

_PLURAL = {"seizure": "seizures", "stroke": "strokes", "arrhythmia": "arrhythmias"}

_SINGULAR = {"strokes": "stroke", "arrhythmias": "arrhythmia"}
"""Plurals that are also named by the singular without an article."""


def _article(noun: str) -> str:
    """Return "a" or "an", as the noun is pronounced.

    >>> _article("RNA-binding protein"), _article("ATPase"), _article("ubiquitin ligase")
    ('an', 'an', 'a')
    """
    if noun.startswith(_WORDS):
        return "a"
    if not noun[1:2].islower():
        return "an" if noun[0] in "AEFHILMNORSX8" else "a"
    vowel = noun[0].lower() in "aeiou" and not noun.lower().startswith(("ubi", "uni", "eu", "one"))
    return "an" if vowel else "a"


def lower_first(text: str) -> str:
    """Lower the first letter of a term unless it opens an abbreviation or holds a capital name."""
    first = text.split()[0]
    return text if any(one.isupper() for one in first[1:]) else text[0].lower() + text[1:]


def sign(name: str) -> str:
    """Write the name of a finding inside a sentence."""
    text = lower_first(name)
    return _PLURAL.get(text, text)


def is_plural(name: str) -> bool:
    """Tell whether the name of a finding takes a plural verb.

    >>> is_plural("Seizures"), is_plural("Diabetes mellitus"), is_plural("recurrent fractures")
    (True, False, True)
    """
    last = re.split(r" (?:of|in|with|to|due|on|by)\b", sign(name))[0].split()[-1]
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "itis", "sis", "tes", "as"))


def signs_of(literature: Literature) -> list[str]:
    """Return the phenotypes as written in a sentence, without one that is the disease itself."""
    names = [sign(one) for one in literature.phenotypes]
    others = [one for one in names if one.casefold() not in literature.disease.casefold()]
    return others if len(others) > 1 else names


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Join parts: "a", "a and b", "a, b and c"."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def counted_word(number: int) -> str:
    """Write a number of persons in words below ten."""
    return COUNT_WORDS[number] if number < len(COUNT_WORDS) else str(number)


def age_text(months: int) -> str:
    """Write an age at onset as it follows a verb.

    >>> age_text(-2), age_text(7), age_text(30), age_text(444)
    ('before birth', 'at 7 months', 'at 2.5 years', 'at 37 years')
    """
    if months < 0:
        return "before birth"
    if months == 0:
        return "at birth"
    if months < 24:
        return f"at {months} month{'s' * (months != 1)}"
    years = round(months / 12, 1)
    return f"at {years:g} years"


def sex_text(person: Proband) -> str:
    """Name a person by sex and age at onset."""
    female = person.sex == "female"
    if person.onset_months < 24:
        return "female infant" if female else "male infant"
    if person.onset_months < 204:
        return "girl" if female else "boy"
    return "woman" if female else "man"


def variant_text(variant: SequenceVariant, style: AuthorStyle) -> str:
    """Write a variant as its author does: number, type and exon."""
    about: list[str] = ["splice-site" if variant.kind == "splice" else variant.kind]
    exon = f"exon {variant.exon}" if variant.exon is not None else ""
    if variant.load is not None:
        repeats = variant.kind == "repeat expansion"
        about.append(f"{variant.load} repeats" if repeats else f"heteroplasmy {variant.load}%")
    if style.variants == "brackets" or not exon:
        return f"{variant.id} ({', '.join(filter(None, [*about, exon]))})"
    noun = about[0] if about[0].endswith(("deletion", "expansion")) else f"{about[0]} variant"
    if style.variants == "noun":
        return f"the {noun} {variant.id}"
    return f"{_article(noun)} {noun} ({variant.id})"


def genotype_text(person: Proband, variants: Sequence[SequenceVariant], style: AuthorStyle) -> str:
    """Write the genotype of a person in brief: kinds, origin, frequency, another cause."""
    kinds = [_kind_text(one) for one in variants]
    if len(kinds) == 2 and variants[0].id == variants[1].id:
        about = [f"homozygous {kinds[0]}"]
    elif len(kinds) == 2 and kinds[0] == kinds[1]:
        about = [f"two {kinds[0]} variants"]
    else:
        about = [style.between.join(kinds)]
    if person.origin == "de novo":
        about.append("de novo" if len(kinds) == 1 else "one de novo")
    if person.in_trans and not about[0].startswith("homozygous"):
        about.append("in trans")
    if person.origin == "untested":
        about.append(style.untested)
    about += [
        f"{one.population_alleles}/{style.count(one.population_total)} alleles"
        for one in dict.fromkeys(variants)
        if one.population_alleles > RARE
    ]
    if person.other_cause:
        about.append(style.other_cause)
    return ", ".join(about)


def _kind_text(variant: SequenceVariant) -> str:
    if variant.kind == "mtDNA":
        return f"{variant.load}% heteroplasmy"
    if variant.kind == "repeat expansion":
        return f"{variant.load} repeats"
    return "splice-site" if variant.kind == "splice" else variant.kind


def article_facts(literature: Literature, article: Publication) -> dict[str, str]:
    """Return what all sentences of an article may use; an unknown fact is not there."""
    facts = {"gene": article.gene, "disease": article.disease.removesuffix(", genetic form")}
    if literature.inheritance in INHERITANCE:
        facts["inheritance"] = INHERITANCE[literature.inheritance]
    facts["tissue"] = literature.tissues[0]
    facts["tissue_in"] = f"the {literature.tissues[0]}"
    if literature.phenotypes:
        names = signs_of(literature)
        single = [one for one in names if not is_plural(one)] or names
        feature = single[sum(map(ord, article.pmid)) % len(single)]
        facts["feature"] = _SINGULAR.get(feature, feature)
        facts["features"] = listed(names[:4])
    if article.disease != literature.disease:
        for slot in ("feature", "features", "tissue", "tissue_in"):
            facts.pop(slot, None)
    if article.gene == literature.gene:
        facts["product"] = literature.product
        does = lower_first(literature.does)
        first = does.split()[0]
        if first.endswith("s") and not first.endswith(("ss", "us", "is", "as", "-s")):
            facts["does_verb"] = does
        else:
            facts["does_noun"] = f"{_article(does)} {does}"
        if literature.pathway:
            facts["pathway"] = literature.pathway
        if literature.family:
            facts["family"] = literature.family.removesuffix(" family")
        if literature.gene_partners:
            facts["partner"] = literature.gene_partners[0]
        if literature.mechanism in MECHANISM:
            facts["mech"] = MECHANISM[literature.mechanism]
    return facts


def experiment_facts(result: Experiment, style: AuthorStyle, change: str) -> dict[str, str]:
    """Return what sentences on an experiment may use."""
    test, reference = result.arms[:2]
    facts = {
        "measure": measure_text(result.measure),
        "unit": result.unit or "relative units",
        "system": result.system,
        "gene": result.gene,
        "arm1": test.label,
        "arm2": reference.label,
        "n1": str(test.n),
        "n2": str(reference.n),
        "v1": style.value(test, result.unit),
        "v2": style.value(reference, result.unit),
        "p": style.p_value(result.comparison.p),
        "effect": style.effect(result),
        "effect_only": style.difference(result),
        "change": change,
        "change_vs": change,
        "units": result.units_of_n,
        "spread": style.spread,
        "test_name": result.comparison.test,
        "direction": "higher" if result.comparison.difference > 0 else "lower",
        "changed": "increased" if result.comparison.difference > 0 else "reduced",
    }
    facts["one"] = f"{facts['v1']} in {test.label} (n = {test.n})"
    facts["two"] = f"{facts['v2']} in {reference.label} (n = {reference.n})"
    if test.count is not None:
        facts |= {"k1": str(test.count), "k2": str(reference.count)}
    for arm in result.arms[2:]:
        value = style.value(arm, result.unit)
        if arm.role == "control":
            facts |= {"control": arm.label, "v3": value, "n3": str(arm.n)}
        else:
            facts["more"] = f"{value} in {arm.label} (n = {arm.n})"
    if result.partner:
        facts["partner"] = result.partner
    if result.organism:
        facts["organism"] = result.organism
    if result.confounder:
        facts["confounder"] = result.confounder
    return facts
