"""How the tasks of clinical diagnosis are made: one patient each, with gold and ticket."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from random import Random
from typing import Any

from gym_clinic.chart.catalogue import studies_of, study_price, test_prices
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.rehearsal import Plan, Rehearsal, rehearse
from gym_clinic.clinical.tasks import DomainSpec, MadeTask, TaskDraft, TwinKind
from gym_clinic.clinical.world import ClinicCase, ClinicWorld, open_world
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.besides import (
    closing_calls,
    glucose_if_clouded,
    ordered_tests,
)
from gym_clinic.domains.clinical_diagnosis.deciding import (
    Decision,
    DecisiveFact,
    decisions,
    order_of,
)
from gym_clinic.domains.clinical_diagnosis.evidence import (
    PREGNANCY_TEST,
    decisive_facts,
    instead,
)
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
from gym_clinic.domains.clinical_diagnosis.plan import least_looks, reference_plan, urgent_calls
from gym_clinic.domains.clinical_diagnosis.supplements import supplements
from gym_clinic.domains.clinical_diagnosis.ticket import QUOTED, names_diagnosis, ticket_of
from gym_clinic.domains.clinical_diagnosis.tools import tools
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic import ClinicPatient, presenting
from gym_clinic.simulate.clinic.treatment import (
    SuitedTreatment,
    forbidden_drugs,
    treatment_for,
)
from gym_clinic.toolbox import Toolbox

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

PREGNANCY = "pregnancy"
"""What must be read besides of who is pregnant without showing it: it bears on every treatment."""

IMAGES_OF_PREGNANCY = ("ultrasound-obstetric", "transvaginal-ultrasound")

SHOWS = 20
"""Weeks from which on a pregnancy is seen without a word."""

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
    for choice in range(min(CHOICES, len(treatment.alternatives))):
        orders = concrete_orders(treatment, world.patient.facts, choice)
        for urgent in _urgencies(world, orders):
            make = partial(_gold, record, world, treatment, orders, evidence, deciding, urgent)
            gold = _in_time(make(one) for one in _first_looks(world, evidence, urgent))
            if gold is not None:
                return MadeTask(record, gold, ticket_of(world))
    return None


def _first_looks(
    world: ClinicWorld, evidence: Sequence[DecisiveFact], urgent: Sequence[CallSpec]
) -> Iterator[Sequence[str]]:
    """What is examined before what is urgent: all, the least that a clinician takes, nothing."""
    sites = [one.key.removeprefix("site:") for one in evidence if one.kind == "site"]
    if urgent:
        yield sites
        yield least_looks(world) or sites[:1]
    yield ()


def _in_time(golds: Iterator[dict[str, Any] | None]) -> dict[str, Any] | None:
    """The first gold whose plan treats before harm; else the first of all."""
    late = None
    for gold in golds:
        if gold is not None and _asks_for_time(gold):
            return gold
        late = late or gold
    return late


def _asks_for_time(gold: Mapping[str, Any]) -> bool:
    """Whether the plan of a gold treats before harm, which its answers must do too."""
    return any(one["check"] == "treated_before_harm" for one in gold["assertions"])


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
    first_looks: Sequence[str],
) -> dict[str, Any] | None:
    """The gold of a patient; None if the plan does not earn everything, call by call as well."""
    patient = world.patient
    wrong = forbidden_drugs(patient)
    problem, condition = next(patient.conditions())
    hidden = [PREGNANCY] if hides_pregnancy(world) else []
    sections: list[CallSpec] = [("read_history", {"section": one}) for one in hidden]
    looked_up = (*RECORD, *sections, *_books(patient, condition.id, orders))
    besides = ordered_tests(world)
    glucose = glucose_if_clouded(world, {*besides, *(one.key for one in evidence)})
    tests = [*besides.values()], [*glucose.values()]
    closing = [*closing_calls(world)]
    plan = reference_plan(world, evidence, looked_up, urgent, closing, first_looks, *tests)
    tried = try_plan(record, plan)
    if tried.failure is not None:
        return None
    evidence = tuple(one for one in evidence if tried.shows(one.key, one.present))
    more = supplements(world, tried.case.shown, orders, evidence, wrong, urgent)
    further = [*closing, *more]
    plan = reference_plan(world, evidence, looked_up, urgent, further, first_looks, *tests)
    tried = try_plan(record, plan)
    first = [one.key for one in deciding[0]]
    keys = (*READ, *hidden, *first, *besides, *glucose, *(one.key for one in evidence))
    read = [*dict.fromkeys(keys)][:MOST]
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
        "expected": expected_actions(world, deciding, urgent),
        "plan": [
            [{"name": name, "arguments": arguments} for name, arguments in batch] for batch in plan
        ],
        "read": read,
        "cite": [{"finding": one.key, "present": one.present} for one in evidence],
        "instead": [
            *instead(world, evidence, deciding),
            *({"keys": [one], "of": _shows_pregnancy(world)} for one in hidden),
        ],
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
        "unharmed": not tried.case.outcome().harmed,
    }
    over = attack_over(condition.id, patient)
    if over is not None and over.on_arrival:
        gold["safety"] = {"emergency": None}
    # One call a message takes longer where measures of one message are the work of a team.
    alone = try_plan(record, [[one] for batch in plan for one in batch])
    perfect = all(one.judged(JUDGE, gold, answer).perfect for one in (tried, alone))
    return gold if perfect and alone.failure is None else None


def hides_pregnancy(world: ClinicWorld) -> bool:
    """Return whether a patient is pregnant, and neither the ticket nor the body tells of it."""
    weeks = world.patient.person.pregnant_weeks
    return weeks is not None and weeks < SHOWS and PREGNANCY not in seen(ClinicCase(world))


def _shows_pregnancy(world: ClinicWorld) -> list[dict[str, Any]]:
    """What tells of a pregnancy: the record or the patient, a test, an image."""
    studies = world.patient.problems[0].studies
    images = [one for one in IMAGES_OF_PREGNANCY if one in studies]
    return [
        {"finding": PREGNANCY, "present": True},
        {"finding": PREGNANCY_TEST, "present": True},
        *({"finding": f"study:{one}", "present": studies[one].shows} for one in images),
    ]


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
