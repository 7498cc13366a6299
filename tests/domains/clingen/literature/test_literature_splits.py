"""Splits of the curations: panels and genes apart, enough of every class, no panel too large."""

from __future__ import annotations

from collections import Counter

import pytest

from gym_clinic.domains.clingen.build import CURATIONS, read_pairs
from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.literature import splits
from gym_clinic.domains.clingen.literature.splits import (
    LEAST,
    SIZES,
    TRAIN_PANELS,
    Pair,
    assign,
    shortfalls,
)
from gym_clinic.errors import TaskError
from gym_clinic.paths import tasks_dir


@pytest.fixture(scope="module")
def pairs():
    known = read_dossiers().pairs
    rows = [Pair(*one) for one in read_pairs(tasks_dir("clingen") / CURATIONS)]
    return [one for one in rows if (one.gene, one.mondo_id, one.inheritance) in known]


@pytest.fixture(scope="module", autouse=True)
def short_search():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "_RESTARTS", 1)
        patch.setattr(splits, "_STEPS", 500)
        yield


@pytest.fixture(scope="module")
def held(pairs):
    return assign(pairs, 0)


def test_panels_and_genes_are_in_one_split(held):
    for field in ("panel", "gene"):
        named = Counter(
            name for mine in held.values() for name in {getattr(one, field) for one in mine}
        )
        assert set(named.values()) == {1}


def test_sizes_classes_and_panels_are_as_wanted(held):
    assert shortfalls(held) == []
    for split, size in SIZES.items():
        assert abs(len(held[split]) - size) <= 0.05 * size
    assert {one.panel for one in held["train"]} >= {*TRAIN_PANELS}


def test_a_panel_that_gives_too_much_and_a_rare_class_are_named(held):
    panel = held["test"][0].panel
    one_panel = [one for one in held["test"] if one.panel == panel]
    faults = shortfalls({**held, "test": one_panel})
    assert any(panel in fault for fault in faults)
    rare = [one for one in held["test"] if one.classification != CLASSES[0]]
    faults = shortfalls({**held, "test": rare})
    assert faults[0] == f"test has 0 {CLASSES[0]}, expected {LEAST['test']}"


def test_the_same_seed_gives_the_same_splits_in_any_order(pairs, held):
    assert assign(pairs[::-1], 0) == held


def test_too_few_curations_are_refused(pairs):
    with pytest.raises(TaskError, match="no choice of panels suffices"):
        assign([one for one in pairs if one.classification != "Strong"][:300], 0)
