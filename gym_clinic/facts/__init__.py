"""Typed readers of the fact tables: diseases, findings, drugs, instruments and guidelines.

The public names are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gym_clinic.facts.models import (
        BANDS,
        Disease,
        Drug,
        Feature,
        Frequency,
        Guideline,
        Instrument,
        Phenotype,
    )
    from gym_clinic.facts.naming import same_name, stem, words
    from gym_clinic.facts.profiles import Profile, ProfileFeature, profiles_of, read_profiles
    from gym_clinic.facts.restating import restates_diagnosis
    from gym_clinic.facts.tables import Facts, load

_HOMES = {
    "BANDS": "models",
    "Disease": "models",
    "Drug": "models",
    "Facts": "tables",
    "Feature": "models",
    "Frequency": "models",
    "Guideline": "models",
    "Instrument": "models",
    "Phenotype": "models",
    "Profile": "profiles",
    "ProfileFeature": "profiles",
    "load": "tables",
    "profiles_of": "profiles",
    "read_profiles": "profiles",
    "restates_diagnosis": "restating",
    "same_name": "naming",
    "stem": "naming",
    "words": "naming",
}

__all__ = [
    "BANDS",
    "Disease",
    "Drug",
    "Facts",
    "Feature",
    "Frequency",
    "Guideline",
    "Instrument",
    "Phenotype",
    "Profile",
    "ProfileFeature",
    "load",
    "profiles_of",
    "read_profiles",
    "restates_diagnosis",
    "same_name",
    "stem",
    "words",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names and what is loaded."""
    return sorted({*globals(), *__all__})
