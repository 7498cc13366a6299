"""Who sees what: the fields of the disciplines, and which findings are typical of a disease."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

from gym_clinic import strict_json
from gym_clinic.domains.kacr.questions.evidence import presentations
from gym_clinic.facts import load


@lru_cache(maxsize=1)
def fields() -> Mapping[str, tuple[str, ...]]:
    """Return discipline -> the groups of findings that its examination covers."""
    file = Path(__file__).with_name("fields.json")
    table: dict[str, list[str]] = strict_json.loads(file.read_text(encoding="utf-8"))
    return {discipline: tuple(groups) for discipline, groups in table.items()}


@lru_cache(maxsize=1 << 16)
def in_field(discipline: str, finding: str) -> bool:
    """Whether a discipline examines what a finding is about.

    Args:
        discipline: Its id.
        finding: Id of the finding.
    """
    return load().phenotypes[finding].group in fields()[discipline]


@lru_cache(maxsize=1024)
def typical(disease: str) -> frozenset[str]:
    """Return the ids of the findings that the fact tables name for a disease, if not as absent."""
    return frozenset(key for key, share in presentations().shares(disease).items() if share > 0)


@lru_cache(maxsize=1 << 16)
def is_typical(finding: str, disease: str) -> bool:
    """Whether a finding, or a more general or more special form of it, is typical of a disease."""
    above = load().above
    own = typical(disease)
    if finding in own or not above[finding].isdisjoint(own):
        return True
    return any(finding in above[key] for key in own)


def decides(finding: str, disease: str, options: Collection[str]) -> bool:
    """Whether a finding is typical of a disease and of no other of the options."""
    return is_typical(finding, disease) and not any(
        is_typical(finding, other) for other in options if other != disease
    )


def related(finding: str, others: Collection[str]) -> bool:
    """Whether a finding is one of others, or a more general or more special form of one."""
    above = load().above
    return any(finding == key or finding in above[key] or key in above[finding] for key in others)


def name_of(finding: str) -> str:
    """Return the name of a finding."""
    return load().phenotypes[finding].name
