"""Which experiments make sense for which gene, and what their numbers mean."""

from __future__ import annotations

from random import Random

import pytest

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.literature.comparisons import compare
from gym_clinic.domains.clingen.literature.designs import (
    SHARES,
    WorldFacts,
    family_of,
    feasible,
    function_of,
    measure_of,
    read_designs,
)
from gym_clinic.domains.clingen.literature.experiments import contradicts, draw_experiment

NAMES = {
    "partner": "ACTB",
    "person": "F1-II-1",
    "variant": "SIMVAR-0000001",
    "tissue": "brain",
}


def facts_of(gene: str, **changes) -> WorldFacts:
    dossiers = read_dossiers()
    pair = next(one for one in dossiers.pairs.values() if one.gene == gene)
    found = WorldFacts(dossiers.genes[gene], pair, pair.mechanism.name)
    return found._replace(**changes)


def feasible_ids(facts: WorldFacts) -> set[str]:
    return {one.id for one in read_designs().designs.values() if feasible(one, facts)}


def test_there_are_sixty_designs_over_all_subtypes_and_some_without_evidence():
    designs = read_designs().designs.values()
    assert len(designs) >= 60
    assert {one.subtype for one in designs} == {*SUBTYPES, None}


def test_every_tissue_and_every_gene_has_measures_and_designs():
    dossiers = read_dossiers()
    for pair in dossiers.pairs.values():
        facts = WorldFacts(dossiers.genes[pair.gene], pair, pair.mechanism.name)
        assert family_of(pair.tissues[0])
        mine = [one for one in read_designs().designs.values() if feasible(one, facts)]
        assert sum(one.subtype is not None for one in mine) >= 5, pair.gene
        for measure in (measure_of(one, facts) for one in mine):
            assert measure.low > 0
            assert measure.unit not in SHARES or measure.high * max(1, *measure.ratios) <= 100


def test_a_gain_of_function_is_not_modelled_by_a_null():
    facts = facts_of("PKD1", mechanism="gain of function")
    assert not {one for one in feasible_ids(facts) if "_null" in one or one.startswith("rescue_m")}
    assert "model_variant_mouse" in feasible_ids(facts)
    lost = feasible_ids(facts._replace(mechanism="haploinsufficiency"))
    assert "model_heterozygous_mouse" in lost


def test_a_mitochondrial_gene_has_no_nuclear_designs():
    facts = facts_of("MT-TL1")
    assert {"cybrid_respiration", "rescue_cybrid_transfer"} <= feasible_ids(facts)
    assert not {one for one in feasible_ids(facts) if "mouse" in one or "knock" in one}


@pytest.mark.parametrize(
    ("gene", "sensible", "senseless"),
    [
        ("LAMA2", {"rescue_zebrafish_rna"}, {"edited_line", "interaction_haploid_cells"}),
        ("RPL5", {"expression_patient_blood"}, {"edited_line", "model_heterozygous_zebrafish"}),
        ("HBA1", {"expression_immunoblot"}, {"expression_single_nucleus", "edited_line"}),
        ("MYO7A", {"own_function_purified"}, {"expression_patient_blood", "culture_organoid"}),
    ],
)
def test_an_assay_is_done_where_the_gene_acts(gene, sensible, senseless):
    found = feasible_ids(facts_of(gene, mechanism="loss of function"))
    assert not senseless & found
    assert sensible <= found


@pytest.mark.parametrize(
    ("disease", "measure"),
    [("erythrocytosis", "haematocrit"), ("methemoglobinemia", "methaemoglobin in blood")],
)
def test_red_cells_are_measured_by_what_the_disease_changes(disease, measure):
    dossiers = read_dossiers()
    pair = next(one for one in dossiers.pairs.values() if disease in one.disease)
    facts = WorldFacts(dossiers.genes[pair.gene], pair, "loss of function")
    found = measure_of(read_designs().designs["model_null_mouse"], facts)
    assert found.name == measure
    assert min(found.ratios) > 1


@pytest.mark.parametrize("effect", [True, False])
def test_the_reading_follows_from_the_numbers(effect):
    facts = facts_of("PKD1", mechanism="haploinsufficiency")
    names = {**NAMES, "gene": "PKD1"}
    for design in read_designs().designs.values():
        if not feasible(design, facts):
            continue
        found = draw_experiment(Random(design.id), "R1", design, facts, names, effect=effect)
        assert found.comparison == compare(*found.arms[:2])
        assert (found.comparison.p < 0.05) == effect
        assert found.reading == ("positive" if effect else "negative")
        assert found.subtype == (design.subtype if effect else None)


@pytest.mark.parametrize("specific", [True, False])
def test_a_difference_that_the_control_shows_too_is_no_evidence(specific):
    facts = facts_of("PKD1", mechanism="haploinsufficiency")
    names = {**NAMES, "gene": "PKD1"}
    for design in read_designs().designs.values():
        if not (design.control and feasible(design, facts)):
            continue
        found = draw_experiment(
            Random(design.id), "R1", design, facts, names, effect=True, specific=specific
        )
        like, unlike = (found.arms[1], found.arms[0]) if specific else found.arms[:2]
        assert compare(found.arms[-1], like).p > 0.05 > compare(found.arms[-1], unlike).p
        assert found.reading == ("positive" if specific else "unspecific")
        assert found.subtype == (design.subtype if specific else None)


def test_a_confounded_result_or_one_for_another_gene_is_no_evidence():
    facts = facts_of("PKD1", mechanism="haploinsufficiency")
    names = {**NAMES, "gene": "PKD1"}
    design = read_designs().designs["model_heterozygous_mouse"]
    found = draw_experiment(Random(1), "R1", design, facts, names, effect=True, confounded=True)
    assert (found.reading, found.subtype) == ("confounded", None)
    found = draw_experiment(Random(1), "R1", design, facts, names, effect=True, gene="PKDREJ")
    assert (found.reading, found.subtype) == ("other gene", None)


def test_a_precise_negative_result_contradicts_and_a_vague_one_does_not():
    facts = facts_of("PKD1", mechanism="haploinsufficiency")
    names = {**NAMES, "gene": "PKD1"}
    design = read_designs().designs["model_heterozygous_mouse"]
    first = draw_experiment(Random(1), "R1", design, facts, names, effect=True)
    later = draw_experiment(Random(2), "R2", design, facts, names, effect=False)
    assert contradicts(later, first)
    assert not contradicts(first, first)


@pytest.mark.parametrize(
    ("gene", "function"),
    [("OAT", "enzyme"), ("PTEN", "phosphatase"), ("CHRNA4", "receptor signalling")],
)
def test_a_function_is_not_read_from_the_middle_of_a_word(gene, function):
    assert function_of(read_dossiers().genes[gene])[0] == function
