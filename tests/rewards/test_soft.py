"""Soft accuracy by published libraries, at values worked out by hand."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.rewards.soft import bert_accuracy, soft_accuracy


def test_soft_accuracy_at_values_worked_out_by_hand() -> None:
    pytest.importorskip("rouge_score")
    pytest.importorskip("sacrebleu")
    assert soft_accuracy("Acute appendicitis", "acute appendicitis") == pytest.approx(1)
    assert soft_accuracy("gout", "acute appendicitis") == pytest.approx(0, abs=0.01)
    # One of two words: ROUGE-1 has precision 1/2 and recall 1/2, BLEU-1 precision 1/2.
    assert soft_accuracy("chronic appendicitis", "acute appendicitis") == pytest.approx(0.5)
    # Two of four words are right, of two that are wanted: ROUGE-1 is 2/3, BLEU-1 1/2.
    long = soft_accuracy("it is acute appendicitis", "acute appendicitis")
    assert long == pytest.approx((2 / 3 + 1 / 2) / 2)


@pytest.mark.parametrize(("answer", "reference"), [("", "gout"), ("gout", " ")])
def test_an_empty_text_scores_nothing(answer: str, reference: str) -> None:
    assert soft_accuracy(answer, reference) == bert_accuracy(answer, reference, "x") == 0


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with pytest.raises(ConfigError, match=r"bert-score is missing: .*gym_clinic\[bertscore\]"):
        bert_accuracy("gout", "gout", "model")


def test_a_model_that_bert_score_does_not_list_needs_its_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def score(answers: list[str], references: list[str], **how: Any) -> Any:
        asked.append((answers, references, how))
        return [0.2], [0.3], [1.25]

    utils = SimpleNamespace(model2layers={"listed": 5})
    library = SimpleNamespace(score=score, utils=utils)
    monkeypatch.setitem(sys.modules, "bert_score", library)
    assert bert_accuracy("gout", "gout", "listed") == 1.0  # clipped
    assert bert_accuracy("gout", "podagra", "my/folder", layers=9) == 1.0
    assert asked == [
        (["gout"], ["gout"], {"model_type": "listed", "num_layers": None}),
        (["gout"], ["podagra"], {"model_type": "my/folder", "num_layers": 9}),
    ]
    with pytest.raises(ConfigError, match="does not list the model 'my/folder'; give 'layers'"):
        bert_accuracy("gout", "gout", "my/folder")
