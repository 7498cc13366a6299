"""Findings of a pharmacist: what is no better instead, what is left open, and what is no harm."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.checks.conditions import condition_risks
from gym_clinic.domains.drug_interaction.checks.formulary import (
    ChildPugh,
    Regimen,
    bought,
    hepatic_rules,
    higher_doses,
    indications,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import may_be_beside
from gym_clinic.domains.drug_interaction.checks.instead import alternatives, harm_of
from gym_clinic.domains.drug_interaction.checks.problems import (
    ReviewProfile,
    Taken,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import allergy_risk, hepatic_risk, pair_risk
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.lists.review import list_holds_together, list_problems
from gym_clinic.domains.drug_interaction.lists.stopping import leaves_untreated, taken_for
from gym_clinic.domains.drug_interaction.naming import problems_score
from gym_clinic.domains.drug_interaction.plausibility import plausible
from gym_clinic.domains.drug_interaction.rewards import JUDGE
from gym_clinic.domains.drug_interaction.ticket import dose_in_words
from gym_clinic.domains.drug_interaction.tools.patient_checks import (
    BY_USE,
    check_older_adult,
    check_renal_dose,
    get_drug_information,
)
from gym_clinic.domains.drug_interaction.tools.product_checks import check_maximum_dose
from gym_clinic.domains.drug_interaction.tools.record import read_laboratory_results
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.episode import Episode, Task
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.telling.disclosure import confusions

WELL = ReviewProfile(age=50, female=False, weight_kg=80, egfr=95, crcl=100)
HFREF = "heart-failure-with-reduced-ejection-fraction"
FATTY = "metabolic-dysfunction-associated-steatotic-liver-disease"
QUESTION = {"drug": "amoxicillin", "dose": 500, "unit": "mg", "per_day": 3, "route": "po",
            "indication": "Lyme disease"}  # fmt: skip


def taking(*drugs: str, **other: Any) -> ReviewProfile:
    taken = tuple(Taken(Regimen(one, 5, "mg", 1), days=40) for one in drugs)
    return dataclasses.replace(WELL, medicines=taken, **other)


def review(*edits: dict[str, Any], seed: int = 7, **question: Any) -> dict[str, Any]:
    shown = {"kind": "shown", "documents": ["letter"], "egfr": True}
    return {"seed": seed, "condition": "osteoarthritis", "split": "train",
            "question": {**QUESTION, **question}, "edit": [*edits, shown]}  # fmt: skip


@pytest.mark.parametrize(
    ("drug", "other", "severity", "actions"),
    [
        ("clozapine", "carbimazole", "major", ("avoid",)),
        ("clozapine", "thiamazole", "major", ("avoid",)),
        ("itraconazole", "famotidine", "moderate", ("avoid",)),
        ("itraconazole", "calcium-carbonate", "moderate", ("change",)),
        ("ferrous-sulfate", "aluminium-hydroxide", "moderate", ("change",)),
        ("levodopa", "ferrous-sulfate", "moderate", ("change",)),
        ("hydroxychloroquine", "aluminium-hydroxide", "moderate", ("change",)),
        ("citalopram", "cimetidine", "moderate", ("change",)),
        ("amitriptyline", "pimozide", "contraindicated", ("avoid",)),
        ("fluticasone-salmeterol", "clarithromycin", "major", ("avoid",)),
        ("formoterol-budesonide", "ritonavir", "major", ("avoid",)),
        ("phenelzine", "salbutamol", "moderate", ("change",)),
        ("bictegravir-emtricitabine-tenofovir", "ferrous-sulfate", "moderate", ("change",)),
        ("bictegravir-emtricitabine-tenofovir", "carbamazepine", "major", ("avoid",)),
        ("clozapine", "diazepam", "major", ("avoid", "change")),
        ("clonidine", "mirtazapine", "moderate", ("change",)),
        ("clonidine", "amitriptyline", "moderate", ("change",)),
        ("zolpidem", "clarithromycin", "moderate", ("change",)),
        ("valproate", "pivmecillinam", "major", ("avoid",)),
        ("trazodone", "st-johns-wort", "major", ("avoid",)),
        ("nortriptyline", "st-johns-wort", "major", ("avoid",)),
    ],
)
def test_interactions_that_were_missing(
    drug: str, other: str, severity: str, actions: tuple[str, ...]
) -> None:
    risk = pair_risk(drug, other)
    assert risk is not None
    assert (risk.severity, risk.actions) == (severity, actions)


def test_a_strong_inhibitor_asks_for_less_of_the_drug_that_it_raises() -> None:
    risk = pair_risk("zolpidem", "clarithromycin")
    assert risk is not None
    assert [(one.kind, one.drugs) for one in risk.remedies] == [("dose", frozenset({"zolpidem"}))]


def test_two_drugs_that_raise_serotonin_are_an_interaction_not_a_duplicate() -> None:
    sleepless = indications()["sleeplessness"]
    trazodone = next(one for one in sleepless.options if one.drug == "trazodone")
    found = find_problems(trazodone, sleepless, taking("st-johns-wort"))
    assert [one.kind for one in found if one.matters] == ["interaction"]


def test_nortriptyline_beside_st_johns_wort_is_an_interaction_not_a_duplicate() -> None:
    pain = indications()["pain after shingles"]
    nortriptyline = next(one for one in pain.options if one.drug == "nortriptyline")
    (problem,) = [one for one in find_problems(nortriptyline, pain, taking("st-johns-wort"))
                  if one.matters]  # fmt: skip
    assert (problem.kind, problem.severity) == ("interaction", "major")


def test_an_acid_blocker_instead_is_as_bad_beside_itraconazole() -> None:
    assert alternatives(indications()["reflux"], "omeprazole", taking("itraconazole")) == []


def test_a_medicine_against_pain_is_not_replaced_by_what_sedates_alike() -> None:
    pain = Taken(Regimen("amitriptyline", 25, "mg", 1), reason="multiple-sclerosis", days=400)
    assert taken_for(pain) is None
    itself = Taken(Regimen("tizanidine", 4, "mg", 3), reason="multiple-sclerosis", days=400)
    found = taken_for(itself)
    assert found is not None
    assert found.name == "spasticity"


def test_a_weak_heart_gets_a_beta_blocker_that_is_proven() -> None:
    weak = dataclasses.replace(WELL, conditions=frozenset({HFREF}))
    rate = indications()["atrial fibrillation, rate"]
    found = alternatives(rate, "digoxin", weak)
    assert "bisoprolol" in found
    assert not {"propranolol", "metoprolol"} & {*found}
    for drug in ("propranolol", "atenolol"):
        assert [one.severity for one in condition_risks(drug, [HFREF]).values()] == ["moderate"]
    assert not condition_risks("carvedilol", [HFREF])


def test_migraine_may_go_without_prevention_and_a_fatty_liver_without_valproate() -> None:
    taken = (
        Taken(Regimen("propranolol", 40, "mg", 2), reason="migraine", days=400),
        Taken(Regimen("salbutamol", 100, "mcg", 2), reason="asthma", days=400),
    )
    who = dataclasses.replace(WELL, medicines=taken, conditions=frozenset({"asthma", "migraine"}))
    problems = [one for one in list_problems(who) if one.matters]
    assert problems
    assert not leaves_untreated(who, problems)
    assert [one.severity for one in condition_risks("valproate", [FATTY]).values()] == ["moderate"]


@pytest.mark.parametrize("drug", ["duloxetine", "methotrexate", "terbinafine", "itraconazole"])
def test_an_inflamed_liver_forbids_what_injures_it(drug: str) -> None:
    assert [one.severity for one in condition_risks(drug, ["hepatitis-b"]).values()] == ["major"]


def with_lab(patient: ClinicPatient, name: str, value: float) -> ClinicPatient:
    factor = value / patient.state(0)[name]
    healthy = {**patient.healthy, name: patient.healthy[name] * factor}
    return dataclasses.replace(patient, healthy=healthy)


@pytest.mark.parametrize(("name", "value"), [("k", 3.3), ("k", 5.4), ("alt", 300)])
def test_a_value_that_asks_for_something_is_not_beside_nothing(name: str, value: float) -> None:
    record = review()
    patient = review_patient(record)
    assert plausible(record, patient)
    assert not plausible(record, with_lab(patient, name, value))


def test_apixaban_near_a_lower_dose_is_on_no_list_and_the_tool_tells_the_rule() -> None:
    drugs = ("amlodipine", "atorvastatin", "paracetamol", "apixaban")
    assert list_holds_together(taking(*drugs, age=84))
    assert not list_holds_together(taking(*drugs, age=84, weight_kg=58))
    told = check_renal_dose.call(
        {"drug": "apixaban", "egfr": 90}, open_case(Task("t", review(), {}))
    )
    assert "age>=80" in str(told)


@pytest.mark.parametrize("allergen", ["class:nsaid", "class:non-aspirin-nsaid", "naproxen"])
def test_an_allergy_to_a_class_leaves_open_what_that_to_a_member_does(allergen: str) -> None:
    for drug in ("celecoxib", "meloxicam"):
        risk = allergy_risk(drug, allergen, "rash")
        assert risk is not None
        assert risk.actions == ("none", "avoid")
    for drug in ("diclofenac", "ibuprofen"):
        risk = allergy_risk(drug, allergen, "rash")
        assert risk is not None
        assert risk.actions == ("avoid",)


def test_doxazosin_for_the_prostate_is_not_judged_as_one_for_pressure() -> None:
    def found(reason: str) -> list[str]:
        taken = (Taken(Regimen("doxazosin", 2, "mg", 1), reason=reason, days=400),)
        who = dataclasses.replace(WELL, age=76, medicines=taken)
        return [one.kind for one in list_problems(who) if one.matters]

    assert found("benign-prostatic-hyperplasia") == []
    assert found("hypertension") == ["older adult"]


def test_no_higher_dose_is_above_the_usual_start() -> None:
    assert "celecoxib" not in higher_doses()


@pytest.mark.parametrize(("ended", "asked"), [("fluoxetine", True), ("amlodipine", False)])
def test_a_washout_is_looked_up_only_where_there_is_one(ended: str, asked: bool) -> None:
    edit = {"kind": "ended", "drug": ended, "days": 45, "for": "depression", "told": "list"}
    record = review(edit, drug="phenelzine", dose=15, indication="depression")
    gold = gold_of(record, review_patient(record))
    assert (f"lookup:washout:{ended}" in gold["read"]) is asked


def test_a_value_outside_the_limits_has_a_flag() -> None:
    edits = ({"kind": "lives with", "condition": "chronic-kidney-disease", "years": 6},
             {"kind": "kidneys", "creatinine": 3.2})  # fmt: skip
    told = read_laboratory_results.call({}, open_case(Task("t", review(*edits), {})))
    flags = {one["test"]: one.get("flag") for one in told["results"]}
    assert flags["creatinine"] == "high"
    plain = read_laboratory_results.call({}, open_case(Task("t", review(), {})))
    assert {one["test"]: one.get("flag") for one in plain["results"]}["creatinine"] is None


def judged(gold: list[dict[str, Any]], stated: list[dict[str, Any]]) -> JudgedEpisode:
    take = {"kind": "take", "drug": "sertraline", "dose": 50, "unit": "mg", "per_day": 1,
            "for": "major-depressive-disorder"}  # fmt: skip
    record = review(take, drug="mirtazapine", dose=15, per_day=1, indication="depression")
    task = Task("t", record, {"problems": gold, "extras": []})
    answer = {"verdict": "do not start", "problems": stated, "plan": {}, "cited_findings": []}
    return JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))


@pytest.mark.parametrize(
    ("wanted", "stated", "severity", "score"),
    [
        ("duplicate", ["duplicate"], "moderate", 1.0),
        ("duplicate", ["duplicate"], "major", 0.5),
        ("duplicate", ["interaction"], "moderate", 1.0),  # the tables grade it so
        ("duplicate", ["interaction"], "major", 0.5),
        ("interaction", ["interaction"], "major", 0.5),
        ("interaction", ["duplicate"], "moderate", 0.5),
        ("interaction", ["duplicate", "interaction"], "moderate", 1.0),
        ("duplicate", ["interaction", "duplicate"], "moderate", 1.0),
    ],
)
def test_two_drugs_that_are_alike_may_be_said_to_interact(
    wanted: str, stated: list[str], severity: str, score: float
) -> None:
    def problem(kind: str, grade: str = severity) -> dict[str, Any]:
        return {"kind": kind, "drugs": ["mirtazapine", "sertraline"], "severity": grade}

    gold, named = [problem(wanted, "moderate")], [problem(one) for one in stated]
    assert problems_score(judged(gold, named)) == score


@pytest.mark.parametrize("kind", ["renal", "hepatic"])
def test_a_failing_organ_may_be_said_to_be_a_condition(kind: str) -> None:
    def problem(kind: str) -> dict[str, Any]:
        return {"kind": kind, "drugs": ["mirtazapine"], "severity": "moderate"}

    assert problems_score(judged([problem(kind)], [problem("condition")])) == 0.5
    assert problems_score(judged([problem(kind)], [problem(kind), problem("condition")])) == 1.0
    assert problems_score(judged([problem(kind)], [problem("allergy")])) == 0.0


def test_the_harm_of_another_drug_is_that_of_its_problem() -> None:
    low, gout = indications()["depression"], indications()["attack of gout"]
    ill = dataclasses.replace(WELL, child_pugh="A", conditions=frozenset({"cirrhosis"}))
    assert harm_of(low, "sertraline", ill) == 0  # at a lower dose
    assert harm_of(low, "duloxetine", ill) == 3
    assert harm_of(low, "phenelzine", taking("venlafaxine")) == 4
    assert harm_of(gout, "naproxen", taking("warfarin")) == 3
    assert harm_of(gout, "unobtainium", WELL) == 0
    assert harm_of(gout, "amoxicillin", WELL) == 2
    assert harm_of(low, "moclobemide", WELL) == harm_of(low, "imipramine", WELL) == 0
    assert harm_of(low, "imipramine", taking("warfarin", "sertraline")) > 0


@pytest.mark.parametrize(
    ("drug", "actions"),
    [
        ("hydroxyzine", ("change", "change", "avoid")),
        ("sertraline", ("change", "avoid", "avoid")),
        ("sacubitril-valsartan", (None, "change", "avoid")),
        ("glibenclamide", (None, "avoid", "avoid")),
        ("lamotrigine", (None, "change", "change")),
        ("itraconazole", ("avoid", "avoid", "avoid")),
        ("ramelteon", ("none", "none", "avoid")),
    ],
)
def test_each_class_of_cirrhosis_asks_for_its_own(
    drug: str, actions: tuple[str | None, ...]
) -> None:
    grades: tuple[ChildPugh, ...] = ("A", "B", "C")
    found = [hepatic_risk(drug, one) for one in grades]
    assert tuple(one and one.actions[0] for one in found) == actions


def test_a_low_dose_of_aspirin_and_a_start_that_is_over_ask_for_nothing() -> None:
    assert hepatic_risk("aspirin", "B", 75) is None
    assert hepatic_risk("aspirin", "B", 900) is not None
    assert hepatic_risk("losartan", "A", 50) is not None
    assert hepatic_risk("losartan", "A", 50, taken=True) is None


def test_what_is_contraindicated_has_that_severity() -> None:
    for drug, rules in hepatic_rules().items():
        for rule in rules:
            risk = hepatic_risk(drug, rule.since)
            assert risk is not None
            named = rule.advice.startswith("contraindicated")
            assert (risk.severity == "contraindicated") is named, drug


def test_tools_tell_what_the_checks_go_by() -> None:
    case = open_case(Task("t", review(), {}))
    (told,) = get_drug_information.call({"drug": "cefalexin"}, case)["drugs"]
    assert told["kidneys"] == ["CrCl below 30 mL/min: reduce to 1000 mg"]
    (rated,) = get_drug_information.call({"drug": "ibuprofen"}, case)["drugs"]
    assert rated["pregnancy"] != "unknown"
    dose = check_maximum_dose.call({"drug": "flucloxacillin", "daily_dose": 2000}, case)["doses"][0]
    assert (dose["greatest dose"], dose["finding"]) == ("none in the table", "not known")


def test_a_rule_for_some_uses_is_told_where_no_use_is_given() -> None:
    def rules(**given: Any) -> list[dict[str, Any]]:
        case = open_case(Task("t", review(), {}))
        (told,) = check_older_adult.call({"drug": "celecoxib", "age": 84, **given}, case)["drugs"]
        found: list[dict[str, Any]] = told["rules"]
        return found

    assert [one["holds"] for one in rules()] == [BY_USE]
    with_use = rules(indication="osteoarthritis")
    assert with_use
    assert all("holds" not in one for one in with_use)


def test_nobody_takes_a_prescribed_medicine_for_a_bought_one() -> None:
    assert {*confusions().values()}.isdisjoint(bought())


def test_an_attack_of_migraine_is_treated_when_it_comes_and_never_with_ergotamine() -> None:
    attack = indications()["attack of migraine"]
    assert "ergotamine" not in {one.drug for one in (*attack.options, *attack.also)}
    asked = {"drug": "sumatriptan", "dose": 50, "unit": "mg", "per_day": 1, "route": "po"}
    words = {name: dose_in_words({**asked, "indication": name}) for name in indications()}
    assert words["attack of migraine"] == "sumatriptan 50 mg up to once a day by mouth"
    assert words["hypertension"] == "sumatriptan 50 mg once a day by mouth"


@pytest.mark.parametrize(("age", "named"), [(64, False), (70, True)])
def test_who_names_a_bought_nsaid_of_the_old_is_right(age: int, named: bool) -> None:
    ibuprofen = {"kind": "take", "drug": "ibuprofen", "dose": 400, "unit": "mg", "per_day": 3,
               "bought": True, "for": "aches", "days": 5}  # fmt: skip
    record = review(ibuprofen, drug="cetirizine", indication="itch")
    patient = review_patient(record)
    old = dataclasses.replace(patient, person=dataclasses.replace(patient.person, age=age))
    one = {"kind": "older adult", "drugs": ["ibuprofen"], "severity": "moderate"}
    assert (one in gold_of(record, old)["extras"]) is named


def test_a_cough_mixture_asks_for_no_laxative() -> None:
    assert may_be_beside("tramadol") == {"lactulose"}
    assert not may_be_beside("dextromethorphan")
