"""Typed readers of the fact tables: diseases, findings, drugs, instruments and guidelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.facts.hierarchy import ancestors as ancestors
    from gym_clinic.facts.hierarchy import descendants as descendants
    from gym_clinic.facts.hierarchy import most_specific as most_specific
    from gym_clinic.facts.hierarchy import with_ancestors as with_ancestors
    from gym_clinic.facts.medicine_text import MedicineText as MedicineText
    from gym_clinic.facts.medicine_text import parse_medicine as parse_medicine
    from gym_clinic.facts.named_drugs import resolve as resolve
    from gym_clinic.facts.naming import same_name as same_name
    from gym_clinic.facts.naming import stem as stem
    from gym_clinic.facts.naming import words as words
    from gym_clinic.facts.records.drugs import CrossReaction as CrossReaction
    from gym_clinic.facts.records.drugs import Drug as Drug
    from gym_clinic.facts.records.drugs import DrugClass as DrugClass
    from gym_clinic.facts.records.drugs import Interaction as Interaction
    from gym_clinic.facts.records.epidemiology import INCIDENCE as INCIDENCE
    from gym_clinic.facts.records.epidemiology import Epidemiology as Epidemiology
    from gym_clinic.facts.records.epidemiology import Only as Only
    from gym_clinic.facts.records.epidemiology import Person as Person
    from gym_clinic.facts.records.instruments import Instrument as Instrument
    from gym_clinic.facts.records.models import BANDS as BANDS
    from gym_clinic.facts.records.models import Disease as Disease
    from gym_clinic.facts.records.models import Feature as Feature
    from gym_clinic.facts.records.models import Frequency as Frequency
    from gym_clinic.facts.records.models import Guideline as Guideline
    from gym_clinic.facts.records.models import Phenotype as Phenotype
    from gym_clinic.facts.records.profiles import Profile as Profile
    from gym_clinic.facts.records.profiles import ProfileFeature as ProfileFeature
    from gym_clinic.facts.records.profiles import profiles_of as profiles_of
    from gym_clinic.facts.records.profiles import read_profiles as read_profiles
    from gym_clinic.facts.restating import restates_diagnosis as restates_diagnosis
    from gym_clinic.facts.tables import Facts as Facts
    from gym_clinic.facts.tables import load as load

_HOMES = {
    "BANDS": "records.models",
    "Disease": "records.models",
    "CrossReaction": "records.drugs",
    "Drug": "records.drugs",
    "DrugClass": "records.drugs",
    "Facts": "tables",
    "Feature": "records.models",
    "Frequency": "records.models",
    "Guideline": "records.models",
    "INCIDENCE": "records.epidemiology",
    "Instrument": "records.instruments",
    "Interaction": "records.drugs",
    "Epidemiology": "records.epidemiology",
    "Only": "records.epidemiology",
    "Person": "records.epidemiology",
    "Phenotype": "records.models",
    "Profile": "records.profiles",
    "ProfileFeature": "records.profiles",
    "MedicineText": "medicine_text",
    "parse_medicine": "medicine_text",
    "resolve": "named_drugs",
    "ancestors": "hierarchy",
    "descendants": "hierarchy",
    "load": "tables",
    "most_specific": "hierarchy",
    "profiles_of": "records.profiles",
    "read_profiles": "records.profiles",
    "restates_diagnosis": "restating",
    "same_name": "naming",
    "stem": "naming",
    "with_ancestors": "hierarchy",
    "words": "naming",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
