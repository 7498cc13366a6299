"""The words of a consultation: the referral note, the first opinions, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

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


def note_in_words(denied: Sequence[str], split: Split, seed: str) -> str:
    """Return what the referral note denies.

    Args:
        denied: Ids of the findings.
        split: Whose phrases and words are used.
        seed: Any text; the same seed gives the same words.
    """
    random = Random(seed)
    words = [random.choice(words_for(name_of(key), split, True)) for key in denied]
    return Writer(grammar(split), random, {"absent": listed(words, "or")}).draw("note")


def reason_in_words(disease: str, mentioned: str, seen: str, split: Split, seed: str) -> str:
    """Return the reason of a first opinion in words, whether it is a good one or not.

    Args:
        disease: Name of the disease that it is for.
        mentioned: Name of a finding that the ticket speaks of.
        seen: Name of a finding that it does not speak of.
        split: Whose phrases and words are used.
        seed: Any text; the same seed gives the same words.
    """
    random = Random(seed)
    facts = {
        "choice": inside(disease),
        "mentioned": random.choice(words_for(mentioned, split, False)),
        "seen": random.choice(words_for(seen, split, False)),
    }
    return Writer(grammar(split), random, facts).draw("reason")


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
