"""Questions to orders of drugs: what a drug is, and what it must not meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gym_clinic.facts import load
from gym_clinic.facts.cross_reactions import reaction_level
from gym_clinic.facts.named_drugs import UNKNOWN, classes_of, is_a, resolve, resolve_allergen
from gym_clinic.facts.records.drugs import OlderAdultRule, Severity, plain_name
from gym_clinic.safety.conditions import predicate
from gym_clinic.safety.evidence import Evidence, Found, found, minute, spoken
from gym_clinic.safety.interactions import Medicine, washout_days
from gym_clinic.safety.monitoring import ADJUST, MONITOR, answers
from gym_clinic.safety.situation import DrugOrder, Situation
from gym_clinic.safety.state import Allergy
from gym_clinic.safety.terms import term, terms

_COMORBIDITY = {"dementia", "delirium", "permanent_af", "decompensated_heart_failure"}
"""Indications of the rules for older adults that are conditions of the patient."""


@predicate(lambda any_of: f"the drug is {spoken(any_of)}", of_order=True)
def drug(situation: Situation, order: DrugOrder, any_of: Sequence[str]) -> Found:
    """An ingredient of the order is one of the drugs or classes."""
    return () if order.is_a(*any_of) else None


@predicate("the drug is contraindicated in pregnancy, outside its exceptions", of_order=True)
def teratogen(situation: Situation, order: DrugOrder) -> Found:
    """An ingredient is contraindicated in pregnancy; conditions and indications may except it."""
    evidence = []
    indication = term(order.text("indication") or "")
    for one in order.medicines:
        record = load().drugs.get(one.drug)
        rule = record.pregnancy if record else None
        if rule is None or rule.level != "contraindicated":
            continue
        if situation.having(*rule.except_conditions) or indication in terms(
            rule.except_indications
        ):
            continue
        evidence.append(Evidence(f"in pregnancy: {rule.reason}", order.t, one.drug))
    return tuple(evidence) or None


@predicate("the drug is on the list for older adults, for this indication and form", of_order=True)
def older_adult_rule(situation: Situation, order: DrugOrder) -> Found:
    """A rule for older adults says "avoid"; entries that call for caution only never count."""
    evidence = []
    wanted = terms([order.text("indication")]) | (situation.conditions & _COMORBIDITY)
    for one in order.medicines:
        for rule in _older_adult_rules(one.drug):
            only = terms(rule.only_indications)
            form = plain_name(rule.form) if rule.form else None
            other_form = form is not None and form != plain_name(one.form or "")
            if not rule.caution and not other_form and (not only or only & wanted):
                evidence.append(Evidence(f"older adults: {rule.rule}", order.t, one.drug))
    return tuple(evidence) or None


def _older_adult_rules(drug: str) -> Iterator[OlderAdultRule]:
    record = load().drugs.get(drug)
    yield from record.older_adults if record else ()
    for key in sorted(classes_of(drug)):
        group = load().drug_classes.get(key)
        yield from group.older_adults if group else ()


@predicate(
    lambda accepted: (
        "the reason for overriding is an accepted indication of the drug, and the "
        "record, where it lists conditions, has it"
    ),
    of_order=True,
)
def reason_borne_out(
    situation: Situation, order: DrugOrder, accepted: Mapping[str, Sequence[str]]
) -> Found:
    """A reason counts as what the record says, never as what the agent writes."""
    reason = order.event.text("override_reason")
    if not reason:
        return None
    wanted = {one for ref, names in accepted.items() if order.is_a(ref) for one in terms(names)}
    listed = situation.patient.conditions is not None
    if term(reason) not in wanted or (listed and not situation.having(reason)):
        return None
    return (Evidence(f"reason {reason}", order.t),)


@predicate(
    lambda levels, severities=(), not_types=(): (
        "the patient has an allergy"
        + (f" (severity {spoken(severities)})" if severities else "")
        + (f", not of type {spoken(not_types)}," if not_types else "")
        + f" that rates the drug as {spoken(levels)}, and the record does not say that it was "
        "tolerated since"
    ),
    of_order=True,
)
def allergy(
    situation: Situation,
    order: DrugOrder,
    levels: Sequence[str],
    severities: Sequence[str] = (),
    not_types: Sequence[str] = (),
) -> Found:
    """An entry of the allergy list makes the order a risk of one of the levels."""
    evidence = []
    for entry in situation.patient.allergies:
        severity = entry.severity or str(entry.field("reaction") or "")
        if severities and term(severity) not in terms(severities):
            continue
        if term(entry.type) in terms(not_types):
            continue
        allergens = resolve_allergen(entry.substance) or (term(entry.substance),)
        for one in order.medicines:
            reached = {reaction_level(allergen, one.drug) for allergen in allergens}
            if one.drug == UNKNOWN + term(entry.substance):
                reached.add("contraindicated")
            if reached & set(levels) and not _tolerated(entry, one.drug):
                text = f"allergy to {entry.substance} {entry.severity}".strip()
                evidence.append(Evidence(text, order.t, one.drug, entry.substance))
    return tuple(evidence) or None


def _tolerated(entry: Allergy, drug: str) -> bool:
    names = (resolve(name) for name in entry.tolerated)
    return any(drug in name.ingredients for name in names if name is not None)


@predicate("a drug that is contraindicated with it was stopped too short a time ago", of_order=True)
def washing_out(situation: Situation, order: DrugOrder) -> Found:
    """A contraindicated partner was stopped, and its washout is not over when the order starts."""
    delay = order.number("start_delay_days") or 0.0
    evidence = []
    for one in order.medicines:
        for stopped, days in situation.stopped:
            limit = washout_days(one, stopped, situation.patient)
            if days + delay < limit:
                text = (
                    f"{stopped.drug} stopped {days + delay:g} days before; washout {limit:g} days"
                )
                evidence.append(Evidence(text, order.t, one.drug, stopped.drug))
    return tuple(evidence) or None


@predicate(
    lambda severity, unless_answered=False, unless_within=None, unless_emergency=(): (
        f"a new order and another medicine interact, graded {severity}"
        + (
            ", and no monitoring or dose adjustment names this pair or what it does"
            if unless_answered
            else ""
        )
        + (
            f", unless both are {spoken(unless_within)} in the emergency {spoken(unless_emergency)}"
            if unless_within
            else ""
        )
    )
)
def interacting(
    situation: Situation,
    severity: Severity,
    unless_answered: bool = False,
    unless_within: Sequence[str] | None = None,
    unless_emergency: Sequence[str] = (),
) -> Found:
    """A new order interacts with a medicine beside it, and nothing was ordered to answer it."""
    truth = situation.state.gold.get("emergency")
    spared = isinstance(truth, str) and term(truth) in terms(unless_emergency)
    pairs = []
    for (order, a, other, b), grade in situation.graded:
        if grade.severity != severity:
            continue
        both = all(any(is_a(m.drug, ref) for ref in unless_within or ()) for m in (a, b))
        if not (spared and both):
            pairs.append((order, a, other, b, grade.fact))
    partners: dict[str, list[str]] = {}
    for _, a, _, b, _ in pairs:
        partners.setdefault(a.drug, []).append(b.drug)
        partners.setdefault(b.drug, []).append(a.drug)
    plans = [*situation.done(MONITOR), *situation.done(ADJUST)] if unless_answered else []
    evidence = []
    for order, a, other, b, fact in pairs:
        if any(
            answers(plan, fact, one.drug, two.drug, partners[one.drug])
            for plan in plans
            for one, two in ((a, b), (b, a))
        ):
            continue
        what = f"{order.name} {minute(order.t)} with {other.name}: {fact.mechanism}"
        advice = f" ({fact.management})" if fact.management else ""
        evidence.append(Evidence(what + advice, order.t, a.drug, b.drug))
    return tuple(evidence) or None


@predicate(lambda of, at_least: f"{at_least} or more different drugs are {spoken([of])}")
def together(situation: Situation, of: str, at_least: int) -> Found:
    """Of home medicines and new orders, several different drugs are of one class."""
    names = sorted({one.drug for one in taken(situation) if is_a(one.drug, of)})
    return (Evidence(" and ".join(names)),) if len(names) >= at_least else None


def taken(situation: Situation) -> list[Medicine]:
    """Return the ingredients of home medicines that go on, and of orders."""
    home = [one for product in situation.active_home for one in product.medicines]
    return home + [one for order in situation.orders for one in order.medicines]


@predicate(
    lambda of, first, second: (
        f"what is {spoken([of])} is exactly {first} and one of "
        f"{spoken(second)}, and {first} is monitored"
    )
)
def monitored_bridge(situation: Situation, of: str, first: str, second: Sequence[str]) -> Found:
    """One drug overlaps with another until it works, and is monitored."""
    names = {one.drug for one in taken(situation) if is_a(one.drug, of)}
    bridge = first in names and len(names) == 2 and names <= {first, *second}
    return () if bridge and monitored(situation, first) else None


def monitored(situation: Situation, drug: str) -> bool:
    """Return whether an order to monitor names a drug."""
    names = [one.text("drug") for one in situation.done(MONITOR)]
    return any(drug in known.ingredients for name in names if name and (known := resolve(name)))


@predicate("no order monitors the drug", of_order=True)
def not_monitored(situation: Situation, order: DrugOrder) -> Found:
    """No order to monitor names an ingredient."""
    return found(
        f"{one.drug} is not monitored"
        for one in order.medicines
        if not monitored(situation, one.drug)
    )
