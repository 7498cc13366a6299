"""Drawn cases: what is told is true of the patient, contradicts nothing, and names no disease."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache

import pytest
from places import ROOT

from gym_clinic import embedded
from gym_clinic.domains.dxsearch.build import main
from gym_clinic.domains.dxsearch.cases.draw import (
    BESIDE,
    FEWEST,
    MOST_ABSENT,
    OWN,
    ToldFindings,
    draw_told,
    pertinent_absences,
    presentations,
)
from gym_clinic.domains.dxsearch.limits import SHOWN
from gym_clinic.domains.dxsearch.tasks import SITES, make_split, make_task, rank_in
from gym_clinic.episode import Task
from gym_clinic.facts import with_ancestors
from gym_clinic.facts.naming import tokens
from gym_clinic.simulate.presentation import person_of
from gym_clinic.simulate.told.consistency import never_told, not_absent_beside
from gym_clinic.simulate.told.kinds import SMALL_WORDS, from_age, kind_of, overlaps

COUNT = 25
"""Tasks drawn of each split."""

POOLS = ROOT / "gym_clinic" / "domains" / "dxsearch" / "cases" / "phrases"


@lru_cache(maxsize=1)
def tasks() -> list[tuple[str, Task]]:
    return [(split, task) for split in ("train", "test", "test_vocabulary", "test_sparse")
            for task in make_split(split, COUNT)]  # fmt: skip


def test_the_first_match_hits() -> None:
    matcher = embedded.patients()
    for _, task in tasks():
        found = matcher.match(task.gold["query"], SHOWN, exclude=set(task.record["left_out"]))
        name = presentations().diseases[task.gold["disease"]].name
        diseases = [scored.record.diagnosis for scored in found]
        assert rank_in(list(dict.fromkeys(diseases)), name) is not None
        nearest = found[0].record
        expected = "" if nearest.diagnosis == name else nearest.id
        assert task.gold["confounder"] == expected


def test_most_cases_are_confounded() -> None:
    confounded = [bool(task.gold["confounder"]) for _, task in tasks()]
    assert sum(confounded) >= len(confounded) / 2


def test_the_text_names_no_disease() -> None:
    for _, task in tasks():
        disease = presentations().diseases[task.gold["disease"]]
        assert not overlaps(disease, task.ticket), task.ticket


def test_amounts_are_those_of_the_site() -> None:
    for split, task in tasks():
        style = SITES[split][1]
        most = OWN[style][1] + BESIDE[style][1]
        assert FEWEST <= len(task.record["findings"]) <= most
        assert len(task.record["absent"]) <= MOST_ABSENT[style]


def test_absent_findings_contradict_nothing() -> None:
    facts = presentations().facts
    for _, task in tasks():
        told = [facts.finding_ids[name] for name in task.record["findings"]]
        implied = with_ancestors(told, facts.above)
        close = not_absent_beside([facts.phenotypes[key].name for key in implied])
        words = set(tokens(" ".join(task.record["findings"]))) - SMALL_WORDS
        for name in task.record["absent"]:
            assert facts.finding_ids[name] not in implied, (name, task.ticket)
            assert name not in close, (name, task.ticket)
            assert not words & set(tokens(name)), (name, task.ticket)


@pytest.mark.parametrize(
    ("has", "absent"),
    [
        ("Hypertension", "Elevated diastolic blood pressure"),
        ("Pancytopenia", "Anemia"),
        ("Vomiting", "Nausea"),
        ("Shock", "Hypotension"),
        ("Fatigue", "Malaise"),
    ],
)
def test_what_a_finding_implies_is_never_denied_beside_it(has: str, absent: str) -> None:
    assert absent in not_absent_beside([has])
    assert "Hip pain" not in not_absent_beside([has])


def test_findings_fit_the_person() -> None:
    room = presentations()
    diseases = list(room.diseases.values())
    seen = 0
    for number, disease in enumerate(diseases[::12]):
        for told in draw_told(disease, f"fit-{number}", "main"):
            seen += 1
            person = person_of(told.patient)
            for key in told.findings:
                finding = room.facts.phenotypes[key]
                assert finding.only is None or finding.only.admits(person)
                assert from_age(finding.name) <= person.age
                assert not overlaps(disease, finding.name)
                assert not never_told(finding.name)
                assert key in told.patient.features
            break
    assert seen > 30


def test_a_contradicting_absence_is_refused() -> None:
    """The check can fail: what the patient has, or a man cannot have, is never told as absent."""
    room = presentations()
    told = next(draw_told(room.diseases["lung-cancer"], "refused", "main"))
    own = list(told.findings)
    man = ToldFindings(told.patient, told.findings)
    ids = room.facts.finding_ids
    for keys in ([own[0]], [ids["Coma"]]):
        assert not pertinent_absences(man, [keys], (), "main", _Fixed())
    fitting = [ids[name] for name in ("Hirsutism", "Tinnitus", "Trismus")]
    assert pertinent_absences(man, [fitting], (), "main", _Fixed())


class _Fixed:
    """Stands in for a source of randomness that changes no order."""

    def shuffle(self, items: list[object]) -> None:
        """Leave the order."""

    def random(self) -> float:
        return 1.0


def test_texts_are_sentences() -> None:
    for split, task in tasks():
        text = task.ticket
        assert text.endswith((".", "?")), text
        assert not re.search(r"[{}\[\]]|  | ,|\.\.|\b(\w+) \1\b", text.replace("that that", "")), (
            text
        )
        assert "0-day" not in text
        if split in ("train", "test"):
            assert not re.search(r"\b[Aa] (8\d?|11|18)-year", text), text


def test_kinds() -> None:
    kinds = {
        "Dysuria": "complaint",
        "Obesity": "sign",
        "Proteinuria": "test",
        "Diabetes mellitus": "known",
        "Ear pain": "complaint",
        "Hyperreflexia": "sign",
        "Hepatic encephalopathy": "sign",
        "Low-set ears": "sign",
        "Elevated erythrocyte sedimentation rate": "test",
    }
    assert {name: kind_of(name) for name in kinds} == kinds


def test_pools_of_the_main_site_are_large_and_the_sites_share_no_phrase() -> None:
    pools: dict[str, Counter[str]] = {}
    phrases: dict[str, set[str]] = {}
    for style in ("main", "vocabulary", "sparse"):
        pool, pools[style], phrases[style] = "", Counter(), set()
        for line in (POOLS / style / "case.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("= "):
                pool = line[2:]
            elif line.startswith("- "):
                pools[style][pool] += 1
                phrases[style].add(f"{pool}: {line[2:]}")
    assert min(pools["main"].values()) >= 12
    assert not phrases["main"] & phrases["vocabulary"]
    assert not phrases["main"] & phrases["sparse"]
    assert not phrases["vocabulary"] & phrases["sparse"]


def test_a_seed_gives_the_same_task() -> None:
    assert make_task("7", "dev") == make_task("7", "dev")
    assert make_task("7", "dev").ticket != make_task("8", "dev").ticket


def test_the_task_files_are_those_of_the_seeds(tmp_path) -> None:
    main(["--out", str(tmp_path), "--count", "3"], "tasks build dxsearch")
    for split in SITES:
        made = (tmp_path / f"{split}.jsonl").read_bytes().splitlines()
        kept = (ROOT / "tasks" / "dxsearch" / f"{split}.jsonl").read_bytes().splitlines()
        assert made == kept[:3]
        assert json.loads(made[0])["provenance"] == "synthetic"
