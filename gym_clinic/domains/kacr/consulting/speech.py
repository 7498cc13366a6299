"""The words of a consultation: the referral note, the first opinions, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.domains.kacr.consulting.draw import DrawnConsultation, DrawnOpinion
from gym_clinic.domains.kacr.consulting.findings import name_of
from gym_clinic.domains.kacr.questions.words import listed
from gym_clinic.embedded import linker
from gym_clinic.facts import load
from gym_clinic.facts.passages.sentences import inside
from gym_clinic.facts.phrases import parse
from gym_clinic.simulate import Grammar, Writer, read_grammar, read_pools
from gym_clinic.simulate.clinic.telling.lay_words import bare
from gym_clinic.simulate.clinic.texts.phrasebook import finding_words
from gym_clinic.simulate.split import Split, of_split

_FOLDER = Path(__file__).with_name("phrases")
_DRAWN = ("reason", "note", "keeps", "follows", "persuaded", "upheld", "revised")


@lru_cache(maxsize=3)
def grammar(split: Split) -> Grammar:
    """Return the phrases that a split may use."""
    read_grammar(_FOLDER, _DRAWN)  # checks the files
    pools = {}
    for file in sorted(_FOLDER.glob("*.txt")):
        for name, entries in read_pools(file).pools.items():
            texts = of_split(f"kacr.consulting.{name}", [entry.text for entry in entries], split)
            pools[name] = tuple(parse(text, name) for text in texts)
    return Grammar(pools)


@lru_cache(maxsize=1 << 14)
def words_for(name: str, split: Split, absent: bool) -> tuple[str, ...]:
    """Return the ways in which a split names a finding such that a reader can link it.

    Args:
        name: Name of the finding.
        split: Whose words.
        absent: Whether the words follow "no".
    """
    clinical = [form for form in finding_words().get(name, ((), ()))[0] if not form.endswith("*")]
    allowed = of_split(f"{name}.consulting", clinical, split)
    forms = [bare(form) for form in allowed] if absent else list(allowed)
    key = load().finding_ids[name]
    linked = [form for form in forms if _links(form, key, absent)]
    return (*linked, bare(inside(name)) if absent else inside(name))


def _links(form: str, key: str, absent: bool) -> bool:
    text = f"There was no {form}." if absent else f"I found {form}."
    status = "absent" if absent else "present"
    found = [(link.record.id, link.status) for link in linker().link(text)]
    return found == [(key, status)]


class Speaker:
    """Writes what is said in one consultation.

    Args:
        drawn: The consultation.
        split: Whose phrases and words are used.
        random: The source of randomness.
    """

    def __init__(self, drawn: DrawnConsultation, split: Split, random: Random) -> None:
        self.drawn, self.split, self.random = drawn, split, random

    def note(self) -> str:
        """Return what the referral note denies."""
        words = [self._words(key, absent=True) for key in self.drawn.denied]
        return self._say("note", {"absent": listed(words, "or")})

    def opinion(self, opinion: DrawnOpinion) -> str:
        """Return the reason of a member in words."""
        years = self.drawn.question.age
        return self._say("reason", {
            "choice": inside(load().diseases[opinion.disease].name),
            "mentioned": self._words(opinion.mentioned),
            "seen": self._words(opinion.seen),
            "patient": "the child" if years < 16 else "the patient",
        })  # fmt: skip

    def _words(self, key: str, *, absent: bool = False) -> str:
        return self.random.choice(words_for(name_of(key), self.split, absent))

    def _say(self, pool: str, facts: Mapping[str, str]) -> str:
        return Writer(grammar(self.split), self.random, facts).draw(pool)


def later(pool: str, split: Split, seed: str, facts: Mapping[str, str]) -> str:
    """Return a sentence of the discussion; the same seed gives the same one.

    Args:
        pool: A pool of ``phrases/discussion.txt``.
        split: Whose phrases are used.
        seed: Any text.
        facts: The slots of the pool.
    """
    return Writer(grammar(split), Random(seed), facts).draw(pool)


def names_in_words(findings: Sequence[str]) -> str:
    """Return names of findings as a list in words."""
    return listed([inside(name) for name in findings])
