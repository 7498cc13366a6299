"""Drawn consultations: who could know what, what holds, and what gives nothing away."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from statistics import fmean

import pytest

from gym_clinic.domain import load
from gym_clinic.domains.kacr.build import main
from gym_clinic.domains.kacr.consulting.draw import DrawnConsultation, draw_consultation
from gym_clinic.domains.kacr.consulting.findings import (
    decides,
    fields,
    in_field,
    is_typical,
    name_of,
    related,
    typical,
)
from gym_clinic.domains.kacr.consulting.reading import read_ticket
from gym_clinic.domains.kacr.consulting.setup import Setup, plays_out
from gym_clinic.domains.kacr.consulting.speech import grammar
from gym_clinic.domains.kacr.consulting.tasks import as_row, make_task
from gym_clinic.episode import Task
from gym_clinic.facts import load as load_facts
from gym_clinic.taskset import first, spread

COUNT = 10


@lru_cache(maxsize=1)
def drawn() -> list[DrawnConsultation]:
    return [draw_consultation(f"{seed}", "train") for seed in range(COUNT)]


def tasks(split: str, count: int | None = None) -> list[Task]:
    return list(first(load("kacr:consultation").split(split), count))


def truth(consultation: DrawnConsultation) -> set[str]:
    """Ids of all that the patient is known to have."""
    told = {told.id for told in consultation.question.present}
    return told | {key for seen in consultation.examinations.values() for key in seen}


def test_same_seed_same_task_and_other_seeds_others() -> None:
    assert as_row(make_task("3", "train")) == as_row(make_task("3", "train"))
    assert make_task("3", "train").record["question"] != make_task("4", "train").record["question"]


def test_every_discipline_has_a_field_of_known_groups() -> None:
    facts = load_facts()
    groups = {finding.group for finding in facts.phenotypes.values()}
    assert fields().keys() == facts.disciplines.keys()
    assert {group for own in fields().values() for group in own} <= groups


def test_reasons_are_what_they_are_said_to_be() -> None:
    for consultation in drawn():
        right, options = consultation.question.condition, consultation.options
        told = {told.id for told in consultation.question.present}
        holds, denied = truth(consultation), set(consultation.denied)
        for opinion in consultation.opinions:
            own = in_field(opinion.member, opinion.seen)
            if opinion.reason == "sound":
                assert opinion.disease == right
                assert own
                assert opinion.seen in consultation.examinations[opinion.member]
                assert decides(opinion.seen, right, options)
            elif opinion.reason == "denied":
                assert opinion.mentioned in denied
                assert opinion.mentioned in typical(opinion.disease)
                assert opinion.mentioned not in holds
            elif opinion.reason == "outside":
                assert not own
                assert opinion.seen in typical(opinion.disease)
            else:
                assert own
                assert opinion.seen in holds
                assert not is_typical(opinion.seen, opinion.disease)
            # Every opinion names one finding that the ticket speaks of, and one that it does not.
            assert opinion.mentioned in told | denied
            assert opinion.seen not in told | denied


def test_the_note_denies_nothing_that_the_patient_has() -> None:
    for consultation in drawn():
        for key in consultation.denied:
            assert not related(key, truth(consultation)), name_of(key)


def test_the_informed_saw_what_decides() -> None:
    for consultation in drawn():
        seen = consultation.examinations[consultation.informed]
        right = consultation.question.condition
        assert any(decides(key, right, consultation.options) for key in seen)
        assert right in consultation.options
        assert consultation.question.second not in consultation.options
        assert len({opinion.disease for opinion in consultation.opinions}) >= 3


def test_what_is_said_can_be_read_back() -> None:
    seen = hits = 0
    for task in spread(load("kacr:consultation").split("test"), 25):
        ticket = read_ticket(f"{task.record['question']} {task.record['note']}\n\nOptions, ")
        for opinion, reason in zip(
            task.record["opinions"].values(), task.gold["reasons"].values(), strict=True
        ):
            if reason == "denied":
                seen += 1
                hits += opinion["findings"][0] in ticket.absent
    assert hits >= 0.9 * seen > 0


def test_phrases_of_test_are_not_all_in_train() -> None:
    for pool in ("reason", "concludes", "keeps", "note"):
        train, test = (set(map(str, grammar(split)[pool])) for split in ("train", "test"))
        assert train - test or test - train, pool
        assert test - train, pool


def test_builder_writes_task_files(tmp_path, capsys) -> None:
    main(["--consultation", "--out", str(tmp_path), "--count", "1"])
    assert "train.jsonl: 1 tasks" in capsys.readouterr().out
    assert len((tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.population
def test_nothing_but_the_reasons_tells_who_is_right() -> None:
    for split in ("train", "test"):
        held = tasks(split)
        answers = Counter(task.gold["answer"] for task in held)
        assert max(answers.values()) < 0.3 * len(held)
        sides: dict[str, list[bool]] = {
            "majority": [],
            "lone": [],
            "sure": [],
            "long": [],
            "first": [],
        }
        confidence: dict[bool, list[float]] = {True: [], False: []}
        for task in held:
            spoken, right = list(task.record["opinions"].values()), task.gold["answer"]
            count = Counter(opinion["choice"] for opinion in spoken)
            ranked = sorted(count, key=lambda letter: (-count[letter], letter))
            sides["majority"].append(ranked[0] == right)
            sides["lone"].append(ranked[-1] == right)
            sure = max(spoken, key=lambda opinion: opinion["confidence"])
            sides["sure"].append(sure["choice"] == right)
            longest = max(spoken, key=lambda opinion: len(opinion["explanation"]))
            sides["long"].append(longest["choice"] == right)
            sides["first"].append(spoken[0]["choice"] == right)
            for opinion in spoken:
                confidence[opinion["choice"] == right].append(opinion["confidence"])
        for side, hits in sides.items():
            assert fmean(hits) < 0.36, (split, side)
        assert abs(fmean(confidence[True]) - fmean(confidence[False])) < 0.02
        informed = fmean(
            task.record["opinions"][task.gold["informed"]]["choice"] == task.gold["answer"]
            for task in held
        )
        assert informed > fmean(sides["majority"]) + 0.5


@pytest.mark.population
def test_every_task_can_be_won_by_argument() -> None:
    for task in spread(load("kacr:consultation").split("test"), 100):
        assert plays_out(Setup("agent"), task) == task.gold["answer"]
        assert task.gold["voted"] == any(
            opinion["choice"] == task.gold["answer"] for opinion in task.record["opinions"].values()
        )


@pytest.mark.population
def test_splits_share_no_question() -> None:
    texts = {
        split: {task.record["question"] for task in tasks(split)}
        for split in ("train", "dev", "test")
    }
    assert not texts["train"] & (texts["dev"] | texts["test"])
    assert all(len(texts[split]) >= 0.98 * len(tasks(split)) for split in texts)
