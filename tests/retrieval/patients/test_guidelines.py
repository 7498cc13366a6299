from __future__ import annotations

import pytest
from fact_tables import UNKNOWN, authored, sourced, tables, write
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import embedded
from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.facts.records.models import Frequency
from gym_clinic.facts.records.profiles import Profile, ProfileFeature, profiles_of
from gym_clinic.retrieval.patients.guidelines import GuidelineIndex, by_frequency, how_often


def feature(key: str, name: str, frequency: dict) -> ProfileFeature:
    return ProfileFeature(id=key, name=name, frequency=Frequency.model_validate(frequency))


def profile(key: str, name: str, *features: ProfileFeature, synonyms=()) -> Profile:
    return Profile(id=key, name=name, synonyms=tuple(synonyms), features=features)


@pytest.fixture
def index(tmp_path) -> GuidelineIndex:
    return GuidelineIndex(profiles_of(load(write(tmp_path, tables()))))


def test_a_disease_is_found_with_its_features(index):
    (found,) = index.lookup(["amber fever"])
    assert found.record.id == "amber-fever"
    # Obligate before a half; unknown last; what is excluded is absent, and no feature.
    assert [has.id for has in found.present] == ["HP:0000003", "HP:0000002", "sym-amber-glow"]
    assert [has.id for has in found.absent] == ["HP:0000008"]
    assert found.describe() == (
        "amber fever: Amber fever [amber-fever]\n"
        "present: Multicystic kidney dysplasia [HP:0000003] (obligate, authored); "
        "Abnormality of body height [HP:0000002] (50%, registry); "
        "Amber glow [sym-amber-glow] (frequency unknown)\n"
        "absent: Abnormal morphology of female internal genitalia [HP:0000008]"
    )


def test_an_unknown_disease_has_no_reference(index):
    (unknown, near) = index.lookup(["Cyan cough", "Cyan amber cough of unheard cause"])
    assert (unknown.record, unknown.score, unknown.how, unknown.present) == (None, 0, "", ())
    assert unknown.describe() == "Cyan cough: no reference"
    assert near.record is None
    assert near.how == "Amber fever"
    assert 0 < near.score < 1


def test_a_synonym_finds_the_disease(index):
    (found,) = index.lookup(["AF"])
    assert found.describe().startswith("AF: Amber fever (AF) [amber-fever]\n")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, True),
        ({"threshold": 0.9}, False),
        ({"threshold": 0.9, "tau": 0.01}, True),
        ({"tau": 100.0}, False),
    ],
)
def test_the_threshold_decides(options, found):
    index = GuidelineIndex(
        [profile("a", "Amber fever"), profile("b", "Blue palsy")], **options
    )  # fmt: skip
    (guidance,) = index.lookup(["amber fever, unheard"])
    assert (guidance.record is not None) is found


def test_a_score_at_the_threshold_is_a_match():
    index = GuidelineIndex([profile("a", "Amber fever")])
    score = index.names.best("amber").score
    named = [profile("a", "Amber fever")]
    assert GuidelineIndex(named, tau=score).lookup(["amber"])[0].record is not None
    above = score * (1 + 1e-9)
    assert GuidelineIndex(named, tau=above).lookup(["amber"])[0].record is None


def test_features_come_by_frequency_then_name():
    order = [
        feature("1", "Always", sourced(1.0)),
        feature("2", "Mostly", authored("very_frequent")),
        feature("3", "Often", sourced(0.6)),
        feature("4", "alike", authored("frequent")),
        feature("5", "Bands", sourced(band="frequent")),
        feature("6", "Less", sourced(0.4)),
        feature("7", "Seldom", authored("occasional")),
        feature("8", "Hardly", authored("very_rare")),
        feature("9", "Nobody knows", UNKNOWN),
    ]
    index = GuidelineIndex([profile("a", "Amber", *reversed(order))])
    assert list(index.lookup(["amber"])[0].present) == order
    assert list(index.lookup(["amber"], limit=3)[0].present) == order[:3]


def test_a_single_case_does_not_go_before_a_cohort():
    order = [
        feature("1", "In a cohort", {**sourced(0.96), "patients": 52}),
        feature("2", "In some", {**sourced(1.0), "patients": 5}),
        feature("3", "In one", {**sourced(1.0), "patients": 1}),
        feature("4", "In half of many", {**sourced(0.5), "patients": 900}),
        feature("5", "In few of some", {**sourced(0.2), "patients": 5}),
        feature("6", "In few of many", {**sourced(0.2), "patients": 500}),
    ]
    index = GuidelineIndex([profile("a", "Amber", *reversed(order))])
    (found,) = index.lookup(["amber"])
    assert list(found.present) == order
    assert "In one [3] (100% of 1 counted, registry)" in found.describe()
    assert "In few of many [6] (20% of 500 counted, registry)" in found.describe()


def test_ten_features_are_given_at_most():
    many = [feature(str(n), f"Sign {n:02}", authored("frequent")) for n in range(25)]
    never = [authored("excluded"), {**sourced(0.0), "patients": 5}, sourced(0.0)]
    gone = [feature(f"x{n}", f"No sign {n:02}", never[n % 3]) for n in range(25)]
    index = GuidelineIndex([profile("a", "Amber", *many, *gone)])
    (found,) = index.lookup(["amber"])
    assert [has.name for has in found.present] == [f"Sign {n:02}" for n in range(10)]
    assert [has.name for has in found.absent] == [f"No sign {n:02}" for n in range(10)]


@given(st.floats(0.001, 1), st.sampled_from(["frequent", "occasional", "very_rare"]))
def test_the_middle_of_a_band_is_never_reported(share, band):
    assert how_often(Frequency.model_validate(sourced(share))).endswith("%, registry")
    assert not any(mark.isdigit() for mark in how_often(Frequency.model_validate(authored(band))))
    assert not any(mark.isdigit() for mark in how_often(Frequency.model_validate(UNKNOWN)))


def test_the_least_frequent_is_not_lost_to_rounding():
    assert how_often(Frequency.model_validate(sourced(0.004))) == "0.4%, registry"


def test_names_come_back_in_their_order(index):
    found = index.lookup(["blue palsy", "nothing", "amber fever", "blue palsy"])
    ids = [one.record.id if one.record else None for one in found]
    assert ids == ["blue-palsy", None, "amber-fever", "blue-palsy"]
    assert index.lookup([]) == []


def test_more_than_ten_diseases_are_refused(index):
    assert len(index.lookup(["amber fever"] * 10)) == 10
    with pytest.raises(ConfigError, match="11 diseases in one call; at most 10"):
        index.lookup(["amber fever"] * 11)


def test_mistakes_are_reported(index):
    with pytest.raises(ConfigError, match="a list of names, not the text 'amber'"):
        index.lookup("amber")
    with pytest.raises(ConfigError, match="limit is a whole number"):
        index.lookup(["amber"], limit=0)
    with pytest.raises(ConfigError, match="duplicate profile 'a'"):
        GuidelineIndex([profile("a", "Amber"), profile("a", "Blue")])
    with pytest.raises(ConfigError, match="threshold is a share above 0, not 0"):
        GuidelineIndex([], threshold=0)
    with pytest.raises(ConfigError, match=r"tau is a score above 0, not -1"):
        GuidelineIndex([], tau=-1.0)


def test_an_empty_index_has_no_reference():
    index = GuidelineIndex([])
    assert len(index) == 0
    assert index.lookup(["amber"])[0].record is None


def test_a_feature_without_a_name_is_shown_by_its_id():
    index = GuidelineIndex([profile("a", "Amber", feature("HP:0000002", "", UNKNOWN))])
    assert "present: HP:0000002 (frequency unknown)" in index.lookup(["amber"])[0].describe()
    assert by_frequency(feature("HP:0000002", "", UNKNOWN))[0] == 1.0


def test_a_part_of_several_names_finds_none_of_them():
    index = GuidelineIndex([profile("a", "Amber disease"), profile("b", "Blue disease")])
    (found,) = index.lookup(["disease"])
    assert found.record is None
    assert found.candidates == ("Amber disease", "Blue disease")
    assert found.describe() == (
        "disease: no reference; several diseases match: Amber disease, Blue disease"
    )
    assert index.lookup(["blue"])[0].record.id == "b"


def test_a_possessive_s_without_its_apostrophe_is_ignored():
    index = GuidelineIndex([profile("a", "Amber disease"), profile("b", "Blues disease")])
    assert index.lookup(["ambers"])[0].record.id == "a"
    assert index.lookup(["blues"])[0].record.id == "b"
    assert index.lookup(["blue"])[0].record is None


def test_an_alias_finds_its_disease():
    profiles = [profile("a", "Amber disease"), profile("b", "Blue disease")]
    index = GuidelineIndex(profiles, aliases={"amber disease": ["AMD"], "unknown": ["X"]})
    assert index.lookup(["AMD"])[0].record.id == "a"
    assert index.lookup(["X"])[0].record is None


@pytest.mark.parametrize(
    ("query", "disease"),
    [
        ("MI", "Acute myocardial infarction"),
        ("NASH", "Metabolic dysfunction-associated steatotic liver disease"),
        ("Marfans", "Marfan syndrome"),
        ("Parkinsons", "Parkinson disease"),
        ("Huntingtons", "Huntington disease"),
        ("Disease", None),
        ("diabetes", None),
        ("syndrome", None),
    ],
)
def test_embedded_diseases_by_the_names_that_people_use(query, disease):
    (found,) = embedded.guidelines().lookup([query])
    assert (found.record and found.record.name) == disease
    assert bool(found.candidates) == (disease is None)
