"""Draws the numbers of an experiment and reads what they mean.

The numbers of a group depend on the design and on whether there is an effect. Test, interval and p
value are computed from the printed numbers, and the reading follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from gym_clinic.domains.clingen.literature.comparisons import compare, decimals
from gym_clinic.domains.clingen.literature.designs import (
    SHARES,
    ExperimentDesign,
    WorldFacts,
    feasible,
    measure_of,
    read_designs,
)
from gym_clinic.domains.clingen.literature.records import Arm, Experiment, Reading

ALPHA = 0.05
"""A smaller p value is read as a difference."""


def draw_experiment(
    rng: Random,
    key: str,
    design: ExperimentDesign,
    facts: WorldFacts,
    names: Mapping[str, str],
    *,
    effect: bool,
    confounded: bool = False,
    specific: bool = True,
    gene: str | None = None,
    noise: float = 1.0,
) -> Experiment:
    """Draw an experiment whose p value agrees with whether there is an effect.

    Args:
        key: Id of the result.
        facts: Of the gene examined and the disease.
        names: Values of the slots: gene, partner, person, variant, tissue.
        effect: Whether the groups differ.
        confounded: Whether the groups differ in something else as well.
        specific: Whether the control of the design, if it has one, lacks the effect.
        gene: Gene examined, if it is not the world's.
        noise: The usual spread is multiplied by it.
    """
    measure = measure_of(design, facts)
    measure = measure._replace(cv=measure.cv * noise)
    while True:
        base = rng.uniform(measure.low, measure.high)
        drawn = base * (rng.uniform(*measure.ratios) if effect else rng.uniform(0.95, 1.05))
        values = [("test", design.test, drawn), ("reference", design.reference, base)]
        if design.third:
            values.append(("partner", design.third, base * rng.uniform(*measure.ratios)))
        if design.control:
            values.append(("control", design.control, base if specific else drawn))
        arms = tuple(
            _arm(rng, role, label.format(**names), value, measure.cv, design.n)
            for role, label, value in values
        )
        comparison = compare(arms[0], arms[1])
        if (
            (comparison.p < ALPHA / 2 if effect else comparison.p > 2 * ALPHA)
            and (not effect or (arms[0].mean or 0) != (arms[1].mean or 0))
            and not exceeds_whole(measure.unit, arms)
            and _control_is_clear(arms, specific=specific or not effect)
        ):
            break
    experiment = Experiment(
        key,
        design.id,
        gene or names["gene"],
        design.system.format(**names),
        measure.name.format(**names),
        measure.unit,
        measure.units_of_n,
        arms,
        comparison,
        "negative",
        person=names["person"] if design.names("{person}") else None,
        variant=names["variant"] if design.names("{variant}") else None,
        organism=next(
            (one.partition(":")[2].replace("_", " ") for one in design.when if "organism" in one),
            None,
        ),
        partner=names["partner"] if "partner" in design.when else None,
        confounder=(design.confounder or None) if confounded else None,
    )
    return with_reading(experiment, facts, names["gene"])


def with_reading(experiment: Experiment, facts: WorldFacts, gene: str) -> Experiment:
    """Return the experiment with the reading and the subtype that its records give.

    Args:
        facts: Of the world's gene and disease.
        gene: The world's gene.
    """
    design = read_designs().designs[experiment.design]
    reading: Reading = "positive"
    if experiment.gene != gene:
        reading = "other gene"
    elif experiment.comparison.p >= ALPHA:
        reading = "negative"
    elif experiment.confounder:
        reading = "confounded"
    elif shown_by_control(experiment.arms):
        reading = "unspecific"
    counts = reading == "positive" and feasible(design, facts)
    return replace(experiment, reading=reading, subtype=design.subtype if counts else None)


def shown_by_control(arms: Sequence[Arm]) -> bool:
    """Whether the control group, which lacks what is tested, departs from the reference too."""
    return any(one.role == "control" and compare(one, arms[1]).p < ALPHA for one in arms)


def _control_is_clear(arms: Sequence[Arm], *, specific: bool) -> bool:
    """Whether a control is like one of the first two groups and unlike the other, if these differ.

    A small p value is half of `ALPHA` or less, and a large one twice that or more.
    """
    control = next((one for one in arms if one.role == "control"), None)
    if control is None:
        return True
    like, unlike = (arms[1], arms[0]) if specific else arms[:2]
    differs = compare(arms[0], arms[1]).p < ALPHA
    return compare(control, like).p > 2 * ALPHA and (
        not differs or compare(control, unlike).p < ALPHA / 2
    )


def contradicts(later: Experiment, earlier: Experiment) -> bool:
    """Whether a later experiment of the same design excludes half the difference found before."""
    if (later.design, later.gene, later.variant) != (
        earlier.design,
        earlier.gene,
        earlier.variant,
    ) or later.comparison.p < ALPHA:
        return False
    half = earlier.comparison.difference / 2
    return not later.comparison.low <= half <= later.comparison.high


def exceeds_whole(unit: str, arms: Sequence[Arm]) -> bool:
    """Whether a group has more than 100% of a whole."""
    return unit in SHARES and any((arm.mean or 0) > 100 for arm in arms)


def _arm(
    rng: Random, role: str, label: str, value: float, cv: float, sizes: tuple[int, int]
) -> Arm:
    sd = value * cv * rng.uniform(0.8, 1.25)
    digits = decimals(sd)
    n = rng.randint(*sizes)
    mean = rng.gauss(value, sd / n**0.5)
    return Arm(role, label, n, round(mean, digits), max(round(sd, digits), 10.0**-digits))
