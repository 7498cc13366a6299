"""What every document of a simulated patient keeps: read back from the text, and compared."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from text_times import began_between

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.measurement import Sample
from gym_clinic.simulate.clinic.telling.disclosure import disclosures
from gym_clinic.simulate.clinic.texts import Document, draw_visit, phrasebook
from gym_clinic.simulate.clinic.texts.units import written_value
from gym_clinic.simulate.clinic.texts.voice import americanised

PHRASES = Path(phrasebook.__file__).with_name("phrases")
NEGATION = re.compile(
    r"^(?:no|nil|denies|denied|pt denies|without|neg for|-ve for|not had|says no|by .{3,10} own "
    r"account no|asked about|when asked, .{2,8} denies|(?:s?he|mother|father|the crew)"
    r" (?:denies|has no|has not had|is free of))\b|: nil$|: none$|denied(?: on questioning)?$",
    re.IGNORECASE,
)
VITALS = {
    "hr": r"(?:\bHR|\bP|\bpulse|\bPR|\bheart rate) (\d+)(?!\d|/\d)",
    "rr": r"(?:\bRR|\bresps?|\bresp rate|\brespirations) (\d+)",
    "spo2": r"(?:\bsats|\bsaturations?|\bSp?O2|\bSaO2|\bO2 sats) (\d+)%",
    "temp_c": r"(?:\bT|\btemp|\btemperature) (\d\d\d?\.\d)",
    "gcs": r"(?:\bGCS|\bcoma score) (\d+)",
    "pain": r"(?:\bpain|\bpain score|\bNRS) (\d+)(?:/| of )10\b",
    "sbp": r"(?:\bBP|\bpressure|\bNIBP) (\d+)/\d+",
    "dbp": r"(?:\bBP|\bpressure|\bNIBP) \d+/(\d+)",
    "glucometer": r"(?:\bCBG|\bBM|\bglucose|\bfingerstick|\bBGL) ([\d.]+ m\w+/d?L)",
}
"""Measurement -> how it stands in texts; written apart from the phrases that write it."""

AMERICAN_ONLY = re.compile(
    r"\d lb\b|\.\d ?F\b|\bBUN mg|10\^3/uL"
    r"|(?:Creat|Gluc|LDL|Bili|Ca|Mg|CBG|BM|glucose|BGL)[ \d.]* mg/dL|(?:Hb|Alb)[ \d.]* g/dL"
)
BRITISH_ONLY = re.compile(
    r"\d kg\b|\b(?:T|temp|temperature) [\d.]+ ?C\b|\burea mmol|umol/L(?<!NH3 umol/L)|10\^9/L"
    r"|(?:LDL|Gluc|Bili|Ca|Mg|CBG|glucose|BGL|fingerstick)[ \d.]* mmol/L|(?:Hb|Alb)[ \d.]* g/L"
)
"""Units that only one of the countries writes."""

Found = Iterator[str]


def words_stand_in_the_text(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """The words of every fact occur in its document."""
    for one in documents:
        for fact in one.facts:
            if fact.says and fact.says.lower() not in one.text.lower():
                yield f"{one.title}: {fact.says!r} is not in the text"


def vital_signs_are_readings(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """A vital sign that a text states was measured at a time that the text may know."""
    american = draw_visit(patient).american
    for one in documents:
        if one.kind in ("ecg", "imaging", "laboratory"):
            continue
        times = {fact.minute for fact in one.facts if fact.kind == "reading"}
        samples = [Sample(patient, minute) for minute in times if minute is not None]
        text = one.text
        for fact in one.facts:  # what is seen on examination may have numbers of its own
            text = text.replace(fact.says, "") if fact.kind in ("sign", "study") else text
        for key, pattern in VITALS.items():
            for number in re.findall(pattern, text, re.IGNORECASE):
                values = [sample.reading(key).value for sample in samples]
                measured = {_locally(key, value, american) for value in values}
                if number not in measured:
                    yield f"{one.title}: {key} {number}, measured {sorted(measured)}"


def _locally(key: str, value: float, american: bool) -> str:
    """A vital sign in the unit of the country; written apart from the table of the texts."""
    if key == "temp_c":
        return f"{value * 9 / 5 + 32 if american else value:.1f}"
    if key == "glucometer":
        return f"{value:.0f} mg/dL" if american else f"{value / 18.0156:.1f} mmol/L"
    return f"{value:.0f}"


def units_are_of_one_country(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """No text has a unit that laboratories and wards of the other country use."""
    american = draw_visit(patient).american
    wrong = AMERICAN_ONLY if not american else BRITISH_ONLY
    for one in documents:
        text = re.sub(r"\bU-\w+ mg/dL", "", one.text)  # urine strips are alike in both
        if found := wrong.search(text):
            yield f"{one.title}: {found[0]!r} in {'American' if american else 'British'} units"


def readings_are_measured(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Every reading, those of tables and letters included, is the one of that minute."""
    for one in documents:
        for fact in one.facts:
            if fact.kind == "reading" and fact.minute is not None:
                value = Sample(patient, fact.minute).reading(fact.of).value
                known, american = patient.facts.measurements[fact.of], draw_visit(patient).american
                wanted = written_value(known, value, american)
                said = re.findall(r"\d+(?:\.\d+)?", fact.says)
                if fact.value != value or wanted not in said:
                    yield f"{one.title}: {fact.of} {fact.says}, measured {wanted}"


@lru_cache(maxsize=1)
def literal_numbers() -> frozenset[str]:
    """The numbers that phrases hold in themselves, such as "12-lead"."""
    texts = [one.read_text(encoding="utf-8") for one in PHRASES.glob("*.txt")]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("- ")]
    words = [form for forms in phrasebook.finding_words().values() for form in forms[0] + forms[1]]
    words += [
        form for forms in phrasebook.condition_words().values() for form in forms[0] + forms[1]
    ]
    return frozenset({"1.73"}) | frozenset(
        number
        for line in [*lines, *words]
        for number in re.findall(r"\d+(?:[./:]\d+)*", re.sub(r"\{\w+\}", " ", line))
    )


def numbers_are_facts(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """No number stands in a text that is neither of a fact nor of the phrase itself."""
    for one in documents:
        if one.kind == "laboratory":
            continue
        text = re.sub(r"1\.73m2|10\^[39]/", "", one.text)
        for says in sorted({fact.says for fact in one.facts if fact.says}, key=len, reverse=True):
            text = re.sub(rf"(?<![\d.]){re.escape(says)}(?!\d)", "~", text, flags=re.IGNORECASE)
        for number in re.findall(r"\d+(?:[./:]\d+)*", text):
            if number.strip("./:") not in literal_numbers():
                at = max(text.find(number) - 30, 0)
                yield f"{one.title}: {number} is no fact: {text[at : at + 60]}"


def _has(patient: ClinicPatient, minute: float) -> set[str]:
    """What the patient has by a time, the more general findings included."""
    above = patient.facts.above
    found = {one.finding for one in disclosures(patient) if one.has}
    for problem in patient.problems:
        found |= {key for key, began in problem.findings.items() if began <= minute}
    return found.union(*(above[key] for key in found)) if found else found


def absent_is_absent(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """What is negated is not there, unless the plan says so and the text gives it as told."""
    plan = {one.finding: one for one in disclosures(patient)}
    for one in documents:
        has = _has(patient, one.minute)
        for fact in one.facts:
            if fact.kind != "finding" or fact.has:
                continue
            forgot = fact.of in plan and plan[fact.of].distortion == "forgets"
            if fact.of in has and not (fact.denied and forgot):
                yield f"{one.title}: {fact.says!r} is negated and there"


def negated_words(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Read from the text alone: no sentence of negation names what was told to be there."""
    words = phrasebook.finding_words()
    for one in documents:
        there = {fact.of for fact in one.facts if fact.kind == "finding" and fact.has}
        said = {fact.says.lower() for fact in one.facts if fact.kind == "finding" and not fact.has}
        for sentence in re.split(r"(?<=[.?!])\s+|\n|; ", one.text):
            if not NEGATION.search(sentence.strip(" .")):
                continue
            for key in there:
                full, short = words.get(patient.facts.phenotypes[key].name, ((), ()))
                for form in (*full, *short):
                    plain = americanised(form.rstrip("*")).lower()
                    inside = any(plain in other for other in said)
                    if re.search(rf"\b{re.escape(plain)}\b", sentence.lower()) and not inside:
                        yield f"{one.title}: {sentence!r} negates {plain!r}"


def no_diagnosis(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """No text names a problem of the patient, by its name or a synonym."""
    lived = {one.condition for one in patient.background}
    names = {
        name
        for problem in patient.problems if problem.condition not in lived
        for name in (patient.facts.diseases[problem.condition].name,
                     *patient.facts.diseases[problem.condition].synonyms)
        if len(name) > 2
    }  # fmt: skip
    allowed = {one.reaction for one in patient.allergies}  # "hives" after penicillin
    for one in documents:
        for name in {one for one in names if one.lower() not in allowed}:
            flags = 0 if name.isupper() else re.IGNORECASE
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", one.text, flags):
                yield f"{one.title}: names {name!r}"


def times_are_right(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Durations, weekdays, dates and clock times fit what was told, which is true or planned."""
    plan = {one.finding: one for one in disclosures(patient)}
    for one in documents:
        for fact in one.facts:
            if fact.kind != "onset" or fact.minute is None:
                continue
            planned = plan.get(fact.of)
            true = {began for problem in patient.problems
                    for key, began in problem.findings.items() if key == fact.of}  # fmt: skip
            if planned is not None:
                true |= {planned.began or 0}
                true |= {planned.says_began} if planned.says_began is not None else set()
            if fact.minute not in true:
                yield f"{one.title}: {fact.of} told as of {fact.minute}, known {true}"
            bounds = began_between(fact.says, one.minute, patient.arrived)
            if bounds is None or not bounds[0] <= fact.minute <= bounds[1]:
                yield f"{one.title}: {fact.says!r} means {bounds}, not {fact.minute}"


def ages_are_right(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Ages are those of the date of birth on the day of the text."""
    born = patient.born
    for one in documents:
        for fact in one.facts:
            if fact.kind != "age":
                continue
            days = (patient.arrived.date() - born).days + (fact.minute or 0) / 1440
            unit = {"day": 1, "week": 7, "month": 30.44}.get(fact.of, 365.25)
            number = int(re.findall(r"\d+", fact.says)[0])
            if not number - 0.15 <= days / unit < number + 1.15:
                yield f"{one.title}: age {fact.says}, {days / unit:.2f} {fact.of}"


def nothing_of_the_future(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """A text knows nothing that was measured, began or happened after it."""
    for one in documents:
        for fact in one.facts:
            if fact.minute is not None and fact.minute > one.minute:
                yield f"{one.title} at {one.minute}: {fact.of} of {fact.minute}"
        for year in re.findall(r"(?:since|in|from|\() ?(20\d\d)\b", one.text):
            if int(year) > (patient.arrived + datetime.timedelta(minutes=one.minute)).year:
                yield f"{one.title}: the year {year}"


def medicines_are_taken(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """Medicines and doses are those of the record, or what the plan has the patient believe."""
    from gym_clinic.simulate.clinic.telling.disclosure import recollections
    from gym_clinic.simulate.clinic.texts import draw_visit

    taken = {one.taken.drug: one for one in draw_visit(patient).medicines}
    believed = {one.says for one in recollections(patient) if one.says is not None}
    for one in documents:
        for fact in one.facts:
            if fact.kind != "medicine":
                continue
            if fact.of not in taken:
                if not (fact.denied and fact.of in believed):
                    yield f"{one.title}: {fact.of} is not taken"
                continue
            doses = {f"{taken[fact.of].taken.dose:g}", f"{taken[fact.of].before or 0:g}"}
            numbers = re.findall(r"(\d+(?:\.\d+)?(?:e[+-]\d+)?) (?:mg|mcg|g|units|mL|puffs?|mmol)",
                                 fact.says)  # fmt: skip
            if any(number not in doses for number in numbers):
                yield f"{one.title}: {fact.says}, taken {sorted(doses)}"


@lru_cache(maxsize=1)
def held_grams() -> frozenset[tuple[str, ...]]:
    """All sequences of four words of the phrases that train does not have."""
    return frozenset(
        gram
        for pool in phrasebook.splits().values()
        for phrase, split in pool.items() if split != "train"
        for gram in phrasebook.grams(phrase)
    )  # fmt: skip


def no_held_out_words(patient: ClinicPatient, documents: Sequence[Document]) -> Found:
    """No four consecutive words of a phrase of dev or test stand in a text of train."""
    for one in documents:
        text = one.text
        for fact in one.facts:  # what the record says in its own words is no phrase
            if fact.kind in ("sign", "study") and fact.says:
                # It may begin a sentence.
                text = re.sub(re.escape(fact.says), " | ", text, flags=re.IGNORECASE)
        for part in re.split(r"[|.;:?!,()\n]", text):
            words = phrasebook.words_of(part)
            for at in range(len(words) - 3):
                if tuple(words[at : at + 4]) in held_grams():
                    yield f"{one.title}: {' '.join(words[at : at + 4])!r} is held out"
