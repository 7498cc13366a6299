"""What a patient says of medicines: those that are taken, of some kind, new ones and ended ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.asked_tables import medicine_groups
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.times import ago, number_word, vaguely_ago
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic.drug_rules import references
from gym_clinic.simulate.clinic.medicines import PastEvent, TakenMedicine
from gym_clinic.simulate.clinic.telling.disclosure import Recollection
from gym_clinic.simulate.clinic.telling.life import illness_names
from gym_clinic.simulate.clinic.texts.sections.background import amount_of, interval, is_tablet
from gym_clinic.simulate.clinic.texts.voice import drug_name

Sentence = tuple[str, Said]
Saying = Iterator[Sentence]

TIMES: Mapping[float, tuple[str, ...]] = {
    1: ("once a day", "daily", "one a day", "every day", "each day", "once daily"),
    2: ("twice a day", "twice daily", "two a day", "two times a day"),
}
"""Times a day -> in words."""

WEEKLY = ("once a week", "weekly", "every week", "one a week")
AS_NEEDED = ("as needed", "only when needed", "now and then", "on bad days")
"""How people say that a medicine is taken once a week, or when it is needed."""

UNITS = {"mg": ("mg", "milligrams"), "mcg": ("mcg", "micrograms")}
VAGUE_MEDICINES = (
    "something for", "the usual thing for", "whatever they give you for", "the stuff for",
    "a tablet for", "tablets against", "a medicine for",
)  # fmt: skip
"""Words for a medicine without its name; what is inhaled or injected has the first four."""

SEVERAL = ("a couple of things for", "several things for", "more than one thing for",
           "different things for")  # fmt: skip
"""Words for several medicines of one reason without their names."""


class MedicineTalk:
    """Says what a patient knows of medicines.

    Args:
        record: The record as the patient knows it.
        speech: The words.
    """

    def __init__(self, record: OwnRecord, speech: Speech) -> None:
        self.record, self.speech = record, speech

    def medicines(self, minute: float) -> Saying:
        """Say what is taken, as the patient recalls it."""
        told, bought, unsure = list[str](), list[str](), False
        vague = self._vague()
        for one in self.record.patient.medicines:
            plan = self.record.recollections[f"medicine:{one.drug}"]
            if plan.manner == "omitted":
                unsure = True
                yield "", Said(plan.fact, "unknown")
            elif plan.distortion == "forgets":
                yield "", Said(plan.fact, "no")
            else:
                yield "", Said(plan.fact, plan.says or plan.manner)
                if plan.manner != "vague" or vague[one.condition] > 0:
                    named = self._medicine(one, plan, several=vague[one.condition] > 1)
                    (bought if one.unlisted == "bought" else told).append(named)
                if plan.manner == "vague":
                    vague[one.condition] = 0  # all of this reason are told at once
        if told:
            yield self.speech.say("medicines", list=apart(told)), Said("medicines", "yes")
        elif not bought and unsure:
            yield self.speech.say("medicine.unsure"), Said("medicines", "unknown")
        elif not bought:
            yield self.speech.say("medicines.none"), Said("medicines", "no")
        for event in self.record.patient.past:
            if event.kind == "medicine":
                yield self._ended(event, minute)
        if bought:  # last, or what ended would sound as if it were bought too
            yield self.speech.say("medicines.bought", list=apart(bought)), Said("medicines", "yes")

    def _ended(self, event: PastEvent, minute: float) -> Sentence:
        when = self.ago(minute - event.minute, minute)
        text = self.speech.say("ended", drug=self._drug(event.what), when=when)
        return text, Said(f"past:{event.what}", str(event.minute))

    def medicine(self, drug: str, minute: float, topics: Collection[str] = ()) -> Sentence:
        """Say whether one medicine is taken, since when, or at which dose.

        What was left out of the list, or taken for another, is recalled when it is named. Who is
        asked for the name that was said instead finds the true one.

        Args:
            drug: Id of the medicine.
            minute: Minutes from arrival.
            topics: What is asked of it: "onset", "dose" or "often"; else whether it is taken.
        """
        plans, name = self.record.recollections, self._drug(drug)
        taken = {one.drug: one for one in self.record.patient.medicines}
        for plan in plans.values():
            key = plan.fact.partition(":")[2]
            if not plan.fact.startswith("medicine:") or drug not in (key, plan.says):
                continue
            forgot, said = plan.distortion in ("forgets", "wrong"), Said(plan.fact, "yes")
            if plan.manner == "omitted" and (drug == plan.says or not forgot):
                return self.speech.say("medicine.unsure"), Said(plan.fact, "unknown")
            if drug == plan.says:
                return self.speech.say("medicine.slip", drug=self._drug(key)), said
            one = taken.get(key)
            if one is not None and "onset" in topics:
                return self._since(one, name, plan, minute), said
            if one is not None and {"dose", "often"} & {*topics}:
                known = replace(plan, manner="told", says=None)
                return self.speech.say("medicine.yes", drug=self._medicine(one, known)), said
            return self.speech.say(f"medicine.{'recalled' if forgot else 'yes'}", drug=name), said
        for event in self.record.patient.past:
            if event.kind == "medicine" and event.what == drug:
                return self._ended(event, minute)
        return self.speech.say("medicine.no", drug=name), Said(f"medicine:{drug}", "no")

    def _since(self, one: TakenMedicine, name: str, plan: Recollection, minute: float) -> str:
        """Since when a medicine is taken, by the record."""
        if one.begun is None:
            return self.speech.say("medicine.long", drug=name)
        since = minute - one.begun
        if plan.manner == "vague":
            about = vaguely_ago(since, self.record.now(minute), self.speech.random("time"))
            return self.speech.say("medicine.since", drug=name, when=about)
        return self.speech.say("medicine.since", drug=name, when=self.ago(since, minute))

    def _vague(self) -> Counter[str]:
        """Condition -> how many of its medicines are told by what they are for."""
        plans = self.record.recollections
        told = [(one, plans[f"medicine:{one.drug}"]) for one in self.record.patient.medicines]
        return Counter(one.condition for one, plan in told
                       if plan.manner == "vague" and plan.distortion != "forgets")  # fmt: skip

    def _medicine(self, one: TakenMedicine, plan: Recollection, *, several: bool = False) -> str:
        """A medicine in words: by name and dose, or by what it is for, which several may be."""
        if plan.manner == "vague" and several:
            some = self.speech.choose("several", SEVERAL, "several")
            return f"{some} {self.illness_name(one.condition)}"
        if plan.manner == "vague":
            known = VAGUE_MEDICINES if is_tablet(one) else VAGUE_MEDICINES[:4]
            vague = self.speech.choose("vague", known, "vague")
            return f"{vague} {self.illness_name(one.condition)}"
        pool = TIMES.get(one.per_day, ("{n} times a day", "{n} a day"))
        if one.per_day < 1:
            rare = interval(one.per_day)
            pool = WEEKLY if rare == "weekly" else (rare,) if rare else AS_NEEDED
        times = self.speech.choose(f"often:{one.per_day}", pool, f"often {one.per_day}")
        times = times.format(n=number_word(round(one.per_day)))
        name = self._drug(plan.says or one.drug)
        if plan.says or plan.manner == "asked":
            return f"{name} {times}"
        unit = self.speech.choose(f"unit:{one.unit}", UNITS.get(one.unit, (one.unit,)), "unit")
        return f"{name} {amount_of(one.dose, unit)} {times}"

    def medicines_of(self, group: str, minute: float) -> Saying:
        """Say whether a medicine of some classes is taken, or was."""
        facts, plans = self.record.patient.facts, self.record.recollections
        classes = {CLASS + one for one in medicine_groups()[group].classes}
        said = False
        for one in self.record.patient.medicines:
            plan = plans[f"medicine:{one.drug}"]
            if classes.isdisjoint(references(facts, one.drug)):
                continue
            said = True
            if plan.distortion in ("forgets", "wrong"):
                yield self.medicine(one.drug, minute)
            elif plan.manner in ("omitted", "vague"):
                yield self.speech.say("medicine.unsure"), Said(plan.fact, "unknown")
            else:
                text = self.speech.say("medicine.yes", drug=self._drug(one.drug))
                yield text, Said(plan.fact, "yes")
        for event in self.record.patient.past:
            if event.kind == "medicine" and not classes.isdisjoint(references(facts, event.what)):
                said = True
                yield self._ended(event, minute)
        if not said:
            yield self.speech.say("medicines.not.those"), Said(f"medicines:{group}", "no")

    def new_medicines(self, minute: float) -> Saying:
        """Say which medicine was begun lately."""
        said = False
        for one in self.record.patient.medicines:
            plan = self.record.recollections[f"medicine:{one.drug}"]
            if one.begun is None or plan.distortion == "forgets":
                continue
            said, since = True, minute - one.begun
            if plan.manner == "omitted":
                yield self.speech.say("medicine.unsure"), Said(plan.fact, "unknown")
            elif plan.manner == "vague":
                about = vaguely_ago(since, self.record.now(minute), self.speech.random("time"))
                text = self.speech.say("medicine.new", drug=self._medicine(one, plan), when=about)
                yield text, Said(plan.fact, "vague")
            else:
                drug, when = self._drug(plan.says or one.drug), self.ago(since, minute)
                text = self.speech.say("medicine.new", drug=drug, when=when)
                yield text, Said(plan.fact, plan.says or "yes")
        for event in self.record.patient.past:
            if event.kind == "medicine":
                said = True
                yield self._ended(event, minute)
        if not said:
            yield self.speech.say("medicines.nothing.new"), Said("medicines:new", "no")

    def doses(self, minute: float) -> Saying:
        """Say that nobody counts the doses: no record has them; or that nothing is taken."""
        yield self._of_own_medicines("doses")

    def side_effects(self, minute: float) -> Saying:
        """Say that no side effect is known; or that nothing is taken."""
        yield self._of_own_medicines("side.effects")

    def _of_own_medicines(self, pool: str) -> Sentence:
        plans = self.record.recollections.values()
        takes = any(
            one.fact.startswith("medicine:") and one.distortion != "forgets" for one in plans
        )
        if not takes:
            return self.speech.say("medicines.none"), Said("medicines", "no")
        return self.speech.say(pool), Said(f"medicines:{pool}", "unknown")

    def _drug(self, drug: str) -> str:
        return drug_name(self.record.patient.facts.drugs[drug])

    def illness_name(self, condition: str) -> str:
        """Return what people call an illness."""
        names = illness_names(self.record.patient.facts, condition)
        return self.speech.choose(f"name:{condition}", names, condition)

    def ago(self, minutes: float, minute: float) -> str:
        """Return how long ago something was, in words."""
        return ago(minutes, self.record.now(minute), self.speech.random("time"))


def apart(items: Sequence[str]) -> str:
    """Join medicines as a list: with a comma before the last, as they have words of their own.

    >>> apart(["sumatriptan now and then", "propranolol twice a day"])
    'sumatriptan now and then, and propranolol twice a day'
    """
    *others, last = items
    return f"{', '.join(others)}, and {last}" if others else last


def listed(items: Sequence[str]) -> str:
    """Join items as a list.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last
