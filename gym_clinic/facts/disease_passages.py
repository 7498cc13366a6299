"""The four passages of a disease: how it presents, its look-alikes, its urgency, its management."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from gym_clinic.facts.load import Facts
from gym_clinic.facts.models import BANDS, Disease
from gym_clinic.facts.passage_form import OFTEN, band, named, row
from gym_clinic.facts.wording import inside, listed, opening, pick

SEEN = tuple(name for name in BANDS if name != "excluded")

SHOWN = 3
"""Look-alikes that a disease is compared with in detail."""

_LINES: dict[str, tuple[str, ...]] = {
    "obligate": ("Everyone with it has {}.", "It is never seen without {}."),
    "very_frequent": (
        "Most patients have {}.",
        "Nearly all patients show {}.",
        "At the centre of the picture stand {}.",
    ),
    "frequent": (
        "Many have {}.",
        "Often one finds {}.",
        "Frequent findings are {}.",
    ),
    "occasional": (
        "Some patients develop {}.",
        "Now and then there may be {}.",
        "A minority has {}.",
    ),
    "very_rare": ("Seldom seen are {}.", "Rarities are {}."),
    "excluded": (
        "Not part of the picture and a reason to think again: {}.",
        "What would speak against it: {}.",
    ),
}


def disease_passages(
    facts: Facts, one: Disease, common: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield the passages of a disease.

    Args:
        facts: The fact tables.
        one: The disease.
        common: Ids of findings that so many diseases have that they tell none from another.
    """
    discipline = inside(facts.disciplines[one.discipline].name)
    name = inside(one.name)
    also = [text for text in one.synonyms if text.casefold() != one.name.casefold()]
    called = [f"It is also called {listed(also[:4])}."] if also else []
    # A passage stands alone, so each of them has the names that people ask by.
    topic = f"{name} ({'; '.join(also[:3])})" if also else name
    rarity = "a rare disease" if one.rare else "a disease"

    yield row(
        f"disease-{one.id}-presentation",
        f"{one.name}: what it is, symptoms and signs",
        "presentation",
        one.name,
        one,
        [
            f"{one.name} is {rarity} in the field of {discipline}.",
            f"In short: {inside(one.summary)}",
            *called,
            *(
                pick(_LINES[band_name], f"{one.id} {band_name}").format(listed(found))
                for band_name in BANDS
                if (found := named(facts, one, [band_name]))
            ),
            *_counted(facts, one),
            *_everyday(facts, one),
            *([f"It resembles {listed(_others(facts, one)[:3])}."] if one.look_alikes else []),
        ],
    )
    if one.look_alikes:
        yield row(
            f"disease-{one.id}-look-alikes",
            f"{one.name}: differential diagnosis, what it is mistaken for",
            "look-alikes",
            one.name,
            one,
            list(_look_alikes(facts, one, common)),
        )
    yield row(
        f"disease-{one.id}-urgency",
        f"{one.name}: red flags, diagnosis and first tests",
        "red flags",
        one.name,
        one,
        [
            pick(
                (
                    f"In {topic} these call for help without delay: {listed(one.red_flags)}.",
                    f"Red flags in {topic}: {listed(one.red_flags)}.",
                    f"Signs of danger in {topic}: {listed(one.red_flags)}.",
                ),
                f"{one.id} flags",
            ),
            pick(
                (
                    f"First tests: {listed(one.tests)}.",
                    f"The work-up: {listed(one.tests)}.",
                    f"The suspicion is proved or refuted by these means: {listed(one.tests)}.",
                ),
                f"{one.id} tests",
            ),
            f"The suspicion arises above all from {listed(named(facts, one, OFTEN)[:5])}.",
            *(
                [f"To be weighed at the same time: {listed(_others(facts, one)[:3])}."]
                if one.look_alikes
                else []
            ),
            f"Management begins with {one.treatment[0]}.",
        ],
    )
    yield row(
        f"disease-{one.id}-management",
        f"{one.name}: management and treatment",
        "management",
        one.name,
        one,
        [
            pick(
                (
                    f"Management of {topic}: {listed(one.treatment)}.",
                    f"What is done in {topic}: {listed(one.treatment)}.",
                    f"Treatment of {topic} comprises {listed(one.treatment)}.",
                ),
                f"{one.id} treatment",
            ),
            f"What is treated: {inside(one.summary)}",
            pick(
                (
                    f"Before and during treatment one looks again for danger: "
                    f"{listed(one.red_flags[:3])}.",
                    f"What changes the plan at once: {listed(one.red_flags[:3])}.",
                    f"Reasons for urgent review: {listed(one.red_flags[:3])}.",
                ),
                f"{one.id} review",
            ),
            *_drugs(facts, one),
            *_guided(facts, one),
            f"Care belongs to {discipline}.",
        ],
    )


def _drugs(facts: Facts, one: Disease) -> Iterator[str]:
    """The drugs of the tables that it is a use of, each with the caution that comes first."""
    given = [
        f"{inside(drug.name)} (caution: {drug.cautions[0]})" if drug.cautions else inside(drug.name)
        for drug in facts.drugs.values()
        if one.id in drug.uses
    ]
    if given:
        yield f"Drugs described here that have a place in it: {listed(given[:5])}."


def _guided(facts: Facts, one: Disease) -> Iterator[str]:
    topics = [f"“{guide.topic}”" for guide in facts.guidelines.values() if one.id in guide.diseases]
    if topics:
        yield f"Steps in order stand under {listed(topics[:3])}."


def _counted(facts: Facts, one: Disease) -> Iterator[str]:
    shares = [
        f"{inside(facts.phenotypes[has.phenotype].name)} in {100 * has.frequency.value:.0f} percent"
        for has in one.phenotypes
        if has.frequency.value
    ]
    if shares:
        yield f"In patients counted in published annotations there was {listed(shares[:5])}."


def _everyday(facts: Facts, one: Disease) -> Iterator[str]:
    """What patients call the foremost findings."""
    lay = [
        f"“{found.synonyms[0]}”"
        for has in one.phenotypes
        if band(has) in OFTEN and (found := facts.phenotypes[has.phenotype]).synonyms
    ]
    if lay:
        yield f"In patients' own words this may be {listed(lay[:4])}."


def _others(facts: Facts, one: Disease) -> list[str]:
    return [inside(facts.diseases[key].name) for key in one.look_alikes]


def _look_alikes(facts: Facts, one: Disease, common: Collection[str]) -> Iterator[str]:
    shown = [facts.diseases[key] for key in one.look_alikes[:SHOWN]]
    yield f"{one.name} is mistaken for {listed([inside(other.name) for other in shown])}."
    for other in shown:
        yield from _against(facts, one, other, common)
    rest = _others(facts, one)[SHOWN : SHOWN + 4]
    if rest:
        yield f"Further possibilities: {listed(rest)}."
    yield f"What settles the matter most often: {listed(one.tests[:2])}."


def _against(facts: Facts, one: Disease, other: Disease, common: Collection[str]) -> Iterator[str]:
    """What two diseases share, and what speaks for either; absent findings speak for the other.

    The disease itself is "it": its name in every sentence would make a search for it end here.
    """
    mine = {has.phenotype for has in one.phenotypes if band(has) != "excluded"}
    theirs = {has.phenotype for has in other.phenotypes if band(has) != "excluded"}

    second = inside(other.name)
    shared = named(facts, one, SEEN, mine & theirs)
    own = named(facts, one, SEEN, mine - theirs - set(common))
    others = named(facts, other, SEEN, theirs - mine - set(common))
    if shared:
        yield pick(
            (
                f"It has these in common with {second}: {listed(shared[:3])}.",
                f"With {second} it shares {listed(shared[:3])}.",
            ),
            f"{one.id} {other.id}",
        )
    else:
        yield f"With {second} it shares none of the findings described here."
    if own:
        yield opening(f"{listed(own[:3])} {_speak(own)} for it.")
    if others:
        yield opening(f"{listed(others[:3])} {_speak(others)} for {second}.")


def _speak(found: list[str]) -> str:
    return "would speak" if len(found) == 1 else "speak"
