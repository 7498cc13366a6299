"""Literatures drawn for tests of the prose: any records of the right form, from real dossiers."""

from __future__ import annotations

from math import sqrt
from random import Random

from gym_clinic.domains.clingen.dossiers import PairDossier, read_dossiers
from gym_clinic.domains.clingen.literature.records import (
    AbstractPlan,
    Arm,
    CaseControl,
    Experiment,
    Family,
    GroupComparison,
    Literature,
    Proband,
    Publication,
    SequenceVariant,
)

# design, system, measure, unit, what n counts, first arm, second arm, mean, SD
DESIGNS = [
    (
        "patient_cell_respiration",
        "skin fibroblasts",
        "basal oxygen consumption",
        "pmol/min per 1,000 cells",
        "cultures",
        "fibroblasts of {person}",
        "control fibroblasts",
        41.0,
        6.0,
    ),
    (
        "patient_cell_rescue",
        "fibroblasts of {person}",
        "stalled ribosome load",
        "%",
        "cultures",
        "cells given wild-type {gene}",
        "cells given empty vector",
        18.0,
        3.1,
    ),
    (
        "model_organism_null",
        "zebrafish larvae",
        "distance swum in 10 min",
        "mm",
        "larvae",
        "{gene}-edited larvae",
        "uninjected siblings",
        820.0,
        140.0,
    ),
    (
        "model_organism_mouse",
        "mice",
        "grip strength at 12 weeks",
        "g",
        "mice",
        "edited mice",
        "littermates",
        182.0,
        24.0,
    ),
    (
        "expression_tissue",
        "donor tissue",
        "{gene} transcript abundance",
        "transcripts per million",
        "donors",
        "{tissue}",
        "spleen",
        34.0,
        9.0,
    ),
    (
        "binding_pulldown",
        "HEK293T extracts",
        "{partner} recovered with the bait",
        "% of input",
        "pull-downs",
        "tagged {gene}",
        "tagged GFP",
        6.4,
        1.2,
    ),
    (
        "enzyme_activity",
        "purified protein",
        "specific activity",
        "nmol/min/mg",
        "preparations",
        "protein with {variant}",
        "wild-type protein",
        212.0,
        31.0,
    ),
    (
        "cell_model_knockout",
        "edited HAP1 cells",
        "doubling time",
        "h",
        "clones",
        "edited clones",
        "parental clones",
        17.5,
        1.8,
    ),
    (
        "patient_treatment",
        "treated persons",
        "six-minute walk distance",
        "m",
        "persons",
        "the treated persons",
        "untreated persons",
        318.0,
        62.0,
    ),
    (
        "overexpression_wild_type",
        "U2OS cells",
        "cells with a cilium",
        "%",
        "fields",
        "cells with surplus {gene}",
        "cells with vector",
        62.0,
        8.0,
    ),
]
KINDS = (
    "cohort",
    "family",
    "functional",
    "model",
    "review",
    "case report",
    "paralogue",
    "failure to replicate",
)


def draw_literature(seed: str) -> Literature:
    """Draw a literature of five articles about a drawn pair of the dossiers."""
    rng = Random(seed)
    dossiers = read_dossiers()
    pair: PairDossier = dossiers.pairs[rng.choice(sorted(dossiers.pairs))]
    gene = dossiers.genes[pair.gene]
    numbers = rng.sample(range(10_000_000, 99_999_999), 5)
    pmids = [f"SIM{number}" for number in numbers]
    variants = tuple(
        SequenceVariant(
            f"SIMVAR-{rng.randrange(10**7):07d}",
            rng.choice(("missense", "nonsense", "frameshift", "splice")),
            rng.randrange(1, 20),
        )
        for _ in range(6)
    )
    signs = [one.name for one in pair.phenotypes] or ["Developmental delay"]
    persons = tuple(
        Proband(
            f"F{i + 1}-II-{rng.randrange(1, 5)}",
            rng.choice(("female", "male")),
            rng.choice((2, 7, 30, 96, 260, 444)),
            tuple(one.id for one in rng.sample(variants, 1 + (pair.inheritance == "AR"))),
            rng.choice(("de novo", "mother", "father", "both parents", "untested")),
            True,
            True,
            tuple(rng.sample(signs, min(len(signs), 3))),
            tuple(signs[-1:]) if len(signs) > 4 else (),
            rng.choice(pmids[:2]),
        )
        for i in range(6)
    )
    families = tuple(
        Family(
            f"F{i + 1}",
            rng.randrange(2, 7),
            rng.randrange(2),
            rng.randrange(3),
            round(rng.uniform(0.3, 3.2), 2),
        )
        for i in range(2)
    )
    results, articles = [], []
    for place, pmid in enumerate(pmids):
        kind = KINDS[(place * 3 + rng.randrange(8)) % 8]
        mine = []
        if kind not in ("review", "case report", "cohort", "family") or rng.random() < 0.4:
            for design in rng.sample(DESIGNS, rng.randrange(1, 4)):
                mine.append(
                    _experiment(
                        rng, design, pair, gene.partners, persons, variants, f"R{len(results) + 1}"
                    )
                )
                results.append(mine[-1])
        told = (
            ()
            if kind in ("review", "model", "paralogue")
            else tuple(one.id for one in persons if pmids.index(one.first_article) <= place)[:3]
        )
        control = None
        if kind == "cohort" and rng.random() < 0.6:
            control = CaseControl(14, 812, 9, 2210, 4.29, 1.85, 9.95, 0.0004)
        articles.append(
            Publication(
                pmid,
                pmid.replace("SIM", "SIMC"),
                2009 + 2 * place,
                kind,
                pair.gene,
                pair.disease,
                told,
                tuple(one.id for one in families) if kind == "family" else (),
                control,
                tuple(one.id for one in mine),
                tuple(rng.sample(pmids[:place], min(place, 2))),
                rng.random() < 0.25,
                AbstractPlan((), (), (mine[0].id,) if mine and rng.random() < 0.2 else ()),
            )
        )
    return Literature(
        pair.gene,
        pair.hgnc_id,
        pair.disease,
        pair.mondo_id,
        pair.inheritance,
        pair.mechanism.name,
        gene.product,
        gene.does,
        gene.pathway,
        gene.family,
        gene.partners or (),
        pair.tissues,
        tuple(one.name for one in pair.phenotypes),
        variants,
        persons,
        families,
        tuple(results),
        tuple(articles),
    )


def _experiment(rng, design, pair, partners, persons, variants, key) -> Experiment:
    key_of, system, measure, unit, counted, first, second, mean, sd = design
    words = {
        "gene": pair.gene,
        "person": rng.choice(persons).id,
        "tissue": pair.tissues[0],
        "partner": (partners or ["ACTB"])[0],
        "variant": rng.choice(variants).id,
    }
    other = mean * rng.choice((0.45, 0.98, 1.03, 1.6))
    n = [rng.randrange(6, 25) for _ in range(2)]
    spread = [round(sd * rng.uniform(0.8, 1.3), 1) for _ in range(2)]
    error = sqrt(spread[0] ** 2 / n[0] + spread[1] ** 2 / n[1])
    gap = round(other - mean, 1)
    p = 0.0002 if abs(gap) > 3 * error else round(min(0.95, 0.9 - abs(gap) / error / 5), 2)
    arms = (
        Arm("test", first.format(**words), n[0], round(other, 1), spread[0]),
        Arm("reference", second.format(**words), n[1], round(mean, 1), spread[1]),
    )
    comparison = GroupComparison(
        "Welch's t test",
        round(arms[0].mean - arms[1].mean, 1),
        round(gap - 2 * error, 1),
        round(gap + 2 * error, 1),
        p,
    )
    reading = "positive" if p < 0.05 else "negative"
    return Experiment(
        key,
        key_of,
        pair.gene,
        system.format(**words),
        measure.format(**words),
        unit,
        counted,
        arms,
        comparison,
        reading,
    )
