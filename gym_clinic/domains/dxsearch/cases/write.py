"""A case written out: sections in sentences or in note form, from what is told and nothing else.

Every split has its own share of the phrases and of the words for findings; the two sites that are
held out have phrases of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.domains.dxsearch.cases.draw import Style, ToldFindings, presentations
from gym_clinic.facts.passages.sentences import inside
from gym_clinic.simulate import Grammar, Writer, read_grammar
from gym_clinic.simulate.clinic.telling.lay_words import bare, in_person, negatable, words_of
from gym_clinic.simulate.clinic.texts.phrasebook import finding_words
from gym_clinic.simulate.presentation import age_of
from gym_clinic.simulate.split import Split, of_split
from gym_clinic.simulate.told.kinds import kind_of

LAY_SHARE = 0.4
"""Share of complaints told in the words of patients."""

HELD_BACK = 3
"""Train does without every third phrase of a pool."""

CHILD, SPEAKS = 16, 6
"""Ages in years: up to the first a girl or boy; up to the second the parents speak."""

OPENS_WITH = 3
"""Findings that the first sentence tells at most."""

SLOTS = {"complaint": "complaints", "known": "history", "sign": "sign_list", "test": "result_list"}
"""Kind of finding -> the slot that lists it, in the order of the sections."""

OPENINGS = {"complaint": "opening", "known": "opening_known", "sign": "opening_signs",
            "test": "opening_tests"}  # fmt: skip
SECTIONS = {"known": "known", "sign": "signs", "test": "tests"}
"""Kind of finding -> the pool that tells it after the opening."""

ABSENCES = {"complaint": ("none", "absences"), "sign": ("none_seen", "unseen"),
            "test": ("none_tested", "untested")}  # fmt: skip
"""Kind of absent finding -> the pool that tells it, and the slot that lists it."""

_POOLS = (*OPENINGS.values(), *SECTIONS.values(), *(pool for pool, _ in ABSENCES.values()),
          "asking")  # fmt: skip
_DENIES = re.compile(r"\b(no|not|without|lack|never)\b")
"""Words after which \"no\" would deny twice."""

_UNITS = {"Y": "year", "M": "month", "D": "day"}


@lru_cache(maxsize=3)
def grammar(style: Style) -> Grammar:
    """Return the phrases of a site."""
    folder = Path(__file__).parent / "phrases" / style
    pools = _POOLS if style == "sparse" else (*_POOLS, "more")
    return read_grammar(folder, pools)


class CaseWriter:
    """Writes one case.

    Args:
        told: What is told.
        random: The source of randomness.
        split: Whose phrases are used.
        style: The site.
    """

    def __init__(self, told: ToldFindings, random: Random, split: Split, style: Style) -> None:
        self.told, self.random, self.split, self.style = told, random, split, style
        self.amount, self.unit = age_of(told.patient)
        self.years = self.amount if self.unit == "Y" else 0
        self.female = told.patient.sex == "female"
        self._said: set[str] = set()

    def text(self) -> str:
        """Return the text of the case."""
        names = [presentations().facts.phenotypes[key].name for key in self.told.findings]
        self.random.shuffle(names)
        by_kind = {kind: [name for name in names if kind_of(name) == kind] for kind in SLOTS}
        listed = {kind: self._worded(found) for kind, found in by_kind.items() if found}
        first = next(iter(listed))
        facts, pools = self._person(), [OPENINGS[first]]
        if first == "complaint" and self.style != "sparse":
            if extras := listed[first][OPENS_WITH:]:
                facts["extras"] = self._list(extras)
                pools.append("more")
            listed[first] = listed[first][:OPENS_WITH]
        facts |= {SLOTS[kind]: self._list(words) for kind, words in listed.items()}
        absent = {kind: [name for name in self.told.absent if kind_of(name) == kind]
                  for kind in ABSENCES}  # fmt: skip
        for kind in SLOTS:
            if kind in listed and kind != first:
                pools.append(SECTIONS[kind])
            if left := absent.get(kind):
                pool, slot = ABSENCES[kind]
                facts[slot] = self._list([self._absent(name) for name in left], "or")
                pools.append(pool)
        writer = Writer(
            grammar(self.style),
            self.random,
            facts,
            hold_back=HELD_BACK if self.split == "train" else 0,
        )
        return " ".join(writer.draw(pool) for pool in (*pools, "asking"))

    def _worded(self, names: Sequence[str]) -> list[str]:
        """Return findings in words; no words twice in a case."""
        words = []
        for name in names:
            chosen = self._words(name)
            words.append(inside(name) if chosen in self._said else chosen)
            self._said.add(words[-1])
        return words

    def _person(self) -> dict[str, str]:
        adult = self.years >= CHILD
        noun = ("woman" if self.female else "man") if adult else "girl" if self.female else "boy"
        if self.style == "vocabulary":
            short = (
                f"{self.amount}{'' if self.unit == 'Y' else '/12' if self.unit == 'M' else '/7'}"
            )
            return {"who": f"{short}{'F' if self.female else 'M'}"}
        unit = _UNITS[self.unit]
        article = "an" if self.amount in (8, 11, 18) or 80 <= self.amount < 90 else "a"
        if self.style == "sparse":
            age = f"{self.amount} {unit}{'s' * (self.amount != 1)}" if self.amount else "newborn"
            return {"who": f"{noun}, {age}"}
        he = "she" if self.female else "he"
        parents = self.years < SPEAKS
        tells, ending = ("the parents", "") if parents else (he, "s")
        return {
            "who": f"{article} {self.amount}-{unit}-old {noun}" if self.amount
                   else f"a newborn {noun}",
            "he": he, "tells": tells,
            "report": f"report{ending}", "describe": f"describe{ending}",
            "deny": "deny" if parents else "denies",
        }  # fmt: skip

    def _words(self, name: str) -> str:
        """Return how a finding is named here: as patients do, as clinicians do, or as tables do."""
        lay = words_of(name, self.years) if kind_of(name) == "complaint" else None
        full, short = finding_words().get(name, ((), ()))
        if self.style == "vocabulary" and short:
            return self._one(f"{name}.short", short).rstrip("*")
        if lay is not None and self.random.random() < LAY_SHARE:
            nouns = self._one(f"{name}.lay", lay.nouns)
            return in_person(nouns, "parent", "female" if self.female else "male")
        if full and self.random.random() < 0.7:
            return self._one(f"{name}.full", full).rstrip("*")
        return inside(name)

    def _absent(self, name: str) -> str:
        lay = words_of(name, self.years) if kind_of(name) == "complaint" else None
        nouns = [noun for noun in negatable(lay.nouns if lay is not None else ())
                 if not _DENIES.search(noun)]  # fmt: skip
        full = [form for form in finding_words().get(name, ((), ()))[0]
                if not form.endswith("*") and not _DENIES.search(form)]  # fmt: skip
        if nouns and self.random.random() < LAY_SHARE:
            words = in_person(self._one(f"{name}.lay", nouns), "parent",
                              "female" if self.female else "male")  # fmt: skip
            return bare(words)
        return bare(self._one(f"{name}.full", full)) if full else inside(name)

    def _one(self, pool: str, forms: Sequence[str]) -> str:
        allowed = of_split(pool, forms, self.split) or list(forms)
        return self.random.choice(allowed)

    def _list(self, items: Sequence[str], last: str = "and") -> str:
        named = list(dict.fromkeys(items))
        if self.style == "vocabulary":
            return ", ".join(named)
        if len(named) < 3:
            return f" {last} ".join(named)
        return f"{', '.join(named[:-1])} {last} {named[-1]}"


def write_case(told: ToldFindings, seed: str, split: Split, style: Style) -> str:
    """Return the text of a case; the same seed gives the same text."""
    return CaseWriter(told, Random(f"text:{seed}"), split, style).text()
