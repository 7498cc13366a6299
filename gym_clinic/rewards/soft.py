"""Soft accuracy of free text against a reference: overlap of words, or of meaning.

The clinical domains judge structured answers exactly; these serve imported questions with answers
in free text. They need the extra ``text-metrics``, BERTScore the extra ``bertscore``.

Source:
    "Healthcare AI GYM for Medical Agents", appendix A.5: ROUGE-1 and BLEU-1 overlap, and
    BERTScore. How the two are put together is not printed; here it is their mean.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from gym_clinic.errors import ConfigError


def soft_accuracy(answer: str, reference: str) -> float:
    """Return the mean of the F1 of ROUGE-1 and of BLEU-1, 0 to 1.

    Words are compared in small letters; ROUGE compares their stems. An empty text scores 0.

    Args:
        answer: The answer.
        reference: What is right.

    Raises:
        ConfigError: If rouge-score or sacrebleu is missing.
    """
    if not answer.strip() or not reference.strip():
        return 0.0
    rouge = _rouge().score(reference, answer)["rouge1"].fmeasure
    bleu = _bleu().sentence_score(answer.casefold(), [reference.casefold()]).score / 100
    return (float(rouge) + min(max(float(bleu), 0.0), 1.0)) / 2


def bert_accuracy(answer: str, reference: str, model: str, layers: int | None = None) -> float:
    """Return the F1 of BERTScore, clipped to 0 to 1.

    Args:
        answer: The answer.
        reference: What is right.
        model: Name or folder of the encoder, such as one trained on biomedical texts.
        layers: The layer whose vectors are compared; bert-score knows it for the models that it
            lists, and only for these.

    Raises:
        ConfigError: If bert-score is missing, or it does not list the model and no layer is given.
    """
    if not answer.strip() or not reference.strip():
        return 0.0
    library = _library("bert_score", "bertscore")
    if layers is None and model not in library.utils.model2layers:
        raise ConfigError(f"bert-score does not list the model {model!r}; give 'layers'")
    _, _, score = library.score([answer], [reference], model_type=model, num_layers=layers)
    return min(max(float(score[0]), 0.0), 1.0)


@lru_cache(maxsize=1)
def _rouge() -> Any:
    return _library("rouge_score.rouge_scorer", "text-metrics").RougeScorer(["rouge1"], True)


@lru_cache(maxsize=1)
def _bleu() -> Any:
    bleu = _library("sacrebleu.metrics", "text-metrics").BLEU
    return bleu(max_ngram_order=1, effective_order=True)


def _library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        wanted = name.partition(".")[0].replace("_", "-")
        raise ConfigError(f'{wanted} is missing: pip install "gym_clinic[{extra}]"') from None
