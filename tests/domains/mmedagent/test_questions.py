"""Questions: the answer follows from the record, and from nothing in the text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from gym_clinic.domains.mmedagent.questions import KINDS, ImageQuestion, draw_question
from gym_clinic.domains.mmedagent.questions.drawing import findings_of, phrases, wording
from gym_clinic.errors import ConfigError
from gym_clinic.simulate.images import describe, modalities, modality, read_record
from gym_clinic.simulate.split import of_split

NAMED = re.compile(
    r"\b(x-?rays?|films?|radiographs?|ct|tomogra\w+|scans?|ultrasound|sonogra\w+|slides?|biops\w+"
    r"|histolog\w+|microscop\w+|fundus|dermoscop\w+|ecgs?|ekgs?|electrocardio\w+|strips?|charts?"
    r"|radiolog\w+|patholog\w+|ophthalm\w+|dermatolog\w+|cardiolog\w+|obstet\w+|paediatr\w+)\b",
    re.IGNORECASE,
)
"""Words that name a kind of image or a department."""


def questions(split: Any, count: int) -> list[ImageQuestion]:
    return [draw_question(str(seed), split) for seed in range(count)]


@pytest.fixture(scope="module")
def drawn() -> list[ImageQuestion]:
    return questions("train", 1600)


def answer(question: ImageQuestion) -> str:
    """The option that the record of the image makes right, found anew from the record."""
    record = read_record(question.image)
    kind, name = question.kind, question.finding
    shown = [finding for finding in record.findings if finding.finding == name]
    if kind == "presence":
        return "yes" if shown else "no"
    if kind == "side":
        sides = [finding.side for finding in shown] or [record.side]
        return "both sides" if len(sides) == 2 else str(sides[0])
    if kind == "location":
        return str(shown[0].place)
    if kind == "count":
        return str(sum(finding.count for finding in shown))
    if kind == "grade":
        return str(shown[0].grade)
    if kind == "size":
        size = shown[0].size
        assert size is not None
        return min(
            question.options.values(), key=lambda option: abs(float(option.split()[0]) - size)
        )
    words = wording()[question.modality]
    main = record.findings[0] if record.findings else None
    if kind == "diagnosis":
        return str(words["diagnoses"][main.finding if main else "none"])
    fits = [
        step["step"]
        for step in words["next_steps"]
        if step["finding"] == (main.finding if main else "none")
        and step.get("grade", main.grade if main else None) == (main.grade if main else None)
        and step.get("count", main.count if main else None) == (main.count if main else None)
    ]
    assert len(fits) == 1, (fits, describe(record))
    return str(fits[0])


def test_gold_follows_from_the_record(drawn: Sequence[ImageQuestion]) -> None:
    for question in drawn:
        assert question.options[question.gold] == answer(question), describe(question.image)


def test_another_gold_is_noticed(drawn: Sequence[ImageQuestion]) -> None:
    for question in drawn[:200]:
        other = next(label for label in question.options if label != question.gold)
        wrong = replace(question, gold=other)
        assert wrong.options[wrong.gold] != answer(wrong)


def test_options_are_distinct_and_labelled_in_order(drawn: Sequence[ImageQuestion]) -> None:
    for question in drawn:
        labels = list(question.options)
        assert labels == list("ABCDEF"[: len(labels)])
        assert 2 <= len(set(question.options.values())) == len(labels)
        assert question.gold in labels


def test_sizes_among_the_options_can_be_told_apart(drawn: Sequence[ImageQuestion]) -> None:
    for question in drawn:
        if question.kind == "size":
            sizes = sorted(float(option.split()[0]) for option in question.options.values())
            ratios = [b / a for a, b in pairwise(sizes)]
            assert min(ratios) > 1.2, question.options


def test_questions_name_no_kind_of_image(drawn: Sequence[ImageQuestion]) -> None:
    for question in drawn:
        assert not NAMED.search(question.question), question.question
        assert "None" not in question.question
    assert NAMED.search("Does this chest film show a pneumothorax?")


def test_every_kind_and_modality_is_drawn(drawn: Sequence[ImageQuestion]) -> None:
    pairs = Counter((question.modality, question.kind) for question in drawn)
    able = {(name, kind) for name in modalities() for kind in KINDS if findings_of(name, kind)}
    assert set(pairs) == able
    share = Counter(question.modality for question in drawn)
    assert min(share.values()) > 0.7 * len(drawn) / len(share)


def test_images_hold_several_findings_and_both_presences(drawn: Sequence[ImageQuestion]) -> None:
    counts = Counter(len(question.image["findings"]) for question in drawn)
    assert sum(counts[number] for number in counts if number >= 2) > 0.3 * len(drawn)
    presence = [question for question in drawn if question.kind == "presence"]
    bare = sum(not question.image["findings"] for question in presence
               if question.options[question.gold] == "no")  # fmt: skip
    assert bare < 0.3 * len(presence)  # absence is not a clean image


def test_same_seed_same_question() -> None:
    assert draw_question("7", "dev") == draw_question("7", "dev")
    assert draw_question("7", "dev") != draw_question("7", "test")
    question = draw_question("7", "dev", "fundus", "side")
    assert (question.modality, question.kind) == ("fundus", "side")


def test_wrong_modality_and_kind_say_what_would_be_right() -> None:
    with pytest.raises(ConfigError, match="ecg_strip"):
        draw_question("1", "train", "ecg")
    with pytest.raises(ConfigError, match="presence"):
        draw_question("1", "train", "histology", "side")


def test_three_in_ten_phrases_are_not_in_train() -> None:
    for pool, texts in phrases().items():
        kept = of_split(pool, texts, "train")
        assert len(set(kept)) <= 0.7 * len(texts)
        assert set(of_split(pool, texts, "test")) - set(kept)


def shape(question: ImageQuestion) -> str:
    """All that the text gives away: the question, the options in their order, their lengths."""
    options = " ".join(f"{label}_{option}".replace(" ", "_")
                       for label, option in question.options.items())  # fmt: skip
    longest = max(question.options, key=lambda label: len(question.options[label]))
    return f"{question.kind} {question.modality} {question.question} {options} longest_{longest}"


def advantage(train: Sequence[ImageQuestion], test: Sequence[ImageQuestion],
              read: Callable[[ImageQuestion], str]) -> dict[str, float]:  # fmt: skip
    """Accuracy of a model of the text above the best constant option, by kind of question.

    The model scores each option by its own words and those of the question, so that it may learn
    that an option is often right, wherever it stands.
    """
    found = {}
    by_kind: dict[str, list[list[ImageQuestion]]] = defaultdict(lambda: [[], []])
    for number, group in enumerate((train, test)):
        for question in group:
            by_kind[question.kind][number].append(question)
    for kind, (fitted, held) in by_kind.items():
        rows = [(f"{read(question)} {_marked(question, label)}", label == question.gold)
                for question in fitted for label in question.options]  # fmt: skip
        model = make_pipeline(
            TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 1), sublinear_tf=True),
            LogisticRegression(C=3.0, max_iter=200),
        ).fit([text for text, _ in rows], [right for _, right in rows])
        hits = 0
        for question in held:
            labels = list(question.options)
            chances = model.predict_proba(
                [f"{read(question)} {_marked(question, label)}" for label in labels]
            )[:, 1]
            hits += labels[int(chances.argmax())] == question.gold
        constants = Counter(question.gold for question in held)
        spoken = Counter(question.options[question.gold] for question in held)
        best = max(*constants.values(), *spoken.values())
        found[kind] = (hits - best) / len(held)
    return found


def _marked(question: ImageQuestion, label: str) -> str:
    option = question.options[label].replace(" ", "_")
    rank = sorted(question.options, key=lambda key: len(question.options[key])).index(label)
    about = f"{question.modality}_{option} {option}_{question.finding}"
    return f"is_{option} at_{label} rank_{rank} {about}"


def test_the_text_alone_does_not_answer() -> None:
    train, test = questions("train", 2000), questions("test", 800)
    gains = advantage(train, test, shape)
    assert max(gains.values()) < 0.1, gains


def test_a_leak_in_the_text_is_noticed() -> None:
    def leaking(question: ImageQuestion) -> str:
        return f"{shape(question)} tip_{question.gold}"

    train, test = questions("train", 500), questions("test", 160)
    leaked = [replace(q, options={label: f"{option}{' clearly' if label == q.gold else ''}"
                                  for label, option in q.options.items()})
              for q in (*train, *test)]  # fmt: skip
    gains = advantage(leaked[: len(train)], leaked[len(train) :], leaking)
    assert min(gains.values()) > 0.1, gains


def test_phrases_and_names_cover_the_tables() -> None:
    assert set(phrases()) == {*KINDS, "eye"}
    for name, table in modalities().items():
        words = wording()[name]
        assert set(words["named"]) == set(table.findings)
        for kind in ("counted", "measured"):
            assert set(words.get(kind, ())) <= set(table.findings)
        assert set(words["counted"]) >= set(findings_of(name, "count"))
        for step in words["next_steps"]:
            if step["finding"] != "none":
                finding = modality(name).finding(step["finding"])
                assert step.get("grade") in (None, *finding.grades)
