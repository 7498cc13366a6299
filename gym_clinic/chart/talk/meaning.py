"""What the words of a question mean, where they seem to name something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from gym_clinic.chart.talk.asked_tables import illness_groups, medicine_groups
from gym_clinic.chart.talk.hearing import Heard
from gym_clinic.chart.talk.own_record import OwnRecord

CHILD = 12
"""Age in years below which a question about drinking is about feeding, and smoking is none."""

TOLD = ("has", "vague", "slight")
"""Ways in which a patient says that a finding is there."""

ABOUT_A_FINDING = ("onset", "course", "site", "spread", "severity", "quality", "relief")
"""Topics that are asked of a finding."""

OF_HISTORY = (
    "medicines", "allergies", "past", "family", "smoking", "alcohol", "drugs", "travel", "work",
    "home", "meal", "period", "pregnant", "movements", "parity", "name", "born", "doses",
    "last drink", "new medicines", "side effects", "coming",
)  # fmt: skip
OF_CONCERNS = (
    "worry", "cause", "questions", "now", "before", "trigger", "pain relief", "tried", "private",
    "safe", "breastfeeding", "lasting", "aids", "vomit", "grapefruit",
)  # fmt: skip
"""Topics that a method of `History` or `Concerns` answers, of the same name."""

UNKNOWN = (
    "contacts", "vaccines", "usual values", "unusual food", "witness", "smoke at home",
    "own doctor",
)  # fmt: skip
"""Topics of which no record has anything."""

STAND_FOR: Mapping[str, tuple[str, ...]] = {
    "alcohol": ("Alcoholism",),
    "period": ("Amenorrhea",),
    "travel": ("Stay in the tropics",),
    "allergies": (
        "Food allergy",
        "Contact with an allergen",
        "Allergic rhinitis",
        "Immunologic hypersensitivity",
    ),
    "allergen contact": ("Allergy", "Food allergy", "Overdose of tablets"),
    "severity": ("Pain",),
    "quality": ("Pain",),
    "pain relief": ("Pain",),
    "opening": ("Malaise",),
    "relief": ("Pain eased by rest",),
    "medicines": ("Overdose of tablets", "Pain"),
    "mood before": ("Depression",),
    "meal": ("Anorexia",),
    "worry": ("Anxiety", "Excessive worry", "Fear of dying"),
    "waterworks": ("Urinary retention",),
    "now": ("Malaise",),
    "statement": ("Anxiety", "Excessive worry"),
    "last drink": ("Alcoholism",),
    "speech": ("Loss of speech",),
}
"""Topic -> findings that a question about it may seem to name."""

DATED = ("alcohol", "allergies")
"""Of these topics those that are the finding itself when its beginning is asked about."""

INSTEAD_OF: Mapping[str, tuple[str, ...]] = {
    "allergen contact": ("allergies", "contacts", "meal", "exposure"),
    "exposure": ("medicines", "alcohol", "meal", "drugs", "often"),
    "feeding": ("meal",),
    "parity": ("pregnant", "often", "home"),
    "contacts": ("home", "past", "family", "opening"),
    "usual values": ("past",),
    "unusual food": ("meal",),
    "self-harm": ("mood",),
    "high mood": ("mood",),
    "pain relief": ("medicines", "relief"),
    "trigger": ("relief", "opening", "now"),
    "before": ("past", "onset"),
    "cause": ("opening", "trigger"),
    "worry": ("opening", "more"),
    "questions": ("more", "opening"),
    "now": ("opening", "course"),
    "mood": ("now",),
    "below": ("blood loss",),
    "doses": ("medicines", "exposure", "act", "amount", "onset"),
    "new medicines": ("medicines", "onset"),
    "side effects": ("medicines",),
    "last drink": ("alcohol", "meal", "onset"),
    "allergies": ("side effects",),
    "food allergy": ("allergies", "meal", "diet"),
    "lasting": ("onset",),
    "diet": ("meal",),
    "keeping down": ("feeding", "fluids"),
    "fluids": ("alcohol",),
    "witness": ("opening", "contacts", "movements"),
    "walking": ("severity",),
    "birth": ("parity",),
    "smoke at home": ("smoking", "home"),
    "breastfeeding": ("feeding",),
    "safe": ("home", "self-harm"),
    "work": ("pain relief",),
}
"""Topic -> topics that the words of a question about it only seem to ask."""

VOLUNTEERED = (
    "Fever", "Vomiting", "Nausea", "Diarrhea", "Cough", "Chest pain", "Headache", "Dyspnea",
    "Abdominal pain", "Dizziness", "Skin rash", "Weight loss", "Syncope", "Palpitations",
    "Back pain", "Chills", "Constipation", "Night sweats", "Blurred vision",
)  # fmt: skip
"""Findings whose absence people mention without being asked."""

ONLY_ALONE = (
    "waterworks", "below", "feeding", "nappies", "blood loss", "bowels", "walking",
    "limb movement", "hearing", "lumps", "behaviour", "keeping down", "neck", "birth",
    "growth", "swallowing", "sensation", "sputum", "temperature", "lying flat", "balance",
)  # fmt: skip
"""Areas that are left out where a finding is named."""

FUNCTIONS = ("walking", "limb movement")
"""Areas of which it is asked whether something can be done."""

DENIED_PLAINLY = ("blood loss", "below", "lumps")
"""Areas of which it is asked whether something is there, not how things are."""

DENIED_BY_NAME = ("exposure", "self-harm", "high mood", "allergen contact")
"""Areas whose first finding is denied where nothing is there."""

DEPRESSION = "major-depressive-disorder"
"""The illness that a question about an earlier low mood asks about."""

CUES = (
    "alcohol by name", "eating", "food allergy", "fluids", "upper", "ever", "taking it", "whether",
)  # fmt: skip
"""Topics that only say how another one is meant."""

TOO_YOUNG = ("smoking", "alcohol", "drugs", "last drink", "private", "breastfeeding")
"""Topics that nobody asks of a child in earnest."""

BY_EVENT: Mapping[str, tuple[str, ...]] = {
    "before": ("opening", "before", "trigger", "onset", "now", "more", "course"),
    "contact": ("contacts",),
    "drugs": ("drugs",),
    "partner": ("private",),
    "animals": ("animals",),
    "food": ("unusual food", "meal"),
    "doses": ("doses",),
    "fumes": ("smoking",),
}
"""Circumstance -> topics that are answered by an event that is one; "before" is always answered."""


@lru_cache(maxsize=256)
def meant(heard: Heard, record: OwnRecord, last_drug: str | None = None) -> Heard:
    """Leave out what a question only seems to ask: an overdose is no medicine taken daily.

    Args:
        heard: The question.
        record: The record as the patient knows it.
        last_drug: The medicine that was spoken of last, which "taking it" means.
    """
    topics, drugs = list(heard.topics), heard.drugs
    if last_drug is not None and "taking it" in topics and not drugs:
        drugs = (last_drug,)
    elif "taking it" in topics and "onset" in topics and not (drugs or heard.medicine_groups):
        topics[topics.index("onset")] = "medicines"
    overdose = record.patient.facts.finding_ids["Overdose of tablets"]
    taken = "act" in topics and bool(drugs) and overdose in record.implied
    if (taken or overdose in heard.findings) and "exposure" not in topics:
        topics.append("exposure")
    medicines = () if "allergies" in topics else heard.medicine_groups
    if "exposure" in topics:
        drugs = ()
    topics = _as_drinks(topics, record.patient.person.age)
    if "weeks" in topics:
        pregnant = record.patient.person.pregnant_weeks is not None
        topics.remove("weeks")
        topics[topics.index("onset")] = "pregnant" if pregnant else "onset"
    for topic, others in INSTEAD_OF.items():
        if topic in topics:
            topics = [one for one in topics if one not in others]
    if "before" in heard.circumstances:
        topics = [one for one in topics if one not in BY_EVENT["before"]]
    if medicines:
        topics = [one for one in topics if one != "medicines"]
        named = {drug for one in medicines for drug in medicine_groups()[one].drugs}
        drugs = tuple(one for one in drugs if one not in named)
    if "onset" in topics:
        dated = [one for one in DATED if _has_any(STAND_FOR[one], heard, record)]
        topics = [one for one in topics if one not in dated]
    if record.patient.facts.finding_ids["Exposure to fumes or smoke"] in heard.findings:
        topics = [one for one in topics if one != "smoking"]
    illnesses, groups = _illnesses(heard, record)
    if "mood before" in topics:
        illnesses = tuple(dict.fromkeys((*illnesses, DEPRESSION)))
    ids = record.patient.facts.finding_ids
    standing = {ids[name] for one in heard.groups for name in illness_groups()[one].findings}
    return replace(
        heard,
        findings=tuple(
            one for one in heard.findings if one not in standing or one in record.implied
        ),
        topics=tuple(one for one in dict.fromkeys(topics) if one not in CUES),
        cues=tuple(one for one in CUES if one in heard.topics),
        drugs=drugs,
        illnesses=illnesses,
        groups=() if "family" in topics else groups,
        medicine_groups=medicines,
    )


def _as_drinks(topics: list[str], age: float) -> list[str]:
    """Tell drinks of water and milk from those of alcohol: a child drinks none of it."""
    found, child = set(topics), age < CHILD
    if "last drink" in found and (child or "eating" in found) and "alcohol by name" not in found:
        topics = [one for one in topics if one not in ("last drink", "alcohol")]
        found = {*topics, "meal"}
    elif "fluids" in found:
        found.add("feeding")
    elif "feeding" in found and "alcohol" in found:
        found.discard("alcohol" if child else "feeding")
    elif child and "alcohol" in found and not found & {"alcohol by name", "smoking", "last drink"}:
        found = (found - {"alcohol"}) | {"feeding"}
    kept = [one for one in topics if one in found]
    return [*kept, *sorted(found.difference(kept))]


def _illnesses(heard: Heard, record: OwnRecord) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The illnesses that are asked about, and the groups of which nobody lives with any.

    Of a group those are told that the patient lives with, or one of it is denied.
    """
    facts = record.patient.facts
    illnesses = [
        one for one in heard.illnesses
        if _lives_with(one, record) or not _has_any((facts.diseases[one].name,), heard, record)
    ]  # fmt: skip
    groups = list[str]()
    for name in heard.groups:
        conditions = illness_groups()[name].conditions
        own = [one for one in conditions if _lives_with(one, record)]
        if own:
            heard_of = [one for one in illnesses if one in conditions]
            place = illnesses.index(heard_of[0]) if heard_of else len(illnesses)
            illnesses[place:place] = own
            illnesses = [one for one in illnesses if one in own or one not in heard_of]
        elif not conditions:
            groups.append(name)
        elif not any(one in illnesses for one in conditions):
            illnesses.append(conditions[0])
    return tuple(dict.fromkeys(illnesses)), tuple(groups)


def _lives_with(condition: str, record: OwnRecord) -> bool:
    return f"condition:{condition}" in record.recollections


def _has_any(names: Iterable[str], heard: Heard, record: OwnRecord) -> bool:
    """Whether one of some findings is asked about, and tells of itself."""
    ids = record.patient.facts.finding_ids
    return any(
        ids[one] in heard.findings and record.known(ids[one]).stance in TOLD
        for one in names
        if one in ids
    )
