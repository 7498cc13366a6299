"""What examination and studies show of a patient, and how that of two problems is told as one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from gym_clinic.facts import load, words
from gym_clinic.facts.expressions import parse as parse_expression
from gym_clinic.facts.phrases import Choice, Number, ParsedPhrase, parse
from gym_clinic.facts.records.conditions import Condition, ReferenceRange
from gym_clinic.facts.records.examination import Sign, Study
from gym_clinic.simulate.clinic.examination.appearance import as_ill
from gym_clinic.simulate.clinic.examination.named_signs import as_found
from gym_clinic.simulate.split import Split, of_split

_SINUS = re.compile(r"Sinus (rhythm|tachycardia|bradycardia)(,? (at |of |rate )?\d+ ?(/min|bpm)?)?")
_RATE = re.compile(r"\b\d+ ?(/min|bpm)")
WHOLE = ("general", "mental state")
"""Parts of the examination that describe the whole patient."""

_ORIENTED = re.compile(
    r"(\balert(,| and) )?(\bfully )?\b(?<!not )(?<!future )orient(at)?ed\b"
    r"( x ?3| to time(, place and person| and place)?)?|\bA&O x3|\bAMTS 10/10"
)
"""What an examiner writes of a patient who knows the time, the place and the persons."""

CLEAR, KNOWS_DATES = 14.5, 4
"""Coma score, and age in years, from which on a patient may be called oriented; a score of 14 is
somebody who is confused or opens the eyes only when spoken to."""

_ANSWERED = re.compile(
    r"sensation|pin prick|light touch|vibration|finger-nose|past-pointing|heel-shin|tandem|Romberg"
    r"|\bfields\b|acuity|monofilament|dermatome|whisper|speech|speak|language|phasia|dysarthri"
    r"|word-finding|names objects|recall|AMTS|conversation|answer|respon[ds]\w* slow|slow respon"
    r"|follows|vague|confused|incoheren|muddled|drift|power|^4/5|unsteady|ataxic|clumsy|incoordination"
    r"|repetition|sit or stand"
)
"""Words of what can be examined only in a patient who answers, or does what is asked."""

ANSWERS = 9.5
"""Coma score from which on a patient answers well enough for that."""

BUILDS = {
    r"tall(, | and )?": (1.03, 9.0, "tallness"),
    r"(very )?(thin|slim|lean|underweight|cachectic|emaciated|asthenic)\b"
    r"(?! (limb|skin|frag|pulse))( build| in appearance)?": (0.0, 0.85, "build"),
    r"normal build|well nourished|no signs of weight loss|not wasted": (0.75, 1.15, "build"),
    r"((central|truncal) obesity|overweight( centrally)?)": (0.97, 9.0, "build"),
}
"""What an examiner writes of a build -> the least and the greatest share of the usual body mass
index, or height, of such a person."""

_BUILDS = {re.compile(rf"\b({text})"): limits for text, limits in BUILDS.items()}

_SPACES = re.compile(r" {2,}")
_BEFORE_STOP = re.compile(r" +([,.;:)])")


class ShownSign(NamedTuple):
    """What is found at a part of the examination.

    Attributes:
        site: The part.
        text: What is noted.
        abnormal: Whether it is abnormal.
    """

    site: str
    text: str
    abnormal: bool


class StudyReport(NamedTuple):
    """The report of a study.

    Attributes:
        text: The report.
        shows: Whether it points to the condition.
    """

    text: str
    shows: bool


RUN, NUMBER = 8, "0"
"""Words in a row that count as the same text, and what stands for a number in them."""

FEWEST_WORDINGS = 3
"""Wordings of a whole text from which on some of them are kept from the train split."""


def write_text(text: str, random: Random, split: Split | None = None) -> str:
    """Return a text with its alternatives and numbers drawn.

    >>> write_text("liver edge [|just ]<2-3> cm below the ribs", Random(1))
    'liver edge 2 cm below the ribs'

    Args:
        text: The phrase.
        random: The source of randomness; as much is taken from it whatever the split.
        split: Draws among the wordings of a split; among all if None.
    """
    own = Random(random.getrandbits(64))
    phrase = parse(text)
    if split is not None and (wordings := _wordings(text, split)):
        phrase = own.choice(wordings)
    written = "".join(_parts(phrase, own))
    return _BEFORE_STOP.sub(r"\1", _SPACES.sub(" ", written)).strip()


@lru_cache(maxsize=1 << 13)
def _wordings(text: str, split: Split) -> list[ParsedPhrase]:
    """What a split draws from where a text is one choice among several wordings, else nothing.

    What is kept from train has no eight words in a row of what train has; what has is in no split.
    """
    by_words = _by_words(text)
    if len(by_words) < FEWEST_WORDINGS:
        return []
    drawn = of_split(text, list(by_words), split)
    if split != "train":
        seen = {*of_split(text, list(by_words), "train")}
        drawn = [one for one in drawn if one in seen or _trained_runs().isdisjoint(_runs(one))]
    return [by_words[one] for one in drawn]


@lru_cache(maxsize=1 << 13)
def _by_words(text: str) -> dict[str, ParsedPhrase]:
    """Words -> wording of a text that is one choice; every number is the same one."""
    phrase = parse(text)
    if len(phrase) != 1 or not isinstance(phrase[0], Choice):
        return {}
    return {
        "".join(part if isinstance(part, str) else NUMBER for part in one): one
        for one in phrase[0].alternatives
    }


def _runs(wording: str) -> Iterator[tuple[str, ...]]:
    """The runs of eight words, a number counting as one whatever it is."""
    told = [NUMBER if one.isdigit() else one for one in words(wording)]
    yield from (tuple(told[at : at + RUN]) for at in range(len(told) - RUN + 1))


@lru_cache(maxsize=1)
def _trained_runs() -> frozenset[tuple[str, ...]]:
    """The runs of all signs and reports that train has."""
    found: set[tuple[str, ...]] = set()
    for condition in load().conditions.values():
        texts = [one.text for study in condition.studies for one in study.results]
        texts += [each for one in condition.signs for each in (one.text, one.otherwise) if each]
        for text in texts:
            every = list(_by_words(text)) or [text]
            own = of_split(text, every, "train") if len(every) >= FEWEST_WORDINGS else every
            found.update(run for wording in own for run in _runs(wording))
    return frozenset(found)


def _parts(phrase: ParsedPhrase, random: Random) -> Iterator[str]:
    for node in phrase:
        if isinstance(node, Choice):
            yield from _parts(random.choice(node.alternatives), random)
        elif isinstance(node, Number):
            steps = 10**node.decimals
            drawn = random.randint(round(node.low * steps), round(node.high * steps))
            yield f"{drawn / steps:.{node.decimals}f}"
        elif isinstance(node, str):
            yield node


def draw_signs(
    condition: Condition,
    variant: str | None,
    severity: float,
    has: Callable[[str], bool],
    values: Mapping[str, float],
    random: Random,
    split: Split | None = None,
) -> tuple[ShownSign, ...]:
    """Draw what the examination finds.

    Args:
        condition: The condition.
        variant: Its form in this patient.
        severity: On arrival.
        has: Whether the patient has a finding, by its name.
        values: The state on arrival, `age`, and the limits of healthy people.
        random: The source of randomness.
        split: Whose wordings are drawn; those of all if None.
    """
    found = []
    for one in condition.signs:
        if one.variant not in (None, variant):
            continue
        there = _is_there(one, severity, has, values, random)
        text = one.text if there else one.otherwise
        if text is not None:
            abnormal = one.abnormal in ("both", "text" if there else "otherwise")
            written = _as_awake(write_text(text, random, split), values)
            written = _as_built(written, values) if one.site == "general" else written
            if one.site == "general" and (told := as_ill(written, has, values)) != written:
                # Whatever the wording was, the part is told.
                written = told or ("alert" if values["gcs"] >= CLEAR else "not fully alert")
            written = as_found(written, has)
            if written:
                found.append(ShownSign(one.site, written, abnormal))
    return tuple(found)


def _as_awake(text: str, values: Mapping[str, float]) -> str:
    """The text without what the coma score or the age does not allow: orientation, sensation.

    >>> _as_awake("A&O x3, no focal deficit", {"gcs": 15, "age": 2})
    'alert, no focal deficit'
    >>> _as_awake("alert and orientated", {"gcs": 13, "age": 40})
    ''
    >>> _as_awake("alert, no meningism", {"gcs": 11, "age": 1})
    'no meningism'
    >>> _as_awake("coarse nystagmus, finger-nose test overshoots", {"gcs": 8, "age": 40})
    'coarse nystagmus'
    >>> _as_awake("burning hot to touch, slow to answer", {"gcs": 7, "age": 40})
    'burning hot to touch'
    """
    if values["gcs"] < ANSWERS:
        text = ", ".join(one for one in text.split(", ") if not _ANSWERED.search(one))
    clear = values["gcs"] >= CLEAR
    if _ORIENTED.search(text) and not (clear and values["age"] >= KNOWS_DATES):
        text = ", ".join(dict.fromkeys(_ORIENTED.sub("alert", text).split(", ")))
    if clear:
        return text
    return ", ".join(one for one in text.split(", ") if one not in ("alert", "GCS 15"))


def _as_built(text: str, values: Mapping[str, float]) -> str:
    """The text without a build that height and weight contradict.

    >>> _as_built("tall and thin, holds the side", {"build": 1.1, "tallness": 0.98})
    'holds the side'
    >>> _as_built("pale and thin", {"build": 1.1, "tallness": 1.0})
    'pale'
    """
    left = text
    for pattern, (least, most, measure) in _BUILDS.items():
        if not least <= values[measure] <= most:
            left = pattern.sub("", left)
    if left == text:
        return text
    clauses = (re.sub(r"^(and|,)|and$", "", one.strip()).strip() for one in left.split(","))
    return ", ".join(one for one in clauses if one)


def _is_there(
    one: Sign,
    severity: float,
    has: Callable[[str], bool],
    values: Mapping[str, float],
    random: Random,
) -> bool:
    if one.goes_with is not None:
        return has(one.goes_with)
    if one.when is not None:
        return bool(parse_expression(one.when).compute(values))
    share = one.share or 0.0
    return random.random() < min(share * severity, 1.0) or share == 1


def draw_report(
    study: Study,
    variant: str | None,
    has: Callable[[str], bool],
    values: Mapping[str, float],
    random: Random,
    shows: bool | None = None,
    split: Split | None = None,
) -> StudyReport | None:
    """Draw what a study shows, among what is possible in this patient; as :func:`draw_signs`.

    With ``shows`` only results that show the condition, or do not; None if none of these is
    possible.
    """
    possible = [
        one
        for one in study.results
        if one.possible(variant, has, values) and shows in (None, one.shows)
    ]
    if not possible and shows is not None:
        return None
    (one,) = random.choices(possible, weights=[one.share for one in possible])
    return StudyReport(write_text(one.text, random, split), one.shows)


def one_examination(of_problems: Iterable[Sequence[ShownSign]]) -> tuple[ShownSign, ...]:
    """Return the signs of all problems as one examination, one part after the other.

    In each part what is abnormal comes first. What one problem finds normal is left out where
    another finds something abnormal, or has said what is normal; the general impression is that of
    the first problem.

    Args:
        of_problems: The signs of each problem, the first problem first.
    """
    problems = list(of_problems)
    kept: dict[str, list[ShownSign]] = {}
    for number, signs in enumerate(problems):
        others = (*problems[:number], *problems[number + 1 :])
        spoiled = {one.site for other in others for one in other if one.abnormal}
        told = set(kept)
        for one in signs:
            hidden = told & set(WHOLE) if one.abnormal else told | spoiled
            if one.site not in hidden:
                kept.setdefault(one.site, []).append(one)
    return tuple(
        one for signs in kept.values() for one in sorted(signs, key=lambda one: not one.abnormal)
    )


def one_report(reports: Sequence[StudyReport]) -> str:
    """Return what a study shows of all problems: what points to one of them, or nothing does."""
    telling = [one.text for one in reports if one.shows]
    return " ".join(dict.fromkeys(telling or [reports[0].text]))


def rhythm(text: str, rate: int, fibrillates: bool, usual: ReferenceRange | None = None) -> str:
    """Return the report of an ECG with the rate that the heart has.

    >>> rhythm("Sinus rhythm. ST depression of 1 mm in V5.", 112, False)
    'Sinus tachycardia 112/min. ST depression of 1 mm in V5.'

    Args:
        text: The report; "Sinus rhythm" and the like are replaced, other rhythms get the rate.
        rate: Beats a minute.
        fibrillates: Whether the patient has lived with atrial fibrillation.
        usual: The rates that are usual at the age of the patient; those of adults if None.
    """
    low, high = (60, 100) if usual is None else (usual.low or 0, usual.high or math.inf)
    name = "tachycardia" if rate > high else "bradycardia" if rate < low else "rhythm"
    own = "Atrial fibrillation, ventricular rate" if fibrillates else f"Sinus {name}"
    found, count = _SINUS.subn(f"{own} {rate}/min", text, count=1)
    return found if count else _RATE.sub(f"{rate}/min", text, count=1)
