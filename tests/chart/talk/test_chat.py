"""The chat patient knows the own record and nothing of the diagnosis, and is checked."""

from __future__ import annotations

import copy
import re

from chat_server import ChatServer

from gym_clinic.chart.talk import ChatPatient
from gym_clinic.consult import ChatClient
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient, presenting
from gym_clinic.simulate.clinic.telling.lay_words import in_person, lay_words

FACTS = load()
CONDITIONS = [one.id for one in presenting(FACTS)]
CLIENT = ChatClient("http://127.0.0.1:9", "none")


def test_the_instructions_hold_the_record_and_not_the_diagnosis() -> None:
    for number, condition in enumerate(CONDITIONS[::9]):
        patient = draw_patient(number, condition)
        chat = ChatPatient(patient, CLIENT)
        text = chat.instructions(10)
        lived = {one.condition for one in patient.background}
        lived |= {one.condition for one in chat.record.life.family}
        for problem in patient.problems:
            disease = FACTS.diseases[problem.condition]
            named = {FACTS.phenotypes[one].name for one in chat.record.plan}
            for name in (disease.name, *disease.synonyms):
                if len(name) > 3 and disease.id not in lived and name not in named:
                    assert not re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE), name
        for key in chat.record.plan:
            noun = lay_words()[FACTS.phenotypes[key].name].nouns[0]
            assert in_person(noun, chat.record.speaker, patient.person.sex) in text


def test_answers_are_checked_and_counted_and_the_conversation_is_sent() -> None:
    patient = draw_patient(1, "acute-appendicitis")
    with ChatServer() as server:
        server.script = [
            server.answer("Hello, doctor."),
            server.answer("I've taken digoxin for 90 years, 45 mg."),
            server.answer("Not that I know of."),
        ]
        chat = ChatPatient(patient, ChatClient(server.url, "m", retries=0))
        first = chat.answer("Hello?", 0)
        second = chat.answer("What do you take?", 1)
        third = chat.answer("Anything else?", 2)
    assert first.failures == third.failures == ()
    assert {one.partition(":")[0] for one in second.failures} == {"time", "number", "medicine"}
    assert chat.metrics()["patient/answers"] == 3
    assert chat.metrics()["patient/medicine"] == 1 / 3
    roles = [one["role"] for one in server.requests[2]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_a_copy_has_a_conversation_of_its_own() -> None:
    with ChatServer() as server:
        server.script = [server.answer("Hello, doctor."), server.answer("No.")]
        chat = ChatPatient(draw_patient(1, "acute-appendicitis"), ChatClient(server.url, "m"))
        chat.answer("Hello?", 0)
        twin = copy.deepcopy(chat)
        twin.answer("Any fever?", 1)
    assert (chat.answers, twin.answers) == (1, 2)
    assert [len(one["messages"]) for one in server.requests] == [2, 4]
    assert chat.instructions(0) == twin.instructions(0)
