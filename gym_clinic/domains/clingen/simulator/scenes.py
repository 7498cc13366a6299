"""The facts of one experiment: which animal, which cells, which readout, which numbers.

Findings of one article that share a scene share these facts, so that a rescue speaks of the
animals whose phenotype the article described, and abstract, full text and summary agree.
"""

from __future__ import annotations

from functools import cache
from random import Random

from gym_clinic.domains.clingen.simulator.drafts import Draft, Finding
from gym_clinic.domains.clingen.simulator.phrases_systems import ASPECTS, SYSTEMS

ORGANISMS = (
    ("mammal", "mice", "mouse", "pups", "weeks", 5),
    ("mammal", "rats", "rat", "pups", "weeks", 1),
    ("fish", "zebrafish", "fish", "larvae", "days", 3),
    ("fish", "medaka", "fish", "larvae", "days", 1),
    ("insect", "fruit flies", "fly", "adults", "days", 2),
)
"""Field of the phenotypes, plural, singular, the young, unit of age, weight."""

THERAPIES = (
    "an adeno-associated vector carrying {gene}",
    "infusions of recombinant {gene} protein",
    "an infusion of gene-corrected autologous cells with intact {gene}",
    "a graft that supplies wild-type {gene}",
    "messenger RNA for {gene} in lipid particles",
    "an autologous transplant after lentiviral transfer of {gene}",
)

LOOSE = {
    "few": "[2|3|4|5|6|7|8|9]",
    "some": "[11|12|13|14|16|17|18|19|21|22|23|24|26|27|28|29|31|32|34|36|37|38|41|43|46|48]",
    "many": "[64|72|81|88|96|104|112|126|133|144|158|167|175|192|208|216|231|248|264|287|310|342]",
    "pc": "[61|63|66|67|69|71|72|74|76|77|79|81|83|84|86|88|89|91|92|94]",
    "dec": "[0.3|0.4|0.6|0.7|0.9|1.1|1.2|1.4|1.6|1.8|2.1|2.3|2.6|2.9|3.2|3.4|3.7|4.1]",
    "survey": "[2003|2004|2005|2006|2007|2008|2009|2010|2011]",
    "fig": "[1|2|3|4|5|6]",
    "ref": "[3|4|6|7|9|11|12|14|15|17|18|21|22|24]",
    "ref_b": "[25|26|27|28|29|31|33]",
    "dis": "[the disease|the disorder]",
    "dis_main": "[the disease|the disorder]",
    "known": "[an established cause of {dis}|a recognised gene for {dis}|long implicated in {dis}|"
    "already accepted as a cause of {dis}|mutated in other families with {dis}]",
}
"""Slots that are drawn anew wherever they occur."""


def scene_facts(draft: Draft, finding: Finding) -> dict[str, str]:
    """The facts of a finding, for the slots of the phrases.

    Args:
        draft: Article it belongs to.
        finding: The experiment.

    Returns:
        Slot -> text or phrase; a pure function of the draft's seed and the finding.
    """
    rng = Random(f"{draft.seed}:scene:{finding.scene}")
    away = finding.status == "elsewhere"
    names = [name for name in SYSTEMS if name != draft.system]
    foreign = names[rng.randrange(len(names))]
    system = SYSTEMS[foreign if away else draft.system]
    aspect = rng.randrange(ASPECTS)
    facts = LOOSE | {name: system[name][aspect] for name in system if name != "unrelated"}
    kind, models, one, young, unit, _ = rng.choices(
        ORGANISMS, weights=[organism[-1] for organism in ORGANISMS]
    )[0]
    percent = rng.randint(11, 58)
    count = rng.randint(3, 9)
    off = [name for name in SYSTEMS[foreign]["tissue"] if name != facts["tissue"]]
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
        "pheno": system[kind][aspect],
        "off": rng.choice(off),
        "therapy": rng.choice(THERAPIES),
        "pct": str(percent),
        "drop": str(100 - percent),
        "high": str(rng.randint(74, 97)),
        "fold": str(rng.randint(3, 9)),
        "n": str(count),
        "m": str(count + rng.randint(1, 9)),
        "kd": f"{rng.randint(2, 88) / 10}",
        "salt": str(rng.randrange(150, 550, 50)),
    }
    facts["unrelated"] = rng.choice(SYSTEMS[foreign]["unrelated"])
    if away:
        facts["dis"] = facts["unrelated"]
    return facts | measured_facts(draft, finding, percent)


def measured_facts(draft: Draft, finding: Finding, percent: int) -> dict[str, str]:
    """The numbers of `phrases_twins`: apart for a positive result, alike for a negative one.

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


_SIGNS = (
    ("tumour", "cancer|tumor|carcinoma|polyposis|neoplas|melanoma|lynch|blastoma|paragangl|"
               "ovarian"),
    ("mito", "mitochondri|leigh|oxidative phosph|coenzyme|melas|lactic"),
    ("ear", "hearing|deaf|usher|wardenburg|waardenburg|pendred"),
    ("eye", "retin|eye|glaucoma|macular|cone|optic|cataract|cornea|vitre|leber cong|stargardt|"
            "microphth|achromatopsia|foveal|stationary night|aniridia|choroid"),
    ("heart", "cardi|heart|ventric|arrhythm|qt |aort|brugada|noonan|marfan|loeys"),
    ("kidney", "kidney|renal|nephro|glomerul|tubul|bartter|gitelman|alport|nephritis|uremic"),
    ("blood", "thromb|bleeding|platelet|anemia|hemophil|factor|fibrinogen|neutropenia|telomer"),
    ("immune", "immun|scid|lymphoprolif|agammaglob|granulomatous|inflamm|lupus|infection|antibody"),
    ("airway", "ciliary|pulmonary|lung|surfactant|heterotaxy|laterality|alveolar|situs"),
    ("metabolic", "glycosylation|cdg|diabetes|aminoacid|uria|acidemia|storage|lipid|peroxi|urea|"
                  "mucopoly|gauch|carnitine|coa |fatty|lysosom|metabol|homocyst|glyc|hyperinsul"),
    ("nerve", "neuropath|charcot|myopath|dystroph|muscular|lateral sclerosis|ataxia|parkinson|"
              "spastic|myasthen|motor neuron"),
    ("bone", "skelet|dysplasia|osteo|cranio|cleft|chondro|bone|treacher|short stature|dento"),
    ("neuro", "intellect|epilep|encephal|autism|neurodevelop|seizure|cortical|lissenceph|leuko|"
              "rett|cerebral|brain|microceph|mental"),
)  # fmt: skip


@cache
def system_of(disease: str, panel: str = "") -> str:
    """The organ system of a disease, by the first telling word of its label or else its panel.

    >>> system_of("Leigh syndrome"), system_of("MYBPC3-related disorder", "Epilepsy Panel")
    ('mito', 'neuro')
    """
    for text in (disease.casefold(), panel.casefold()):
        found = [
            (text.index(word), order, system)
            for order, (system, words) in enumerate(_SIGNS)
            for word in words.split("|")
            if word in text
        ]
        if found:
            return min(found)[2]
    return "growth"
