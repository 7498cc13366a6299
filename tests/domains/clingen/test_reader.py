"""The reader of the rules baseline, on sentences written for these tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.genetics import Genetics, genetics_in_summary, read_genetics
from gym_clinic.domains.clingen.reader import (
    categories_in_abstract,
    read_article,
    spell_out,
    split_sentences,
)

GENE = "OCRL"


def keys(sentence: str, heading: str = "Results") -> set[str]:
    return {finding.subtype for finding in read_article(GENE, [(heading, sentence)])}


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


def test_the_section_counts() -> None:
    sentence = "OCRL is strongly expressed in the proximal tubule."
    assert keys(sentence) == {"gene_expression_a"}
    assert keys(sentence, "Introduction") == set()
    assert keys(sentence, "Materials and methods") == set()


def test_the_next_sentence_may_take_a_finding_back() -> None:
    finding = "Loss of OCRL left mice with small eyes."
    assert keys(f"{finding} Both sexes were used.") == {"non_human_model_organism"}
    assert keys(f"{finding} This could not be reproduced.") == set()


def test_an_abstract_may_promise_nothing() -> None:
    text = "We describe the clinical course of a boy with cataract and proteinuria."
    assert categories_in_abstract(GENE, text) == []


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


@pytest.mark.parametrize(
    "key",
    [
        "The key, opened at the end, reads T7 for INPP5B and T4 for OCRL.",
        "OCRL goes by T4 below, and INPP5B by T7.",
        "OCRL and INPP5B were handled under the names T4 and T7.",
    ],
)
def test_abbreviated_genes_are_spelled_out(key: str) -> None:
    texts = [key, "Mice without T4 had seizures; mice without T7 had none."]
    assert spell_out(GENE, texts)[1] == (
        "Mice without OCRL had seizures; mice without INPP5B had none."
    )
    assert spell_out("ABCD1", texts) == texts


def test_categories_are_results_before_announced_topics() -> None:
    abstract = (
        "We also turned to partners of OCRL. Mice lacking OCRL had seizures and brain cysts. "
        "Sample size was calculated beforehand."
    )
    assert categories_in_abstract(GENE, abstract) == ["ModelSystem", "ProteinInteraction"]


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_read(heading: str, text: str) -> None:
    for finding in read_article(GENE, [(heading, text)]):
        assert finding.subtype in SUBTYPES
    assert set(categories_in_abstract("A(", text)) <= set(CATEGORIES)
    read_genetics([(heading, text)])
    genetics_in_summary(text)
