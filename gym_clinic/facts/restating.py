"""Whether a finding restates a diagnosis, so that to mention it is to name the disease.

It does if its preferred name contains a whole name of the disease ("Giardia infection" in
giardiasis), or if any of its names is one of the disease's but for unspecific words ("Deep venous
thrombosis": both are "DVT"; "Restless legs" in restless legs syndrome). Names are compared by the
stems of their words; an infection and its germ have the same stem ("brucellosis", "Brucella"). A
finding whose name is only a part of the disease's does not restate it: fever in dengue fever,
arthritis in rheumatoid arthritis.

Source:
    Deep-DxSearch paper, 4.1, stage III: phenotypes must not merely restate the diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from gym_clinic.facts.naming import stem, words

FUNCTION_WORDS = frozenset(["and", "by", "due", "from", "in", "of", "on", "s", "the", "to", "with"])
KIND_WORDS = frozenset(["condition", "disease", "disorder", "syndrome"])
QUALIFIERS = frozenset(
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
"""Words that a name means the same without, if two others are left."""

_ENDING = re.compile("(?<=.....)i?(asis|osis|as|al|a)$")


class Named(Protocol):
    """A disease or a finding: what has a preferred name and others."""

    @property
    def name(self) -> str:
        """Preferred name."""

    @property
    def synonyms(self) -> Sequence[str]:
        """Other names."""


def restates_diagnosis(disease: Named, finding: Named) -> bool:
    """Whether a finding restates the diagnosis of a disease.

    Args:
        disease: The disease.
        finding: A finding, of this disease or another.
    """
    shown = _stems(finding.name)
    known = {_core(name) for name in (finding.name, *finding.synonyms)}
    for name in (disease.name, *disease.synonyms):
        whole = _stems(name)
        specific = _stems(name, KIND_WORDS)
        # "Seizure disorder" is a synonym of epilepsy, and a seizure is a finding of it.
        needed = specific if len(specific) > 1 or name == disease.name else whole
        if (needed and needed <= shown) or _core(name) in known:
            return True
    return False


@lru_cache(maxsize=1 << 15)
def _stems(name: str, without: frozenset[str] = frozenset()) -> frozenset[str]:
    kept = [word for word in words(name) if word not in FUNCTION_WORDS and word not in without]
    return frozenset(stem(_ENDING.sub("", word)) for word in kept)


@lru_cache(maxsize=1 << 15)
def _core(name: str) -> frozenset[str]:
    """Return the specific words of a name; all of its words if only one is specific."""
    core = _stems(name, KIND_WORDS | QUALIFIERS)
    return core if len(core) > 1 else _stems(name)
