"""What a patient says of medicines, allergies, past illnesses, habits and life."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.own_record import OwnRecord, allergen_name
from gym_clinic.chart.talk.speech import Speech
from gym_clinic.chart.talk.times import YEAR, ago, how_long, number_word, vaguely_ago
from gym_clinic.simulate.clinic.disclosure import Recollection
from gym_clinic.simulate.clinic.lay_words import in_person
from gym_clinic.simulate.clinic.life import illness_names
from gym_clinic.simulate.clinic.medicines import TakenMedicine
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
YOUNG, OLD = 12, 56
"""Ages in years below which a girl is too young to be pregnant, and from which on a woman is too
old."""

VAGUE_MEDICINES = (
    "something for", "the usual thing for", "whatever they give you for", "the stuff for",
    "a tablet for", "tablets against", "a medicine for",
)  # fmt: skip
"""Words for a medicine without its name; what is inhaled or injected has the first four."""

HOMES = {
    "alone": "alone", "partner": "with {my} partner", "family": "with the family",
    "parents": "with the parents", "care home": "in a care home",
}  # fmt: skip


class History:
    """Says what a patient knows of everything but findings.

    Args:
        record: The record as the patient knows it.
        speech: The words.
    """

    def __init__(self, record: OwnRecord, speech: Speech) -> None:
        self.record, self.speech = record, speech

    def medicines(self, minute: float) -> Saying:
        """Say what is taken, as the patient recalls it."""
        told: list[str] = []
        unsure = False
        for one in self.record.patient.medicines:
            plan = self.record.recollections[f"medicine:{one.drug}"]
            if plan.manner == "omitted":
                unsure = True
                yield "", Said(plan.fact, "unknown")
            elif plan.distortion == "forgets":
                yield "", Said(plan.fact, "no")
            else:
                told.append(self._medicine(one, plan))
                yield "", Said(plan.fact, plan.says or plan.manner)
        if told:
            yield self.speech.say("medicines", list=listed(told)), Said("medicines", "yes")
        elif unsure:
            yield self.speech.say("medicine.unsure"), Said("medicines", "unknown")
        else:
            yield self.speech.say("medicines.none"), Said("medicines", "no")
        for event in self.record.patient.past:
            if event.kind == "medicine":
                when = self.ago(minute - event.minute, minute)
                text = self.speech.say("ended", drug=self._drug(event.what), when=when)
                yield text, Said(f"past:{event.what}", str(event.minute))

    def medicine(self, drug: str) -> Sentence:
        """Say whether one medicine is taken; a medicine that is taken for another counts as it."""
        plans = self.record.recollections
        name = self._drug(drug)
        fact = f"medicine:{drug}"
        for plan in plans.values():
            if plan.says == drug and plan.distortion != "forgets":
                if plan.manner == "omitted":
                    return self.speech.say("medicine.unsure"), Said(plan.fact, "unknown")
                return self.speech.say("medicine.yes", drug=name), Said(plan.fact, drug)
        own = plans.get(fact)
        if own is None or own.distortion == "forgets" or own.says is not None:
            return self.speech.say("medicine.no", drug=name), Said(fact, "no")
        if own.manner == "omitted":
            return self.speech.say("medicine.unsure"), Said(fact, "unknown")
        return self.speech.say("medicine.yes", drug=name), Said(fact, "yes")

    def _medicine(self, one: TakenMedicine, plan: Recollection) -> str:
        """A medicine in words: by name and dose, or by what it is for."""
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
            return f"{name}, {times}"
        unit = self.speech.choose(f"unit:{one.unit}", UNITS.get(one.unit, (one.unit,)), "unit")
        return f"{name} {amount_of(one.dose, unit)} {times}"

    def allergies(self, minute: float) -> Saying:
        """Say what the patient is allergic to."""
        said = False
        for one in self.record.patient.allergies:
            plan = self.record.recollections[f"allergy:{one.allergen}"]
            if plan.distortion == "forgets" and plan.manner != "told":
                yield "", Said(plan.fact, "no")
                continue
            said = True
            thing = self._allergen(one.allergen)
            if plan.manner in ("vague", "omitted"):
                yield self.speech.say("allergies.vague", thing=thing), Said(plan.fact, "vague")
            else:
                what = "a rash" if one.reaction == "rash" else one.reaction
                text = self.speech.say("allergies", thing=thing, what=what)
                yield text, Said(plan.fact, one.reaction)
        if not said:
            yield self.speech.say("allergies.none"), Said("allergies", "no")

    def past(self, minute: float) -> Saying:
        """Say what the patient has lived with."""
        told, unsure = list[str](), False
        for one in self.record.patient.background:
            plan = self.record.recollections[f"condition:{one.condition}"]
            if plan.distortion == "forgets" or plan.manner == "omitted":
                unsure = unsure or plan.manner == "omitted"
                yield "", Said(plan.fact, "no" if plan.distortion == "forgets" else "unknown")
                continue
            name = self.illness_name(one.condition)
            if plan.manner == "told" and one.years >= 1:
                years = self.speech.part("years", number=number_word(round(one.years)))
                name = f"{name}, {years.replace('one years', 'a year')}"
            told.append(name)
            yield "", Said(plan.fact, plan.manner)
        if told:
            yield self.speech.say("past", list=listed(told)), Said("past", "yes")
        elif unsure:
            yield self.speech.say("unsure"), Said("past", "unknown")
        else:
            yield self.speech.say("past.none"), Said("past", "no")
        for event in self.record.patient.past:
            if event.kind != "medicine":
                when = self.ago(minute - event.minute, minute)
                text = self.speech.say("happened", what=event.what, when=when)
                yield text, Said(f"past:{event.what}", str(event.minute))

    def illness(self, condition: str) -> Sentence:
        """Say whether the patient has lived with an illness."""
        fact = f"condition:{condition}"
        plan = self.record.recollections.get(fact)
        if plan is None or plan.distortion == "forgets":
            return self.speech.say("past.no"), Said(fact, "no")
        if plan.manner == "omitted":
            return self.speech.say("unsure"), Said(fact, "unknown")
        return self.speech.say("past.yes", illness=self.illness_name(condition)), Said(fact, "yes")

    def knows(self, condition: str) -> bool:
        """Return whether an illness is one that the patient lives with."""
        return f"condition:{condition}" in self.record.recollections

    def since(self, condition: str, minute: float) -> Sentence:
        """Say for how long the patient has lived with an illness."""
        plan = self.record.recollections[f"condition:{condition}"]
        if plan.distortion == "forgets" or plan.manner == "omitted":
            return self.illness(condition)
        (years,) = (
            one.years for one in self.record.patient.background if one.condition == condition
        )
        minutes, random = years * YEAR + minute, self.speech.random("time")
        if plan.manner == "vague":
            text = self.speech.say(
                "past.about", about=vaguely_ago(minutes, self.record.now(minute), random)
            )
            return text, Said(f"since:{condition}", "vague")
        if years < 1:
            long = how_long(minutes, random)
            return self.speech.say("past.for", long=long), Said(f"since:{condition}", long)
        number = number_word(round(years))
        text = self.speech.say("years", number=number).replace("one years", "a year")
        return text, Said(f"since:{condition}", f"{years:.1f} years")

    def family(self, minute: float) -> Saying:
        """Say what relatives have or had."""
        told = [
            self.speech.part(
                "relative", place=one.relative, illness=self.illness_name(one.condition)
            )
            for one in self.record.life.family
        ]
        if not told:
            yield self.speech.say("family.none"), Said("life:family", "no")
            return
        yield self.speech.say("family", list=listed(told)), Said("life:family", "yes")

    def smoking(self, minute: float) -> Saying:
        """Say how many cigarettes are smoked."""
        yield self._habit("smoking", self.record.life.cigarettes)

    def alcohol(self, minute: float) -> Saying:
        """Say how many units are drunk."""
        yield self._habit("alcohol", self.record.life.units)

    def _habit(self, habit: str, amount: int) -> Sentence:
        plan = self.record.recollections.get(f"habit:{habit}")
        fact = f"life:{habit}"
        if not amount or (plan is not None and plan.distortion == "forgets"):
            return self.speech.say(f"{habit}.no"), Said(fact, "no")
        if plan is not None and plan.manner == "omitted":
            return self.speech.say(f"{habit}.unsure"), Said(fact, "unknown")
        if plan is not None and (plan.manner == "vague" or plan.distortion == "minimises"):
            return self.speech.say(f"{habit}.less"), Said(fact, "slight")
        return self.speech.say(habit, number=number_word(amount)), Said(fact, str(amount))

    def drugs(self, minute: float) -> Saying:
        """Say that no drugs are used, as no record has any."""
        yield self.speech.say("drugs.no"), Said("life:drugs", "no")

    def travel(self, minute: float) -> Saying:
        """Say where the patient came back from."""
        life = self.record.life
        if life.journey is None or life.back is None:
            yield self.speech.say("travel.no"), Said("life:travel", "no")
            return
        when = self.ago(life.back * 1440 + minute, minute)
        yield (
            self.speech.say("travel", place=life.journey, when=when),
            Said("life:travel", life.journey),
        )

    def work(self, minute: float) -> Saying:
        """Say what the patient works."""
        work = self.record.life.work
        said = Said("life:work", work)
        if work in ("retired", "none"):
            yield self.speech.say(f"work.{work}"), said
        elif work in ("school", "nursery"):
            yield self.speech.say("work.child", place=work), said
        else:
            yield self.speech.say("work", place=work), said

    def home(self, minute: float) -> Saying:
        """Say with whom the patient lives."""
        home = self.record.life.home
        place = in_person(HOMES[home], self.speech.speaker, self.record.patient.person.sex)
        if home == "parents" and self.speech.speaker == "parent":
            place = "with us"
        yield self.speech.say("home", place=place), Said("life:home", home)

    def meal(self, minute: float) -> Saying:
        """Say when the patient last ate."""
        last = self.record.life.meal
        when = self.ago(minute - last, minute)
        yield self.speech.say("meal", when=when), Said("life:meal", str(last))

    def period(self, minute: float) -> Saying:
        """Say when the last period began."""
        days = self.record.life.period
        if days is None:
            yield self.speech.say("period.none"), Said("life:period", "no")
            return
        when = self.ago(days * 1440 + minute, minute)
        yield self.speech.say("period", when=when), Said("life:period", str(days))

    def pregnant(self, minute: float) -> Saying:
        """Say whether the patient is pregnant, and for how many weeks."""
        person = self.record.patient.person
        weeks = person.pregnant_weeks
        if weeks is None:
            young, old = person.age < YOUNG, person.age >= OLD
            way = "man" if person.sex == "male" else "girl" if young else "old" if old else "no"
            yield self.speech.say(f"pregnant.{way}"), Said("life:pregnant", "no")
            return
        yield (
            self.speech.say("pregnant", number=number_word(weeks)),
            Said("life:pregnant", str(weeks)),
        )

    def name(self, minute: float) -> Saying:
        """Say the patient's name."""
        name = self.record.patient.person.name
        yield self.speech.say("name", called=name), Said("name", name)

    def born(self, minute: float) -> Saying:
        """Say the patient's age and date of birth."""
        patient = self.record.patient
        born = f"{patient.born.day} {patient.born:%B %Y}"
        age = patient.person.age
        months = int(age * 12)
        young = "one month" if months == 1 else f"{months} months"
        number = f"{int(age)}" if age >= 2 else young
        yield (
            self.speech.say("born", number=number, birth=born),
            Said("born", patient.born.isoformat()),
        )

    def parity(self, minute: float) -> Saying:
        """Say how many children a woman has had, and how many pregnancies were lost."""
        births, losses = self.record.life.births, self.record.life.losses
        if self.record.patient.person.sex == "male" or births is None:
            yield self.speech.say("parity.none"), Said("life:parity", "no")
            return
        pool = "parity.first" if not births + losses else "parity.lost" if losses else "parity"
        if not births and losses:
            pool = "parity.only.lost"
        number = "one child" if births == 1 else f"{number_word(births)} children"
        lost = "one miscarriage" if losses == 1 else f"{number_word(losses)} miscarriages"
        text = self.speech.say(pool, children=number, lost=lost)
        yield text, Said("life:parity", f"{births}+{losses}")

    def movements(self, minute: float) -> Saying:
        """Say whether the baby moves."""
        way = self.record.life.movements
        yield self.speech.say(f"movements.{way or 'none'}"), Said("life:movements", way or "no")

    def ago(self, minutes: float, minute: float) -> str:
        """Return how long ago something was, in words."""
        return ago(minutes, self.record.now(minute), self.speech.random("time"))

    def _drug(self, drug: str) -> str:
        return drug_name(self.record.patient.facts.drugs[drug])

    def illness_name(self, condition: str) -> str:
        """Return what people call an illness."""
        names = illness_names(self.record.patient.facts, condition)
        return self.speech.choose(f"name:{condition}", names, condition)

    def _allergen(self, reference: str) -> str:
        return allergen_name(self.record.patient.facts, reference)


def listed(items: Sequence[str]) -> str:
    """Join items as a list.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last
