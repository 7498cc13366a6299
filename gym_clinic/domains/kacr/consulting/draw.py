"""A consultation before its words: options, panel, who saw what, who says what and why.

The question is that of step I (:func:`..questions.draw_question`). Every member says one finding
that the ticket speaks of and one that it does not. One member at least has seen a finding that is
typical of the right disease and of no other option. The reasons of the others have one of three
faults: the ticket denies the finding ("denied"); the finding lies outside the field of the speaker
and the patient does not have it ("outside"); or it holds but is not typical of what it is said to
speak for ("misread"). A member may be right for a faulty reason.

Some diseases are right rather often when they are options. A drawn consultation is kept with a
chance that evens this out (:func:`option_strengths`), so that the names of the options alone do not
tell which is right.

How many members give which answer is drawn before it is drawn which of these answers is right, so
that neither the majority nor a lone voice tells; confidence is drawn alike for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from random import Random
from typing import Literal

from gym_clinic import strict_json
from gym_clinic.domains.kacr.consulting.findings import (
    decides,
    fields,
    in_field,
    is_typical,
    name_of,
    related,
    typical,
)
from gym_clinic.domains.kacr.questions import ClinicalQuestion, draw_question
from gym_clinic.domains.kacr.questions.evidence import evidence, presentations
from gym_clinic.errors import TaskError
from gym_clinic.facts import Person, load, with_ancestors
from gym_clinic.simulate.disease.findings import possible
from gym_clinic.simulate.split import Split
from gym_clinic.simulate.told.consistency import never_absent, never_told, not_absent_beside
from gym_clinic.simulate.told.kinds import from_age, kind_of, overlaps

Reason = Literal["sound", "denied", "outside", "misread"]
Temper = Literal["open", "follower", "firm"]

LETTERS = "ABCD"

PATTERNS: Mapping[int, tuple[tuple[tuple[int, ...], float], ...]] = {
    3: (((1, 1, 1), 1.0),),
    4: (((2, 1, 1), 0.55), ((1, 1, 1, 1), 0.45)),
    5: (((2, 1, 1, 1), 0.5), ((2, 2, 1), 0.25), ((3, 1, 1), 0.25)),
}
"""Members -> how many give the same answer, with the weight of each pattern."""

SIZES = {3: 0.25, 4: 0.45, 5: 0.3}
"""Number of members -> its share."""

RIGHT_VOTED = 0.94
"""Share of the consultations in which somebody gives the right answer."""

OWN_KNOWS = 0.6
"""Share in which the discipline of the disease is the one that saw what decides, where it can."""

OWN_DISEASE = 0.5
"""Chance that a member gives an answer of its own discipline, where one is left."""

CONFIDENCE = (0.55, 0.97)
"""Stated confidence, uniform and alike for right and wrong answers."""

TEMPERS: Mapping[Temper, float] = {"open": 0.58, "follower": 0.38, "firm": 0.04}
"""How members take part in a discussion: open to reasons, followers of a senior, or firm."""

YIELDS = 0.5
"""Share of the firm that give way after the third round of discussion."""

DENIED = 3
"""Findings that the referral note denies."""

PLAUSIBLE = 20
"""Likeliest diseases among which the wrong options are drawn."""

CLOSENESS = 0.9
"""Probabilities of wrong options are raised to it."""

TRIES, PANELS = 300, 4
"""Questions tried for a seed, and panels for each question."""


@dataclass(frozen=True)
class DrawnOpinion:
    """What one member says first, and why.

    Attributes:
        member: Id of its discipline.
        disease: Id of the disease it holds.
        mentioned: Id of the finding it names that the ticket speaks of.
        seen: Id of the finding it names that the ticket does not speak of.
        reason: Whether its reason is sound, or its fault.
        confidence: What it states.
        temper: How it takes part in the discussion.
        yields: For a firm member, whether it gives way in the end.
    """

    member: str
    disease: str
    mentioned: str
    seen: str
    reason: Reason
    confidence: float
    temper: Temper
    yields: bool


@dataclass(frozen=True)
class DrawnConsultation:
    """A consultation before its words.

    Attributes:
        question: The question of step I.
        options: Ids of the diseases to choose from, in their order.
        opinions: The first opinions, in the order of the panel.
        seniority: The members, the most senior first; followers follow.
        examinations: Member -> ids of what it found and the ticket does not tell.
        denied: Ids of the findings that the referral note denies.
        informed: The member that saw what decides.
        seat: The member that an agent may play.
    """

    question: ClinicalQuestion
    options: tuple[str, ...]
    opinions: tuple[DrawnOpinion, ...]
    seniority: tuple[str, ...]
    examinations: Mapping[str, tuple[str, ...]]
    denied: tuple[str, ...]
    informed: str
    seat: str


def draw_consultation(seed: str, split: Split) -> DrawnConsultation:
    """Draw a consultation; the same seed and split give the same one.

    Raises:
        TaskError: If no question of the seed makes one.
    """
    for number in range(TRIES):
        drawn = drawn_unthinned(f"{seed}.{number}", split)
        if drawn is not None and Random(f"kept:{split}:{seed}:{number}").random() < chance_kept(
            drawn.options, drawn.question.condition
        ):
            return drawn
    raise TaskError(f"seed {seed!r}: none of {TRIES} questions makes a consultation of {split}")


def drawn_unthinned(seed: str, split: Split) -> DrawnConsultation | None:
    """Return the consultation of one question, whatever its options tell; None if it makes none."""
    try:
        question = draw_question(seed, split)
    except TaskError:  # a few seeds make no question
        return None
    if question.condition not in option_strengths():
        return None
    panels = (
        _Room(question, Random(f"consultation:{split}:{seed}:{panel}")).draw()
        for panel in range(PANELS)
    )
    return next((drawn for drawn in panels if drawn is not None), None)


def chance_kept(options: Sequence[str], right: str) -> float:
    """Return the chance to keep a consultation, so that each of its options is as often right.

    Where an option is right with a chance that grows with exp(strength), keeping its cases in
    proportion to exp(-strength) leaves all options of the set equally likely.
    """
    strengths = option_strengths()
    return exp(min(strengths[key] for key in options) - strengths[right])


@lru_cache(maxsize=1)
def option_strengths() -> Mapping[str, float]:
    """Return disease -> how much rather it is the right option, as a logarithm of odds.

    A conditional logit of the names of the options, which ``bench/consultation.py --fit-options``
    fits. Diseases that are hardly ever right are not in it; they are no options.
    """
    file = Path(__file__).with_name("option_strengths.json")
    strengths: dict[str, float] = strict_json.loads(file.read_text(encoding="utf-8"))
    return strengths


@lru_cache(maxsize=4096)
def is_disease(name: str) -> bool:
    """Whether a finding is a disease itself, which nobody sees on examination."""
    return name.casefold() in _disease_names() or name.endswith(("itis", "pathy", "oma"))


@lru_cache(maxsize=1)
def _disease_names() -> frozenset[str]:
    diseases = load().diseases.values()
    return frozenset(
        name.casefold() for disease in diseases for name in (disease.name, *disease.synonyms)
    )


def plausible_options(question: ClinicalQuestion) -> dict[str, float]:
    """Return the diseases that may be wrong options of a question, with how plausible they are.

    The diseases of the patient are left out, and those whose name shares words with the right one.
    """
    person = Person(question.age, "female" if question.sex == "female" else "male")
    told = [told.id for told in question.present]
    posterior = evidence().posterior(person, told, question.absent)
    diseases = load().diseases
    right = diseases[question.condition]
    return {
        key: posterior[key] ** CLOSENESS
        for key in list(posterior)[:PLAUSIBLE]
        if key not in (right.id, question.second) and not overlaps(right, diseases[key].name)
    }


class _Room:
    """The drawing of one consultation."""

    def __init__(self, question: ClinicalQuestion, random: Random) -> None:
        self.question, self.random = question, random
        self.person = Person(question.age, "female" if question.sex == "female" else "male")
        self.told = tuple(told.id for told in question.present)
        self.right = question.condition
        self.mentioned = {*self.told, *question.absent}

    def draw(self) -> DrawnConsultation | None:
        """Return the consultation; None if nobody could see what decides."""
        random = self.random
        options = self._options()
        if options is None:
            return None
        deciding = [key for key in sorted(typical(self.right)) if self._new(key, self.right)
                    and decides(key, self.right, options)]  # fmt: skip
        informed, found = self._informed(deciding)
        if informed is None:
            return None
        members = self._members(options, informed)
        examinations = self._examinations(members, informed, found, deciding)
        answers = self._answers(members, options, informed)
        denials: list[str] = []
        opinions: list[DrawnOpinion] = []
        true = [key for keys in examinations.values() for key in keys]
        for member in members:
            sound = member == informed and answers[member] == self.right
            opinion = self._opinion(
                member, answers[member], options, examinations[member], true, denials,
                [earlier.seen for earlier in opinions], sound, found,
            )  # fmt: skip
            if opinion is None:
                return None
            opinions.append(opinion)
        decisive = {key for key in (*true, *self.told) if decides(key, self.right, options)}
        against = [key for key in (*true, *self.told) for other in options
                   if other != self.right and decides(key, other, options)]  # fmt: skip
        if len(decisive) < 2 or len(against) > 1:
            return None
        said = [opinion.seen for opinion in opinions]
        denied = self._denied(denials, options, (*true, *said))
        if denied is None:
            return None
        return DrawnConsultation(
            self.question, options, tuple(opinions), tuple(random.sample(members, len(members))),
            examinations, denied, informed, random.choice(members),
        )  # fmt: skip

    def _options(self) -> tuple[str, ...] | None:
        """Draw three diseases beside the right one, by how plausible the question makes them."""
        known = option_strengths()
        plausible = plausible_options(self.question)
        chance = {key: share for key, share in plausible.items() if key in known and share > 0}
        if len(chance) < 3:
            return None
        keys = {key: self.random.random() ** (1 / chance[key]) for key in chance}
        chosen = [self.right, *sorted(chance, key=lambda key: (-keys[key], key))[:3]]
        self.random.shuffle(chosen)
        return tuple(chosen)

    def _new(self, key: str, disease: str) -> bool:
        """Whether a finding may be seen in this person and is not yet spoken of."""
        name = name_of(key)
        return (
            not related(key, self.mentioned)
            and not never_told(name)
            and not is_disease(name)
            and from_age(name) <= self.person.age
            and kind_of(name) in ("sign", "test", "complaint")
            and not overlaps(load().diseases[disease], name)
            and bool(possible(load(), [key], self.person))
            and not self._opposed(key, self.told)
        )

    def _opposed(self, key: str, has: Collection[str]) -> bool:
        """Whether nobody has a finding together with others."""
        return not load().opposites[key].isdisjoint(with_ancestors(has, load().above))

    def _informed(self, deciding: Sequence[str]) -> tuple[str | None, str]:
        """Draw who saw what decides, and the finding."""
        able = {discipline: [key for key in deciding if in_field(discipline, key)]
                for discipline in fields()}  # fmt: skip
        able = {discipline: keys for discipline, keys in able.items() if keys}
        if not able:
            return None, ""
        own = load().diseases[self.right].discipline
        chosen = own if own in able and self.random.random() < OWN_KNOWS else ""
        chosen = chosen or self.random.choice(sorted(able))
        return chosen, self.random.choice(able[chosen])

    def _members(self, options: Sequence[str], informed: str) -> list[str]:
        """Draw the panel: disciplines of the options first, then others."""
        (amount,) = self.random.choices(list(SIZES), weights=list(SIZES.values()))
        of_options = list(dict.fromkeys(load().diseases[key].discipline for key in options))
        self.random.shuffle(of_options)
        others = [key for key in sorted(fields()) if key not in of_options]
        self.random.shuffle(others)
        rest = [key for key in (*of_options, *others) if key != informed]
        members = [informed, *rest[: amount - 1]]
        self.random.shuffle(members)
        return members

    def _examinations(
        self, members: Sequence[str], informed: str, found: str, deciding: Sequence[str]
    ) -> dict[str, tuple[str, ...]]:
        """Draw what each member found: of the disease, and by the way."""
        random = self.random
        seen: dict[str, tuple[str, ...]] = {}
        has = [*self.told, found]
        for member in members:
            own = [found] if member == informed else []
            more = [key for key in typical(self.right) if in_field(member, key)
                    and self._new(key, self.right) and not related(key, has)]  # fmt: skip
            more.sort()
            random.shuffle(more)
            own += more[: random.choice((0, 1, 1, 2))]
            has += own
            if not own or random.random() < 0.5:
                by_the_way = self._incidental(member, has)
                own += by_the_way
                has += by_the_way
            seen[member] = tuple(random.sample(own, len(own)))
        return seen

    def _incidental(self, member: str, has: Collection[str]) -> list[str]:
        """Draw a finding that many diseases have and the right one does not."""
        spread = _spread()
        able = [key for key in spread if in_field(member, key) and spread[key] >= 4
                and not is_typical(key, self.right) and not related(key, has)
                and self._new(key, self.right)
                and not self._opposed(key, has)]  # fmt: skip
        if not able:
            return []
        return self.random.choices(able, weights=[spread[key] for key in able])

    def _answers(
        self, members: Sequence[str], options: Sequence[str], informed: str
    ) -> dict[str, str]:
        """Draw who gives which answer: first the pattern, then which answer is the right one."""
        random = self.random
        sizes = random.choices(
            [pattern for pattern, _ in PATTERNS[len(members)]],
            weights=[weight for _, weight in PATTERNS[len(members)]],
        )[0]
        wrong = [key for key in options if key != self.right]
        random.shuffle(wrong)
        if random.random() < RIGHT_VOTED or len(sizes) > len(wrong):
            groups = [self.right, *wrong[: len(sizes) - 1]]
        else:
            groups = wrong[: len(sizes)]
        random.shuffle(groups)
        left = [group for group, size in zip(groups, sizes, strict=True) for _ in range(size)]
        answers: dict[str, str] = {}
        if self.right in left:
            answers[informed] = self.right
            left.remove(self.right)
        others = [member for member in members if member not in answers]
        random.shuffle(others)
        for member in others:
            own = [key for key in left if load().diseases[key].discipline == member]
            pick = random.choice(own if own and random.random() < OWN_DISEASE else left)
            answers[member] = pick
            left.remove(pick)
        return answers

    def _opinion(
        self, member: str, disease: str, options: Sequence[str], seen: Sequence[str],
        true: Sequence[str], denials: list[str], said: Sequence[str], sound: bool, found: str,
    ) -> DrawnOpinion | None:  # fmt: skip
        """Draw the reason of a member; None if there is none to give."""
        random = self.random
        fitting = [key for key in self.told if is_typical(key, disease)] or list(self.told)
        told = random.choice(fitting)
        if sound:
            return self._said(member, disease, told, found, "sound")
        faults: list[Reason] = ["denied", "outside", "misread"]
        random.shuffle(faults)
        for fault in faults:
            if fault == "denied" and seen and len(denials) < DENIED:
                able = [key for key in sorted(typical(disease)) if key not in denials
                        and self._deniable(key, (*true, *said))]  # fmt: skip
                if able:
                    denials.append(random.choice(able))
                    return self._said(member, disease, denials[-1], random.choice(seen), fault)
            if fault == "outside":
                able = [key for key in sorted(typical(disease)) if not in_field(member, key)
                        and self._new(key, disease) and not related(key, (*true, *denials))
                        and not is_typical(key, self.right)]  # fmt: skip
                if disease == self.right:
                    able = [key for key in sorted(typical(disease)) if not in_field(member, key)
                            and self._new(key, disease)
                            and not related(key, (*true, *denials))]  # fmt: skip
                if able:
                    return self._said(member, disease, told, random.choice(able), fault)
            if fault == "misread":
                able = [key for key in seen if not is_typical(key, disease)]
                if able:
                    return self._said(member, disease, told, random.choice(able), fault)
        return None

    def _said(
        self, member: str, disease: str, mentioned: str, seen: str, reason: Reason
    ) -> DrawnOpinion:
        (temper,) = self.random.choices(list(TEMPERS), weights=list(TEMPERS.values()))
        confidence = round(self.random.uniform(*CONFIDENCE), 2)
        yields = self.random.random() < YIELDS
        return DrawnOpinion(member, disease, mentioned, seen, reason, confidence, temper, yields)

    def _deniable(self, key: str, true: Sequence[str]) -> bool:
        """Whether the patient can do without a finding, so that a note may deny it."""
        name = name_of(key)
        has = with_ancestors((*self.told, *true), load().above)
        return (
            self._new(key, self.right)
            and not related(key, (*self.told, *true))
            and name not in not_absent_beside([name_of(one) for one in has])
            and not never_absent(name)
            and not is_typical(key, self.right)
        )

    def _denied(
        self, denials: Sequence[str], options: Sequence[str], true: Sequence[str]
    ) -> tuple[str, ...] | None:
        """Return what the note denies: what was claimed, and findings of any of the options."""
        denied = list(denials)
        able = sorted({key for option in options for key in typical(option)})
        self.random.shuffle(able)
        for key in able:
            if len(denied) == DENIED:
                break
            fits = self._deniable(key, true) or (
                key in typical(self.right)
                and self._new(key, self.right)
                and not related(key, true)
                and not never_absent(name_of(key))
                and presentations().shares(self.right)[key] < 0.5
            )
            if fits and not related(key, denied):
                denied.append(key)
        if len(denied) < DENIED:
            return None
        self.random.shuffle(denied)
        return tuple(denied)


@lru_cache(maxsize=1)
def _spread() -> Counter[str]:
    """Finding -> the number of diseases that have it."""
    return Counter(key for disease in presentations().diseases for key in sorted(typical(disease)))


def plan_of(drawn: DrawnConsultation) -> Iterator[str]:
    """Yield the ids of the findings that speak for the right disease and no other option."""
    seen = [key for keys in drawn.examinations.values() for key in keys]
    told = [told.id for told in drawn.question.present]
    for key in dict.fromkeys((*seen, *told)):
        if decides(key, drawn.question.condition, drawn.options):
            yield key
