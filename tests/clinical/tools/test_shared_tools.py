"""The tools that every clinical domain may offer: library, references, reasoning, medicines."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic.case import Case
from gym_clinic.catalog import unwrap
from gym_clinic.chart import open_chart
from gym_clinic.clinical.differential import differential, finding_rates
from gym_clinic.clinical.naming import find_disease
from gym_clinic.clinical.tools import MEDICINES, REASONING, REFERENCES, library_tools
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from kb.build.pages.domain import clinical_ids

TOOLS = {one.name: one for one in (*REFERENCES, *REASONING, *MEDICINES)}


def call(name: str, case: Case | None = None, **arguments: Any) -> Any:
    return TOOLS[name].call(arguments, Case({}) if case is None else case)


def test_a_differential_puts_the_disease_with_these_findings_first() -> None:
    ids = load().finding_ids
    found = differential([ids["Facial palsy"]])
    assert found[0].disease in ("bell-palsy", "stroke", "transient-ischaemic-attack")


def test_a_general_finding_is_at_least_as_frequent_as_a_special_one() -> None:
    above = load().above
    for rates in finding_rates().values():
        for one, rate in rates.items():
            assert all(rates[general] >= rate for general in above[one])


def test_a_differential_depends_on_who_the_patient_is() -> None:
    patient = draw_patient(3, "acute-appendicitis")
    chart = open_chart(patient)
    listed = call("generate_ddx", chart, present=["abdominal pain", "vomiting"], limit=10)
    who = patient.person.person
    for one in listed["differential"]:
        epidemiology = load().diseases[find_disease(one)].epidemiology
        assert epidemiology is None or epidemiology.admits(who)
    assert chart.events[-1]["tool"] == "generate_ddx"


def test_a_differential_is_a_list_to_choose_from_and_no_conclusion() -> None:
    """In order of likelihood, or with fewer, the list would name the diagnosis."""
    told = ["abdominal pain", "vomiting", "anorexia"]
    listed = call("generate_ddx", present=told)["differential"]
    likely = [load().diseases[one.disease].name for one in differential(
        {load().finding_ids[one] for one in ("Abdominal pain", "Vomiting", "Anorexia")}
    )]  # fmt: skip
    assert listed == sorted(likely[: len(listed)], key=str.casefold) != likely[: len(listed)]
    similar = call("find_similar_patients", findings=told)["patients"]
    diseases = [one["diagnosis"] for one in similar]
    assert diseases == sorted(set(diseases), key=str.casefold)
    for tool, key in (("generate_ddx", "present"), ("find_similar_patients", "findings")):
        with pytest.raises(ToolError, match="expected 5 to 10"):
            call(tool, **{key: told}, limit=1)


def test_a_differential_is_of_what_the_findings_fit_or_is_mistaken_for_it() -> None:
    listed = call("generate_ddx", present=["Scrotal pain", "Scrotal swelling"])["differential"]
    assert {"Testicular torsion", "Epididymitis"} <= {*listed}
    assert {"Anaphylaxis", "Asthma", "Acute bronchitis"}.isdisjoint(listed)


def test_findings_that_nobody_understands_are_an_error() -> None:
    with pytest.raises(ToolError, match="name_findings"):
        call("generate_ddx", present=["qwxyz"])


def test_a_guideline_is_found_by_disease_and_by_topic() -> None:
    assert call("get_guideline", topic="PE")["disease"] == "Pulmonary embolism"
    topic = next(iter(load().guidelines.values())).topic
    assert call("get_guideline", topic=topic)["topic"] == topic


def test_look_alikes_are_told_apart_by_what_the_table_states() -> None:
    told = call("compare_diagnoses", first="pulmonary embolism", second="pneumonia")
    assert {one["test"] for one in told["distinctions"]} >= {"ct-pulmonary-angiogram"}
    pair = call("compare_diagnoses", first="myocardial infarction", second="aortic dissection")
    tearing = [one for one in pair["distinctions"] if "tearing pain" in one["by"]]
    assert {one["speaks for"] for one in tearing} == {"Aortic dissection"}
    with pytest.raises(ToolError, match="same disease"):
        call("compare_diagnoses", first="PE", second="pulmonary embolism")


def test_a_test_is_described_by_any_of_its_names() -> None:
    assert call("get_test_information", test="CBC")["test"] == "blood-count"
    assert call("get_test_information", test="CTPA")["study"] == "ct-pulmonary-angiogram"


def test_two_drugs_that_interact_and_two_that_do_not() -> None:
    found = call("check_interaction", first="Coumadin", second="ibuprofen")["interactions"]
    assert found[0]["severity"] == "major"
    assert (
        "no interaction"
        in call("check_interaction", first="paracetamol", second="amoxicillin")["interactions"]
    )


def test_an_unknown_drug_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(ToolError, match="metformin"):
        call("get_drug_information", drug="metfromin")


def test_a_library_that_does_not_answer_is_reported_and_nothing_fails() -> None:
    base = {"url": "http://127.0.0.1:9", "retries": 0}
    tools = {one.name: one for one in library_tools(base)}
    for name, arguments in (
        ("search_pubmed", {"query": "sepsis"}),
        ("retrieve_evidence", {"query": "sepsis"}),
        ("search_medical_wiki", {"topic": "sepsis"}),
    ):
        assert "cannot be searched" in tools[name].call(arguments, Case({}))["note"]


@pytest.mark.parametrize("name", clinical_ids().values())
def test_every_clinical_id_goes_on_without_its_library(name: str) -> None:
    down = {"url": "http://127.0.0.1:9", "retries": 0}
    env = unwrap(gym.make(name, split="dev", knowledge_base=down))
    env.reset(seed=1)
    search = {"id": "a", "name": "retrieve_evidence", "arguments": {"query": "sepsis"}}
    observation, _, terminated, truncated, _ = env.step_calls([search])
    assert "cannot be searched" in observation
    assert (terminated, truncated) == (False, False)


@pytest.mark.parametrize("base", ["no/such/base.db", "", 3, {"path": "x"}, {"url": 1}, None])
def test_a_wrong_knowledge_base_is_refused_before_anything_is_played(base: Any) -> None:
    with pytest.raises(ConfigError):
        library_tools(base)


def test_a_thought_is_noted_and_an_empty_one_refused() -> None:
    assert call("think", thought="It may be a clot.") == "Noted."
    with pytest.raises(ToolError):
        call("think", thought=" ")


def test_what_a_shorter_differential_leaves_out_is_chance() -> None:
    told = ["abdominal pain", "vomiting", "anorexia"]
    lists = [set(call("generate_ddx", present=told, limit=n)["differential"]) for n in range(5, 11)]
    rows = [call("find_similar_patients", findings=told, limit=n)["patients"] for n in (5, 7, 10)]
    similar = [{one["diagnosis"] for one in each} for each in rows]
    for several in (lists, similar):
        assert all(one < other for one, other in pairwise(several))
    likely = [load().diseases[one.disease].name for one in differential(
        {load().finding_ids[one] for one in ("Abdominal pain", "Vomiting", "Anorexia")}
    )]  # fmt: skip
    assert lists[0] != set(likely[:5])
    assert lists[-1] == set(likely[:10])
