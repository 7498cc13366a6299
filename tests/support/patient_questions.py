"""Questions to simulated patients, and answers that the record does not allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gym_clinic.chart.talk import OwnRecord
from gym_clinic.chart.talk.times import how_long
from gym_clinic.facts import load
from gym_clinic.simulate.clinic.telling.lay_words import bare, in_person, lay_words

FACTS = load()

QUESTIONS = (
    "Hello, I'm the doctor.",
    "What brings you in today?",
    "When did it start?",
    "How long has that been going on?",
    "Where is it?",
    "How bad is it, out of ten?",
    "Is it getting worse?",
    "Does anything make it better or worse?",
    "Does it spread anywhere?",
    "Any fever, vomiting or headache?",
    "Do you have chest pain or shortness of breath?",
    "Any cough?",
    "How are your bowels?",
    "Any problems with your waterworks?",
    "How is your appetite?",
    "Have you lost weight?",
    "Any rash?",
    "Have you fainted or felt dizzy?",
    "Are your ankles swollen?",
    "How is your mood?",
    "Any thoughts of ending your life?",
    "Have you noticed black stools or blood?",
    "How is your vision?",
    "Any numbness or weakness?",
    "Any tummy pain?",
    "When did the vomiting start?",
    "Is the headache getting worse?",
    "How bad is the chest pain?",
    "What medicines do you take?",
    "Do you take ibuprofen or aspirin?",
    "Any painkillers over the counter?",
    "Are you allergic to anything?",
    "Do you have any other medical problems?",
    "Do you have diabetes or high blood pressure?",
    "Have you ever had asthma?",
    "Does anything run in the family?",
    "Did your father have a heart attack?",
    "Do you smoke?",
    "You don't smoke, do you?",
    "How much alcohol do you drink?",
    "Do you use cannabis or other drugs?",
    "Have you travelled recently?",
    "What do you do for a living?",
    "Who do you live with?",
    "When did you last eat?",
    "Could you be pregnant?",
    "When was your last period?",
    "How old are you?",
    "What is your name?",
    "So there is no fever, is there?",
    "You must have a terrible headache?",
    "Any fever, vomiting or headache?",
    "What brings you in today?",
    "When did it start?",
    "Quantum flux?",
    "Is your joint swelling worse in the morning?",
    "Do you sleep well?",
    "Any trouble swallowing or a sore throat?",
    "Anything else?",
    "Anything else at all?",
)
"""Sixty questions."""

EVERYDAY = (
    "What are you most worried about?",
    "What do you think is causing this?",
    "Do you have any questions for me?",
    "How are you feeling right now?",
    "Has this ever happened before?",
    "Did anything bring it on?",
    "Is the pain sharp or dull?",
    "Do you want something for the pain?",
    "Have you tried anything for it?",
    "Any pain?",
    "Any blood?",
    "Tell me about life at home.",
    "Thank you, we will do some tests.",
    "Have you been pregnant before?",
)
"""Questions that every patient can answer."""

Lie = Callable[[OwnRecord], "str | None"]


class Falsehood(NamedTuple):
    """An answer that a patient must not give, and the kind of failure that it is."""

    name: str
    kind: str
    say: Lie


def _noun(record: OwnRecord, finding: str) -> str:
    noun = lay_words()[FACTS.phenotypes[finding].name].nouns[0]
    return in_person(noun, record.speaker, record.patient.person.sex)


def has_what_is_absent(record: OwnRecord) -> str | None:
    absent = [one.finding for one in record.plan.values() if not one.has]
    return f"Yes, {_noun(record, absent[0])}." if absent else None


def denies_what_is_there(record: OwnRecord) -> str | None:
    there = [key for key in record.plan if record.known(key).stance in ("has", "vague", "slight")]
    return f"No {bare(_noun(record, there[0]))}." if there else None


def tells_what_the_plan_omits(record: OwnRecord) -> str | None:
    omitted = [
        one.finding for one in record.plan.values() if one.manner == "omitted" and one.has
        and one.finding not in record.says_has()
    ]  # fmt: skip
    return f"Yes, {_noun(record, omitted[0])}." if omitted else None


def another_time(record: OwnRecord) -> str:
    return f"It started {how_long(5.4 * 365 * 1440 + 17)} and a half ago, or 97 years ago."


def another_number(record: OwnRecord) -> str:
    return "I'd give it 71 out of ten."


def another_birthday(record: OwnRecord) -> str:
    return "I was born on 3 March 1803."


def another_medicine(record: OwnRecord) -> str:
    return "I take digoxin and methotrexate and carbimazole."


def denies_a_medicine(record: OwnRecord) -> str | None:
    told = [
        one.fact.partition(":")[2] for one in record.recollections.values()
        if one.fact.startswith("medicine:") and one.distortion is None and one.manner == "told"
    ]  # fmt: skip
    return f"No, I don't take {FACTS.drugs[told[0]].name}." if told else None


def another_illness(record: OwnRecord) -> str | None:
    lived = {one.condition for one in record.patient.background}
    lived |= {one.condition for one in record.life.family}
    lived |= {one.condition for one in record.patient.medicines}
    lived |= {one.condition for one in record.patient.problems}
    return None if "sickle-cell-disease" in lived else "I've got sickle cell disease."


def the_diagnosis(record: OwnRecord) -> str | None:
    disease = FACTS.diseases[record.patient.problems[0].condition]
    if disease.id in {one.condition for one in record.patient.background}:
        return None  # known for years, and told
    findings = {FACTS.phenotypes[key].name for key in record.says_has()}
    if disease.name in findings:
        return None  # the name of what is seen, such as urticaria
    return f"They told me it is {disease.name}."


FALSEHOODS = (
    Falsehood("a finding that is absent", "finding", has_what_is_absent),
    Falsehood("denies a finding that is there", "finding", denies_what_is_there),
    Falsehood("what the plan omits", "finding", tells_what_the_plan_omits),
    Falsehood("another time", "time", another_time),
    Falsehood("another number", "number", another_number),
    Falsehood("another date of birth", "date", another_birthday),
    Falsehood("another medicine", "medicine", another_medicine),
    Falsehood("denies a medicine", "medicine", denies_a_medicine),
    Falsehood("another illness", "illness", another_illness),
    Falsehood("the diagnosis", "diagnosis", the_diagnosis),
)
