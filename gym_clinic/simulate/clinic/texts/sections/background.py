"""What a patient has lived with, takes, reacts to and does, in the words of a writer."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Mapping

from gym_clinic.simulate.clinic.medicines import ReportedAllergy, TakenMedicine
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.people import ADULT
from gym_clinic.simulate.clinic.telling.disclosure import Recollection
from gym_clinic.simulate.clinic.telling.life import draw_life
from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.knowledge import remembers
from gym_clinic.simulate.clinic.texts.visit import KNOWN, Visit
from gym_clinic.simulate.clinic.texts.voice import Voice, drug_name
from gym_clinic.simulate.clinic.texts.when import WEEK

FREQUENCIES = {1.0: "daily", 2.0: "twice", 3.0: "thrice", 4.0: "four"}
"""Doses a day -> the pool of its words; less than one a day is told in days."""

_TREATED = re.compile(r"chemotherapy for (?:an? )?(.+)")
"""What an event says of a cancer."""


def past_history(voice: Voice, patient: ClinicPatient, visit: Visit, *, by_patient: bool) -> Piece:
    """Return the past medical history: as the patient tells it, or as the record has it."""
    memory = remembers(patient) if by_patient else {}
    known, forgotten = list[Piece](), list[Fact]()
    for one in patient.background:
        how = memory.get(f"condition:{one.condition}")
        if how is not None and (how.manner == "omitted" or how.distortion == "forgets"):
            forgotten.append(Fact("condition", one.condition, "", has=False, denied=True))
            continue
        known.append(_condition(voice, one.condition, visit.began[one.condition], how))
    known += _under_chemotherapy(patient)
    if known:
        return voice.say("pmh.some", list=voice.listed(known))
    if by_patient and forgotten:
        return voice.say("pmh.denied")
    return voice.say("pmh.none")


def _under_chemotherapy(patient: ClinicPatient) -> list[Piece]:
    """The cancer that is treated: no record holds it but what came before the illness."""
    found = (_TREATED.search(one.what) for one in patient.past if one.kind == "procedure")
    return [Piece(f"{one[1]} under chemotherapy", ()) for one in found if one is not None]


def _condition(
    voice: Voice, condition: str, since: datetime.date, how: Recollection | None
) -> Piece:
    word = voice.word(condition)
    fact = Fact("condition", condition, word)
    if (how is not None and how.manner == "vague") or voice.random.random() < 0.55:
        return Piece(word, (fact,))
    year = str(since.year)
    piece = Piece(word, (fact,))
    return voice.say("pmh.since", c=piece, year=Piece(year, (Fact("date", condition, year),)))


def medicines_told(voice: Voice, patient: ClinicPatient) -> Piece:
    """Return the medicines as the patient tells them: vague, wrong or without some of them."""
    memory, told = remembers(patient), list[Piece]()
    vague = _by_reason_alone(patient, memory)
    for one in patient.medicines:
        how = memory[f"medicine:{one.drug}"]
        if how.manner == "omitted" or how.distortion == "forgets":
            continue
        if how.says is not None:
            name = drug_name(patient.facts.drugs[how.says])
            told.append(Piece(name, (Fact("medicine", how.says, name, denied=True),)))
        elif how.manner == "vague":
            several = vague.pop(one.condition, 0)
            if not several:
                continue  # told with the first of this reason
            word = voice.word(one.condition)
            piece = Piece(word, (Fact("condition", one.condition, word),))
            tablet = "medicine.vague.tablet" if is_tablet(one) else "medicine.vague"
            told.append(voice.say("medicine.vague.several" if several > 1 else tablet, c=piece))
        elif how.manner == "asked" or voice.random.random() < 0.35:
            told.append(medicine(voice, patient, one, dosed=False))
        else:
            told.append(medicine(voice, patient, one))
    if told:
        return voice.say("medicines.told", list=voice.listed(told))
    return voice.say("medicines.denied" if patient.medicines else "medicines.none")


def _by_reason_alone(patient: ClinicPatient, memory: Mapping[str, Recollection]) -> Counter[str]:
    """Condition -> how many of its medicines are told by what they are for."""
    plans = ((one, memory[f"medicine:{one.drug}"]) for one in patient.medicines)
    return Counter(
        one.condition for one, how in plans
        if how.manner == "vague" and how.distortion != "forgets" and how.says is None
    )  # fmt: skip


def is_tablet(taken: TakenMedicine) -> bool:
    """Return whether a medicine is taken as tablets, not inhaled or injected."""
    return taken.unit == "mg" and taken.per_day >= 1


def medicine(
    voice: Voice,
    patient: ClinicPatient,
    taken: TakenMedicine,
    *,
    dosed: bool = True,
    dose: float | None = None,
) -> Piece:
    """Return a medicine, with its dose and frequency if `dosed`."""
    name = drug_name(patient.facts.drugs[taken.drug])
    if not dosed:
        return Piece(name, (Fact("medicine", taken.drug, name),))
    amount = taken.dose if dose is None else dose
    often = frequency(voice, taken.per_day)
    text = f"{name} {amount_of(amount, taken.unit)} {often}"
    return Piece(text, (Fact("medicine", taken.drug, text, value=amount),))


def frequency(voice: Voice, per_day: float) -> str:
    """Return how often a medicine is taken, in words."""
    if per_day in FREQUENCIES:
        place = "american" if voice.style.american else "british"
        return voice.say(f"often.{FREQUENCIES[per_day]}.{place}").text
    if per_day > 1:
        return f"{per_day:g} times a day"
    return interval(per_day) or voice.say("often.needed").text


def interval(per_day: float) -> str | None:
    """Return how often a medicine is taken that is not taken daily; None for as needed.

    >>> interval(0.43), interval(1 / 7), interval(0.018), interval(0.0027), interval(0.2)
    ('three times a week', 'weekly', 'every 8 weeks', 'once a year', None)
    """
    days = 1 / per_day
    if days < 2.5:
        return "three times a week"
    if days < 10 and abs(days - 7) > 0.1:
        return None
    weeks = round(days / 7)
    if weeks == 1:
        return "weekly"
    if weeks < 13:
        return f"every {weeks} weeks"
    return "once a year" if weeks > 50 else f"every {round(days / 30.4)} months"


def allergies(voice: Voice, patient: ClinicPatient, *, by_patient: bool) -> Piece:
    """Return the allergies: as the patient tells them, or as the record has them."""
    memory = remembers(patient) if by_patient else {}
    known = []
    for one in patient.allergies:
        how = memory.get(f"allergy:{one.allergen}")
        if how is not None and (how.manner == "omitted" or how.distortion == "forgets"):
            continue
        known.append(_allergy(voice, patient, one, how is None or how.manner != "vague"))
    if known:
        return voice.say("allergies.some", list=voice.listed(known))
    fact = Fact("allergy", "", "", has=False, denied=by_patient and bool(patient.allergies))
    return voice.say("allergies.none", none=Piece("", (fact,)))


def _allergy(
    voice: Voice, patient: ClinicPatient, one: ReportedAllergy, with_reaction: bool
) -> Piece:
    name = one.allergen.removeprefix("class:").replace("-", " ").replace("nsaid", "NSAIDs")
    if one.allergen in patient.facts.drugs:
        name = drug_name(patient.facts.drugs[one.allergen])
    fact = Fact("allergy", one.allergen, name)
    if not with_reaction:
        return Piece(name, (fact,))
    return voice.say("allergy", a=Piece(name, (fact,)), reaction=one.reaction)


def social(voice: Voice, patient: ClinicPatient) -> Piece:
    """Return smoking, alcohol and pregnancy, as the patient tells them; nothing for a child."""
    if patient.person.age < ADULT:
        return Piece("")
    memory, parts = remembers(patient), []
    weeks = patient.person.pregnant_weeks
    carrying = weeks is not None and weeks >= KNOWN
    for habit in ("smoking", "alcohol"):
        how = memory.get(f"habit:{habit}")
        no = "alcohol.pregnant" if habit == "alcohol" and carrying else f"{habit}.no"
        if how is None:
            parts.append(voice.say(no, fact=_habit(habit, False, False)))
        elif how.distortion == "forgets" or how.manner == "omitted":
            if how.distortion == "forgets":
                parts.append(voice.say(no, fact=_habit(habit, False, True)))
        elif how.distortion == "minimises":
            parts.append(voice.say(f"{habit}.little", fact=_habit(habit, True, True)))
        else:
            parts.append(voice.say(f"{habit}.yes", fact=_habit(habit, True, False)))
    if not parts:
        return Piece("")
    return voice.say("social", list=voice.listed(parts))


def _habit(habit: str, has: bool, denied: bool) -> Piece:
    return Piece("", (Fact("habit", habit, "", has=has, denied=denied),))


def amount_of(amount: float, unit: str) -> str:
    """Return an amount with its unit.

    >>> amount_of(1, "puffs"), amount_of(2, "puffs"), amount_of(1, "units")
    ('1 puff', '2 puffs', '1 units')
    """
    single = amount == 1 and unit != "units"
    return f"{amount:g} {unit.rstrip('s') if single else unit}"


def pregnancy(voice: Voice, patient: ClinicPatient) -> Piece:
    """Return the weeks of a pregnancy that is known, before ten weeks the last period, or a birth
    in the last year.
    """
    weeks = patient.person.pregnant_weeks
    if patient.person.postpartum:
        return voice.say(
            "obstetric.postpartum", fact=Piece("", (Fact("pregnancy", "postpartum", ""),))
        )
    if weeks is None:
        return Piece("")
    fact = Fact("pregnancy", "weeks", str(weeks), value=weeks, minute=-weeks * WEEK)
    pool = "pregnant" if weeks >= KNOWN else "last period"
    return voice.say(f"obstetric.{pool.replace(' ', '_')}", weeks=Piece(str(weeks), (fact,)))


def obstetric_history(voice: Voice, patient: ClinicPatient) -> list[Piece]:
    """Return earlier pregnancies, and the movements of the baby from when they are felt.

    Gravida counts every pregnancy with this one, para the children born.
    """
    weeks, life = patient.person.pregnant_weeks, draw_life(patient)
    if weeks is None or life.births is None:
        return []
    gravida = str(life.births + life.losses + 1)
    slots = {
        "gravida": Piece(gravida, (Fact("pregnancy", "gravida", gravida),)),
        "para": Piece(str(life.births), (Fact("pregnancy", "para", str(life.births)),)),
    }
    parts = [voice.say("obstetric.parity", **slots)]
    if life.movements is not None:
        fact = Fact("pregnancy", "movements", "", has=life.movements == "usual")
        parts.append(voice.say(f"obstetric.{life.movements}", fact=Piece("", (fact,))))
    return parts
