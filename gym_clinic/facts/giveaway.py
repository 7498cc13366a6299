"""Whether a finding names its own disease: then it would give the diagnosis away.

A finding does so if the name that is shown holds a whole name of the disease ("Giardia infection"
in giardiasis), or if any of its names is one of the disease's but for words that say little ("Deep
venous thrombosis": both are "DVT"; "Restless legs" in restless legs syndrome). Names are compared
by the stems of their words; an infection and its germ have one ("brucellosis", "Brucella"). What is
only a part of the disease's name is no giveaway: fever in dengue fever, arthritis in rheumatoid
arthritis.

Source:
    Deep-DxSearch paper, 4.1, stage III: phenotypes must not merely restate the diagnosis.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gym_clinic.facts.models import Disease, Phenotype
from gym_clinic.facts.naming import words
from gym_clinic.facts.stems import stem

FUNCTION = frozenset(["and", "by", "due", "from", "in", "of", "on", "s", "the", "to", "with"])
KINDS = frozenset(["condition", "disease", "disorder", "syndrome"])
SORTS = frozenset(
    [
        "acute",
        "chronic",
        "classic",
        "common",
        "essential",
        "familial",
        "hereditary",
        "idiopathic",
        "primary",
        "recurrent",
        "simple",
    ]
)
"""Words of a name without which it still says what it is, if it has two others."""

_ENDING = re.compile("(?<=.....)i?(asis|osis|as|al|a)$")


def gives_away(disease: Disease, finding: Phenotype) -> bool:
    """Whether a finding names a disease.

    Args:
        disease: The disease.
        finding: A finding, of this disease or another.
    """
    shown = _stems(finding.name)
    known = {_core(name) for name in (finding.name, *finding.synonyms)}
    for name in (disease.name, *disease.synonyms):
        whole = _stems(name)
        kindless = _stems(name, KINDS)
        # "seizure disorder" is a name of epilepsy, and a seizure is what it has.
        held = kindless if len(kindless) > 1 or name == disease.name else whole
        if (held and held <= shown) or _core(name) in known:
            return True
    return False


@lru_cache(maxsize=1 << 15)
def _stems(name: str, without: frozenset[str] = frozenset()) -> frozenset[str]:
    kept = [word for word in words(name) if word not in FUNCTION and word not in without]
    return frozenset(stem(_ENDING.sub("", word)) for word in kept)


def _core(name: str) -> frozenset[str]:
    """What a name says; all of it, if that were one word only."""
    core = _stems(name, KINDS | SORTS)
    return core if len(core) > 1 else _stems(name)
