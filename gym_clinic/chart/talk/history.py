"""What a patient says of medicines, allergies, past illnesses, habits and life."""

from __future__ import annotations

from collections.abc import Sequence

from gym_clinic.chart.talk.answer import Said
from gym_clinic.chart.talk.medicine_history import MedicineTalk, Saying, Sentence, listed
from gym_clinic.chart.talk.own_record import allergen_name
from gym_clinic.chart.talk.times import YEAR, how_long, number_word, vaguely_ago
from gym_clinic.simulate.clinic.telling.lay_words import in_person
from gym_clinic.simulate.clinic.texts.visit import draw_visit

YOUNG, OLD = 12, 56
"""Ages in years below which a girl is too young to be pregnant, and from which on a woman is too
old."""

TROPICS = "Stay in the tropics"
"""The finding that a journey may be."""

HOMES = {
    "alone": "alone", "partner": "with {my} partner", "family": "with the family",
    "parents": "with the parents", "care home": "in a care home",
}  # fmt: skip


class History(MedicineTalk):
    """Says what a patient knows of everything but findings.

    Args:
        record: The record as the patient knows it.
        speech: The words.
    """

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
        else:  # who has just had a procedure does not say first that there was never anything
            treated = any(one.kind == "procedure" for one in self.record.patient.past)
            yield "" if treated else self.speech.say("past.none"), Said("past", "no")
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

    def none_of(self, groups: Sequence[str]) -> Saying:
        """Deny illnesses that nobody lives with, such as a stroke long ago, in one sentence."""
        for place, one in enumerate(groups):
            yield "" if place else self.speech.say("past.never"), Said(f"past:{one}", "no")

    def too_young(self, topics: Sequence[str]) -> Saying:
        """Say the age of a child of whom it is asked what only adults do."""
        age = self.record.patient.person.age
        years = number_word(int(age)) if age >= 2 else how_long_old(int(age * 12))
        text = self.speech.say("too.young", number=years)
        for place, one in enumerate(topics):
            yield "" if place else text, Said(f"life:{one}", "no")

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

    def last_drink(self, minute: float) -> Saying:
        """Say that the time of the last drink is not known, or that nothing is drunk."""
        drinks = self._habit("alcohol", self.record.life.units)
        if drinks[1].value == "no":
            yield drinks
        else:
            yield self.speech.say("drink.unknown"), Said("life:last drink", "unknown")

    def travel(self, minute: float) -> Saying:
        """Say where the patient came back from."""
        life = self.record.life
        tropics = self.record.patient.facts.finding_ids[TROPICS]
        if life.journey is None or life.back is None:
            yield self.speech.say("travel.no"), Said("life:travel", "no")
            yield "", Said(f"finding:{tropics}", "no")
            return
        if tropics in self.record.implied:
            yield "", Said(f"finding:{tropics}", "yes")
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

    def coming(self, minute: float) -> Saying:
        """Say how the patient came here."""
        mode = draw_visit(self.record.patient).mode
        yield self.speech.say(f"came.{mode.replace(' ', '.')}"), Said("life:coming", mode)

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
        number = f"{int(age)}" if age >= 2 else how_long_old(int(age * 12))
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

    def _allergen(self, reference: str) -> str:
        return allergen_name(self.record.patient.facts, reference)


def how_long_old(months: int) -> str:
    """Return the age of a baby.

    >>> how_long_old(1), how_long_old(17)
    ('one month', '17 months')
    """
    return "one month" if months == 1 else f"{months} months"
