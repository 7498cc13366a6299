"""The embedded passages: what the fact tables say, in plain sentences.

The same tables give the same passages, in the same order and wording. A disease has four: how it
presents, what it is mistaken for (computed from the findings of both), what is urgent and what is
tested, and what is done. A finding that several diseases share, a drug, a score and a guideline
have their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from gym_clinic.facts.compose import OWN
from gym_clinic.facts.disease_passages import disease_passages
from gym_clinic.facts.load import Facts
from gym_clinic.facts.models import BANDS, Disease
from gym_clinic.facts.passage_form import OFTEN, band, named, own_names, row
from gym_clinic.facts.wording import inside, listed, pick

FEWEST_DISEASES = 4
"""A finding has a passage from so many diseases."""

MOST_DISEASES = 60
"""A finding that so many diseases have tells none from another."""

_POINTS = re.compile(r"\(-?[0-9]")

OTHER_NAMES = {
    "acetylcysteine": "N-acetylcysteine",
    "alendronate": "alendronic acid",
    "aspirin": "acetylsalicylic acid",
    "carbimazole": "a prodrug of methimazole, also called thiamazole",
    "epinephrine": "adrenaline",
    "furosemide": "frusemide",
    "levothyroxine": "thyroxine",
    "nitroglycerin": "glyceryl trinitrate",
    "phenobarbital": "phenobarbitone",
    "trimethoprim-sulfamethoxazole": "co-trimoxazole",
    "valproate": "valproic acid",
}
"""Drug -> what it is called elsewhere."""


def passages(facts: Facts) -> list[dict[str, Any]]:
    """Return all passages.

    Args:
        facts: The fact tables.

    Returns:
        Objects with id, source (the collection), title, content, category, licence, topic,
        sources (keys of the facts' sources), date (of the last review) and provenance.
    """
    having = Counter(has.phenotype for one in facts.diseases.values() for has in one.phenotypes)
    common = {key for key, diseases in having.items() if diseases >= MOST_DISEASES}
    return [
        *(row for one in facts.diseases.values() for row in disease_passages(facts, one, common)),
        *_findings(facts),
        *_drugs(facts),
        *_instruments(facts),
        *_guidelines(facts),
    ]


def _findings(facts: Facts) -> Iterator[dict[str, Any]]:
    having: dict[str, list[tuple[int, Disease]]] = {}
    bands = list(BANDS)
    for disease in facts.diseases.values():
        for has in disease.phenotypes:
            how_often = band(has)
            finding = facts.phenotypes[has.phenotype].name.casefold()
            if how_often not in (None, "excluded") and finding not in own_names(disease):
                having.setdefault(has.phenotype, []).append((bands.index(how_often), disease))
    for key, one in facts.phenotypes.items():
        found = sorted(having.get(key, ()), key=lambda pair: (pair[0], pair[1].id))
        if len(found) < FEWEST_DISEASES:
            continue
        often = [inside(disease.name) for rank, disease in found if bands[rank] in OFTEN]
        seldom = [inside(disease.name) for rank, disease in found if bands[rank] not in OFTEN]
        fields = Counter(facts.disciplines[disease.discipline].name for _, disease in found)
        with_it = Counter(
            has.phenotype
            for _, disease in found
            for has in disease.phenotypes
            if has.phenotype != key and band(has) in OFTEN
        )
        companions = sorted(with_it, key=lambda other: (-with_it[other], other))[:4]
        name = inside(one.name)
        sentences = [f"{one.name} is a finding of this body system: {one.group}."]
        if one.synonyms:
            words = listed([f"“{text}”" for text in one.synonyms[:4]])
            sentences.append(f"Other words for it: {words}.")
        if often:
            sentences.append(f"It is prominent in {listed(often[:9])}.")
        if seldom:
            sentences.append(f"It may also occur in {listed(seldom[:9])}.")
        sentences += [
            "Findings that go with it in these diseases, and that one should ask for, are "
            f"{listed([inside(facts.phenotypes[other].name) for other in companions])}.",
            f"The {len(found)} diseases described here with {name} belong above all to "
            f"{listed([inside(field) for field, _ in fields.most_common(3)])}.",
        ]
        yield row(
            f"finding-{key.replace(':', '-').lower()}",
            f"{one.name}: meaning and causes",
            "finding",
            one.name,
            one,
            sentences,
        )


def _drugs(facts: Facts) -> Iterator[dict[str, Any]]:
    names = {key: inside(drug.name) for key, drug in facts.drugs.items()}
    for key, one in facts.drugs.items():
        uses = [
            inside(facts.diseases[use].name) if use in facts.diseases else use for use in one.uses
        ]
        # What is no drug of the tables is a class of drugs.
        pairs = [
            f"with {names.get(pair.other, f'any {pair.other}')}, {pair.effect}"
            for pair in one.interactions
        ]
        elsewhere = OTHER_NAMES.get(key)
        yield row(
            f"drug-{key}",
            f"{one.name}: uses, cautions and interactions",
            "drug",
            one.name,
            one,
            [
                f"{one.name}{f' ({elsewhere})' if elsewhere else ''} is a drug of "
                f"{'the class' if len(one.classes) == 1 else 'these classes:'} "
                f"{listed(one.classes)}.",
                f"In short: {inside(one.summary)}",
                f"It has its place in {listed(uses)}."
                if not uses[0].startswith("no ")
                else f"There is {listed(uses)}.",
                pick(
                    (
                        f"Points of caution: {listed(one.cautions)}.",
                        f"Care is needed because of these: {listed(one.cautions)}.",
                        f"Before it is given one thinks of {listed(one.cautions)}.",
                    ),
                    f"{key} cautions",
                ),
                *([f"Interactions that matter: {'; '.join(pairs)}."] if pairs else []),
            ],
        )


def _instruments(facts: Facts) -> Iterator[dict[str, Any]]:
    for key, one in facts.instruments.items():
        meanings = [f"{band.range}: {band.meaning}" for band in one.bands]
        scored = ", with its points in brackets" if _POINTS.search("; ".join(one.items)) else ""
        published = [facts.sources[source].title for source in one.sources if source != OWN]
        yield row(
            f"instrument-{key}",
            f"{one.name}: purpose, items and interpretation",
            "instrument",
            one.name,
            one,
            [
                f"The instrument “{one.name}” {one.purpose}.",
                f"What enters it{scored}: {listed(one.items)}.",
                f"How the result is read: {'; '.join(meanings)}.",
                *(f"Reference: {title}." for title in published),
            ],
        )


def _guidelines(facts: Facts) -> Iterator[dict[str, Any]]:
    for key, one in facts.guidelines.items():
        yield row(
            f"guideline-{key}",
            f"{one.topic}: approach, step by step" if one.diseases else one.topic,
            "guideline",
            one.topic,
            one,
            [
                f"{one.topic}.",
                one.summary,
                *one.steps,
                *([f"Signs of danger: {listed(one.red_flags)}."] if one.red_flags else []),
            ],
        )
        # One disease is no choice, and its own passages say the same.
        if len(one.diseases) > 1:
            yield row(
                f"guideline-{key}-causes",
                f"{one.topic}: differential diagnosis",
                "guideline",
                one.topic,
                one,
                [
                    f"Differential diagnosis on the topic “{inside(one.topic)}”, first of all:",
                    *(
                        f"{facts.diseases[other].name}: look for "
                        f"{listed(named(facts, facts.diseases[other], OFTEN)[:4])}; first test: "
                        f"{facts.diseases[other].tests[0]}."
                        for other in one.diseases
                    ),
                    f"Whatever the cause, these call for help at once: {listed(one.red_flags)}.",
                ],
            )
