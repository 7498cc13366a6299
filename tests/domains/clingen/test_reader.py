"""The rule-based reader, on sentences written for these tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen import lexicon
from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.figures import against_product, differ
from gym_clinic.domains.clingen.reader import (
    Genetics,
    categories_in_abstract,
    genetics_in_summary,
    read_article,
    read_genetics,
    split_sentences,
)
from gym_clinic.simulate import read_pools

GENE, DISEASE = "OCRL", "oculocerebrorenal syndrome"


def keys(sentence: str, heading: str = "Results") -> set[str]:
    return {finding.subtype for finding in read_article(GENE, DISEASE, [(heading, sentence)])}


HELD = [
    (
        "biochemical_function_a",
        "OCRL acts in the same phosphoinositide pathway as the products of other genes known to "
        "cause the disease.",
    ),
    (
        "biochemical_function_a",
        "Purified OCRL hydrolysed the same substrate as the enzyme encoded by INPP5B, a gene "
        "already implicated in oculocerebrorenal syndrome.",
    ),
    (
        "biochemical_function_b",
        "OCRL is a phosphatase whose substrate controls endocytosis in the proximal tubule, a "
        "biochemical role that explains the proteinuria of the disease.",
    ),
    (
        "physical_association",
        "Endogenous OCRL co-immunoprecipitated with IPIP27A in kidney lysates.",
    ),
    (
        "physical_association",
        "A yeast two-hybrid screen and pull-down showed that OCRL binds APPL1.",
    ),
    (
        "negative_genetic_interaction",
        "Combined deletion of OCRL and INPP5B was synthetic lethal, although either single mutant "
        "was viable.",
    ),
    (
        "positive_genetic_interaction",
        "Deletion of PIP5K1C suppressed the growth defect of the OCRL mutant, so that double "
        "mutants grew almost like the wild type.",
    ),
    (
        "genetic_interaction",
        "OCRL interacted genetically with CD2AP: only fish that were heterozygous for both genes "
        "had oedema.",
    ),
    (
        "gene_expression_a",
        "By immunohistochemistry, OCRL was strongly expressed in the proximal tubule and the lens.",
    ),
    (
        "gene_expression_b",
        "OCRL transcript was almost absent from leukocytes of the two affected boys by RT-qPCR.",
    ),
    (
        "functional_alteration_patient_cells",
        "Fibroblasts from two patients with OCRL variants showed impaired ciliogenesis.",
    ),
    (
        "functional_alteration_non_patient_cells",
        "HEK293 cells expressing the OCRL p.Arg500Gln mutant had reduced phosphatase activity.",
    ),
    (
        "cell_culture_model",
        "OCRL-knockout kidney cell lines recapitulated the endocytic defect seen in patients.",
    ),
    (
        "non_human_model_organism",
        "Ocrl−/− mice developed low-molecular-weight proteinuria resembling that of patients.",
    ),
    (
        "non_human_model_organism",
        "Zebrafish morphants lacking OCRL had smaller eyes, cystic brain lesions and seizures.",
    ),
    (
        "rescue_in_human",
        "In three patients with OCRL variants, alkali supplementation and gene therapy restored "
        "normal growth.",
    ),
    (
        "rescue_in_patient_cells",
        "Re-expression of wild-type OCRL in patient fibroblasts restored ciliogenesis.",
    ),
    (
        "rescue_in_non_human_model_organism",
        "Injection of wild-type OCRL mRNA rescued eye size in the morphants.",
    ),
    (
        "rescue_in_cell_culture_model",
        "Transduction of OCRL-knockout HK-2 cells with the wild-type cDNA normalised endocytosis.",
    ),
]


@pytest.mark.parametrize(("subtype", "sentence"), HELD)
def test_reads_each_subtype(subtype: str, sentence: str) -> None:
    assert keys(sentence) == {subtype}


def test_every_subtype_has_a_sentence_here() -> None:
    assert {subtype for subtype, _ in HELD} == set(SUBTYPES)


@pytest.mark.parametrize(
    "sentence",
    [
        # denied
        "Ocrl-null mice were indistinguishable from their wild-type littermates.",
        "Expression of wild-type OCRL in patient fibroblasts did not restore ciliogenesis.",
        "OCRL did not co-immunoprecipitate with APPL1 under any condition.",
        "There was no difference in OCRL mRNA levels between patients and controls.",
        # planned or supposed
        "It remains to be tested whether gene therapy could rescue Ocrl-null mice.",
        "Future studies with OCRL-knockout cells will show whether they mimic the disease.",
        "OCRL may share a pathway with other genes implicated in the disease.",
        # somebody else's
        "Smith et al. reported that Ocrl knockout mice have reduced body weight.",
        "It has previously been shown that OCRL is expressed in kidney and lens.",
        # another gene
        "Knockdown of INPP5B in zebrafish produced smaller eyes.",
        "Co-immunoprecipitation showed that APPL1 binds IPIP27A.",
        # only a method
        "Skin fibroblasts from patients were cultured in DMEM with serum.",
        "Mice were housed under a 12-hour light cycle and genotyped for OCRL by PCR.",
    ],
)
def test_holds_nothing_that_the_article_does_not_show(sentence: str) -> None:
    assert keys(sentence) == set()


def test_a_negated_control_does_not_deny_the_finding() -> None:
    sentence = (
        "Wild-type OCRL mRNA rescued eye size in the morphants, whereas the catalytically dead "
        "mutant did not."
    )
    assert keys(sentence) == {"rescue_in_non_human_model_organism"}


def test_absence_may_be_the_finding() -> None:
    assert keys("Homozygous Ocrl knockout mice did not survive beyond weaning.") == {
        "non_human_model_organism"
    }


def test_the_next_sentence_keeps_the_host_and_the_gene() -> None:
    text = "We generated a knockout zebrafish for OCRL. These larvae had seizures and small eyes."
    assert keys(text) == {"non_human_model_organism"}
    other = (
        "We generated a knockout zebrafish for INPP5B. These larvae had seizures and small eyes."
    )
    assert keys(other) == set()


def test_the_section_counts() -> None:
    sentence = "OCRL is expressed in the proximal tubule."
    assert keys(sentence) == {"gene_expression_a"}
    assert keys(sentence, "Introduction") == set()
    assert keys(sentence, "Materials and methods") == set()


def test_another_disease_does_not_count() -> None:
    finding = "OCRL-knockout mice developed tremor resembling that of"
    assert keys(f"{finding} Parkinson disease.") == set()
    assert keys(f"{finding} {DISEASE}.") == {"non_human_model_organism"}


def test_the_next_sentence_may_take_a_finding_back() -> None:
    finding = "Loss of OCRL left mice with small eyes."
    assert keys(f"{finding} Both sexes were used.") == {"non_human_model_organism"}
    assert keys(f"{finding} The finding says nothing of the disorder.") == set()


def test_a_finding_may_be_taken_back_elsewhere() -> None:
    finding = "Zebrafish lacking OCRL had seizures, small eyes and cystic brain lesions."
    retraction = (
        "The statement that zebrafish lacking OCRL had seizures, small eyes and cystic brain "
        "lesions could not be reproduced."
    )
    sections = [("Results", finding), ("Discussion", retraction)]
    assert read_article(GENE, DISEASE, sections[:1])
    assert read_article(GENE, DISEASE, sections) == []


def test_an_earlier_finding_counts_if_it_was_repeated() -> None:
    claim = "Smith et al. reported that OCRL knockout mice have reduced body weight"
    assert keys(f"{claim}.") == set()
    assert keys(f"{claim}, and so did we.") == {"non_human_model_organism"}


@pytest.mark.parametrize(
    "key",
    [
        "Samples were coded, factor P standing for OCRL and factor Q for INPP5B.",
        "INPP5B and OCRL were handled under the names factor Q and factor P.",
        "For brevity OCRL goes by factor P below.",
    ],
)
def test_codes_are_read_as_the_genes_they_stand_for(key: str) -> None:
    finding = "Zebrafish lacking factor P had seizures and small eyes."
    found = read_article(GENE, DISEASE, [("Methods", key), ("Results", finding)])
    assert [one.subtype for one in found] == ["non_human_model_organism"]
    other = finding.replace("factor P", "factor Q")
    assert read_article(GENE, DISEASE, [("Methods", key), ("Results", other)]) == []


@pytest.mark.parametrize(
    ("sentence", "apart"),
    [
        ("16 of 17 null pups and 2 of 17 with the copy had cysts", True),
        ("16 of 17 null pups and 15 of 17 with the copy had cysts", False),
        ("of animals with and without it, 12 each, 1 and 11 had cysts", True),
        ("uptake came to 37 (31 to 43) for every 100 of the controls", True),
        ("uptake was 102 in the one and 98 in the other by 4 weeks", False),
        ("the mice had cysts", None),
    ],
)
def test_reads_whether_two_groups_differ(sentence: str, apart: bool | None) -> None:
    assert differ(sentence) is apart


def test_reads_what_two_genes_do_beyond_the_product() -> None:
    assert against_product("with both 21% lived, where the product is 84%") == -1
    assert against_product("with both, 81% lived where 24% were expected, a product of 24%") == 1
    assert against_product("with both 80% lived, where the product is 84%") == 0
    assert against_product("mice with both died") is None


def test_findings_are_sorted_and_quote_their_sentence() -> None:
    sentences = [sentence for _, sentence in HELD]
    found = read_article(GENE, DISEASE, [("Results", " ".join(sentences))])
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(one.sentence in sentences for one in found)


def test_reads_categories_from_an_abstract() -> None:
    called = categories_in_abstract(
        GENE,
        DISEASE,
        "A zebrafish model of oculocerebrorenal syndrome",
        "Boys with variants in OCRL have renal tubular disease. Zebrafish lacking OCRL had "
        "seizures and brain cysts. Injection of wild-type OCRL mRNA rescued the mutant fish. "
        "Whether the gene interacts with others remains unknown.",
    )
    assert set(called) == {"ModelSystem", "Rescue"}


def test_an_abstract_may_promise_nothing() -> None:
    text = "We describe the clinical course of a boy with cataract and proteinuria."
    assert categories_in_abstract(GENE, DISEASE, "A case report", text) == []


def test_splits_sentences_but_not_abbreviations() -> None:
    text = (
        "Smith et al. saw it (Fig. 2). In D. rerio, e.g. at 3.5 dpf, it held! Did C. elegans? Yes."
    )
    assert split_sentences(text) == [
        "Smith et al. saw it (Fig. 2).",
        "In D. rerio, e.g. at 3.5 dpf, it held!",
        "Did C. elegans?",
        "Yes.",
    ]


@pytest.mark.parametrize(
    ("text", "points", "publications", "first"),
    [
        (
            "We identified loss-of-function variants in seven unrelated probands and missense "
            "variants in three.",
            12.0,
            1,
            None,
        ),
        ("Exome sequencing found 12 probands with nonsense variants.", 18.0, 1, None),
        (
            "Two patients carried truncating variants; five further patients had missense changes. "
            "The gene was first linked to the disease in 2004, and three earlier publications have "
            "reported families.",
            5.5,
            4,
            2004,
        ),
        ("Twenty-one families had missense variants in OCRL.", 10.5, 1, None),
    ],
)
def test_reads_human_genetics(
    text: str, points: float, publications: int, first: int | None
) -> None:
    assert read_genetics([("Results", text)]) == Genetics(points, publications, first)


def test_no_genetics_is_none() -> None:
    text = "Eighteen mice were weighed in 2010. Ages ranged from three to nine weeks."
    assert read_genetics([("Results", text)]) is None
    assert genetics_in_summary("Knockout mice have small eyes.") is None


def test_reads_a_curators_summary() -> None:
    said = "Reported are six probands with null variants and 2 with missense variants (10 points)."
    assert genetics_in_summary(f"{said} There are 3 publications since 2004.") == Genetics(
        10.0, 3, 2004
    )


@given(
    st.integers(0, 36).map(lambda half: half / 2),
    st.integers(0, 9),
    st.none() | st.integers(1960, 2030),
)
def test_its_own_sentence_reads_back(points: float, publications: int, first: int | None) -> None:
    genetics = Genetics(points, publications, first)
    assert genetics_in_summary(str(genetics)) == genetics


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_read(heading: str, text: str) -> None:
    for finding in read_article(GENE, DISEASE, [(heading, text)]):
        assert finding.subtype in SUBTYPES
        assert 0 < finding.score <= 1
    assert set(categories_in_abstract("A(", "*", heading, text)) <= set(CATEGORIES)
    read_genetics([(heading, text)])
    genetics_in_summary(text)


def test_every_pool_of_cues_is_a_pattern() -> None:
    file = read_pools(Path(lexicon.__file__).with_name("cues.txt"))
    names = {name for name in file.pools if "." not in name}
    assert len(names) > 30
    for name in names | {"ANIMAL_CELLS", "TOGETHER"}:
        assert not getattr(lexicon, name).search("qqqq"), name
    assert set(lexicon.TOPICS) == set(CATEGORIES)
    assert not hasattr(lexicon, "ORGAN")


def test_cues_of_the_lexicon() -> None:
    assert lexicon.ORGANISM.search("loss of it in zebrafish")
    assert not lexicon.ORGANISM.search("loss of it in azebrafish")
    assert lexicon.ANIMAL_CELLS.search("mouse embryonic fibroblasts")
