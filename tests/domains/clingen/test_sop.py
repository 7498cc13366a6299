from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SHARED

from gym_clinic.domains.clingen import sop
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES, SUBTYPES
from gym_clinic.domains.clingen.naming import SOP_PATHS, find_subtype
from gym_clinic.domains.clingen.sop import SopResult, classify, experimental_points
from gym_clinic.errors import ConfigError

NO_KNOWN, LIMITED, MODERATE, STRONG, DEFINITIVE = CLASSES


def result(evidence=(), genetic=1.0, publications=5, years=10.0, **options) -> SopResult:
    return classify(
        evidence,
        genetic_points=genetic,
        publications=publications,
        years_since_first=years,
        **options,
    )


# Bands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "label", "gap"),
    [
        (0, NO_KNOWN, False),
        (0.05, LIMITED, True),
        (0.1, LIMITED, False),
        (6, LIMITED, False),
        (6.1, LIMITED, True),
        (6.99, LIMITED, True),
        (7, MODERATE, False),
        (11, MODERATE, False),
        (11.01, MODERATE, True),
        (11.9999, MODERATE, True),
        (12, DEFINITIVE, False),
    ],
)
def test_each_threshold_from_both_sides(points, label, gap):
    found = result(genetic=points)
    assert found.points == points
    assert found.classification == label
    assert ("decimal_gap" in found.flags) is gap


def test_experimental_and_genetic_points_add_up_to_a_class():
    evidence = [("1", "non_human_model_organism"), ("2", "rescue_in_human")]
    assert result(evidence, genetic=2.9) == (6.9, LIMITED, ("decimal_gap",))
    assert result(evidence, genetic=3) == (7.0, MODERATE, ())
    assert result(evidence, genetic=8) == (12.0, DEFINITIVE, ())


@pytest.mark.parametrize(
    ("publications", "years", "text", "matrix"),
    [
        (1, 50, False, False),
        (2, 2.9, False, False),
        (2, 3, True, False),
        (2, 10, True, False),
        (3, 3, True, False),
        (3, 3.1, True, True),
        (3, 2.9, False, False),
    ],
)
def test_replication_is_read_as_asked_and_disagreement_is_flagged(
    publications, years, text, matrix
):
    for reading, expected in (("text", text), ("matrix", matrix)):
        found = result(genetic=12, publications=publications, years=years, replication=reading)
        assert found.classification == (DEFINITIVE if expected else STRONG)
        assert ("not_replicated_over_time" in found.flags) is not expected
        assert ("replication_text_and_matrix_disagree" in found.flags) is (text != matrix)


def test_both_replications_agree_below_twelve_points():
    assert result(genetic=11, publications=2, years=3) == (11.0, MODERATE, ())


def test_the_default_replication_is_text():
    assert result(genetic=12, publications=2, years=3).classification == DEFINITIVE


# Caps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "subtype", "reaching", "cap"),
    [
        ("function", "biochemical_function_a", 4, 2),
        ("functional_alteration", "functional_alteration_patient_cells", 2, 2),
        ("models_and_rescue", "rescue_in_patient_cells", 4, 4),
    ],
)
def test_each_group_is_capped(group, subtype, reaching, cap):
    flag = f"category_cap_applied:{group}"
    at_cap = result([subtype] * reaching)
    beyond = result([subtype] * (reaching + 1))
    assert at_cap.points == beyond.points == cap + 1
    assert flag not in at_cap.flags
    assert flag in beyond.flags


def test_three_categories_share_the_cap_of_function():
    evidence = ["biochemical_function_b", "physical_association", "gene_expression_a"]
    assert experimental_points(evidence) == 1.5
    assert experimental_points(evidence * 2) == 2.0


def test_models_and_rescue_share_a_cap():
    evidence = ["non_human_model_organism", "cell_culture_model", "rescue_in_human"]
    assert experimental_points(evidence) == 4.0


def test_experimental_evidence_is_capped_at_six_after_the_groups():
    function = ["gene_expression_a"] * 4
    alteration = ["functional_alteration_patient_cells"] * 2
    models = ["non_human_model_organism"] * 2
    assert result(function + models).flags == ()
    assert result(function + models).points == 7.0
    found = result(function + alteration + models)
    assert found.points == 7.0
    assert found.flags == ("experimental_cap_applied",)


def test_genetic_evidence_is_capped_at_twelve():
    assert result(genetic=12).flags == ()
    assert result(genetic=12.5) == (12.0, DEFINITIVE, ("genetic_cap_applied",))
    most = [(key, subtype.range[1]) for key, subtype in SUBTYPES.items()]
    assert result(most, genetic=100).points == 18.0 == sop.TOTAL_MAX


# What the SOP says about absence and contradiction -------------------------------------------


def test_without_human_genetic_evidence_no_points_make_a_class():
    found = result(["rescue_in_patient_cells", "gene_expression_a"], genetic=0, publications=0)
    assert found == (1.5, NO_KNOWN, ("no_human_genetic_evidence",))


@pytest.mark.parametrize(
    "subtype", ["non_human_model_organism", "rescue_in_non_human_model_organism"]
)
def test_a_non_human_model_alone_is_tagged(subtype):
    assert "animal_model_only" in result([subtype], genetic=0).flags
    assert "animal_model_only" not in result([subtype], genetic=0.1).flags
    assert "animal_model_only" not in result([(subtype, 0)], genetic=0).flags


def test_contradiction_withholds_definitive_and_asks_for_experts():
    found = result(genetic=12, contradictory=True)
    assert found.classification == STRONG
    assert found.flags == ("contradictory", "contradictory_withholds_definitive")
    assert result(genetic=7, contradictory=True) == (7.0, MODERATE, ("contradictory",))
    for genetic in (0, 0.1, 6, 7, 12, 18):
        label = result(genetic=genetic, contradictory=True).classification
        assert label in CLASSES
        assert label not in sop.CONTRADICTORY_CLASSES


def test_genetic_points_without_a_publication_are_flagged():
    assert "genetic_points_without_publication" in result(genetic=1, publications=0).flags


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("evidence", ["rescue_in_human", {"subtype": "rescue_in_human"}, None, 3])
def test_evidence_that_is_no_list_is_an_error(evidence):
    with pytest.raises(ConfigError, match="expected a list of items"):
        result(evidence)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"genetic": -0.1}, "genetic_points is -0.1"),
        ({"genetic": math.nan}, "genetic_points is nan"),
        ({"genetic": math.inf}, "finite"),
        ({"genetic": 10**400}, "finite"),
        ({"genetic": Decimal("sNaN")}, "finite"),
        ({"genetic": True}, "genetic_points is True"),
        ({"genetic": "3"}, "genetic_points is '3'"),
        ({"genetic": None}, "genetic_points is None"),
        ({"publications": 2.0}, "publications is 2.0; expected a whole number"),
        ({"publications": True}, "publications is True"),
        ({"publications": -1}, "publications is -1"),
        ({"publications": "2"}, "whole number"),
        ({"years": -1}, "years_since_first is -1"),
        ({"years": math.nan}, "years_since_first is nan"),
        ({"years": False}, "years_since_first is False"),
        ({"contradictory": "no"}, "expected True or False"),
        ({"replication": "both"}, r"unknown replication 'both'; choose from \['text', 'matrix'\]"),
        ({"replication": ["text"]}, "unknown replication"),
    ],
)
def test_a_wrong_argument_is_named(options, text):
    with pytest.raises(ConfigError, match=text):
        result(**options)


# Properties ----------------------------------------------------------------------------------

tenths = st.integers(0, 200).map(lambda tenth: tenth / 10)


@st.composite
def instances(draw):
    subtype = draw(st.sampled_from(list(SUBTYPES.values())))
    low, high = subtype.range
    return subtype.key, draw(st.integers(int(low * 10), int(high * 10))) / 10


@given(
    st.lists(instances(), max_size=12),
    tenths,
    st.integers(0, 6),
    st.integers(0, 10),
    st.booleans(),
    st.sampled_from(["text", "matrix"]),
    st.randoms(use_true_random=False),
)
def test_any_curation_has_bounded_points_and_no_order(
    evidence, genetic, publications, years, contradictory, replication, random
):
    options = {"contradictory": contradictory, "replication": replication}
    found = result(evidence, genetic, publications, years, **options)
    assert 0 <= experimental_points(evidence) <= 6
    assert 0 <= found.points <= 18
    assert found.classification in CLASSES
    assert len(set(found.flags)) == len(found.flags)
    shuffled = random.sample(evidence, len(evidence))
    assert result(shuffled, genetic, publications, years, **options) == found


@given(st.lists(instances(), max_size=10), instances(), tenths, tenths)
def test_more_evidence_never_lowers_points_or_class(evidence, extra, genetic, added):
    def rank(found: SopResult) -> tuple[float, int]:
        return found.points, CLASSES.index(found.classification)

    before = rank(result(evidence, genetic))
    for after in (
        rank(result([*evidence, extra], genetic)),
        rank(result(evidence, genetic + added)),
    ):
        assert after[0] >= before[0]
        assert after[1] >= before[1]


@given(st.lists(st.integers(0, 20), max_size=30))
def test_tenths_add_up_exactly(awarded):
    evidence = [("rescue_in_patient_cells", tenth / 10) for tenth in awarded]
    assert experimental_points(evidence) == min(sum(awarded), 40) / 10


# The reference table -------------------------------------------------------------------------

SOP_YAML = SHARED / "clinical" / "clingen_sop.yaml"


@pytest.mark.skipif(not SOP_YAML.exists(), reason="the reference table of the SOP is not here")
def test_constants_agree_with_the_reference_table():
    yaml = pytest.importorskip("yaml")
    table = yaml.safe_load(SOP_YAML.read_text(encoding="utf-8"))
    experimental = table["experimental_evidence"]
    assert experimental["total_cap"] == sop.EXPERIMENTAL_CAP
    assert table["genetic_evidence"]["total_cap"] == sop.GENETIC_CAP
    assert table["total_max"] == sop.TOTAL_MAX
    groups = experimental["categories"]
    assert {name: group["cap"] for name, group in groups.items()} == sop.GROUP_CAPS

    lines = {}

    def walk(path, node):
        for name, child in node.items():
            if not isinstance(child, dict):
                continue
            here = f"{path}.{name}" if path else name
            if "default" in child:
                for leaf in child.get("subtypes", [None]):
                    whole = here if leaf is None else f"{here}.{leaf}"
                    lines[whole] = (child["default"], tuple(child["range"]))
            else:
                walk(here, child)

    walk("", groups)
    ours = {path: (SUBTYPES[key].points, SUBTYPES[key].range) for path, key in SOP_PATHS.items()}
    assert ours == lines
    for path, key in SOP_PATHS.items():
        assert CATEGORIES[SUBTYPES[key].category].cap_group == path.split(".")[0]
    bands = {row["name"]: tuple(row["points"]) for row in table["classification"]}
    assert bands == sop.BANDS
    assert tuple(table["contradictory_classes"]) == sop.CONTRADICTORY_CLASSES
    definitive = table["classification"][0]
    assert ">2 publications AND >3 years" in definitive["replication_matrix"]
    assert sop.REPLICATION["matrix"] == (2, 3, True)
    assert ">=2 independent" in definitive["replication_text"]
    assert ">=3 years" in definitive["replication_text"]
    assert sop.REPLICATION["text"] == (2, 3, False)
    for category, names in table["paper_table2_mapping"].items():
        for name in names:
            label = next(c.key for c in CATEGORIES.values() if c.label == category)
            assert find_subtype(f"{category} {name}").category == label
