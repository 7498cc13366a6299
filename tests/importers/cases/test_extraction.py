"""Screening and extraction, offline and by a chat model; the quality rules and the presentation."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from chat_server import ChatServer

from gym_clinic.consult import Chat, ChatClient
from gym_clinic.embedded import linker
from gym_clinic.facts import load
from gym_clinic.importers.cases import ReportedCase
from gym_clinic.importers.cases.extraction import ChatTexts, LinkedTexts
from gym_clinic.importers.cases.presenting import MOST_ABSENT, present
from gym_clinic.importers.cases.quality import names_disease, restates, why_record
from gym_clinic.importers.cases.taxonomy import CodedFinding, ListedDisease, Taxonomy
from gym_clinic.retrieval import HashedNgrams, PatientCase

TEXT = (
    "A 52-year-old man woke at night with pain and swelling of his big toe. He has a fever of 38.1 "
    "and joint pain; there is no rash."
)


@pytest.fixture(scope="module")
def linked() -> LinkedTexts:
    return LinkedTexts(Taxonomy(load(), embedder=HashedNgrams()))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def reported(text: str = TEXT, diagnosis: str = "", verdict: str = "") -> ReportedCase:
    return ReportedCase(PatientCase("a", diagnosis, (), "own"), text, verdict)


def test_rules_screen_what_can_be_seen_without_a_model(linked):
    assert linked.fault(reported()) == ""
    assert "fewer than 15 words" in linked.fault(reported("Toe pain."))
    assert "no prose" in linked.fault(reported("12/03 7.4 138 4.1 102 24 11 0.9 || " * 4))


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("This sounds like gout to me; see a doctor.", "Gout"),
        ("Gout or cellulitis, hard to say.", ""),
        ("Please see a doctor.", ""),
    ],
)
def test_the_one_disease_of_a_verdict_is_the_diagnosis(linked, verdict, expected):
    read = linked.read(reported(verdict=verdict), pytest.fail)
    assert read.case.diagnosis == expected
    assert {"Fever", "Arthralgia"} <= set(read.case.phenotypes)
    assert read.case.absent == ("Skin rash",)


def chat(server: ChatServer) -> ChatTexts:
    pytest.importorskip("httpx")
    return ChatTexts(Chat(ChatClient(server.url, "m")))


def test_a_model_needs_a_quotation_for_each_finding(server):
    reply = {
        "diagnosis": "Gout",
        "present": [
            {"name": "Fever", "quote": "a fever of  38.1"},
            {"name": "Tophus", "quote": "tophi on both ears"},
        ],
        "absent": [{"name": "Skin rash", "quote": "no rash"}],
    }
    server.script = [server.answer(json.dumps(reply))]
    left: list[str] = []
    read = chat(server).read(reported(), left.append)
    assert (read.case.diagnosis, read.case.phenotypes) == ("Gout", ("Fever",))
    assert read.case.absent == ("Skin rash",)
    assert left == ["findings of the model without a quotation in the text were left out"]
    asked = json.dumps(server.requests[0]["messages"])
    assert "big toe" in asked
    assert "Human Phenotype Ontology" in asked


def test_a_model_screens(server):
    server.script = [server.answer('{"fault": "insufficient"}'), server.answer('{"fault": ""}')]
    texts = chat(server)
    assert texts.fault(reported()) == "texts that are insufficient were left out"
    assert texts.fault(reported()) == ""


GOUT = ListedDisease("gout", "Gout", ("uric acid arthritis",), (), rare=False)
LUPUS = ListedDisease("sle", "Systemic lupus erythematosus", ("SLE",), (), rare=True)
FEW = [CodedFinding("Fever", ""), CodedFinding("Arthralgia", "")]


@pytest.mark.parametrize(
    ("disease", "text", "expected"),
    [
        (GOUT, "His father had gout.", True),
        (GOUT, "A gouty arthritis?", False),
        (GOUT, "Uric-acid arthritis was thought of.", True),
        (LUPUS, "Known SLE.", True),
        (LUPUS, "He was asleep; sle.", False),
    ],
)
def test_a_text_names_the_disease(disease, text, expected):
    assert names_disease(disease, text) is expected


def test_the_quality_rules_say_why_a_case_is_a_record():
    enough = [*FEW, CodedFinding("Pain", "")]
    assert why_record(GOUT, enough, "A red toe.") == ""
    assert "text names the disease" in why_record(GOUT, enough, "Gout.")
    assert "fewer than 3 findings" in why_record(GOUT, FEW, "A red toe.")
    own = CodedFinding("Uric acid arthritis of the foot", "")
    assert restates(GOUT, own)
    assert "restates the disease" in why_record(GOUT, [*enough, own], "A red toe.")


@pytest.mark.parametrize(
    ("age", "sex"),
    [("P8Y", "female"), ("P7M", "male"), (None, "male"), ("P82Y", None), (None, None)],
)
def test_a_coded_case_in_words_is_read_back(age, sex):
    for number in range(6):
        case = PatientCase(
            f"{number}", "Gout", ("Fever", "Cough"), "own", ("Vomiting",), (), age, sex
        )
        text = present(case, case.phenotypes, case.absent)
        shown, denied = linker().symptoms(text)
        assert [symptom.name for symptom in shown] == ["Fever", "Cough"], text
        assert [symptom.name for symptom in denied] == ["Vomiting"], text
        assert present(case, case.phenotypes, case.absent) == text
        assert "  " not in text
        assert (sex or "patient") in text.casefold()


def test_of_many_absent_findings_some_are_told():
    names = [f"Finding {number}" for number in range(40)]
    text = present(PatientCase("a", "d", (), "own"), ["Fever"], names)
    assert sum(name.lower() in text.lower().replace(",", " ").replace(".", " ").split("finding") or
               f"{name.lower()}," in text.lower() for name in names) <= MOST_ABSENT  # fmt: skip
