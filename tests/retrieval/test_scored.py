"""Every search returns scored records: what was found, its score, and how it matched."""

from __future__ import annotations

from dataclasses import fields

import pytest
from memory_base import MemoryBase, passages
from seeded_embedder import SeededEmbedder
from small_graph import small_graph

from gym_clinic.facts.records.profiles import Profile
from gym_clinic.retrieval import (
    GuidelineIndex,
    NameIndex,
    Node,
    Passage,
    PatientCase,
    PatientMatcher,
    Scored,
    SymptomLinker,
)

NODES = [Node("fever", "symptom", "Fever")]
CASES = [PatientCase("c1", "Amber fever", ("Fever", "Amber glow"), "ours")]


@pytest.mark.parametrize(
    ("found", "kind", "how"),
    [
        (MemoryBase(passages()).search("jaundice"), Passage, "<b>jaundice</b>"),
        (PatientMatcher(CASES, SeededEmbedder()).match(["fever", "cough"]), PatientCase, "Fever"),
        (NameIndex([("a", "Amber fever")]).search("amber fever"), str, "Amber fever"),
        (
            GuidelineIndex([Profile(id="a", name="Amber fever")]).lookup(["amber fever"]),
            Profile,
            "Amber fever",
        ),
        (SymptomLinker(NODES).link("No fever."), Node, "exact"),
        (small_graph().neighbours("cough"), Node, "related_to"),
    ],
)
def test_results_have_one_shape(found, kind, how):
    assert found
    for one in found:
        assert isinstance(one, Scored)
        assert [field.name for field in fields(one)][:3] == ["record", "score", "how"]
        assert isinstance(one.record, kind)
        assert isinstance(one.score, float)
    assert found[0].how == how


def test_a_case_names_the_phenotypes_that_it_shares_with_the_query():
    matcher = PatientMatcher(CASES, SeededEmbedder())
    assert matcher.match(["amber glow", "FEVER", "x"])[0].how == "Fever; Amber glow"
    assert matcher.match(["x"])[0].how == ""
