"""Typed readers of the fact tables: diseases, findings, drugs, instruments and guidelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.facts.drugs import CrossReaction as CrossReaction
    from gym_clinic.facts.drugs import Drug as Drug
    from gym_clinic.facts.drugs import DrugClass as DrugClass
    from gym_clinic.facts.drugs import Interaction as Interaction
    from gym_clinic.facts.drugs import drug_names as drug_names
    from gym_clinic.facts.epidemiology import INCIDENCE as INCIDENCE
    from gym_clinic.facts.epidemiology import Epidemiology as Epidemiology
    from gym_clinic.facts.epidemiology import Only as Only
    from gym_clinic.facts.epidemiology import Person as Person
    from gym_clinic.facts.hierarchy import ancestors as ancestors
    from gym_clinic.facts.hierarchy import descendants as descendants
    from gym_clinic.facts.hierarchy import most_specific as most_specific
    from gym_clinic.facts.hierarchy import with_ancestors as with_ancestors
    from gym_clinic.facts.instruments import Instrument as Instrument
    from gym_clinic.facts.models import BANDS as BANDS
    from gym_clinic.facts.models import Disease as Disease
    from gym_clinic.facts.models import Feature as Feature
    from gym_clinic.facts.models import Frequency as Frequency
    from gym_clinic.facts.models import Guideline as Guideline
    from gym_clinic.facts.models import Phenotype as Phenotype
    from gym_clinic.facts.naming import same_name as same_name
    from gym_clinic.facts.naming import stem as stem
    from gym_clinic.facts.naming import words as words
    from gym_clinic.facts.profiles import Profile as Profile
    from gym_clinic.facts.profiles import ProfileFeature as ProfileFeature
    from gym_clinic.facts.profiles import profiles_of as profiles_of
    from gym_clinic.facts.profiles import read_profiles as read_profiles
    from gym_clinic.facts.restating import restates_diagnosis as restates_diagnosis
    from gym_clinic.facts.tables import Facts as Facts
    from gym_clinic.facts.tables import load as load

_HOMES = {
    "BANDS": "models",
    "Disease": "models",
    "CrossReaction": "drugs",
    "Drug": "drugs",
    "DrugClass": "drugs",
    "Facts": "tables",
    "Feature": "models",
    "Frequency": "models",
    "Guideline": "models",
    "INCIDENCE": "epidemiology",
    "Instrument": "instruments",
    "Interaction": "drugs",
    "Epidemiology": "epidemiology",
    "Only": "epidemiology",
    "Person": "epidemiology",
    "Phenotype": "models",
    "Profile": "profiles",
    "ProfileFeature": "profiles",
    "drug_names": "drugs",
    "ancestors": "hierarchy",
    "descendants": "hierarchy",
    "load": "tables",
    "most_specific": "hierarchy",
    "profiles_of": "profiles",
    "read_profiles": "profiles",
    "restates_diagnosis": "restating",
    "same_name": "naming",
    "stem": "naming",
    "with_ancestors": "hierarchy",
    "words": "naming",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
