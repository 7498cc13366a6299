"""Questions as clinicians ask them are understood, and answered by the record."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import pytest
from natural_questions import NATURAL

from gym_clinic.chart.talk import AnswerCheck, RulesPatient
from gym_clinic.chart.talk.asked_tables import circumstances
from gym_clinic.chart.talk.hearing import hearing_of
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient, presenting
from gym_clinic.simulate.clinic.medicines import PastEvent, TakenMedicine
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.texts.visit import draw_visit
from gym_clinic.simulate.split import Split

FACTS = load()
IDS = FACTS.finding_ids
CONDITIONS = [one.id for one in presenting(FACTS)]

SPLITS: tuple[Split, ...] = ("train", "dev", "test")

HEAT = PastEvent("exposure", "a road race in the midday heat", -240)
FALL = PastEvent("exposure", "a fall and a long lie on a cold floor", -300)
HIP = PastEvent("procedure", "a hip replacement", -20 * 1440)
VODKA = PastEvent("exposure", "the last drink of a bottle of vodka a day", -2 * 1440)


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    return draw_patient(7, "acute-appendicitis")


@pytest.fixture(scope="module")
def child() -> ClinicPatient:
    return draw_patient(103, "bacterial-gastroenteritis")


@lru_cache(maxsize=1)
def everybody() -> tuple[ClinicPatient, ...]:
    return tuple(draw_patient(3 * n, CONDITIONS[n * 11 % len(CONDITIONS)]) for n in range(14))


def after(patient: ClinicPatient, *past: PastEvent) -> RulesPatient:
    return RulesPatient(dataclasses.replace(patient, past=past))


def values(rules: RulesPatient, question: str) -> dict[str, str]:
    answer = rules.answer(question, 5)
    assert AnswerCheck(rules.record).failures(answer.text, 5) == ()
    return {one.fact: one.value for one in answer.facts}


@pytest.mark.parametrize("question", NATURAL)
def test_a_natural_question_is_understood_by_everybody_and_answered_by_the_record(
    question: str,
) -> None:
    answered = 0
    for number, one in enumerate(everybody()):
        rules = RulesPatient(one, SPLITS[number % 3])
        if rules.record.speaker_at(5, None) is None:
            continue
        answered += bool(values(rules, question))
    speak = sum(RulesPatient(one).record.speaker_at(5, None) is not None for one in everybody())
    assert answered == speak


@pytest.mark.parametrize(
    ("question", "event"),
    [
        ("Have you had exposure to heat?", HEAT),
        ("Were you out in the sun or running?", HEAT),
        ("Did you exert yourself today?", HEAT),
        ("Were you in a hot place?", HEAT),
        ("What happened before you became ill?", HEAT),
        ("What led up to this?", HEAT),
        ("Did you run a race?", HEAT),
        ("Did you fall?", FALL),
        ("Any injury or accident?", FALL),
        ("Have you had surgery recently?", HIP),
        ("Have you been in hospital lately?", HIP),
        ("When did you last drink?", VODKA),
        ("When was your last alcoholic drink?", VODKA),
    ],
)
def test_an_event_is_told_and_denied_where_there_is_none(
    patient: ClinicPatient, question: str, event: PastEvent
) -> None:
    assert values(after(patient, event), question) == {f"past:{event.what}": str(event.minute)}
    none = values(after(patient), question)
    assert none
    assert set(none.values()) <= {"no", "unknown"}
    assert f"finding:{IDS['Overdose of tablets']}" not in none
    assert f"finding:{IDS['Diarrhea']}" not in none


def test_every_event_of_the_fact_tables_is_asked_about_by_some_circumstance() -> None:
    told = {event.what for seed in range(3) for name in CONDITIONS
            for event in draw_patient(seed, name).past if event.kind == "exposure"}  # fmt: skip
    hearing, kinds = hearing_of(FACTS), circumstances()
    assert len(told) > 20
    for what in told:
        heard = hearing.hear(f"Did it have to do with {what}?")
        named = [one for kind in heard.circumstances for one in kinds[kind].told]
        assert named or heard.words or heard.topics or heard.findings, what


def test_an_event_of_another_kind_is_not_told(patient: ClinicPatient) -> None:
    for question in ("Have you had exposure to heat?", "Did you fall?", "Any dental work?"):
        assert f"past:{VODKA.what}" not in values(after(patient, VODKA), question)
    assert list(values(after(patient, HEAT), "Have you had surgery recently?").values()) == ["no"]


def test_the_last_drink_has_no_time_that_is_not_in_the_record(patient: ClinicPatient) -> None:
    rules = after(patient)
    rules.record.life = dataclasses.replace(rules.record.life, units=12)
    rules.record.recollections = {}
    assert values(rules, "When did you last drink?") == {"life:last drink": "unknown"}
    assert list(values(rules, "When did you last eat or drink?")) == ["life:meal"]


@pytest.mark.parametrize("question", ["Do you smoke or drink?", "Does she drink alcohol?"])
def test_a_child_is_too_young_in_one_sentence(child: ClinicPatient, question: str) -> None:
    answer = RulesPatient(child).answer(question)
    assert {one.value for one in answer.facts} == {"no"}
    assert "three" in answer.text
    assert not {"cigarettes", "alcohol", "smoke"} & set(answer.text.split())


def test_drink_is_never_alcohol_under_twelve(child: ClinicPatient) -> None:
    for question in (
        "Is she drooling or refusing to drink?",
        "Is she drinking?",
        "Does she drink?",
    ):
        told = values(RulesPatient(child), question)
        assert not any("alcohol" in one for one in told), question
        assert "area:feeding" in told


@pytest.mark.parametrize("question", ["Can you walk on it?", "Are you able to walk?"])
def test_function_is_answered_by_what_hinders_it(patient: ClinicPatient, question: str) -> None:
    lame = seen = 0
    for seed in range(12):
        for name in ("stroke", "spinal-cord-compression", "osteoarthritis"):
            rules = RulesPatient(draw_patient(seed, name))
            gait = rules.record.known(IDS["Gait disturbance"])
            if rules.record.speaker_at(5, None) == "patient" and gait.stance == "has":
                lame += 1
                seen += values(rules, question).get(f"finding:{gait.finding}") == "yes"
    assert lame
    assert seen == lame
    assert values(after(patient), question) == {"area:walking": "no"}


def test_an_illness_is_found_by_its_group(patient: ClinicPatient) -> None:
    one = "type-1-diabetes-mellitus"
    ill = dataclasses.replace(patient, background=(Background(one, 9.0, {}),))
    for question in ("Are you diabetic?", "Do you have diabetes?"):
        told = values(RulesPatient(ill), question)
        assert set(told) == {f"condition:{one}"}
        assert values(RulesPatient(patient), question) == {
            "condition:type-2-diabetes-mellitus": "no"
        }


@pytest.mark.parametrize("question", ["Ever had a clot?", "Have you ever had a stroke?"])
def test_what_nobody_was_told_is_denied_for_the_past(patient: ClinicPatient, question: str) -> None:
    assert list(values(after(patient), question).values()) == ["no"]


def test_a_medicine_is_found_by_its_kind(patient: ClinicPatient) -> None:
    pill = TakenMedicine("warfarin", 5, "mg", 1, "atrial-fibrillation", {}, 0.0)
    taking = dataclasses.replace(patient, medicines=(pill,))
    told = values(RulesPatient(taking), "Are you on blood thinners?")
    assert set(told) == {"medicine:warfarin"}
    assert values(after(patient), "Are you on blood thinners?") == {
        "medicines:blood thinners": "no"
    }


def test_a_place_of_pain_is_told_and_nothing_is_said_twice() -> None:
    for one in everybody():
        rules = RulesPatient(one)
        told = values(rules, "Where does it hurt?")
        assert not any(fact == "severity:pain" for fact in told), one.problems[0].condition
        facts = rules.answer("Do you have dry hot skin?").facts
        assert [fact.fact for fact in facts if fact.fact.startswith("area:")] == []


def test_what_is_not_there_is_not_counted_and_a_private_thing_is_told_once() -> None:
    for one in everybody():
        rules = RulesPatient(one)
        if rules.record.speaker_at(5, None) is None:
            continue
        vomits = rules.record.known(IDS["Vomiting"]).stance == "denies"
        told = values(rules, "How many times have you vomited?")
        assert not (vomits and any(fact.startswith("often:") for fact in told))
        told = values(rules, "Have you had unprotected sex?")
        assert one.person.age < 12 or "life:private" not in told


def test_the_way_of_coming_is_that_of_the_visit() -> None:
    modes = set()
    for one in everybody():
        rules = RulesPatient(one)
        if rules.record.speaker_at(5, None) is not None:
            told = values(rules, "Did you come by ambulance?")
            assert told == {"life:coming": draw_visit(one).mode}
            modes |= set(told.values())
    assert len(modes) > 2


def test_the_crew_tells_nothing_of_small_complaints() -> None:
    crews = 0
    for seed in range(40):
        rules = RulesPatient(draw_patient(seed, "accidental-hypothermia"))
        if rules.record.speaker_at(5, None) != "crew":
            continue
        crews += 1
        told = {**values(rules, "What happened?"), **values(rules, "Anything else?")}
        plan = rules.record.plan
        origins = {plan[key].origin for fact in told
                   if (key := fact.removeprefix("finding:")) in plan}  # fmt: skip
        assert origins <= {"problem", "second", "absent"}
    assert crews > 5


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Could you tell me about your past medical history?", {"past", "condition"}),
        ("Can you tell me your name and date of birth?", {"name", "born"}),
        ("How long have you been taking it?", {"medicine", "medicines"}),
        ("For how long have you had diabetes?", {"condition", "since"}),
        ("Do you drink grapefruit juice?", {"life"}),
    ],
)
def test_only_what_is_asked_is_answered(question: str, asked: set[str]) -> None:
    for one in everybody():
        rules = RulesPatient(one)
        if rules.record.speaker_at(5, None) is not None:
            told = {fact.partition(":")[0] for fact in values(rules, question)}
            assert told <= asked, (one.problems[0].condition, told)
    assert hearing_of(FACTS).hear("Thank you, I'll be back shortly.").findings == ()
