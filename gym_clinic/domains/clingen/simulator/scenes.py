"""The facts of one experiment: which animal, which cells, which readout, which numbers.

Findings of one article that share a scene share these facts, so that a rescue speaks of the
animals whose phenotype the article described, and abstract, full text and summary agree.
"""

from __future__ import annotations

from random import Random

from gym_clinic.domains.clingen.simulator.drafts import Draft, PlannedFinding
from gym_clinic.domains.clingen.simulator.systems import read_systems
from gym_clinic.domains.clingen.simulator.wording import grammar
from gym_clinic.facts.phrases import ParsedPhrase

ORGANISMS = (
    ("mammal", "mice", "mouse", "pups", "weeks", 5),
    ("mammal", "rats", "rat", "pups", "weeks", 1),
    ("fish", "zebrafish", "fish", "larvae", "days", 3),
    ("fish", "medaka", "fish", "larvae", "days", 1),
    ("insect", "fruit flies", "fly", "adults", "days", 2),
)
"""Field of the phenotypes, plural, singular, the young, unit of age, weight."""


def scene_facts(draft: Draft, finding: PlannedFinding) -> dict[str, str | ParsedPhrase]:
    """The facts of a finding, for the slots of the phrases.

    Args:
        draft: Article it belongs to.
        finding: The experiment.

    Returns:
        Slot -> text or phrase; a pure function of the draft's seed and the finding.
    """
    rng = Random(f"{draft.seed}:scene:{finding.scene}")
    away = finding.status == "elsewhere"
    systems = read_systems()
    names = [name for name in systems if name != draft.system]
    foreign = names[rng.randrange(len(names))]
    aspects = systems[foreign if away else draft.system]["aspects"]
    aspect = aspects[rng.randrange(len(aspects))]
    facts: dict[str, str | ParsedPhrase] = dict(aspect)
    kind, models, one, young, unit, _ = rng.choices(
        ORGANISMS, weights=[organism[-1] for organism in ORGANISMS]
    )[0]
    percent = rng.randint(11, 58)
    count = rng.randint(3, 9)
    tissues = [other["tissue"] for other in systems[foreign]["aspects"]]
    off = [tissue for tissue in tissues if tissue != aspect["tissue"]]
    facts |= {
        "gene": finding.gene or draft.gene,
        "main": draft.gene,
        "disease": draft.disease,
        "partner": finding.partners[0],
        "partner_b": finding.partners[1],
        "models": models,
        "one": one,
        "young": young,
        "age": f"{rng.randint(3, 14)} {unit}",
        "pheno": aspect[kind],
        "off": rng.choice(off),
        "therapy": rng.choice(grammar()["therapy"]),
        "pct": str(percent),
        "drop": str(100 - percent),
        "high": str(rng.randint(74, 97)),
        "fold": str(rng.randint(3, 9)),
        "n": str(count),
        "m": str(count + rng.randint(1, 9)),
        "kd": f"{rng.randint(2, 88) / 10}",
        "salt": str(rng.randrange(150, 550, 50)),
    }
    facts["unrelated"] = rng.choice(systems[foreign]["unrelated"])
    if away:
        facts["dis"] = facts["unrelated"]
    return facts | measured_facts(draft, finding, percent)


def measured_facts(draft: Draft, finding: PlannedFinding, percent: int) -> dict[str, str]:
    """The numbers of measured results: apart for a positive result, alike for a negative one.

    Args:
        draft: Article it belongs to.
        finding: The experiment.
        percent: What the defect leaves of the normal level, in per cent.
    """
    rng = Random(f"{draft.seed}:measured:{finding.scene}")
    positive = finding.status != "negative"
    total = rng.randint(11, 20)
    background, spread = rng.randint(0, 2), rng.randint(3, 7)
    ground = rng.randint(4, 31)
    level = percent if positive else rng.randint(97, 103)
    most = total - rng.randint(0, 2)
    suppresses = finding.subtype == "positive_genetic_interaction"
    single, partner = (
        rng.randint(95, 99),
        rng.randint(22, 44) if suppresses else rng.randint(64, 88),
    )
    expected = round(single * partner / 100)
    both = rng.randint(72, 92) if suppresses else max(1, expected // rng.randint(3, 9))
    return {
        "level": str(level),
        "lo": str(level - spread),
        "hi": str(level + spread),
        "tot": str(total),
        "base": str(background),
        "hit": str(total - rng.randint(0, 3) if positive else background + rng.randint(0, 1)),
        "most": str(most),
        "left": str(rng.randint(0, 2) if positive else most - rng.randint(0, 1)),
        "low": str(percent),
        "after": str(rng.randint(76, 97) if positive else percent + rng.randint(-1, 2)),
        "rout": str(ground),
        "rin": str(ground * rng.randint(5, 12) if positive else ground + rng.randint(0, 1)),
        "s_one": str(single),
        "s_two": str(partner),
        "exp": str(expected),
        "both": str(both if positive else expected + rng.randint(-1, 1)),
    }
