"""What a guideline accepts instead of a drug beside the usual choices of the tables."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.candidates import candidates
from gym_clinic.domains.drug_interaction.checks.formulary import Regimen, indications
from gym_clinic.domains.drug_interaction.checks.instead import also_right, is_sound
from gym_clinic.domains.drug_interaction.checks.problems import ReviewProfile, Taken
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.naming import asked_about, problems_score
from gym_clinic.domains.drug_interaction.plans import drugs_named
from gym_clinic.domains.drug_interaction.rewards import JUDGE, accuracy
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.episode import Episode, Task
from gym_clinic.facts.named_drugs import is_a

WELL = ReviewProfile(age=50, female=False, weight_kg=80, egfr=95, crcl=100)


def taking(*drugs: str) -> ReviewProfile:
    taken = tuple(Taken(Regimen(one, 5, "mg", 1), days=40) for one in drugs)
    return dataclasses.replace(WELL, medicines=taken)


@pytest.mark.parametrize(
    ("indication", "drug", "instead"),
    [
        ("osteoporosis", "alendronate", "denosumab"),
        ("fungal nails", "terbinafine", "amorolfine 5% nail lacquer"),
        ("attack of migraine", "naproxen", "naratriptan"),
        ("osteoarthritis", "naproxen", "diclofenac gel"),
        ("type 2 diabetes", "metformin", "Linagliptin 5 mg"),
        ("thrush of the mouth", "fluconazole", "nystatin oral suspension"),
        ("hypertension", "lisinopril", "nifedipine"),
    ],
)
def test_what_a_guideline_accepts_instead_is_right(
    indication: str, drug: str, instead: str
) -> None:
    failing = dataclasses.replace(WELL, egfr=22, crcl=20)
    for who in (WELL, taking("atorvastatin"), failing):
        if who is failing and instead == "naratriptan":
            continue
        right = also_right(indications()[indication], drug, who)
        assert drugs_named([instead]) <= {*right}, who


def test_pregabalin_is_never_the_only_medicine_of_an_epilepsy() -> None:
    fits = indications()["epilepsy"]
    alone, beside = WELL, taking("levetiracetam")
    assert [is_sound(fits, "pregabalin", who) for who in (alone, beside)] == [False, True]
    assert ["pregabalin" in also_right(fits, "lamotrigine", who) for who in (alone, beside)] == [
        False,
        True,
    ]


def test_what_is_accepted_instead_suits_the_patient() -> None:
    pain, stomach, sugar = (indications()[name] for name in
                            ("osteoarthritis", "itch", "type 2 diabetes"))  # fmt: skip
    allergic = dataclasses.replace(WELL, allergies=(("ibuprofen", "hives"),))
    assert "topical ibuprofen" not in also_right(pain, "naproxen", allergic)
    assert "loratadine" not in also_right(stomach, "hydroxyzine", taking("cetirizine"))
    assert "linagliptin" not in also_right(sugar, "metformin", taking("sitagliptin"))
    assert "naratriptan" not in also_right(
        indications()["attack of migraine"], "naproxen", dataclasses.replace(WELL, egfr=22, crcl=20)
    )
    assert drugs_named(["diclofenac"]) == {"diclofenac"}
    for one in indications().values():
        assert "amoxicillin" not in also_right(one, "", WELL)


def test_what_is_accepted_instead_is_proposed_by_no_request() -> None:
    asked = {one.drug.drug for label in ("interaction", "kidneys forbid")
             for one in candidates(label)}  # fmt: skip
    assert "naratriptan" not in asked
    assert "denosumab" not in asked


def test_what_the_tables_tell_without_a_grade_may_be_named_as_minor() -> None:
    beside = {"kind": "take", "drug": "calcium-carbonate", "dose": 500, "unit": "mg", "per_day": 3,
              "for": "heartburn", "bought": True}  # fmt: skip
    question = {"drug": "omeprazole", "dose": 20, "unit": "mg", "per_day": 1, "route": "po",
                "indication": "reflux"}  # fmt: skip
    record = {"seed": 7, "condition": "gastroesophageal-reflux-disease", "split": "train",
              "edit": [{"kind": "kidneys", "creatinine": 0.8}, beside,
                       {"kind": "shown", "documents": ["letter"]}],
              "question": question}  # fmt: skip
    gold = gold_of(record, review_patient(record))
    pair = {"kind": "interaction", "drugs": ["calcium-carbonate", "omeprazole"],
            "severity": "minor"}  # fmt: skip
    assert pair in gold["extras"]
    task = Task("t", record, {"problems": [], "extras": gold["extras"]})

    def score(severity: str) -> tuple[float, float]:
        answer = {"verdict": "start as proposed", "problems": [{**pair, "severity": severity}],
                  "plan": {}, "cited_findings": []}  # fmt: skip
        judged = JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))
        return problems_score(judged), len(asked_about(judged))

    assert score("minor") == (1.0, 1)
    assert score("major") == (0.0, 1)


@pytest.mark.parametrize(
    ("drug", "group"),
    [("esmolol", "beta-blocker"), ("timolol", "non-selective-beta-blocker"),
     ("aliskiren", "renin-angiotensin-blocker"), ("zoledronic-acid", "bisphosphonate"),
     ("lacosamide", "antiepileptic"), ("vortioxetine", "antidepressant")],
)  # fmt: skip
def test_drugs_have_the_class_by_which_they_act(drug: str, group: str) -> None:
    assert is_a(drug, f"class:{group}")


@pytest.mark.parametrize(
    ("instead", "right"), [("allopurinol", True), ("febuxostat", False), ("colchicine", False)]
)
def test_what_is_given_before_all_others_may_be_given_instead_of_a_change(
    instead: str, right: bool
) -> None:
    """Aspirin that is bought takes the effect of probenecid; allopurinol is tried first anyway."""
    aspirin = {"kind": "take", "drug": "aspirin", "dose": 300, "unit": "mg", "per_day": 3,
               "bought": True, "for": "aches", "days": 5}  # fmt: skip
    question = {"drug": "probenecid", "dose": 250, "unit": "mg", "per_day": 2, "route": "po",
                "indication": "prevention of gout"}  # fmt: skip
    record = {"seed": 7, "condition": "gout", "split": "train", "question": question,
              "edit": [{"kind": "kidneys", "creatinine": 0.8}, aspirin,
                       {"kind": "shown", "documents": ["letter"]}]}  # fmt: skip
    gold = gold_of(record, review_patient(record))
    assert gold["acceptable"]["verdicts"] == ["start with change", "do not start"]
    answer = {"verdict": "do not start", "problems": gold["answer"]["problems"],
              "plan": {"alternative": instead}, "cited_findings": []}  # fmt: skip
    task = Task("t", record, gold)
    found = JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))
    assert accuracy(found) == {"verdict": 1, "problems": 1, "plan": float(right)}
