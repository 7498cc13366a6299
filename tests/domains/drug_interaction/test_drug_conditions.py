"""Conditions that forbid a drug: the table, the problem, the tool, and the tasks."""

from __future__ import annotations

import dataclasses
from itertools import count
from random import Random
from typing import Any, get_args

import gymnasium as gym
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.clinical import MadeTask, TaskDraft
from gym_clinic.domains.drug_interaction.candidates import candidates
from gym_clinic.domains.drug_interaction.checks.conditions import (
    condition_risks,
    condition_rules,
    listed_conditions,
)
from gym_clinic.domains.drug_interaction.checks.formulary import (
    ChildPugh,
    Regimen,
    home_regimens,
    indications,
)
from gym_clinic.domains.drug_interaction.checks.instead import alternatives
from gym_clinic.domains.drug_interaction.checks.problems import (
    ReviewProfile,
    Taken,
    excluded,
    find_problems,
    verdict_of,
)
from gym_clinic.domains.drug_interaction.plausibility import go_together
from gym_clinic.domains.drug_interaction.tasks import kind_of, make
from gym_clinic.domains.drug_interaction.ticket import ticket_of
from gym_clinic.domains.drug_interaction.twins import twin_of
from gym_clinic.domains.drug_interaction.world import open_world, profile_of, review_patient
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic.texts import phrasebook
from gym_clinic.simulate.split import Split
from gym_clinic.toolbox import Toolbox

WELL = ReviewProfile(age=50, female=True, weight_kg=70, egfr=95, crcl=100)
ANGINA = indications()["angina"]
BISOPROLOL = Regimen("bisoprolol", 2.5, "mg", 1)


def living_with(*conditions: str) -> ReviewProfile:
    return dataclasses.replace(WELL, conditions=frozenset(conditions))


def problems(drug: Regimen, who: ReviewProfile) -> list[tuple[str, str]]:
    return [(one.kind, one.severity) for one in find_problems(drug, ANGINA, who) if one.matters]


ULCER, KIDNEYS = "peptic-ulcer-disease", dataclasses.replace(WELL, egfr=22, crcl=20)
WEAK = "heart-failure-with-preserved-ejection-fraction"


@pytest.mark.parametrize(
    ("who", "kind"),
    [(living_with(ULCER), "condition"), (living_with(WEAK), "condition"), (KIDNEYS, "renal")],
)
def test_aspirin_is_an_nsaid_at_the_dose_of_a_painkiller_alone(
    who: ReviewProfile, kind: str
) -> None:
    headache = indications()["tension-type headache"]
    for dose, times, asked in ((75, 1, []), (600, 3, [(kind, "major", ("avoid",))])):
        found = find_problems(Regimen("aspirin", dose, "mg", times), headache, who)
        assert [(one.kind, one.severity, one.actions) for one in found if one.matters] == asked
    assert "aspirin" in alternatives(headache, "paracetamol", WELL)
    assert "aspirin" not in alternatives(headache, "paracetamol", who)


@pytest.mark.parametrize(
    ("who", "right"),
    [
        (dataclasses.replace(WELL, age=70), True),
        (living_with("hypertension"), True),
        (dataclasses.replace(living_with("hypertension"), age=70), False),
        (living_with("transient-ischaemic-attack"), False),
    ],
)
def test_a_triptan_is_no_choice_where_vessels_are_diseased(who: ReviewProfile, right: bool) -> None:
    attack = indications()["attack of migraine"]
    assert ("sumatriptan" in alternatives(attack, "naproxen", who)) is right


@pytest.mark.parametrize(
    ("who", "right"),
    [
        (WELL, True),
        (dataclasses.replace(WELL, drinks=True), False),
        (dataclasses.replace(WELL, history=frozenset({"alcohol dependence"})), False),
        (living_with("anorexia-nervosa"), False),
        (living_with("epilepsy"), False),
    ],
)
def test_bupropion_is_no_choice_where_fits_are_near(who: ReviewProfile, right: bool) -> None:
    depression = indications()["depression"]
    assert ("bupropion" in alternatives(depression, "sertraline", who)) is right


def test_no_tricyclic_is_a_choice_in_epilepsy_and_none_is_asked_about() -> None:
    right = alternatives(indications()["depression"], "bupropion", living_with("epilepsy"))
    assert "sertraline" in right
    assert "amitriptyline" not in right
    assert "amitriptyline" in alternatives(indications()["depression"], "bupropion", WELL)
    (risk,) = condition_risks("amitriptyline", ["epilepsy"]).values()
    assert risk.actions == ("none", "avoid")
    asked = {(one.drug.drug, one.condition) for one in candidates("condition")}
    assert ("amitriptyline", "epilepsy") not in asked


def test_who_drinks_heavily_is_known_to_the_judge() -> None:
    patient = review_patient({"seed": 7, "condition": "osteoarthritis", "split": "dev"})
    for habits in ((), ("alcohol",)):
        person = dataclasses.replace(patient.person, habits=habits)
        assert profile_of(dataclasses.replace(patient, person=person)).drinks is bool(habits)


def test_every_drug_and_condition_of_the_table_is_known() -> None:
    facts = load()
    assert listed_conditions() <= facts.conditions.keys()
    for rule in condition_rules():
        for ref in rule.drugs:
            group = ref.removeprefix(CLASS)
            assert group in facts.drug_classes if group != ref else ref in facts.drugs, ref


@pytest.mark.parametrize("split", get_args(Split))
def test_letters_have_words_for_every_condition_of_the_table(split: Split) -> None:
    assert listed_conditions() <= phrasebook.condition_words().keys()
    pools = phrasebook.phrases_of(split)
    for one in listed_conditions():
        assert all(f"{kind}.{one.replace('-', '_')}" in pools for kind in ("topic", "task")), one


@pytest.mark.parametrize(
    ("drug", "condition"),
    [("naproxen", "peptic-ulcer-disease"), ("amitriptyline", "acute-angle-closure-glaucoma")],
)
def test_what_is_over_still_forbids_a_drug(drug: str, condition: str) -> None:
    (risk,) = condition_risks(drug, [condition]).values()
    assert risk.actions == ("avoid",)
    assert not condition_risks("paracetamol", [condition])


def test_asthma_turns_the_verdict_on_a_beta_blocker() -> None:
    assert problems(BISOPROLOL, WELL) == []
    asthma = living_with("asthma")
    assert problems(BISOPROLOL, asthma) == [("condition", "major")]
    assert verdict_of(find_problems(BISOPROLOL, ANGINA, asthma)) == "do not start"
    assert problems(BISOPROLOL, living_with("chronic-obstructive-pulmonary-disease")) == []


def test_the_gravest_rule_holds_once() -> None:
    carvedilol = Regimen("carvedilol", 3.125, "mg", 2)
    both = living_with("asthma", "heart-failure-with-reduced-ejection-fraction")
    assert problems(carvedilol, both) == [("condition", "contraindicated")]


def test_an_alternative_suits_the_condition_too() -> None:
    weak = living_with("heart-failure-with-reduced-ejection-fraction")
    assert not {"verapamil", "diltiazem"} & {*alternatives(ANGINA, "ranolazine", weak)}


def test_nothing_is_prescribed_that_a_condition_forbids() -> None:
    taken = (Taken(Regimen("methyldopa", 250, "mg", 3)),)
    assert go_together(dataclasses.replace(WELL, medicines=taken, weeks=20))
    low = living_with("major-depressive-disorder")
    assert not go_together(dataclasses.replace(low, medicines=taken, weeks=20))


def test_what_is_for_pregnancy_alone_is_given_to_nobody_else() -> None:
    pressure = indications()["hypertension"]
    assert "methyldopa" in alternatives(pressure, "ramipril", dataclasses.replace(WELL, weeks=20))
    assert "methyldopa" not in alternatives(pressure, "ramipril", WELL)


@pytest.mark.parametrize("child_pugh", ["A", "B", "C"])
def test_no_alternative_of_a_cirrhosis_injures_the_liver(child_pugh: ChildPugh) -> None:
    ill = dataclasses.replace(living_with("cirrhosis"), child_pugh=child_pugh)
    assert not {"labetalol", "methyldopa"} & {*alternatives(
        indications()["hypertension"], "ramipril", dataclasses.replace(ill, weeks=20))}  # fmt: skip
    assert "venlafaxine" not in alternatives(indications()["anxiety"], "sertraline", ill)
    assert "ranolazine" not in alternatives(ANGINA, "metoprolol", ill)


def check(**arguments: Any) -> Any:
    env = unwrap(gym.make("clinic/DrugInteraction-v0", split="dev"))
    tool = Toolbox(env.domain.tools).get("check_conditions")
    assert tool is not None
    return tool.call(arguments, env.domain.open_case(env.tasks[0]))


def test_the_tool_answers_what_it_is_asked() -> None:
    told = check(drug="Inderal", conditions=["Asthma", "migraine"])["drugs"][0]
    assert [(one["condition"], one["severity"]) for one in told["rules"]] == [
        ("Asthma", "contraindicated")
    ]
    assert check(drug="amlodipine", conditions=["asthma"])["drugs"][0]["rules"] == "none applies"
    told = check(drug="alendronate", conditions=["gastro-oesophageal reflux disease"])["drugs"][0]
    assert [one["rule"] for one in told["rules"]] == ["no choice in this condition"]
    with pytest.raises(ToolError, match="No condition 'nonsense'"):
        check(drug="amlodipine", conditions=["nonsense"])


@pytest.fixture(scope="module")
def made() -> MadeTask:
    tried = (make(TaskDraft(seed=seed, label="condition", split="train")) for seed in range(9, 20))
    return next(one for one in tried if one is not None)


def test_a_task_asks_for_the_condition_and_the_condition_is_on_record(made: MadeTask) -> None:
    assert made.gold["problems"][0]["kind"] == "condition"
    drug = made.record["question"]["drug"]
    named = [one["finding"] for one in made.gold["cite"] if "condition:" in one["finding"]]
    assert condition_risks(drug, [one.removeprefix("condition:") for one in named])
    name = load().drugs[drug].name.lower()
    text = f"The condition check of {name} was made and followed."
    assert text in [one["text"] for one in made.gold["assertions"]]
    assert "condition" not in made.gold  # what the patient was drawn for decides nothing


def test_the_twin_without_the_condition_is_right_as_it_stands(made: MadeTask) -> None:
    edits = twin_of(made, "turns", Random(1))
    assert edits is not None
    record = {**made.record, "edit": [*made.record["edit"], *edits]}
    lived = {one.condition for one in review_patient(record).background}
    assert not condition_risks(made.record["question"]["drug"], lived)


def test_what_does_no_harm_beside_a_listed_condition() -> None:
    label, kind = "nothing, allergy or condition", "nothing, condition"
    seed = next(seed for seed in count(3) if kind_of(label, seed) == kind)
    made = make(TaskDraft(seed=seed, label=label, split="test"))
    assert made is not None
    assert made.gold["problems"] == []
    lived = {one.condition for one in review_patient(made.record).background}
    assert lived & listed_conditions()


def test_sentences_of_a_ticket_start_with_a_capital_and_names_inside_do_not(
    made: MadeTask,
) -> None:
    patient = open_world(made.record).patient
    for seed in range(12):
        text = ticket_of(made.record, dataclasses.replace(patient, seed=seed))
        assert "from The" not in text
        assert "prescriber The" not in text
        assert ". the " not in text
        assert text[0].isupper()


@pytest.mark.parametrize(("drug", "condition"), [
    ("sumatriptan", "stable-angina-pectoris"), ("ergotamine", "stable-angina-pectoris"),
    ("diclofenac", "stable-angina-pectoris"), ("pseudoephedrine", "hypertension"),
    ("pseudoephedrine", WEAK), ("pseudoephedrine", "atrial-fibrillation"),
    ("pseudoephedrine", "benign-prostatic-hyperplasia"),
    ("dronedarone", "heart-failure-with-reduced-ejection-fraction"),
    ("domperidone", "heart-failure-with-preserved-ejection-fraction"),
    ("combined-oral-contraceptive", "hypertension"), ("amitriptyline", "alzheimer-disease"),
])  # fmt: skip
def test_heart_vessels_and_brain_forbid_drugs(drug: str, condition: str) -> None:
    (risk,) = condition_risks(drug, [condition, "gout"]).values()
    assert risk.actions == ("avoid",)


G6PD = "glucose-6-phosphate-dehydrogenase-deficiency"


def test_a_deficiency_of_g6pd_forbids_some_drugs_and_leaves_others_open() -> None:
    lacking, cystitis = living_with(G6PD), indications()["cystitis"]
    nitrofurantoin = cystitis.options[0]
    found = find_problems(nitrofurantoin, cystitis, lacking)
    assert [(one.kind, one.severity) for one in found] == [("condition", "contraindicated")]
    assert not find_problems(nitrofurantoin, cystitis, WELL)
    instead = alternatives(cystitis, "nitrofurantoin", lacking)
    assert {*instead} == {"pivmecillinam", "cefalexin", "amoxicillin-clavulanate"}
    assert excluded("gliclazide", lacking)
    assert not excluded("gliclazide", WELL)


def test_nobody_is_drawn_with_what_only_a_task_puts_on_record() -> None:
    assert not load().conditions[G6PD].drawn
    assert all(one.drawn for key, one in load().conditions.items() if key != G6PD)


def test_a_deficiency_of_g6pd_is_asked_about() -> None:
    asked = {(one.drug.drug, one.condition) for one in candidates("condition")}
    assert ("nitrofurantoin", G6PD) in asked
    assert ("sumatriptan", "stable-angina-pectoris") in asked


@pytest.mark.parametrize("split", get_args(Split))
def test_letters_have_advice_on_all_that_a_medicine_at_home_is_for(split: Split) -> None:
    reasons = {one.reason for rows in home_regimens().values() for one in rows}
    known = {one.replace("-", "_") for one in reasons & load().conditions.keys()}
    pools = phrasebook.phrases_of(split)
    lacking = {f"{kind}.{one}" for one in known for kind in ("topic", "task")} - pools.keys()
    assert known
    assert not lacking
