"""What treats a problem is right in the patient: state, other illnesses, allergies, pregnancy."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic import (
    ClinicPatient,
    draw_patient,
    objections_to,
    presenting,
    treatment_for,
)
from gym_clinic.simulate.clinic.drug_rules import better_apart
from gym_clinic.simulate.clinic.medicines import ReportedAllergy, TakenMedicine
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.treatment import PROCEDURE, unsuitable

FACTS = load()
REFLUX = "gastroesophageal-reflux-disease"


def bare(condition: str, seed: int = 1, **changes: Any) -> ClinicPatient:
    """A patient with nothing but the problem."""
    patient = draw_patient(seed, condition)
    alone = {"background": (), "medicines": (), "allergies": (), "problems": patient.problems[:1]}
    return dataclasses.replace(patient, **{**alone, **changes})


def living_with(condition: str) -> tuple[Background, ...]:
    return (Background(condition, 3.0, {}),)


def drugs(patient: ClinicPatient) -> set[str]:
    suited = treatment_for(patient)
    named = [one for each in suited.alternatives for one in each]
    members = {drug for one in named for drug in suited.drugs.get(one, ())}
    return members | {one.removeprefix("drug:") for one in named if one.startswith("drug:")}


def test_beta_blockers_are_not_given_in_asthma() -> None:
    slowed = {one for one in drugs(bare("graves-disease")) if is_a(one, f"{CLASS}beta-blocker")}
    assert slowed
    asthmatic = bare("graves-disease", background=living_with("asthma"))
    assert drugs(asthmatic)
    assert not any(is_a(one, f"{CLASS}beta-blocker") for one in drugs(asthmatic))


def test_an_allergy_to_penicillin_leaves_the_alternatives() -> None:
    allergy = (ReportedAllergy("class:penicillin", "anaphylaxis"),)
    allowed, patient = drugs(bare("pneumonia")), bare("pneumonia", allergies=allergy)
    assert "amoxicillin" in allowed
    assert drugs(patient)
    assert not any(is_a(one, "class:penicillin") for one in drugs(patient))
    assert "allergy to penicillin" in treatment_for(patient).withheld["drug:amoxicillin"]


def test_failing_kidneys_forbid_nsaids_and_colchicine_in_gout() -> None:
    patient = bare("gout")
    failing = dataclasses.replace(patient, healthy={**patient.healthy, "creatinine": 5.0})
    assert failing.state(0)["egfr"] < 30
    assert {"ibuprofen", "colchicine"} <= drugs(patient)
    assert not {"ibuprofen", "colchicine"} & drugs(failing)
    assert "prednisolone" in drugs(failing)


def test_who_takes_an_anticoagulant_is_given_no_thrombolytic() -> None:
    def early(**changes: Any) -> ClinicPatient:
        patient = bare("stroke", **changes)
        first = dataclasses.replace(patient.problems[0], began=-90)
        return dataclasses.replace(patient, problems=(first,))

    taken = TakenMedicine("apixaban", 5.0, "mg", 2.0, "atrial-fibrillation", {}, 0.0)
    assert "alteplase" in drugs(early())
    assert "alteplase" not in drugs(early(medicines=(taken,)))


@pytest.mark.parametrize(("hours", "right"), [(2, True), (6, False)])
def test_a_thrombolytic_for_a_stroke_has_its_window(hours: int, right: bool) -> None:
    patient = bare("stroke")
    first = dataclasses.replace(patient.problems[0], began=-60 * hours)
    patient = dataclasses.replace(patient, problems=(first,))
    assert ("alteplase" in drugs(patient)) is right
    given = {"drug:alteplase": 10.0}
    assert (patient.severity(first, 300, given) < patient.severity(first, 300)) is right


@pytest.mark.parametrize(("saturation", "needed"), [(80.0, True), (99.0, False)])
def test_oxygen_is_for_those_who_lack_it(saturation: float, needed: bool) -> None:
    patient = bare("pneumonia")
    first = patient.problems[0]
    effects = {key: one for key, one in first.effects.items() if key != "spo2"}
    patient = dataclasses.replace(
        patient,
        healthy={**patient.healthy, "spo2": saturation},
        problems=(dataclasses.replace(first, effects=effects),),
    )
    assert ("oxygen" in treatment_for(patient).first_line) is needed


def test_the_first_alternative_belongs_to_the_first_line() -> None:
    suited = treatment_for(bare("pneumonia", seed=3))
    assert set(suited.alternatives[0]) <= set(suited.first_line)


def test_a_treatment_of_pregnancy_is_not_withheld_for_being_pregnant() -> None:
    assert "misoprostol" in drugs(bare("miscarriage"))


def test_nothing_speaks_against_paracetamol_in_the_healthy_and_much_against_warfarin() -> None:
    patient = bare("preeclampsia")
    assert objections_to(patient, "drug:paracetamol") == ()
    assert objections_to(patient, "drug:warfarin")[0].grave


def test_the_rules_name_what_exists() -> None:
    classes = {CLASS + name for drug in FACTS.drugs.values() for name in drug.classes}
    done = {
        action
        for one in presenting(FACTS)
        for form in one.forms()
        for together in (form.first_line, *(form.course.treated_by if form.course else ()))
        for action in together
    }
    for rule in unsuitable():
        for name in (*rule.what, *rule.takes):
            known = {*FACTS.drugs, *classes} if not name.startswith(PROCEDURE) else done
            assert name in known, name
        conditions = {*rule.lives_with, *rule.lives_without, *rule.except_for, *rule.only_for}
        assert conditions <= FACTS.conditions.keys()
        assert {*rule.shows, *rule.without} <= {one.name for one in FACTS.phenotypes.values()}
        assert rule.lives_with or rule.takes or rule.when or rule.only_for


@pytest.mark.parametrize(
    ("condition", "later"),
    [
        ("myocarditis", "procedure:mechanical-circulatory-support"),
        ("crohn-disease", "procedure:bowel-resection"), ("ulcerative-colitis", "drug:infliximab"),
        ("deep-vein-thrombosis", "procedure:vena-cava-filter"),
        ("major-depressive-disorder", "procedure:electroconvulsive-therapy"),
        ("syndrome-of-inappropriate-antidiuresis", "drug:hypertonic-saline"),
        ("opioid-overdose", "procedure:bag-mask-ventilation"), ("cirrhosis", "drug:lactulose"),
        ("guillain-barre-syndrome", "procedure:ventilation"),
    ],
)  # fmt: skip
def test_what_is_for_later_is_no_first_treatment(condition: str, later: str) -> None:
    patient = bare(condition)
    well = {"sbp": 120.0, "na": 124.0, "gcs": 14.8, "rr": 32.0}
    with pytest.MonkeyPatch.context() as patch:
        state = {**patient.state(0), **well}
        patch.setattr(type(patient), "state", lambda *_: state)
        found = treatment_for(patient).alternatives
    assert found
    assert not any(later in each for each in found)


def test_what_is_for_later_is_right_where_nothing_else_is_left() -> None:
    warfarin = TakenMedicine("warfarin", 5.0, "mg", 1.0, "atrial-fibrillation", {}, 0.0)
    allowed = treatment_for(bare("deep-vein-thrombosis")).alternatives
    kept = treatment_for(bare("deep-vein-thrombosis", medicines=(warfarin,))).alternatives
    assert ("procedure:vena-cava-filter",) not in allowed
    assert ("procedure:vena-cava-filter",) in kept


@pytest.mark.parametrize(
    ("condition", "variant", "right", "wrong"),
    [
        ("cushing-syndrome", "adrenal", "adrenalectomy", "pituitary-surgery"),
        ("cushing-syndrome", "ectopic", "tumour-resection", "pituitary-surgery"),
        ("cushing-syndrome", "pituitary", "pituitary-surgery", "adrenalectomy"),
        ("postpartum-haemorrhage", "tear", "tear-repair", "manual-removal"),
        ("postpartum-haemorrhage", "retained-tissue", "manual-removal", "tear-repair"),
        ("postpartum-haemorrhage", "atony", "uterine-massage", "tear-repair"),
        ("miscarriage", "complete", "expectant-management", "uterine-evacuation"),
        ("bowel-obstruction", "adhesions", "nasogastric-tube", "hernia-repair"),
        ("intracerebral-haemorrhage", "cerebellar", "haematoma-evacuation", ""),
        ("intracerebral-haemorrhage", "left-basal-ganglia", "", "haematoma-evacuation"),
        ("stroke", "lacunar", "stroke-unit-care", "thrombectomy"),
        ("mesenteric-ischaemia", "low-flow", "treat-the-cause", "revascularisation"),
    ],
)
def test_each_form_has_the_treatment_of_its_cause(
    condition: str, variant: str, right: str, wrong: str
) -> None:
    one = FACTS.conditions[condition].form(variant)
    assert one.course is not None
    done = {*one.first_line, *(it for each in one.course.treated_by for it in each)}
    assert not right or PROCEDURE + right in done
    assert PROCEDURE + wrong not in done


def test_steroids_do_not_treat_cold_agglutinins() -> None:
    cold = FACTS.conditions["autoimmune-haemolytic-anaemia"].form("cold")
    assert cold.course is not None
    done = {*cold.first_line, *(it for each in cold.course.treated_by for it in each)}
    assert "drug:rituximab" in done
    assert not any("steroid" in one or "predniso" in one for one in done)


@pytest.mark.parametrize("variant", ["pituitary", "adrenal", "ectopic"])
def test_the_operation_of_a_cushing_syndrome_is_that_of_its_tumour(variant: str) -> None:
    patients = (draw_patient(seed, "cushing-syndrome") for seed in range(60))
    patient = next(one for one in patients if one.problems[0].variant == variant)
    best = FACTS.conditions["cushing-syndrome"].form(variant).first_line[0]
    assert treatment_for(patient).alternatives[0] == (best,)


@pytest.mark.parametrize(
    ("score", "right", "wrong"),
    [(15.0, "drug:paracetamol", "drug:midazolam"), (9.0, "drug:midazolam", "drug:paracetamol")],
)
def test_a_fit_that_is_over_is_not_stopped(
    score: float, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = next(
        one for one in (draw_patient(seed, "febrile-convulsion") for seed in range(20))
        if not one.allergies and one.person.age > 1
    )  # fmt: skip
    state = {**child.state(0), "gcs": score}
    monkeypatch.setattr(type(child), "state", lambda *_: state)
    found = {it for each in treatment_for(child).alternatives for it in each}
    assert right in found
    assert wrong not in found


def test_who_takes_famotidine_may_go_on_to_a_proton_pump_inhibitor() -> None:
    famotidine = TakenMedicine("famotidine", 20.0, "mg", 1.0, REFLUX, {}, 0.0)
    omeprazole = TakenMedicine("omeprazole", 20.0, "mg", 1.0, REFLUX, {}, 0.0)
    stepped, doubled = (
        treatment_for(bare(REFLUX, medicines=(one,))) for one in (famotidine, omeprazole)
    )
    assert "class:proton-pump-inhibitor" in stepped.alternatives[0]
    assert "lansoprazole" in stepped.drugs["class:proton-pump-inhibitor"]
    assert "lansoprazole" not in doubled.drugs.get("class:proton-pump-inhibitor", ())


def test_a_pair_that_is_to_be_avoided_is_no_choice_where_another_drug_is_left() -> None:
    assert better_apart(FACTS, "trimethoprim", "spironolactone")
    assert not better_apart(FACTS, "nitrofurantoin", "spironolactone")
    patient = bare("cystitis")
    assert "trimethoprim" in drugs(patient)
    taken = TakenMedicine("spironolactone", 25, "mg", 1, "hypertension", {}, 0.0)
    taking = dataclasses.replace(patient, medicines=(taken,))
    assert "trimethoprim" not in drugs(taking)
    assert "nitrofurantoin" in drugs(taking)


def test_severe_pressure_of_a_preeclampsia_may_have_hydralazine() -> None:
    for pressure, right in ((175.0, True), (145.0, False)):
        patient = bare("preeclampsia")
        usual = patient.state(0)
        moved = {"sbp": pressure - usual["sbp"], "dbp": 95.0 - usual["dbp"]}
        healthy = {key: one + moved.get(key, 0) for key, one in patient.healthy.items()}
        assert ("hydralazine" in drugs(dataclasses.replace(patient, healthy=healthy))) is right


def actions(patient: ClinicPatient) -> set[str]:
    return {one for each in treatment_for(patient).alternatives for one in each}


def test_a_cord_is_irradiated_only_where_the_cancer_is_known() -> None:
    assert "procedure:spinal-decompression" in actions(bare("spinal-cord-compression"))
    assert "procedure:radiotherapy" not in actions(bare("spinal-cord-compression"))
    known = bare("spinal-cord-compression", background=living_with("lung-cancer"))
    assert "procedure:radiotherapy" in actions(known)


@pytest.mark.parametrize(
    ("weeks", "pulse", "distress", "right"),
    [
        (28, 90.0, False, {"expectant-management"}),
        (28, 90.0, True, {"caesarean-section", "delivery"}),
        (28, 125.0, False, {"caesarean-section", "delivery"}),
        (35, 90.0, False, {"expectant-management", "caesarean-section", "delivery"}),
        (39, 90.0, False, {"caesarean-section", "delivery"}),
    ],
)
def test_an_abruption_is_watched_where_mother_and_unripe_child_are_well(
    weeks: int, pulse: float, distress: bool, right: set[str]
) -> None:
    patient = bare("placental-abruption")
    sick = next(key for key, one in FACTS.phenotypes.items() if one.name == "Fetal distress")
    first = patient.problems[0]
    findings = {key: at for key, at in first.findings.items() if key != sick}
    first = dataclasses.replace(first, findings={**findings, **({sick: -30} if distress else {})})
    person = dataclasses.replace(patient.person, pregnant_weeks=weeks)
    wanted = {"hr": pulse, "sbp": 118.0, "hb": 11.5}
    state = patient.state(0)
    healthy = {key: one + wanted.get(key, state[key]) - state[key] if key in wanted else one
               for key, one in patient.healthy.items()}  # fmt: skip
    patient = dataclasses.replace(patient, problems=(first,), person=person, healthy=healthy)
    assert {
        one.removeprefix("procedure:") for one in actions(patient) if "procedure" in one
    } == right
