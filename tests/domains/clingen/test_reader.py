"""Sentences in the style of genetics papers, written for these tests; none is from a task.

The reader was tuned on the sentences named so. Those set aside were not looked at: they measure it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.reader import read_article

_SENTENCES = json.loads(Path(__file__).with_name("reader_sentences.json").read_bytes())
TUNED = [(gene, text, set(keys)) for gene, text, keys in _SENTENCES["tuned"]]
SET_ASIDE = [(gene, text, set(keys)) for gene, text, keys in _SENTENCES["set_aside"]]
NULL_MICE = "ABC1-null mice developed seizures."


def keys(gene: str, text: str, heading: str = "Results") -> set[str]:
    return {finding.subtype for finding in read_article(gene, [(heading, text)])}


MEASURED = (
    "Grip strength of {mice} was 151 ± 20 g (n = 12), compared with 182 ± 21 g in wild-type "
    "littermates (n = 14; p {p})."
)


def _precision_and_recall(sentences: list[tuple[str, str, set[str]]]) -> tuple[float, float]:
    read = [(keys(gene, text), held) for gene, text, held in sentences]
    right = sum(len(found & held) for found, held in read)
    return right / sum(len(found) for found, _ in read), right / sum(len(held) for _, held in read)


@pytest.mark.parametrize(("sentences", "least"), [(TUNED, (0.65, 0.5)), (SET_ASIDE, (0.6, 0.3))])
def test_precision_and_recall_on_sentences_of_papers(
    sentences: list[tuple[str, str, set[str]]], least: tuple[float, float]
) -> None:
    precision, recall = _precision_and_recall(sentences)
    print(f"precision {precision:.2f}, recall {recall:.2f}")
    assert precision >= least[0]
    assert recall >= least[1]


@pytest.mark.parametrize("heading", ["Introduction", "Materials and Methods", "References"])
def test_sections_without_findings_are_not_read(heading: str) -> None:
    assert keys("ABC1", NULL_MICE, heading) == set()
    assert keys("ABC1", NULL_MICE, "Results") == {"non_human_model_organism"}


@pytest.mark.parametrize(
    ("p", "held"), [("< 0.001", True), ("= 0.04", True), ("= 0.31", False), ("> 0.05", False)]
)
def test_the_p_value_decides_where_groups_are_compared(p: str, held: bool) -> None:
    text = MEASURED.format(mice="mice without ABC1", p=p)
    assert keys("ABC1", text) == ({"non_human_model_organism"} if held else set())


def test_another_gene_is_no_evidence() -> None:
    assert keys("ABC1", MEASURED.format(mice="mice without XYZ2", p="= 0.002")) == set()


def test_a_caveat_of_the_discussion_withdraws_what_it_speaks_of() -> None:
    result = ("Results", MEASURED.format(mice="mice without ABC1", p="= 0.002"))
    caveat = (
        "Grip strength of mice without ABC1 was lower than in wild-type littermates. Another "
        "explanation is that the littermates were older."
    )
    assert read_article("ABC1", [result, ("Discussion", "Mice are small.")])
    assert read_article("ABC1", [result, ("Discussion", caveat)]) == []


def test_a_finding_is_reported_once_with_its_passage() -> None:
    text = f"{NULL_MICE} Abc1-null mice also developed ataxia."
    (finding,) = read_article("ABC1", [("Results", text), ("Conclusion", text)])
    assert finding.sentence == NULL_MICE


@given(
    heading=st.sampled_from(["Results", "Discussion", "Methods", ""]),
    text=st.text(alphabet=st.sampled_from(" .,;:()-/ABC1abcdenorstw\n23−"), max_size=80)
    | st.text(max_size=40),
)
def test_any_text_can_be_read(heading: str, text: str) -> None:
    assert {one.subtype for one in read_article("ABC1", [(heading, text)])} <= set(SUBTYPES)
