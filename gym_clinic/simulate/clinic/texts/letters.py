"""A clinic letter of an earlier day, from the patient's record."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Sequence

from gym_clinic.facts.named_drugs import is_a
from gym_clinic.simulate.clinic.measurement import Reading, Sample
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT
from gym_clinic.simulate.clinic.telling.life import draw_life
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import names_a_problem
from gym_clinic.simulate.clinic.texts.sections.background import allergies
from gym_clinic.simulate.clinic.texts.sections.measured import flag, reading_fact
from gym_clinic.simulate.clinic.texts.sections.treatment_lists import treatment
from gym_clinic.simulate.clinic.texts.units import local_unit, written_value
from gym_clinic.simulate.clinic.texts.visit import MedicineHistory, Visit, minute_of
from gym_clinic.simulate.clinic.texts.voice import Voice, drug_name, lowered
from gym_clinic.simulate.clinic.texts.when import long_date

VALUES = (
    "hb", "creatinine", "egfr", "na", "k", "hba1c", "ldl", "alt", "alp", "ggt", "tsh",
    "albumin", "mcv",
)  # fmt: skip
"""Values that letters quote, a few of them."""

FOLLOWED = (*VALUES, "platelets", "triglycerides", "ferritin", "b12", "vitamin_d", "urate",
            "calcium", "crp")  # fmt: skip
"""Values that letters quote too where an illness that is known changes them."""

HOMES = {"alone": "", "partner": "a partner", "family": "the family", "care home": ""}
"""Home of an adult -> with whom, as letters tell of it."""

AS_TODAY = 365
"""Days before arrival from which on home and work are those of today."""

NO_WORK = ("none", "school", "nursery")
"""Words for the life of those who do not work and have not retired."""

JOINED, ASKS, REMARKS, COMPARES = 0.6, 0.6, 0.6, 0.45
"""Shares: of sentences that are joined, of letters that ask for tests, of values remarked on and of
values beside an earlier one."""

TAPERED = (
    "class:beta-blocker", "clonidine", "class:systemic-corticosteroid", "class:antiepileptic",
    "class:benzodiazepine", "class:opioid", "class:antidepressant", "class:ssri", "class:snri",
    "baclofen", "tizanidine", "class:dopaminergic",
)  # fmt: skip
"""Medicines that are never stopped from one day to the next."""

STEADY = 0.06
"""Share of a value by which it may change and be called steady."""

EARLIER = (80, 420)
"""Days before a letter of the values that it compares with."""

PENDING, PULSE = 0.3, 0.5
"""Shares of letters: with a result that is not back, with pulse or saturation."""

HEAVY = 22
"""Units of alcohol a week from which a letter speaks of it."""

TRIES = 8
"""Draws before words that do not suit the patient are left out."""

CARE = {"topic": "letter.advice", "task": "letter.ask"}
"""Kind of care -> the pool that tells of it."""

OF_NONE = re.compile(r"(?!)")
"""No words."""

TREATED = re.compile(r"\b(?:inhaler|tablet|dose|drug|treatment|spray|injection|stops|reliever)")
"""Words of advice that is only for who takes something for the illness."""

OF_ADULTS = re.compile(r"\b(?:driv|alcohol|smok|beer|wheel|partner|sexual|attorney|job|carer)")
"""Words of advice that is not for children."""

HIGH, LOW = (140, 90), 100
"""Pressures in mmHg that a letter calls high, and the systolic one below which it says nothing."""


def earlier_letter(voice: Voice, patient: ClinicPatient, visit: Visit, day: datetime.date) -> Piece:
    """Return a clinic letter of an earlier day: what was known then, which may be outdated."""
    assert visit.letter is not None
    known = _known(patient, visit, day, visit.letter[1])
    then = [one for one in visit.medicines if one.since <= day]
    sample = Sample(patient, minute_of(patient, day))
    written = long_date(day, visit.american)
    date = Piece(written, (Fact("date", "letter", written, minute=minute_of(patient, day)),))
    parts = [
        voice.say("letter.first", who=_who_on(voice, patient, day), date=date),
        voice.say("letter.diagnoses", list=voice.listed(_diagnoses(voice, visit, known))),
    ]
    if voice.random.random() < JOINED:
        parts = [_together(voice, *parts, ordered=True)]
    quoted = _chosen(voice, patient, known)
    examined = [
        _together(
            voice,
            _pressure(voice, patient, sample),
            _values(voice, patient, visit, known, quoted, day),
        )
    ]
    if voice.random.random() < PULSE:
        examined.insert(0, _pulse(voice, patient, sample))
    treated = [
        treatment(voice, patient, then, known, day),
        allergies(voice, patient, by_patient=False),
    ]
    advice, asked = _care(voice, patient, known, {one.taken.condition for one in then})
    sections = [treated, examined, _life(voice, patient, day)]
    voice.random.shuffle(sections)
    advice += _asides(voice, patient, then)
    voice.random.shuffle(advice)
    middle = [one for section in sections for one in section]
    if voice.random.random() < JOINED:
        middle[:2] = [_together(voice, *middle[:2])]
    return voice.sentences(
        [*parts, *middle, *advice, *asked, *_ending(voice, patient, known, quoted)]
    )


def _known(
    patient: ClinicPatient, visit: Visit, day: datetime.date, department: str
) -> list[str]:  # fmt: skip
    """What is known on a day: that of the department first."""
    found = [one.condition for one in patient.background if visit.began[one.condition] <= day]
    diseases = patient.facts.diseases
    return sorted(found, key=lambda one: diseases[one].discipline != department)


def _diagnoses(voice: Voice, visit: Visit, known: Sequence[str]) -> list[Piece]:
    listed = []
    for one in known:
        word, year = voice.word(one), str(visit.began[one].year)
        slots = {
            "c": Piece(word, (Fact("condition", one, word),)),
            "year": Piece(year, (Fact("date", one, year),)),
        }
        listed.append(voice.say("letter.diagnosis", **slots))
    return listed


def _care(
    voice: Voice, patient: ClinicPatient, known: Sequence[str], treated: Collection[str]
) -> tuple[list[Piece], list[Piece]]:
    """What is advised and what is asked for in what is known: the first of it above all."""
    found: dict[str, list[Piece]] = {"topic": [], "task": []}
    if known and voice.random.random() < 0.4:
        word = voice.word(known[0])
        about = Piece(word, (Fact("condition", known[0], word),))
        found["topic"].append(voice.say("letter.about", c=about))
    chosen = [*known[:1], *known[:1], *known[1:3]][: voice.random.randint(2, 4)]
    for condition in chosen:
        kind = voice.random.choice(("topic", "task"))
        pool = f"{kind}.{condition.replace('-', '_')}"
        unfit = OF_NONE if condition in treated else TREATED
        slots = {slot: _suited(voice, patient, pool, unfit) for slot in (kind, "more")}
        if all(one.text for one in slots.values()):
            found[kind].append(voice.say(CARE[kind], **slots))
    return found["topic"], found["task"]


def _suited(
    voice: Voice, patient: ClinicPatient, pool: str, unfit: re.Pattern[str] = OF_NONE, **slots: str
) -> Piece:
    """A phrase for the age that names nothing of what the patient will come with; or nothing."""
    for _ in range(TRIES):
        found = voice.say(pool, **slots)
        plain = re.sub(r"[^\w'-]+", " ", found.text)
        child = patient.person.age < ADULT and OF_ADULTS.search(plain.lower())
        said = voice.said[-1] in voice.said[:-1]  # the pool is used up
        unfitting = said or child or unfit.search(plain)
        if not unfitting and not names_a_problem(patient, plain):
            return found
    return Piece("")


def _ending(
    voice: Voice, patient: ClinicPatient, known: Sequence[str], quoted: Collection[str]
) -> list[Piece]:
    """What is awaited and asked for, and when the patient is seen again."""
    last, parts = voice.say("letter.last"), list[Piece]()
    measured, keys = patient.facts.measurements, _quoted(patient, known)
    awaited = [measured[key].short for key in keys if key not in quoted]
    if voice.random.random() < PENDING:
        one = Piece(voice.random.choice(awaited))
        parts.append(voice.say("letter.pending", list=one))
    names = [*(measured[key].short for key in keys), "BP", "weight"]
    voice.random.shuffle(names)
    if voice.random.random() < ASKS:
        tests = names[: voice.random.randint(1, 3)]
        asked = voice.say("letter.repeat", list=voice.listed([Piece(one) for one in tests]))
        last = _together(voice, last, asked) if voice.random.random() < JOINED else asked
    return [*parts, last]


def _chosen(voice: Voice, patient: ClinicPatient, known: Sequence[str]) -> list[str]:
    """The values that a letter quotes: more of what is known than of the others."""
    keys = _quoted(patient, known)
    chosen = voice.random.sample(keys[:6], 2) + voice.random.sample(keys[6:], 2)
    chosen = chosen[: voice.random.randint(2, 4)]
    voice.random.shuffle(chosen)
    return chosen


def _quoted(patient: ClinicPatient, known: Sequence[str]) -> tuple[str, ...]:
    """The values that letters quote at the patient's age; those of what is known come first."""
    measured, age = patient.facts.measurements, patient.person.age
    changed = {key for one in known for key in patient.facts.conditions[one].labs}
    keys = sorted(FOLLOWED, key=lambda key: key not in changed)
    return tuple(
        key for key in keys if measured[key].from_age <= age and (key in VALUES or key in changed)
    )


def _asides(
    voice: Voice, patient: ClinicPatient, then: Sequence[MedicineHistory]
) -> list[Piece]:  # fmt: skip
    """What is said of one medicine, and of the visit itself to an adult."""
    found = list[Piece]()
    if then and voice.random.random() < 0.5:
        drug = voice.random.choice(then).taken.drug
        name = drug_name(patient.facts.drugs[drug])
        tapered = any(is_a(drug, one) for one in TAPERED) and voice.random.random() < 0.3
        pool = "letter.drug.tapered" if tapered else "letter.drug"
        found.append(voice.say(pool, drug=Piece(name, (Fact("medicine", drug, name),))))
    if patient.person.age < ADULT:
        return found
    if voice.random.random() < 0.5:
        found.append(voice.say("letter.came"))
    if voice.random.random() < 0.5:
        slots = {slot: _suited(voice, patient, "letter.topic") for slot in ("topic", "more")}
        found.append(voice.say("letter.advice", **slots))
    return found


def _life(voice: Voice, patient: ClinicPatient, day: datetime.date) -> list[Piece]:
    """One to three of the home, work, tobacco, alcohol and illness in the family of an adult.

    Home and work are drawn as they are today; a letter of more than a year ago tells neither.
    """
    if patient.person.age < ADULT:
        return []
    life = draw_life(patient)
    of_today = (patient.arrived.date() - day).days <= AS_TODAY
    found = []
    if of_today:
        home = life.home if life.home in ("alone", "care home") else "shared"
        pool = f"letter.home.{home.replace(' ', '_')}"
        found.append(voice.say(pool, whom=HOMES.get(life.home, "")))
    if of_today and life.work not in NO_WORK:
        pool = "letter.retired" if life.work == "retired" else "letter.work"
        found.append(voice.say(pool, work=life.work))
    for habit, number in (("smoking", life.cigarettes), ("alcohol", life.units)):
        if habit == "alcohol" and number < HEAVY:
            continue
        said = str(number) if number else ""
        fact = Piece(said, (Fact("habit", habit, said, has=bool(number)),))
        pool = f"letter.{habit}.{'yes' if number else 'no'}"
        found.append(voice.say(pool, n=fact, fact=fact))
    for one in life.family[:1]:
        word = voice.word(one.condition)
        found.append(_suited(voice, patient, "letter.family", relative=one.relative, c=word))
    found = [one for one in found if one.text]
    voice.random.shuffle(found)
    found = found[: voice.random.randint(1, 3)]
    if len(found) > 1 and voice.random.random() < JOINED:
        found[:2] = [_together(voice, *found[:2])]
    return found


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


def _pulse(voice: Voice, patient: ClinicPatient, sample: Sample) -> Piece:
    """Pulse or saturation on the day."""
    pool, key = voice.random.choice((("letter.pulse", "hr"), ("letter.oxygen", "spo2")))
    reading = sample.reading(key)
    text = written_value(patient.facts.measurements[key], reading.value, voice.style.american)
    return voice.say(pool, v=Piece(text, (reading_fact(reading, text),)))


def _values(
    voice: Voice, patient: ClinicPatient, visit: Visit, known: Sequence[str],
    chosen: Sequence[str], day: datetime.date,
) -> Piece:  # fmt: skip
    """Blood results of the day: some beside those of an earlier day."""
    american, sample = voice.style.american, Sample(patient, minute_of(patient, day))
    first = day - datetime.timedelta(days=voice.random.randint(*EARLIER))
    same = all(visit.began[one] <= first for one in known)
    pieces = []
    for key in chosen:
        one, reading = patient.facts.measurements[key], sample.reading(key)
        text = written_value(one, reading.value, american)
        unit, mark = local_unit(one, american).unit, flag(patient, reading)
        whole = f"{text} {unit}{' (' + mark + ')' if mark else ''}"
        line = voice.say(f"lab.{key}", v=Piece(whole, (reading_fact(reading, text),)))
        if same and voice.random.random() < COMPARES:
            line = _beside(voice, patient, reading, line, first)
        pieces.append(line)
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


def _beside(
    voice: Voice, patient: ClinicPatient, reading: Reading, line: Piece, first: datetime.date
) -> Piece:
    """A value beside that of an earlier day."""
    minute = minute_of(patient, first)
    earlier = Sample(patient, minute).reading(reading.measurement)
    one = patient.facts.measurements[reading.measurement]
    was = written_value(one, earlier.value, voice.style.american)
    month = f"{first:%B %Y}"
    change = reading.value / earlier.value - 1 if earlier.value else 0.0
    way = "steady" if abs(change) < STEADY else "up" if change > 0 else "down"
    slots = {
        # The earlier value first: the facts of a text are in the order of their times.
        "was": Piece(was, (reading_fact(earlier, was),)),
        "when": Piece(month, (Fact("date", "laboratory", month, minute=minute),)),
        "line": line,
    }
    found = voice.say(f"letter.trend.{way}", **slots)
    return Piece(found.text, (*slots["was"].facts, *slots["when"].facts, *line.facts))
