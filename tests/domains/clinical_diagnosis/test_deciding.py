"""What decides between conditions: known, telling, and so in the patient at hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from gym_clinic.clinical.differential import ELSEWHERE, finding_rates
from gym_clinic.clinical.rehearsal import Plan
from gym_clinic.clinical.tasks import TaskDraft, seed_of
from gym_clinic.clinical.world import ClinicWorld, open_world
from gym_clinic.domains.clinical_diagnosis import deciding, evidence
from gym_clinic.domains.clinical_diagnosis.deciding import (
    NOT,
    READ,
    Decision,
    decisions,
    discriminators,
    moves,
    order_of,
    read_entry,
    telling_keys,
)
from gym_clinic.domains.clinical_diagnosis.evidence import (
    dangerous_look_alikes,
    decisive_facts,
    excluding_keys,
    look_alikes,
    possible_look_alikes,
)
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE
from gym_clinic.domains.clinical_diagnosis.plan import reference_plan
from gym_clinic.domains.clinical_diagnosis.tasks import conditions, make_task, try_plan
from gym_clinic.facts import load

UNSPECIFIC = {"lab:crp", "lab:esr", "lab:ldl", "lab:ggt", "lab:lactate", "lab:triglycerides",
              "lab:wbc", "lab:procalcitonin", "study:chest-x-ray", "study:faecal-calprotectin",
              "study:toxicology-screen"}  # fmt: skip
"""What is abnormal in many diseases and decides only where it is the test of reference."""


@cache
def world_of(condition: str) -> ClinicWorld:
    for number in range(20):
        made = make_task(TaskDraft(condition, seed_of("dev", number), "dev"))
        if made is not None:
            return open_world(made.record)
    raise AssertionError(f"no task of {condition}")


def without_study(world: ClinicWorld, study: str) -> ClinicWorld:
    """The same patient, in whom the study shows nothing."""
    problem = world.patient.problems[0]
    report = problem.studies[study]._replace(shows=False)
    changed = replace(problem, studies={**problem.studies, study: report})
    patient = replace(world.patient, problems=(changed, *world.patient.problems[1:]))
    return replace(world, patient=patient)


def test_every_condition_has_what_decides() -> None:
    assert set(discriminators()) == set(conditions())


def test_every_entry_is_known_and_its_condition_makes_it_so() -> None:
    facts, wrong = load(), []
    for name, entries in discriminators().items():
        condition = facts.conditions[name]
        shown = {
            f"study:{one.study}": any(each.shows for each in one.results)
            for one in condition.studies
        } | {f"site:{one.site}": True for one in condition.signs if one.abnormal != "neither"}
        for way in entries.by:
            wrong += [(name, one) for one in way.forms if one not in condition.variants]
        for entry in (*entries.entries, *entries.sought):
            key, present = read_entry(facts, entry)
            kind, _, of = key.partition(":")
            if not present:
                continue
            if kind in ("lab", "vital"):
                holds = any(moves(one, facts, of) for one in condition.forms())
            elif kind == "told":
                holds = finding_rates()[name].get(of, 0.0) > ELSEWHERE
            elif kind == "habit":
                holds = any(one.factor == of and one.share > 0.5 for one in condition.risks)
            else:
                holds = shown.get(key, False)
            if not holds:
                wrong.append((name, entry))
    assert wrong == []


def test_every_test_that_decides_can_be_had() -> None:
    """A key that no call obtains would be an entry without effect."""
    facts = load()
    for name, entries in discriminators().items():
        for entry in (*entries.entries, *entries.sought):
            kind, _, of = read_entry(facts, entry)[0].partition(":")
            if kind == "lab":
                assert order_of(facts, of) is not None, (name, entry)
            assert kind != "lab" or facts.measurements[of].kind != "vital", (name, entry)


def test_a_known_illness_is_not_found_again_and_its_attack_is() -> None:
    facts = load()
    for name, entries in discriminators().items():
        told_apart = [one for one in entries.by if one.known is not None]
        assert not told_apart or facts.conditions[name].lived_with_before is not None, name
        assert any(one.known is not True for one in entries.by), name
        assert any(one.known is not False for one in entries.by), name


def test_addison_disease_that_is_known_is_not_tested_under_hydrocortisone() -> None:
    found = {True: False, False: False}
    for number in range(30):
        made = make_task(TaskDraft("addison-disease", seed_of("dev", number), "dev"))
        if made is None:
            continue
        world = open_world(made.record)
        known = "addison-disease" in {one.condition for one in world.patient.background}
        keys = {one.key for each in decisions(world) for one in each}
        assert known is not bool(keys & {"study:short-synacthen-test", "lab:cortisol"})
        found[known] = True
        if all(found.values()):
            return
    raise AssertionError(found)


def test_a_hypoglycaemia_is_measured_at_the_bedside_before_glucose_is_given() -> None:
    made = make_task(TaskDraft("hypoglycaemia", seed_of("dev", 1), "dev"))
    assert made is not None
    calls = [(one["name"], one["arguments"]) for batch in made.gold["plan"] for one in batch]
    assert calls.index(("order_lab", {"tests": ["glucometer"]})) < min(
        number for number, (name, _) in enumerate(calls) if name == "give_medication"
    )
    assert "vital:glucometer" in made.gold["read"]


def test_look_alikes_are_those_that_the_patient_may_have() -> None:
    """The mutation: all look-alikes of the condition, which a child may not have."""
    world = world_of("pulmonary-tuberculosis")
    child = replace(world.patient.person, age=1.3)
    young = replace(world, patient=replace(world.patient, person=child))
    condition = load().conditions["pulmonary-tuberculosis"]
    assert "lung-cancer" in look_alikes(load(), condition)
    assert not {"lung-cancer", "chronic-obstructive-pulmonary-disease"} & {
        *possible_look_alikes(young)
    }
    assert possible_look_alikes(young)


def test_an_unknown_entry_is_refused() -> None:
    with pytest.raises(KeyError):
        read_entry(load(), "study:crystal-ball")


def test_what_is_abnormal_in_many_diseases_decides_only_as_the_test_of_reference() -> None:
    facts, wrong = load(), []
    for name, entries in discriminators().items():
        first = facts.conditions[name].work_up[:1]
        for together in entries.by:
            if together.known:
                continue
            counts = [one for one in together.facts if not one.startswith((NOT, READ))]
            telling = [one for one in counts if one not in UNSPECIFIC]
            if counts and not telling and not any(one.partition(":")[2] in first for one in counts):
                wrong.append((name, together.facts))
    assert wrong == []


def test_where_one_fact_is_not_enough_two_are_needed() -> None:
    for name in (
        "acute-myocardial-infarction", "anaphylaxis", "ascending-cholangitis", "panic-disorder",
        "diabetic-ketoacidosis", "heart-failure-with-reduced-ejection-fraction", "preeclampsia",
        "heat-stroke", "phaeochromocytoma", "sepsis", "viral-encephalitis", "acute-pyelonephritis",
        "transient-ischaemic-attack",
    ):  # fmt: skip
        assert all(len(one.facts) > 1 or one.forms for one in discriminators()[name].by), name


def test_what_the_ticket_tells_is_left_out_of_what_is_needed() -> None:
    world = world_of("acute-pyelonephritis")
    whole = [one for one in decisions(world) if {"lab:urine_wbc", "site:back"} == keys_of(one)]
    quoted = replace(world, readings={**world.readings, "temp_c": 39.2})
    assert {"lab:urine_wbc"} in map(keys_of, decisions(quoted))
    assert whole == [
        one for one in decisions(quoted) if keys_of(one) == {"lab:urine_wbc", "site:back"}
    ]


def test_a_denial_decides_whether_or_not_the_talk_plans_it(monkeypatch: pytest.MonkeyPatch) -> None:
    blood = f"told:{load().finding_ids['Bloody diarrhea']}"
    records = [
        {"seed": seed_of("dev", number), "condition": "viral-gastroenteritis", "split": "dev"}
        for number in range(12)
    ]
    worlds = [open_world(one) for one in records]

    def asked() -> int:
        return sum(any(blood in keys_of(it) for it in decisions(one)) for one in worlds)

    assert asked() == len(worlds)
    monkeypatch.setattr(deciding, "denied_when_asked", lambda *_: False)
    assert asked() < len(worlds)


def keys_of(decision: Decision) -> set[str]:
    return {one.key for one in decision}


@pytest.mark.parametrize(
    ("condition", "test"),
    [
        ("bacterial-meningitis", "lumbar-puncture"),
        ("spontaneous-bacterial-peritonitis", "ascitic-tap"),
        ("septic-arthritis", "joint-aspiration"),
        ("colorectal-cancer", "colonoscopy"),
    ],
)
def test_an_invasive_test_of_reference_decides_and_is_done_with_consent(
    condition: str, test: str
) -> None:
    world = world_of(condition)
    deciding = decisions(world)
    assert keys_of(deciding[0]) == {f"study:{test}"}
    plan = reference_plan(world, decisive_facts(world, deciding[0]), ())
    calls = [one for batch in plan for one in batch]
    names = [arguments.get("treatment") or arguments.get("study") for _, arguments in calls]
    assert names.index(test) == next(
        number for number, (name, _) in enumerate(calls) if name == "obtain_consent"
    )
    assert ("order_study", {"study": test}) in calls[names.index(test) + 1 :]


def test_a_test_of_reference_that_shows_nothing_decides_nothing() -> None:
    world = world_of("colorectal-cancer")
    assert {"study:colonoscopy"} in map(keys_of, decisions(world))
    changed = without_study(world, "colonoscopy")
    left = decisions(changed)
    assert {"study:colonoscopy"} not in map(keys_of, left)
    cited = [one for each in left for one in decisive_facts(changed, each)]
    assert not [one for one in cited if one.key == "study:colonoscopy"]


def test_signs_decide_where_a_test_must_not_be_waited_for() -> None:
    for name in ("tension-pneumothorax", "anaphylaxis", "croup", "postpartum-haemorrhage"):
        assert discriminators()[name].by[0].facts[0].startswith("site:"), name


def test_an_abnormal_sign_of_the_patients_own_condition_excludes_nothing() -> None:
    facts = load()
    assert "site:chest" in telling_keys(facts, facts.conditions["asthma"], "anaphylaxis")
    keys = excluding_keys(world_of("asthma"), "anaphylaxis")
    assert "site:chest" not in keys
    assert "site:ears nose throat" in keys


def test_what_two_conditions_raise_excludes_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of("hyperemesis-gravidarum")
    keys = excluding_keys(world, "diabetic-ketoacidosis")
    assert "lab:glucose" in keys
    assert "lab:ketones" not in keys
    monkeypatch.setattr(evidence, "changed_alike", lambda *_: False)
    assert "lab:ketones" in excluding_keys(world, "diabetic-ketoacidosis")


def test_all_facts_of_a_decision_have_to_be_read_and_cited() -> None:
    drafts = (TaskDraft("pneumonia", seed_of("dev", number), "dev") for number in range(40))
    for made in filter(None, map(make_task, drafts)):
        gold = made.gold
        (asserted,) = (one for one in gold["assertions"] if one["check"] == "decided")
        if min(map(len, asserted["any_of"])) > 1:
            break
    plan = [[(one["name"], one["arguments"]) for one in batch] for batch in gold["plan"]]

    def holds(batches: Plan, cited: list[dict[str, object]]) -> bool:
        answer = {**gold["answer"], "cited_findings": cited}
        return try_plan(made.record, batches).judged(JUDGE, gold, answer).held(asserted)

    def perfect(batches: Plan, answer: dict[str, object]) -> bool:
        return try_plan(made.record, batches).judged(JUDGE, gold, answer).perfect

    chosen = max((one for one in asserted["any_of"] if holds(plan, one)), key=len)
    assert len(chosen) > 1
    assert perfect(plan, gold["answer"])
    assert not perfect(plan, {**gold["answer"], "disposition": "home"})
    assert not perfect(plan[1:], gold["answer"])
    assert not perfect(
        [*plan, [("order_study", {"study": "ct-abdomen-pelvis"})] * 9], gold["answer"]
    )
    assert not holds(plan, [{**chosen[0], "present": not chosen[0]["present"]}, *chosen[1:]])
    assert [one for one in asserted["any_of"] if one == chosen[:1]] or not holds(plan, chosen[:1])
    assert not holds(plan, [{"finding": "crp", "present": True}])
    assert not holds(plan[:1], chosen)


@pytest.mark.parametrize("condition", ["mesenteric-ischaemia", "peptic-ulcer-disease"])
def test_no_further_test_is_asked_for_beside_one_that_leaves_no_doubt(condition: str) -> None:
    for seed in range(6):
        world = open_world({"seed": seed, "condition": condition})
        for decision in decisions(world)[:1]:
            facts = decisive_facts(world, decision)
            beside = {one.key for one in facts if one not in decision} - {evidence.PREGNANCY_TEST}
            assert not [one for one in beside if one.startswith(("lab:", "study:"))]


def test_potassium_and_ecg_are_to_be_known_in_anorexia() -> None:
    for seed in range(4):
        world = open_world({"seed": seed, "condition": "anorexia-nervosa"})
        facts = decisive_facts(world, decisions(world)[0])
        groups = evidence.instead(world, facts, decisions(world))
        needed = {one.key for one in facts if one.key in ("lab:k", "study:ecg")}
        assert "study:ecg" in needed
        assert not needed & {key for one in groups for key in one["keys"]}  # nothing replaces them


def test_what_settles_is_among_what_decides() -> None:
    for condition, one in discriminators().items():
        assert {*one.settled_by} <= {*one.entries}, condition


def test_a_virus_does_not_tell_two_illnesses_that_it_causes_apart() -> None:
    facts = load()
    for one, other in (("varicella", "herpes-zoster"), ("herpes-zoster", "varicella")):
        assert "study:varicella-zoster-pcr" not in telling_keys(facts, facts.conditions[one], other)


def test_of_a_faint_the_look_alike_to_exclude_is_not_the_most_far_fetched() -> None:
    assert dangerous_look_alikes(world_of("vasovagal-syncope")) == ("epilepsy",)
    facts = load()
    for name, one in discriminators().items():
        assert {*one.excludes} <= {*look_alikes(facts, facts.conditions[name])}, name


def test_a_faint_and_a_near_faint_decide_alike() -> None:
    sets = [one.facts for one in discriminators()["vasovagal-syncope"].by]
    assert ("told:Syncope", "not study:ecg") in sets
    assert ("told:Presyncope", "not study:ecg") in sets


def test_an_osteoarthritis_is_found_without_an_x_ray() -> None:
    first, *_ = decisions(world_of("osteoarthritis"))
    assert "site:joints" in keys_of(first)
    assert not any(key.startswith("study:") for key in keys_of(first))
