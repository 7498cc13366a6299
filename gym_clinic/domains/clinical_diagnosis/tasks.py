"""How the tasks of clinical diagnosis are made: one patient each, with gold and ticket."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from gym_clinic.chart.catalogue import studies_of, study_price, test_prices
from gym_clinic.clinical.rehearsal import Plan, Rehearsal, rehearse
from gym_clinic.clinical.tasks import DomainSpec, MadeTask, TaskDraft, TwinKind
from gym_clinic.clinical.world import ClinicCase, ClinicWorld, open_world
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.deciding import (
    Decision,
    DecisiveFact,
    decisions,
    order_of,
)
from gym_clinic.domains.clinical_diagnosis.evidence import decisive_facts, instead
from gym_clinic.domains.clinical_diagnosis.gold import (
    assertions,
    concrete_orders,
    difficulty,
    expected_actions,
    forbidden_orders,
    right_answer,
)
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE
from gym_clinic.domains.clinical_diagnosis.places import attack_over, dispositions
from gym_clinic.domains.clinical_diagnosis.plan import reference_plan, urgent_calls
from gym_clinic.domains.clinical_diagnosis.supplements import supplements
from gym_clinic.domains.clinical_diagnosis.tools import tools
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load, words
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic import ClinicPatient, presenting
from gym_clinic.simulate.clinic.treatment import (
    SuitedTreatment,
    forbidden_drugs,
    treatment_for,
)
from gym_clinic.toolbox import Toolbox

QUOTED = ("triage", "opening words")
"""Kinds of documents that the ticket quotes."""

CHOICES = 4
"""Alternatives of the treatment that are tried for the reference plan, at most."""

FEWEST, MOST = 5, 10
"""Findings that are to be read, fewest and most."""

RECORD: tuple[CallSpec, ...] = (
    ("read_allergies", {}),
    ("read_medicines", {}),
    ("read_history", {"section": "past illnesses"}),
    ("get_vital_signs", {}),
)
"""What is looked up of every patient."""

READ = ("record:allergies", "record:medicines")
"""What must be read of every patient, since treatment is ordered."""

EMERGENCY, HARM = 1, 120
"""Triage level, and minutes until lasting harm, up to which treatment is part of the task."""

FEMALE = ("Alice Moreau", "Nadia Rahman", "Grace Okafor", "Mei Tanaka", "Ines Duarte")
MALE = ("Peter Lindgren", "Omar Haddad", "Samuel Osei", "Kenji Mori", "Luis Herrera")
"""Names of neutral twins."""


def make_task(draft: TaskDraft) -> MadeTask | None:
    """Return the task of a patient; None if this patient makes none.

    A patient makes a task if something right treats the problem, facts that decide are so in this
    patient and can be found out in time, and the reference plan earns everything without a
    violation.
    """
    record: dict[str, Any] = {
        "seed": draft.seed,
        "condition": draft.label,
        "split": draft.split,
        "ticket": list(QUOTED),
    }
    if draft.edit:
        record["edit"] = [dict(one) for one in draft.edit]
    try:
        world = open_world(record)
    except (ConfigError, TaskError):
        return None
    treatment = treatment_for(world.patient)
    spoken = any(world.text_of(kind) for kind in QUOTED)
    if not treatment.alternatives or not spoken or names_diagnosis(world, ticket_of(world)):
        return None
    deciding, evidence = _obtainable(record, world)
    if not evidence:
        return None
    wrong = forbidden_drugs(world.patient)
    for choice in range(min(CHOICES, len(treatment.alternatives))):
        orders = concrete_orders(treatment, world.patient.facts, choice)
        for urgent in _urgencies(world, orders):
            gold = _gold(record, world, treatment, orders, evidence, deciding, urgent, wrong)
            if gold is not None:
                return MadeTask(record, gold, ticket_of(world))
    return None


def _obtainable(
    record: Mapping[str, Any], world: ClinicWorld
) -> tuple[tuple[Decision, ...], tuple[DecisiveFact, ...]]:
    """The decisions, that of the plan first, and what a plain plan for it finds out.

    A plan that ends early finds out all of it: what is done at once may prevent that. Nothing is
    found out if no plan reaches a decision. A plan waits for no slow test, but who waits for one
    has decided as well.
    """
    every = decisions(world, in_time=False)
    for one in decisions(world):
        order = (one, *(other for other in every if other != one))
        evidence = decisive_facts(world, one)
        tried = try_plan(record, reference_plan(world, evidence, RECORD))
        if tried.failure is not None:
            return order, evidence
        evidence = tuple(each for each in evidence if tried.shows(each.key, each.present))
        if _holds_all(evidence, one):
            return order, evidence
    return (), ()


def _holds_all(evidence: Sequence[DecisiveFact], decision: Decision) -> bool:
    return {one.key for one in decision} <= {one.key for one in evidence}


def _urgencies(world: ClinicWorld, orders: Sequence[str]) -> Iterator[list[CallSpec]]:
    """What is done before anything else: nothing, or what cannot wait."""
    _, condition = next(world.patient.conditions())
    harm = condition.course.harm_after_minutes if condition.course is not None else None
    emergency = condition.triage == EMERGENCY or (harm is not None and harm <= HARM)
    if not emergency:
        yield []
    for given in (orders, ()):
        calls = urgent_calls(world, given)
        if calls:
            yield calls
    if emergency:
        yield []


def _gold(
    record: Mapping[str, Any],
    world: ClinicWorld,
    treatment: SuitedTreatment,
    orders: Sequence[str],
    evidence: tuple[DecisiveFact, ...],
    deciding: Sequence[Decision],
    urgent: Sequence[CallSpec],
    wrong: Collection[str],
) -> dict[str, Any] | None:
    """The gold of a patient; None if the plan does not earn everything."""
    patient = world.patient
    problem, condition = next(patient.conditions())
    looked_up = (*RECORD, *_books(patient, condition.id, orders))
    plan = reference_plan(world, evidence, looked_up, urgent)
    tried = try_plan(record, plan)
    if tried.failure is not None:
        return None
    evidence = tuple(one for one in evidence if tried.shows(one.key, one.present))
    further = supplements(world, tried.case.shown, orders, evidence, wrong)
    plan = reference_plan(world, evidence, looked_up, urgent, further)
    tried = try_plan(record, plan)
    first = [one.key for one in deciding[0]]
    read = [*dict.fromkeys((*READ, *first, *(one.key for one in evidence)))][:MOST]
    if tried.failure is not None or len(read) < FEWEST or not _holds_all(evidence, deciding[0]):
        return None
    actions = sorted({one for each in treatment.alternatives for one in each})
    related = sorted({*actions, *treatment.first_line, *condition.first_line})
    answer = right_answer(world, orders, evidence)
    outcome = tried.case.outcome().treatments
    in_time = bool(outcome) and outcome[0].timing == "before harm"
    gold: dict[str, Any] = {
        "condition": condition.id,
        "variant": problem.variant,
        "answer": answer,
        "expected": expected_actions(deciding, urgent),
        "plan": [
            [{"name": name, "arguments": arguments} for name, arguments in batch] for batch in plan
        ],
        "read": read,
        "cite": [{"finding": one.key, "present": one.present} for one in evidence],
        "instead": instead(world, evidence, deciding),
        "acceptable": {
            "treatments": [list(one) for one in treatment.alternatives],
            "dispositions": list(dispositions(condition, world.patient)),
            "related": related,
        },
        "forbidden": list(forbidden_orders(wrong, actions)),
        "assertions": assertions(world, evidence, deciding, actions, in_time and bool(urgent)),
        "reference": _at_least_work_up(world, tried.reference),
        "reward_basis": ["ACTION", "ASSERTION"],
        "difficulty": difficulty(world),
    }
    over = attack_over(condition.id, patient)
    if over is not None and over.on_arrival:
        gold["safety"] = {"emergency": None}
    return gold if tried.judged(JUDGE, gold, answer).perfect else None


def _at_least_work_up(world: ClinicWorld, plan: Mapping[str, float]) -> dict[str, float]:
    """What the plan costs, or the usual work-up of the condition without what is invasive."""
    facts = world.patient.facts
    _, condition = next(world.patient.conditions())
    prices: dict[str, float] = {}
    for one in condition.work_up:
        if one in studies_of(facts):
            price = study_price(one)
            prices |= {} if price.invasive else {one: price.cost}
        elif (test := order_of(facts, one) if one in facts.measurements else one) is not None:
            prices[test] = test_prices(facts)[test].cost
    return {
        "cost": max(plan["cost"], math.fsum(prices.values())),
        "orders": max(plan["orders"], float(len(prices))),
    }


def _books(patient: ClinicPatient, condition: str, orders: Sequence[str]) -> list[CallSpec]:
    """What is looked up before treatment: the guideline, and how a drug goes with those taken."""
    facts = patient.facts
    found: list[CallSpec] = [("get_guideline", {"topic": facts.diseases[condition].name})]
    drugs = [one.removeprefix("drug:") for one in orders if one.startswith("drug:")]
    if drugs and patient.medicines:
        first, second = facts.drugs[drugs[0]].name, facts.drugs[patient.medicines[0].drug].name
        found.append(("check_interaction", {"first": first, "second": second}))
    return found


def try_plan(record: Mapping[str, Any], plan: Plan) -> Rehearsal:
    """Play a plan on a fresh chart of the patient of a record."""
    return rehearse(_toolbox(), ClinicCase(open_world(record)), plan)


@lru_cache(maxsize=1)
def _toolbox() -> Toolbox:
    return Toolbox(tools())


def ticket_of(world: ClinicWorld) -> str:
    """Return the ticket: who comes and when, the triage line, the first words."""
    person, patient = world.record["person"], world.patient
    head = (
        f"{person['name']}, {person['sex']}, {_age(person['age'])}, hospital number "
        f"{person['patient_id']}, arrived on {patient.arrived:%d %B %Y at %H:%M}."
    )
    lines = [head]
    for kind, title in (("triage", "Triage"), ("opening words", "In their own words")):
        text = world.text_of(kind)
        if text:
            lines.append(f"{title}: {text}")
    lines.append("Find out what is wrong, start or advise treatment, and submit your answer.")
    return "\n\n".join(lines)


def _age(years: float) -> str:
    """The age in words: in years, in months below two, in days in the first month."""
    months = int(12 * years + 1e-6)
    if years >= 2:
        return f"{int(years)} years old"
    if months == 1:
        return "1 month old"
    return f"{months} months old" if months else f"0 months old ({round(365.25 * years)} days)"


def names_diagnosis(world: ClinicWorld, text: str) -> bool:
    """Return whether a text names what brings the patient; what is lived with may be named."""
    patient = world.patient
    lived_with = {one.condition for one in patient.background}
    plain = f" {' '.join(words(text))} "
    for problem in patient.problems:
        disease = patient.facts.diseases[problem.condition]
        names = (disease.name, *disease.synonyms) if disease.id not in lived_with else ()
        if any(f" {' '.join(words(name))} " in plain for name in names):
            return True
    return False


def twin_edits(
    made: MadeTask, kind: TwinKind, random: Random
) -> tuple[Mapping[str, Any], ...] | None:
    """Return the edit that makes a twin; None if this patient allows none of that kind."""
    patient = open_world(made.record).patient
    if kind == "neutral":
        if random.random() < 0.5:
            names = FEMALE if patient.person.sex == "female" else MALE
            return ({"kind": "name", "name": random.choice(names)},)
        return ({"kind": "wording", "seed": random.randrange(1 << 32)},)
    options = [one for one in turning_edits(patient) if _turns(patient, made, one)]
    return (random.choice(options),) if options else None


def turning_edits(patient: ClinicPatient) -> Iterator[dict[str, Any]]:
    """Yield edits that may change which treatment is right: allergy, pregnancy, kidneys, onset."""
    treatment, person = treatment_for(patient), patient.person
    drugs = {one for one in concrete_orders(treatment, patient.facts) if one.startswith("drug:")}
    for drug in sorted(drugs):
        for reference in _allergens(patient, drug.removeprefix("drug:")):
            yield {"kind": "allergy", "allergen": reference, "reaction": "anaphylaxis"}
    if person.sex == "female" and 16 <= person.age < 45 and person.pregnant_weeks is None:
        yield {"kind": "pregnancy", "weeks": 20}
    if person.age >= 18:
        yield {"kind": "usual", "measurement": "creatinine", "value": 4.2}
    condition = patient.facts.conditions[patient.problems[0].condition]
    if any("hours" in when for when in condition.wrong_when.values()):
        yield {"kind": "onset", "minutes": 20 * 60}
        yield {"kind": "onset", "minutes": 90}


def _allergens(patient: ClinicPatient, drug: str) -> Iterator[str]:
    """What an allergy to a drug is usually written as."""
    yield from (CLASS + one for one in patient.facts.drugs[drug].classes if one in ALLERGENS)


ALLERGENS = ("penicillin", "cephalosporin", "sulfonamide-antibiotic", "macrolide", "nsaid",
             "fluoroquinolone", "tetracycline", "opioid")  # fmt: skip
"""Classes that people are known to be allergic to."""


def _turns(patient: ClinicPatient, made: MadeTask, edit: Mapping[str, Any]) -> bool:
    """Whether the right orders differ after an edit."""
    record = {**made.record, "edit": [dict(edit)]}
    try:
        changed = open_world(record).patient
    except TaskError:
        return False
    treatment = treatment_for(changed)
    if not treatment.alternatives:
        return False
    facts = patient.facts
    before = concrete_orders(treatment_for(patient), facts)
    after = concrete_orders(treatment, facts)
    kept = [tuple(one) for one in made.gold["acceptable"]["treatments"]]
    return before != after and list(treatment.alternatives) != kept


def class_of(task: Any) -> str:
    """Return the class of a task: its condition."""
    return str(task.gold["condition"])


def conditions() -> tuple[str, ...]:
    """Return the conditions that tasks are made of: those that bring patients."""
    return tuple(one.id for one in presenting(load()))


SPEC = DomainSpec(
    name="clinical_diagnosis", classes=conditions(), make=make_task, twin=twin_edits, version=1
)
"""How the tasks are made."""
