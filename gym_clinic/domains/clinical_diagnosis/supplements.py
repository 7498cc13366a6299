"""What else a careful clinician does for a patient: a few calls that fit, drawn for each patient.

None of them is expected. They show that every tool has its place, and that more than one plan is
right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from gym_clinic.chart.catalogue import actions
from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.besides import STOPPED, stopped_medicines
from gym_clinic.domains.clinical_diagnosis.deciding import DecisiveFact
from gym_clinic.domains.clinical_diagnosis.evidence import look_alikes
from gym_clinic.domains.clinical_diagnosis.plan import red_cells
from gym_clinic.facts.doses import MILLIGRAMS, dose_to_give, usual_doses
from gym_clinic.simulate.clinic.patient import RETAIN_CARBON_DIOXIDE

COUNT = 3
"""Further steps of a plan."""

RARE = 0.2
"""Weight of a step that has to open a large index, beside 1 of the others."""

BEDSIDE = frozenset({"sbp", "dbp", "hr", "rr", "gcs"})
"""What scores are computed from on every plan; scores that need blood results stand on few."""

TRANSFUSED = 8.0
"""Haemoglobin in g/dL below which red cells are given."""

CAPACITY = 14
"""Least coma score of a patient who consents."""

SERVICE_OF = {
    "infectious-disease": "infectious diseases", "pulmonology": "respiratory medicine",
    "gynaecology-and-obstetrics": "gynaecology",
}  # fmt: skip
"""Discipline -> the service that sees its patients, where that has another name."""

OF_MOTHERS = ("gynaecology-and-obstetrics", "emergency-medicine-and-toxicology")
"""Disciplines whose patients obstetrics sees in a pregnancy and after a birth."""

Step = tuple[float, tuple[CallSpec, ...]]
Values = Mapping[str, Sequence[float]]


def supplements(
    world: ClinicWorld,
    shown: Values,
    orders: Sequence[str],
    evidence: Sequence[DecisiveFact],
    wrong: Collection[str],
    urgent: Sequence[CallSpec] = (),
) -> list[CallSpec]:
    """Return further calls of a plan, different from patient to patient.

    Args:
        world: The patient's world.
        shown: Measurement -> the values that the plan has been shown.
        orders: What the answer orders.
        evidence: What the plan finds out.
        wrong: The drugs that must not be given to the patient.
        urgent: What was done at once: nobody asks for consent to that afterwards.
    """
    random = Random(f"{world.patient.seed}:further steps")
    steps = [
        *_chart(world, evidence), *_books(world, evidence), *_scores(world, shown),
        *_care(world, orders, wrong, urgent), *_transfusion(shown, world.patient.person.weight_kg),
    ]  # fmt: skip
    chosen: list[CallSpec] = []
    for _ in range(min(COUNT, len(steps))):
        (number,) = random.choices(range(len(steps)), weights=[weight for weight, _ in steps])
        chosen += steps.pop(number)[1]
    return chosen


def _chart(world: ClinicWorld, evidence: Sequence[DecisiveFact]) -> Iterator[Step]:
    yield 1, (("read_patient_record", {}),)
    yield 1, (("read_history", {"section": "habits"}),)
    yield 1, (("get_vital_signs_trend", {"sign": "all"}),)
    yield 1, (("check_time", {}),)
    early = sorted(key for key, one in world.record["documents"].items() if one["minute"] <= 1)
    if early:
        yield 1, (("list_documents", {}), ("read_document", {"title": early[0]}))
    tests = [one.key.partition(":")[2] for one in evidence if one.kind == "lab"]
    if tests:
        yield 1, (("get_lab_trend", {"test": tests[0]}),)
    if any(one.call[0].startswith("order_") for one in evidence):
        yield 1, (("list_orders", {}),)


def _books(world: ClinicWorld, evidence: Sequence[DecisiveFact]) -> Iterator[Step]:
    facts = world.patient.facts
    _, condition = next(world.patient.conditions())
    name = facts.diseases[condition.id].name
    yield RARE, (("search_pubmed", {"query": f"{name} treatment"}),)
    yield RARE, (("retrieve_evidence", {"query": f"{name} diagnosis"}),)
    yield RARE, (("search_medical_wiki", {"topic": name}),)
    alike = [facts.diseases[one].name for one in look_alikes(facts, condition)]
    if alike:
        yield 1, (("get_disease_information", {"disease": alike[0]}),)
        yield 1, (("compare_diagnoses", {"first": name, "second": alike[0]}),)
    if condition.work_up:
        yield 1, (("get_test_information", {"test": condition.work_up[0]}),)
    words = world.text_of("opening words")
    if words:
        yield 1, (("name_findings", {"text": words}),)
    told = [
        facts.phenotypes[one.key.partition(":")[2]].name
        for one in evidence
        if one.kind == "told" and one.present
    ]
    if told:
        yield 1, (("generate_ddx", {"present": told}),)
        yield RARE, (("find_similar_patients", {"findings": told}),)


def _scores(world: ClinicWorld, shown: Values) -> Iterator[Step]:
    """Scores whose values the plan has seen; each is given as it was shown last."""
    person = world.record["person"]
    known = {key: values[-1] for key, values in shown.items() if values}
    wanted: Mapping[str, Mapping[str, str]] = {
        "qsofa": {"rr": "rr", "sbp": "sbp", "gcs": "gcs"},
        "shock_index": {"hr": "hr", "sbp": "sbp"},
        "map": {"sbp": "sbp", "dbp": "dbp"},
        "anion_gap": {"sodium": "na", "chloride": "cl", "bicarbonate": "hco3"},
        "osmolality": {"sodium": "na", "glucose": "glucose", "bun": "bun"},
        "ckdepi2021": {"creatinine": "creatinine"},
    }
    for score, inputs in wanted.items():
        if person["age"] >= 18 and all(of in known for of in inputs.values()):
            given: dict[str, Any] = {name: known[of] for name, of in inputs.items()}
            if score == "ckdepi2021":
                given |= {"age": person["age"], "sex": person["sex"]}
            weight = 2 if BEDSIDE.issuperset(inputs.values()) else 8
            yield weight, ((f"calculate_{score}", given),)
    if person["age"] >= 18:
        yield from _severity(world, known)


def _severity(world: ClinicWorld, known: Mapping[str, float]) -> Iterator[Step]:
    """The early warning score of adults."""
    clear = known.get("gcs", 0.0) >= 15
    warning = {"rr": "rr", "spo2": "spo2", "sbp": "sbp", "pulse": "hr", "temp_c": "temp_c"}
    pregnant = world.patient.person.pregnant_weeks is not None  # the score is not for her
    if known.keys() >= {*warning.values(), "gcs"} and not pregnant:
        given: dict[str, Any] = {name: known[of] for name, of in warning.items()}
        lived_with = {one.condition for one in world.patient.background}
        scale = "1" if lived_with.isdisjoint(RETAIN_CARBON_DIOXIDE) else "2"
        given |= {"spo2_scale": scale, "on_oxygen": False}
        yield 1, (("calculate_news2", {**given, "consciousness": "A" if clear else "C"}),)


def _transfusion(shown: Values, kilograms: float) -> Iterator[Step]:
    """Red cells where the haemoglobin that was read calls for them."""
    if min(shown.get("hb", ()), default=TRANSFUSED) < TRANSFUSED:
        yield 40, (red_cells(kilograms),)


def _care(
    world: ClinicWorld, orders: Sequence[str], wrong: Collection[str], urgent: Sequence[CallSpec]
) -> Iterator[Step]:
    patient = world.patient
    facts, person = patient.facts, patient.person
    _, condition = next(patient.conditions())
    drugs = [one.removeprefix("drug:") for one in orders if one.startswith("drug:")]
    if drugs:
        yield 1, (("get_drug_information", {"drug": facts.drugs[drugs[0]].name}),)
    services = actions().consult.services
    discipline = facts.diseases[condition.id].discipline
    service = SERVICE_OF.get(discipline, discipline.replace("-", " "))
    mother = person.pregnant_weeks is not None or person.postpartum
    if mother and discipline in OF_MOTHERS:
        service = "obstetrics"
    service = service if service in services else "internal medicine"
    if condition.disposition == "outpatient referral":
        reason = facts.diseases[condition.id].name
        referral = {"service": service, "reason": reason, "urgency": "soon"}
        yield 4, (("refer_patient", referral),)
    elif condition.disposition != "home":
        yield 1, (("start_monitoring", {"what": "vital signs"}),)
        yield 1, (("consult_service", {"service": service, "question": "Please see and advise."}),)
    for drug in drugs if condition.disposition == "home" else ():
        doses = usual_doses(facts).get(drug)
        usual = None if doses is None else doses.by_route("po")
        if usual is not None:
            low, _ = usual.of_patient(person.age, person.weight_kg)
            given = dose_to_give(low, usual.unit, person.age)
            most = facts.drugs[drug].most_by_kidneys(patient.state(0)["egfr"], "po")
            daily = given * usual.per_day * MILLIGRAMS.get(usual.unit, 0.0)
            if most is not None and daily > most:
                continue
            prescription = {
                "drug": facts.drugs[drug].name, "dose": given, "unit": usual.unit,
                "route": "po", "times_per_day": usual.per_day, "start": "at home",
            }  # fmt: skip
            yield 2, (("prescribe_medication", prescription),)
    done = [arguments.get("procedure") for _, arguments in urgent]
    procedures = [one.removeprefix("procedure:") for one in orders if one.startswith("procedure:")]
    procedures = [one for one in procedures if one not in done]
    if procedures and patient.state(0)["gcs"] >= CAPACITY and person.age >= 18:
        consent = {"treatment": procedures[0], "explained": ["benefit", "risks", "alternatives"]}
        yield 2, (("obtain_consent", consent),)
    stopped = stopped_medicines(world)
    taken = [one.drug for one in patient.medicines if one.drug in wrong]
    taken = [one for one in taken if one not in stopped]
    if taken:
        stop = {"drug": facts.drugs[taken[0]].name, "reason": STOPPED}
        yield 4, (("discontinue_medication", stop),)
