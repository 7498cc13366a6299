"""Items of evidence and names of subtypes, in every form that the SOP reads."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.naming import SOP_PATHS, find_subtype, known_subtype
from gym_clinic.domains.clingen.sop import experimental_points
from gym_clinic.errors import ConfigError


@pytest.mark.parametrize("key", SUBTYPES)
def test_every_subtype_has_many_names(key):
    subtype = SUBTYPES[key]
    path = next(path for path, target in SOP_PATHS.items() if target == key)
    names = [key, key.upper(), subtype.label, subtype.label.upper(), path, path.split(".", 1)[1]]
    if subtype.term not in ("A", "B"):
        names.append(subtype.term)
    for name in names:
        assert find_subtype(name) is subtype


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("patient_cells", "functional_alteration_patient_cells"),
        ("functional_alteration.patient_cells", "functional_alteration_patient_cells"),
        ("rescue.rescue_in_human", "rescue_in_human"),
        ("rescue.human", "rescue_in_human"),
        ("Rescue – non-human model organism", "rescue_in_non_human_model_organism"),
        ("Model Systems – non-human model organism", "non_human_model_organism"),
        ("models_and_rescue.model_systems.cell_culture_model", "cell_culture_model"),
        ("Genetic interaction (sensu unexpected)", "genetic_interaction"),
        ("gene_expression.A", "gene_expression_a"),
    ],
)
def test_names_of_the_matrix_and_the_literature(name, key):
    assert find_subtype(name).key == key


@pytest.mark.parametrize(
    "item",
    [
        "rescue_in_patient_cells",
        "Rescue in patient cells",
        SUBTYPES["rescue_in_patient_cells"],
        ("T000001", "rescue_in_patient_cells"),
        (17, SUBTYPES["rescue_in_patient_cells"]),
        ["T000001", "Rescue in patient cells"],
        ("rescue_in_patient_cells", 1),
        ("rescue_in_patient_cells", None),
        ("T000001", "rescue_in_patient_cells", 1.0),
        ("T000001", "rescue_in_patient_cells", None),
        {"subtype": "rescue_in_patient_cells"},
        {"type": "Rescue in patient cells", "pmid": "T000001"},
        {"subtype": "rescue_in_patient_cells", "pmid": "T000001", "points": 1, "summary": "x"},
    ],
)
def test_an_item_may_have_any_form(item):
    assert experimental_points([item]) == 1.0


@pytest.mark.parametrize(
    "name", ["biochemical_function", "protein_interaction", "Gene Expression", "GeneExpression"]
)
def test_a_category_that_scores_alike_may_stand_for_its_subtypes(name):
    assert experimental_points([name]) == 0.5
    with pytest.raises(ConfigError, match="category"):
        find_subtype(name)


@pytest.mark.parametrize("name", ["rescue", "model_systems", "Functional Alteration"])
def test_a_category_whose_subtypes_score_differently_needs_its_subtype(name):
    with pytest.raises(ConfigError, match="name its subtype, one of"):
        experimental_points([name])


def test_evidence_may_be_any_iterable_and_awarded_points_count():
    assert experimental_points(iter([("rescue_in_human", 0.1), ("rescue_in_human", 0.2)])) == 0.3
    assert experimental_points({"rescue_in_human"}) == 2.0
    assert experimental_points([("rescue_in_human", Decimal("3.5"))]) == 3.5
    assert experimental_points([("rescue_in_human", Fraction(1, 2))]) == 0.5
    assert experimental_points(()) == 0.0


@pytest.mark.parametrize(
    "item",
    [
        ("Rescue", "human"),
        ("Rescue", "human", 2),
        ("models_and_rescue", "rescue", "rescue_in_human"),
        {"category": "Rescue", "subtype": "human"},
        {"evidence_type": "Rescue", "evidence_subtype": "rescue in human", "pmid": "1"},
        ("SIM1", "Rescue in human"),
        ("SIM1", SUBTYPES["rescue_in_human"], 2.0),
        {"type": "Rescue in human", "pmid": "SIM1", "points": 2},
    ],
)
def test_an_item_may_name_its_category_or_article(item):
    assert experimental_points([item]) == 2.0


@pytest.mark.parametrize(
    ("item", "points"),
    [(("Biochemical Function", "A"), 0.5), ({"category": "Gene Expression", "subtype": "B"}, 0.5)],
)
def test_letters_are_read_in_their_category(item, points):
    assert experimental_points([item, item]) == 2 * points


def test_a_letter_left_out_of_a_key_still_finds_the_subtype():
    for key in SUBTYPES:
        for place in range(4, len(key) - 1):
            name = key[:place] + key[place + 1 :]
            if known_subtype(name) is None:
                with pytest.raises(ConfigError, match="the nearest is") as caught:
                    find_subtype(name)
                assert str(caught.value).endswith(f"the nearest is {key!r}"), name


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("resque_in_human", "nearest is 'rescue_in_human'"),
        ("", "choose from"),
        ("zzzzqqqq", "choose from"),
        (("rescue_in_human", 4.5), "points of rescue_in_human are 4.5; the range is 0 to 4"),
        (("functional_alteration_non_patient_cells", 1.1), "the range is 0 to 1"),
        (("rescue_in_human", -1), "0 or more"),
        (("rescue_in_human", math.nan), "finite"),
        (("rescue_in_human", True), "expected a number"),
        (("1", "rescue_in_human", "2"), "expected a number"),
        (("1", 2, 3), "is not readable"),
        ((), "not readable"),
        (("1", "2", "3", "4"), "not readable"),
        (7, "not readable"),
        (None, "not readable"),
        ({"points": 1}, "not readable"),
    ],
)
def test_an_unreadable_item_is_named(item, text):
    with pytest.raises(ConfigError, match=text):
        experimental_points([item])


@given(st.text(max_size=40))
def test_any_name_is_found_or_refused(name):
    try:
        key = find_subtype(name).key
    except ConfigError as error:
        key = str(error)
    assert key in SUBTYPES or "unknown evidence subtype" in key or "is a category" in key
