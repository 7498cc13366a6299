"""Letters and lists from the patient's record: an earlier letter, medicines reconciliation."""

from __future__ import annotations

import datetime

from gym_clinic.simulate.clinic.life import draw_life
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT
from gym_clinic.simulate.clinic.texts.background import allergies, amount_of, medicine
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.measured import flag, reading_fact
from gym_clinic.simulate.clinic.texts.units import local_unit, written_value
from gym_clinic.simulate.clinic.texts.visit import Visit, minute_of
from gym_clinic.simulate.clinic.texts.voice import Voice, drug_name, lowered, sentence
from gym_clinic.simulate.clinic.texts.when import long_date

VALUES = (
    "hb", "creatinine", "egfr", "na", "k", "hba1c", "ldl", "alt", "alp", "ggt", "tsh",
    "albumin", "mcv",
)  # fmt: skip
"""Values that letters quote, a few of them."""

HOMES = {"alone": "", "partner": "a partner", "family": "the family"}
"""Home of an adult -> with whom, as letters tell of it; a care home is not told of."""

DOSED = 0.7
"""Share of letters that give the doses of medicines."""

NO_WORK = ("retired", "none", "school", "nursery")
"""Words for the life of those who do not work."""

JOINED, ASKS, REMARKS = 0.6, 0.6, 0.6
"""Shares: of sentences that are joined, of letters that ask for tests, of values remarked on."""

HIGH, LOW = (140, 90), 100
"""Pressures in mmHg that a letter calls high, and the systolic one below which it says nothing."""


def earlier_letter(voice: Voice, patient: ClinicPatient, visit: Visit, day: datetime.date) -> Piece:
    """Return a clinic letter of an earlier day: what was known then, which may be outdated."""
    known = [one for one in patient.background if visit.began[one.condition] <= day]
    listed = []
    for one in known:
        word = voice.word(one.condition)
        year = str(visit.began[one.condition].year)
        fact = Fact("condition", one.condition, word)
        listed.append(
            voice.say(
                "letter.diagnosis",
                c=Piece(word, (fact,)),
                year=Piece(year, (Fact("date", one.condition, year),)),
            )
        )
    then = [one for one in visit.medicines if one.since <= day]
    dosed = voice.random.random() < DOSED
    taken = [
        medicine(voice, patient, one.taken, dosed=dosed, dose=one.dose_on(day)) for one in then
    ]
    sample = Sample(patient, minute_of(patient, day))
    written = long_date(day, visit.american)
    date = Piece(written, (Fact("date", "letter", written, minute=minute_of(patient, day)),))
    parts = [
        voice.say("letter.first", who=_who_on(voice, patient, day), date=date),
        voice.say("letter.diagnoses", list=voice.listed(listed)),
    ]
    if voice.random.random() < JOINED:
        parts = [_together(voice, *parts, ordered=True)]
    middle = [
        voice.say("letter.medicines" if taken else "letter.no_medicines", list=voice.listed(taken)),
        _together(voice, _pressure(voice, patient, sample), _values(voice, patient, sample)),
        allergies(voice, patient, by_patient=False),
    ]
    middle += _asides(voice, patient)
    voice.random.shuffle(middle)
    if voice.random.random() < JOINED:
        middle[:2] = [_together(voice, *middle[:2])]
    last = voice.say("letter.last")
    if voice.random.random() < ASKS:
        tests = voice.random.sample(
            (*_short_names(patient), "BP", "weight"), voice.random.randint(1, 3)
        )
        asked = voice.say("letter.repeat", list=voice.listed([Piece(one) for one in tests]))
        last = _together(voice, last, asked) if voice.random.random() < JOINED else asked
    return voice.sentences([*parts, *middle, last])


def _short_names(patient: ClinicPatient) -> tuple[str, ...]:
    return tuple(patient.facts.measurements[key].short for key in _quoted(patient))


def _quoted(patient: ClinicPatient) -> tuple[str, ...]:
    """The values that letters quote at the patient's age."""
    known, age = patient.facts.measurements, patient.person.age
    return tuple(key for key in VALUES if known[key].from_age <= age)


def _asides(voice: Voice, patient: ClinicPatient) -> list[Piece]:
    """What a consultant adds on the life of an adult and the talk: none is of the illness."""
    if patient.person.age < ADULT:
        return []
    life = draw_life(patient)
    home = ["letter.home.alone" if life.home == "alone" else "letter.home.shared"]
    work = ["letter.work"] if life.work not in NO_WORK else []
    pools = [*(home if life.home in HOMES else []), *work, "letter.came", "letter.advice"]
    chosen = voice.random.sample(pools, voice.random.randint(1, min(len(pools), 3)))
    topic = voice.say("letter.topic") if "letter.advice" in chosen else Piece("")
    slots: dict[str, Piece | str] = {
        "work": life.work,
        "whom": HOMES.get(life.home, ""),
        "topic": topic,
    }
    return [voice.say(one, **slots) for one in chosen]


def _together(voice: Voice, first: Piece, second: Piece, *, ordered: bool = False) -> Piece:
    """Two parts as one sentence or two, in either order unless it is `ordered`."""
    turned = not ordered and voice.random.random() < 0.5
    one, other = (second, first) if turned else (first, second)
    if voice.random.random() < 0.5:
        return voice.sentences([one, other])
    ended = one.text.rstrip(".")
    return Piece(f"{ended}; {lowered(other.text)}", (*one.facts, *other.facts))


def _who_on(voice: Voice, patient: ClinicPatient, day: datetime.date) -> Piece:
    """Age and sex on a day."""
    born = patient.born
    age = day.year - born.year - ((day.month, day.day) < (born.month, born.day))
    noun = {"male": ("boy", "man"), "female": ("girl", "woman")}[patient.person.sex][age >= 16]
    text = str(age)
    fact = Fact("age", "letter", text, value=age, minute=minute_of(patient, day))
    return voice.say("letter.who", n=Piece(text, (fact,)), noun=noun)


def _pressure(voice: Voice, patient: ClinicPatient, sample: Sample) -> Piece:
    """Blood pressure and weight, and for adults what the doctor thinks of the pressure."""
    first, second = sample.reading("sbp"), sample.reading("dbp")
    text = f"{first.value:.0f}/{second.value:.0f}"
    pressure = Piece(text, (reading_fact(first, text), reading_fact(second, text)))
    weight = sample.reading("weight_kg")
    one, american = patient.facts.measurements["weight_kg"], voice.style.american
    text = written_value(one, weight.value, american)
    weighed = Piece(f"{text} {local_unit(one, american).unit}", (reading_fact(weight, text),))
    line = voice.say("letter.pressure", v=pressure, weight=weighed)
    if patient.person.age < ADULT or voice.random.random() > REMARKS:
        return line
    if first.value >= HIGH[0] or second.value >= HIGH[1]:
        return voice.say("letter.pressure.high", line=line)
    return voice.say("letter.pressure.fine", line=line) if first.value >= LOW else line


def _values(voice: Voice, patient: ClinicPatient, sample: Sample) -> Piece:
    american = voice.style.american
    chosen = voice.random.sample(_quoted(patient), voice.random.randint(2, 4))
    pieces = []
    for key in chosen:
        one, reading = patient.facts.measurements[key], sample.reading(key)
        text = written_value(one, reading.value, american)
        unit, mark = local_unit(one, american).unit, flag(patient, reading)
        whole = f"{one.short} {text} {unit}{' (' + mark + ')' if mark else ''}"
        pieces.append(Piece(whole, (reading_fact(reading, text),)))
    values = voice.say("letter.values", list=Piece(
        ", ".join(one.text for one in pieces),
        tuple(fact for one in pieces for fact in one.facts),
    ))  # fmt: skip
    if voice.random.random() > REMARKS:
        return values
    outside = [
        Piece(patient.facts.measurements[key].short) for key in chosen
        if flag(patient, sample.reading(key))
    ]  # fmt: skip
    pool = "letter.values.outside" if outside else "letter.values.inside"
    remark = voice.say(pool, list=voice.listed(outside) if outside else Piece(""))
    return Piece(
        f"{values.text}{voice.random.choice(('; ', ', ', ' - '))}{remark.text}", values.facts
    )


def reconciliation(voice: Voice, patient: ClinicPatient, visit: Visit) -> Piece:
    """Return the pharmacist's list: what is taken, since when, and doses that were changed."""
    lines = []
    for one in visit.medicines:
        name = medicine(voice, patient, one.taken)
        slots = {"m": name, "since": _month(one.taken.drug, one.since)}
        if one.before is None or one.changed is None:
            lines.append(voice.say("reconciled.same", **slots))
            continue
        was = amount_of(one.before, one.taken.unit)
        fact = Fact("medicine", one.taken.drug, was, value=one.before)
        lines.append(
            voice.say("reconciled.changed", was=Piece(was, (fact,)),
                      changed=_month(one.taken.drug, one.changed), **slots)
        )  # fmt: skip
    for event in patient.past:
        if event.kind == "medicine":
            ended = patient.arrived + datetime.timedelta(minutes=event.minute)
            day = f"{ended:%d/%m/%Y}" if not visit.american else f"{ended:%m/%d/%Y}"
            drug = drug_name(patient.facts.drugs[event.what])
            date = Piece(day, (Fact("date", event.what, day, minute=event.minute),))
            lines.append(voice.say("reconciled.ended", m=drug, since=date))
    first = voice.say("reconciled.first")
    last = allergies(voice, patient, by_patient=False)
    if not lines:
        lines = [voice.say("reconciled.none")]
    parts = [first, *lines, last]
    between = voice.random.choice(("; ", ". ", ", "))
    return Piece(
        " ".join(sentence(one) for one in (first.text, between.join(one.text for one in lines),
                                           last.text)),
        tuple(fact for one in parts for fact in one.facts),
    )  # fmt: skip


def _month(drug: str, day: datetime.date) -> Piece:
    text = f"{day:%m/%Y}"
    return Piece(text, (Fact("date", drug, text),))
