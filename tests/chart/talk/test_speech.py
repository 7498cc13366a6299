"""What patients say is varied, and part of its phrases is not in train."""

from __future__ import annotations

import re
from random import Random

import pytest
from patient_questions import QUESTIONS

from gym_clinic.chart.talk import RulesPatient
from gym_clinic.chart.talk.speech import FOLDER, Speech, grammar_of, pool_names
from gym_clinic.facts import load
from gym_clinic.facts.phrases import Choice, ParsedPhrase
from gym_clinic.simulate.clinic import draw_patient, presenting
from gym_clinic.simulate.grammar import read_pools
from gym_clinic.simulate.split import held_out

FACTS = load()
CONDITIONS = [one.id for one in presenting(FACTS)]

LEAST = 0.86
"""Least share of distinct runs of five words in 4,000 words."""

ENTRIES = {
    name: [one.text for one in entries]
    for path in sorted(FOLDER.glob("*.txt"))
    for name, entries in read_pools(path).pools.items()
}


def runs(text: str, length: int) -> list[tuple[str, ...]]:
    """The runs of words in each sentence of a text; numbers are masked."""
    found = []
    for sentence in re.split(r"(?<=[.?!])\s+|\n", re.sub(r"\d+", "N", text.lower())):
        words = sentence.strip(" .").split()
        found += [tuple(words[n : n + length]) for n in range(len(words) - length + 1)]
    return found


def distinct_share(texts: list[str], words: int = 4000) -> float:
    said = " \n".join(texts).split(" ")
    found = runs(" ".join(said[:words]), 5)
    return len(set(found)) / len(found)


@pytest.fixture(scope="module")
def talks() -> list[str]:
    found = []
    for seed in range(50):
        rules = RulesPatient(draw_patient(seed, CONDITIONS[seed * 11 % len(CONDITIONS)]))
        names = [FACTS.phenotypes[one].name.lower() for one in rules.record.plan]
        Random(seed).shuffle(names)
        asked = ["What brings you in?", "When did it start?", "Anything else?"]
        asked += [f"Any {name}?" for name in names[:6]]
        found.append("\n".join(rules.answer(one, 5).text for one in asked))
    return found


def test_no_phrase_says_what_the_one_who_asks_is() -> None:
    """A nurse asks in triage, and a doctor elsewhere."""
    called = re.compile(r", ?(doctor|nurse)\b")
    assert not [one for texts in ENTRIES.values() for one in texts if called.search(one)]


def test_the_pools_hold_phrases_that_train_lacks() -> None:
    assert ENTRIES.keys() == pool_names()
    for name, texts in ENTRIES.items():
        assert len(texts) >= 3, name
        assert len(held_out(name, texts)) >= 0.3 * len(texts), name
        assert len(grammar_of("train")[name]) <= 0.7 * len(texts), name


def test_no_four_words_of_a_held_out_phrase_are_in_train() -> None:
    train = {
        run for name, texts in ENTRIES.items()
        for one in texts if one not in held_out(name, texts)
        for run in four_words(one)
    }  # fmt: skip
    shared = [
        (name, one, run) for name, texts in ENTRIES.items()
        for one in texts if one in held_out(name, texts)
        for run in four_words(one) if run in train
    ]  # fmt: skip
    assert shared == []


def four_words(phrase: str) -> set[tuple[str, ...]]:
    """Runs of four words between slots, in each way of writing the phrase out."""
    from gym_clinic.facts.phrases import parse

    found = set()
    for text in written(parse(phrase)):
        for part in text.split("\0"):
            words = re.findall(r"[\w']+", part.lower())
            found |= {tuple(words[n : n + 4]) for n in range(len(words) - 3)}
    return found


def written(phrase: ParsedPhrase) -> list[str]:
    """Every way to write a phrase out, with a mark for each slot."""
    texts = [""]
    for node in phrase:
        if isinstance(node, str):
            ways = [node]
        elif isinstance(node, Choice):
            ways = [text for one in node.alternatives for text in written(one)]
        else:
            ways = ["\0"]
        texts = [text + way for text in texts for way in ways]
    return texts


def test_talks_are_varied(talks: list[str]) -> None:
    assert distinct_share(talks) >= LEAST


def test_talks_of_few_phrases_are_noticed(
    talks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pool with its first phrase alone."""
    part = Speech.part

    def same(self: Speech, pool: str, **facts: str) -> str:
        self.used[pool] = 0
        self.key = "same"
        return part(self, pool, **facts)

    monkeypatch.setattr(Speech, "part", same)
    rules = [RulesPatient(draw_patient(seed, CONDITIONS[seed])) for seed in range(14)]
    told = ["\n".join(one.answer(text, 5).text for text in QUESTIONS[:12]) for one in rules]
    assert distinct_share(told) < LEAST


def test_a_pool_is_gone_through_before_a_phrase_comes_again() -> None:
    speech = Speech("key", "patient", "female", "train")
    amount = len(grammar_of("train")["hello"])
    said = [speech.say("hello") for _ in range(amount)]
    assert len(set(said)) == amount


def test_a_sentence_of_a_patient_is_written_out_once_for_all_episodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told() -> list[str]:
        speech = Speech("one patient:of this test", "patient", "female", "train")
        return [speech.say("onset", when=when, long="a day") for when in ("now", "now", "today")]

    before = told()
    monkeypatch.setattr("gym_clinic.chart.talk.speech.Writer", None)
    assert told() == before
    with pytest.raises(TypeError):
        Speech("another patient", "patient", "female", "train").say("onset", when="now", long="")
