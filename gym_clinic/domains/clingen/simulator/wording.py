"""The phrases of the articles: the grammar in ``phrases/``, and the writers that use it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

from gym_clinic.domains.clingen.simulator.drafts import CATEGORY_OF, GROUPS, WORK
from gym_clinic.facts.phrases import ParsedPhrase
from gym_clinic.simulate.grammar import Grammar, read_grammar
from gym_clinic.simulate.writer import Writer

FOLDER = Path(__file__).with_name("phrases")

HELD_BACK = 5
"""Train and dev never use every fifth phrase of a pool; test does."""

_BY_KEY = {
    ("clause", "passage", "negative"): tuple(CATEGORY_OF),
    # The numbers of two genes that interact "unexpectedly" would decide nothing.
    ("measured",): tuple(name for name in CATEGORY_OF if name != "genetic_interaction"),
    ("planned", "technique", "hint", "topic"): tuple(dict.fromkeys(CATEGORY_OF.values())),
    ("method", "follow"): tuple(dict.fromkeys(WORK.values())),
    ("dress",): ("background", "work", "remarks"),
    ("heading",): (
        "introduction", "patients", "methods", *GROUPS, "discussion", "limits", "data",
    ),
    ("frame",): (
        "shown", "shown_abstract", "reported", "reported_abstract", "negative",
        "negative_abstract", "withdrawn", "withdrawn_abstract", "measured", "measured_abstract",
        "replicated", "elsewhere", "aside", "foil", "earlier_defect", "summary",
    ),
    ("genetics",): (
        "null", "other", "other_only", "unscored", "earlier", "first_report", "none",
    ),
    ("summary",): ("scored", "unscored"),
}  # fmt: skip

DRAWN = (
    *(f"{kind}.{key}" for kinds, keys in _BY_KEY.items() for kind in kinds for key in keys),
    "title", "abstract_open", "abstract_aim", "abstract_fill", "abstract_close",
    "intro_open", "intro", "intro_aim", "patients", "methods", "results_open", "results",
    "discussion_open", "discussion", "discussion_close", "limits", "data", "code_key", "therapy",
)  # fmt: skip
"""Names of the pools from which the articles are written."""


@cache
def grammar() -> Grammar:
    """Return the phrases; the files are read and checked once a process."""
    return read_grammar(FOLDER, DRAWN)


def writer(seed: str, facts: Mapping[str, str | ParsedPhrase], *, wide: bool) -> Writer:
    """Return a writer with a source of randomness of its own.

    Args:
        seed: Seed of the source.
        facts: Slot -> text or phrase.
        wide: Whether every phrase may be used.
    """
    return Writer(grammar(), Random(seed), facts, hold_back=0 if wide else HELD_BACK)
