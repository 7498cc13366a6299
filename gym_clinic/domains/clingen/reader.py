"""An honest reader of biomedical articles: which experimental evidence a text reports, by rules.

Each sentence is read together with those just before it that it leans on (which gene, which
animal, which cells). Cues of `cues.txt` give it a score for each of the sixteen subtypes; the
score falls where the text denies, plans, quotes earlier work, only names a method, or speaks of
another gene or another disease, also where the next sentence says so (`belief.py`). A subtype
holds if its best sentence scores enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gym_clinic.domains.clingen import lexicon as products
from gym_clinic.domains.clingen import lexicon as words
from gym_clinic.domains.clingen.belief import (
    ADMINISTRATIVE,
    CONTRAST,
    RETRACTED,
    belief,
    denied,
    disclaims,
    main_clause,
    names_other_disease,
    section_weight,
    taken_back,
)
from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.figures import against_product, differ, near_normal
from gym_clinic.domains.clingen.probands import Genetics, genetics_in_summary, read_genetics
from gym_clinic.domains.clingen.symbols import decode, gene_pattern, lowered, other_genes

__all__ = [
    "Finding",
    "Genetics",
    "categories_in_abstract",
    "genetics_in_summary",
    "read_article",
    "read_genetics",
    "split_sentences",
]

ENOUGH = 0.5
"""Score from which a subtype holds."""

REACH = 3
"""How many sentences back a sentence may lean."""

_ABBREVIATIONS = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|figs?|vs|cf|ca|approx|resp|nos?|dr|prof|refs?|suppl?|eq|sp|spp|var"
    r"|st|vol|chr)|\b[A-Za-z])$",
    re.I,
)
_BOUNDARY = re.compile(r"(?<=[.!?])[\])\"'”]*\s+(?=[\[(\"'“]*[A-Z0-9])")


@dataclass(frozen=True)
class Finding:
    """Evidence of one subtype in an article.

    Attributes:
        subtype: Key of the subtype.
        sentence: The sentence that says so most clearly.
        score: How clearly, 0 to 1.
    """

    subtype: str
    sentence: str
    score: float


@dataclass(frozen=True)
class _Sentence:
    """A sentence and whom it names."""

    text: str
    plain: str
    own: bool
    others: int
    idle: bool
    disclaims: bool


def split_sentences(text: str) -> list[str]:
    """Split prose at full stops that end a sentence, not an abbreviation or an initial."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=[A-Z#])", text):
        start = 0
        for found in _BOUNDARY.finditer(paragraph):
            before = paragraph[start : found.start()]
            if before.endswith(".") and _ABBREVIATIONS.search(before[:-1]):
                continue
            parts.append(before.strip())
            start = found.end()
        parts.append(paragraph[start:].strip())
    return [" ".join(part.split()) for part in parts if part.strip()]


def read_article(gene: str, disease: str, sections: Sequence[tuple[str, str]]) -> list[Finding]:
    """Find the experimental evidence that an article reports for a gene and a disease.

    Args:
        gene: Symbol of the gene.
        disease: Name of the disease.
        sections: Heading and text of each section.

    Returns:
        The subtypes that hold, the clearest first.
    """
    best: dict[str, Finding] = {}
    texts = decode(gene, [text for _, text in sections])
    retractions = [
        lowered(one)
        for text in texts
        for one in split_sentences(text)
        if RETRACTED.search(one.lower())
    ]
    for (heading, _), text in zip(sections, texts, strict=True):
        weight = section_weight(heading)
        sentences = _sentences(gene, text)
        for index, sentence in enumerate(sentences):
            if taken_back(sentence.plain, retractions):
                continue
            for subtype, score in _judge(sentences, index, disease).items():
                score = round(min(score * weight, 1.0), 3)
                if score >= ENOUGH and (subtype not in best or score > best[subtype].score):
                    best[subtype] = Finding(subtype, sentence.text, score)
    order = list(SUBTYPES)
    return sorted(best.values(), key=lambda one: (-one.score, order.index(one.subtype)))


def categories_in_abstract(gene: str, disease: str, title: str, abstract: str) -> list[str]:
    """Name the categories of evidence that an article is worth asking for.

    A result in the abstract is worth a call, and so is a topic that the abstract announces
    without its result, if the gene at hand is meant.

    Args:
        gene: Symbol of the gene.
        disease: Name of the disease.
        title: The article's title.
        abstract: Its abstract.

    Returns:
        Keys of categories, results before topics; empty if the abstract promises nothing.
    """
    found = read_article(gene, disease, [("Title", title), ("Abstract", abstract)])
    categories = [SUBTYPES[finding.subtype].category for finding in found]
    for sentence in _sentences(gene, abstract):  # titles promise more than articles hold
        if sentence.others and not sentence.own:
            continue
        if belief(sentence.plain) < 1 and not products.TOPIC.search(sentence.plain):
            continue
        categories += [
            category for category, cue in products.TOPICS.items() if cue.search(sentence.plain)
        ]
    return list(dict.fromkeys(categories))


def _sentences(gene: str, text: str) -> list[_Sentence]:
    own = gene_pattern(gene)
    sentences = []
    for sentence in split_sentences(text):
        plain = lowered(sentence)
        mine = own.search(plain) is not None
        others = len(other_genes(sentence, own))
        idle = any(cue.search(plain) for cue in (ADMINISTRATIVE, products.TOPIC))
        takes_back = disclaims(sentence, plain, own)
        clause = main_clause(plain, own)
        sentences.append(_Sentence(sentence, clause, mine, others, idle, takes_back))
    return sentences


def _judge(sentences: Sequence[_Sentence], index: int, disease: str) -> dict[str, float]:
    """Score the passage that ends with a sentence for every subtype."""
    here = sentences[index]
    if here.idle:
        return {}
    alone, pair = _leaning(sentences, index)
    scores: dict[str, float] = {}
    if any(one.own for one in alone):
        for passage in (alone[-1:], alone) if here.own else (alone,):
            text = " ".join(one.plain for one in passage)
            _keep(scores, _one_gene(text, here), _trust(passage, sentences, index, disease))
    for start in range(len(pair)):
        passage = pair[start:]
        if any(one.own for one in passage) and any(one.others for one in passage):
            text = " ".join(one.plain for one in passage)
            _keep(scores, _two_genes(text), _trust(passage, sentences, index, disease))
    return scores


def _leaning(sentences: Sequence[_Sentence], index: int) -> tuple[list[_Sentence], list[_Sentence]]:
    """The passage about one gene, and the one about two, that end with a sentence."""
    start = index
    while start > max(0, index - REACH) and not sentences[start - 1].idle:
        start -= 1
    first = index
    while first > start and not (sentences[first].own or sentences[first].others):
        first -= 1
    here, before = sentences[index], sentences[max(start, index - 1)]
    if here.own:  # "The pups were scored blind. Those without the gene had …"
        while first > start and not (sentences[first - 1].own or sentences[first - 1].others):
            first -= 1
    second = max(start, index - 2)
    follows = here.others == 1 and (
        (before.own and not before.others) or products.IS_KNOWN.match(here.plain)
    )
    if here.others and (here.own or not follows):
        second = index  # both genes are here, or other ones: a new subject
    elif here.own and not (
        products.TOGETHER.search(here.plain) or products.IDENTIFIED.match(here.plain)
    ):
        second = index
    return list(sentences[first : index + 1]), list(sentences[second : index + 1])


def _keep(scores: dict[str, float], found: dict[str, float], trust: float) -> None:
    for subtype, score in found.items():
        scores[subtype] = max(scores.get(subtype, 0.0), score * trust)


def _trust(
    passage: Sequence[_Sentence], sentences: Sequence[_Sentence], index: int, disease: str
) -> float:
    """How far a passage may be believed, what follows it included."""
    trust = belief(passage[-1].plain)
    if any(names_other_disease(one.plain, disease) for one in passage):
        trust *= 0.4
    if any(one.disclaims for one in [passage[-1], *_after(sentences, index)]):
        trust *= 0.4
    return trust


def _after(sentences: Sequence[_Sentence], index: int) -> list[_Sentence]:
    """The sentences that may take a finding back: two at most, none past a new subject."""
    following: list[_Sentence] = []
    for one in sentences[index + 1 : index + 3]:
        following.append(one)
        if one.idle or ((one.own or one.others) and not one.disclaims):
            break
    return following


def _one_gene(text: str, here: _Sentence) -> dict[str, float]:
    """Score a passage for what is learnt of one gene, believing every word of it."""
    if here.text.endswith("?"):
        return {}

    def has(*cues: re.Pattern[str]) -> bool:
        return all(cue.search(text) for cue in cues)

    if has(products.BENCH, products.SHARED, products.KNOWN_GENE) and not denied(here.plain):
        return {"biochemical_function_a": 0.8}
    pair = (has(products.KNOWN_GENE), bool(here.others), has(products.COMBINED))
    if sum(pair) > 1:  # what is learnt of two genes is read elsewhere
        return {}
    text = text.replace("patients' change", "change")
    animal = words.ORGANISM.search(words.ANIMAL_CELLS.sub(" cells ", text)) is not None
    recovered = bool(differ(here.plain) or words.RECOVERED.search(here.plain))
    changed = bool(
        differ(here.plain) or words.ABNORMAL.search(here.plain) or words.SHOWED.search(here.plain)
    )
    if words.SETUP.search(here.plain) and not (recovered or words.RESULT.search(here.plain)):
        return {}
    given = has(words.PUT_BACK) and "mutant form of" not in text
    host = _rescued(text, animal) if given else None
    if host and (recovered or not has(products.EXPRESS)):
        tried = text[: found.start()] if (found := CONTRAST.search(text)) else text
        failed = words.NOT_RECOVERED.search(tried) or differ(here.plain) is False
        return {host: 0.3 if failed else 0.85 if recovered else 0.55}
    if denied(here.plain) or differ(here.plain) is False:
        return {}
    patient, cell, disrupt = has(words.PATIENT), has(words.CELL), has(words.DISRUPT)
    if has(products.BENCH, products.EXPLAINS) and not (animal or (patient and cell)):
        return {"biochemical_function_b": 0.75}
    if has(words.MODEL) and disrupt and not (animal or has(words.VARIANT) or has(words.KNOCKED)):
        return {"cell_culture_model": 0.85 if has(words.MIMIC) else 0.7}
    if patient and cell and has(words.VARIANT):
        near = near_normal(here.plain)
        return {"functional_alteration_patient_cells": 0.3 if near else 0.85 if changed else 0.6}
    if has(products.EXPRESS) and not (animal and disrupt):
        if has(products.DISEASED) and has(products.LEVEL_CHANGE) and not has(words.VARIANT):
            return {"gene_expression_b": 0.3 if near_normal(here.plain) else 0.8}
        if has(products.TISSUE) and not has(words.KNOCKED):
            return {"gene_expression_a": 0.3 if near_normal(here.plain) else 0.75}
    if animal:
        score = 0.95 if has(words.MIMIC) else 0.8 if changed else 0.6
        return {"non_human_model_organism": score} if disrupt else {}
    if patient and cell:
        return {"functional_alteration_patient_cells": 0.7} if changed else {}
    if cell and disrupt:
        near = near_normal(here.plain)
        return {"functional_alteration_non_patient_cells": 0.3 if near else 0.8}
    return {}


def _rescued(text: str, animal: bool) -> str | None:
    """Where something was given back, if it was given to anyone."""
    text = words.GIVEN_CELLS.sub(" ", text)
    cell = words.CELL.search(text) or words.MODEL.search(text)
    if words.TREATED.search(text) and not cell and not animal:
        return "rescue_in_human"
    if animal:
        return "rescue_in_non_human_model_organism"
    if words.PATIENT.search(text) and words.CELL.search(text):
        return "rescue_in_patient_cells"
    return "rescue_in_cell_culture_model" if cell and words.DISRUPT.search(text) else None


def _two_genes(text: str) -> dict[str, float]:
    """Score a passage for what is learnt of two genes together."""
    beyond = against_product(text)
    if products.NOT_TOGETHER.search(text) or beyond == 0:
        return {}
    if beyond is not None:
        return {f"{'negative' if beyond < 0 else 'positive'}_genetic_interaction": 0.8}

    def has(*cues: re.Pattern[str]) -> bool:
        return all(cue.search(text) for cue in cues)

    known = has(products.KNOWN_GENE)
    if has(products.BENCH, products.SHARED) and known:
        return {"biochemical_function_a": 0.8}
    if words.ORGANISM.search(words.ANIMAL_CELLS.sub(" ", text)) or has(products.COMBINED):
        worse, better = has(products.WORSE), has(products.BETTER)
        if has(products.NEITHER) or (worse and better):
            return {"genetic_interaction": 0.8}
        if worse or better:
            return {f"{'negative' if worse else 'positive'}_genetic_interaction": 0.8}
    if has(products.BOUND) and differ(text) is not False:
        return {"physical_association": 0.85 if known else 0.7}
    if known and has(products.BENCH):
        return {"biochemical_function_a": 0.6}
    return {}
