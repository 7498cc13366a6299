"""The drawn literatures keep every rule, give the published class, and each rule can fail."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest
from drawn_literature import PAIRS, drawn

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.literature import rules
from gym_clinic.domains.clingen.literature.comparisons import case_control
from gym_clinic.domains.clingen.literature.packing import pack
from gym_clinic.domains.clingen.literature.records import CaseControl, Literature
from gym_clinic.domains.clingen.literature.scoring import row_of, score
from gym_clinic.domains.clingen.literature.world import draw_literature
from gym_clinic.errors import TaskError


@cache
def of_inheritance(inheritance: str) -> Literature:
    place = next(i for i, key in enumerate(PAIRS) if key[2] == inheritance)
    return drawn(place, "Moderate")


@pytest.mark.population
@pytest.mark.parametrize("classification", CLASSES)
def test_a_literature_gives_the_published_class_and_keeps_the_rules(classification, some):
    for key in some(PAIRS)[CLASSES.index(classification) :: len(CLASSES)]:
        world = drawn(PAIRS.index(key), classification)
        assert score(world).sop.classification == classification
        assert [fault for rule in rules.RULES for fault in rule(world)] == []


def first(world, group, **changes):
    records = getattr(world, group)
    return replace(world, **{group: (replace(records[0], **changes), *records[1:])})


def last_article(world, **changes):
    return replace(world, articles=(*world.articles[:-1], replace(world.articles[-1], **changes)))


def any_result(world, wanted, **changes):
    """Change the first result that is as wanted."""
    place = next(i for i, one in enumerate(world.results) if wanted(one))
    changed = replace(world.results[place], **changes)
    return replace(world, results=(*world.results[:place], changed, *world.results[place + 1 :]))


def is_positive(one):
    return one.reading == "positive"


def other_gene(world):
    return any_result(world, is_positive, gene="XIST")


def a_subtype_for_nothing(world):
    return any_result(world, is_positive, subtype=None)


def wide_arm(world):
    arms = world.results[0].arms
    return first(world, "results", arms=(replace(arms[0], n=2), *arms[1:]))


def moved_mean(world):
    arms = world.results[0].arms
    return first(world, "results", arms=(replace(arms[0], mean=arms[0].mean * 3 + 1), *arms[1:]))


def without_citations(world):
    place, article = next(
        (i, one)
        for i, one in enumerate(world.articles)
        if any(p.first_article != one.pmid and p.id in one.persons for p in world.persons)
    )
    changed = replace(article, cites=())
    return replace(world, articles=(*world.articles[:place], changed, *world.articles[place + 1 :]))


def untold_person(world):
    one = next(result for result in world.results if result.person)
    return replace(
        world,
        articles=tuple(
            replace(article, persons=tuple(p for p in article.persons if p != one.person))
            if one.id in article.results
            else article
            for article in world.articles
        ),
    )


def with_examined_person(change):
    """A world in which an article examines the cells of a person, changed."""

    def mutate(_):
        for place in range(0, 60):
            world = drawn(place, "Moderate")
            told = {one.id: article for article in world.articles for one in world.results
                    if one.id in article.results}  # fmt: skip
            firsts = {one.id: one.first_article for one in world.persons}
            for one in world.results:
                if one.person and firsts[one.person] != told[one.id].pmid:
                    return change(world)
        raise AssertionError("no article examines a person told before")

    return mutate


MUTATIONS = {
    "ids_are_unique": lambda w: replace(w, results=(*w.results, w.results[0])),
    "ids_exist": lambda w: first(w, "persons", variants=("SIMVAR-none",)),
    "articles_in_order": lambda w: last_article(w, cites=(w.articles[-1].pmid,)),
    "not_before_the_gene": lambda w: first(w, "articles", year=1900),
    "persons_first_told_where_recorded": lambda w: first(
        w, "persons", first_article=w.articles[-1].pmid + "0"
    ),
    "overlap_is_cited": with_examined_person(without_citations),
    "results_told_once": lambda w: last_article(w, results=tuple(r.id for r in w.results)),
    "recessive_needs_two": lambda w: first(w, "persons", variants=()),
    "trans_needs_parents": lambda w: first(w, "persons", in_trans=True, parents_tested=False),
    "de_novo_needs_parents": lambda w: first(
        w, "persons", origin="de novo", parents_tested=False
    ),
    "sexes_of_x_linked": lambda _: first(
        of_inheritance("XL"), "persons", sex="male", origin="father"
    ),
    "mitochondrial_variants": lambda _: first(of_inheritance("MT"), "variants", null=True),
    "nulls_fit_the_mechanism": lambda _: first(gain_of_function(), "variants", null=True),
    "phenotypes_are_cardinal": lambda w: first(w, "persons", present=("Green skin",)),
    "persons_have_the_disease": lambda w: first(w, "persons", present=w.phenotypes[1:]),
    "essential_genes_keep_a_copy": lambda _: all_null(of_gene("PMM2")),
    "late_onset_is_inherited": lambda _: replace(
        of_gene("CHMP2B"),
        persons=tuple(
            replace(one, origin="de novo", parents_tested=True) for one in of_gene("CHMP2B").persons
        ),
    ),
    "second_causes_are_named": lambda w: first(w, "persons", other_cause="another gene"),
    "rare_variants_are_rare": lambda w: first(
        w, "articles", case_control=case_control(20, 812, 9, 2210)
    ),
    "lod_follows": lambda _: first(with_family(), "families", lod=9.9),
    "controls_follow": lambda w: first(
        w, "articles", case_control=CaseControl(14, 812, 9, 2210, 5.0, 1.85, 9.95, 0.0004)
    ),
    "comparisons_follow": moved_mean,
    "readings_follow": lambda w: any_result(w, is_positive, reading="negative"),
    "contradictions_have_a_source": lambda w: any_result(w, is_positive, reading="contradicted"),
    "evidence_is_feasible": a_subtype_for_nothing,
    "other_subjects_are_read_so": other_gene,
    "relatives_tell_no_carriers": lambda w: first(w, "articles", gene="XIST"),
    "texts_without_experiments": lambda w: replace(
        w, articles=tuple(replace(one, kind="review") for one in w.articles)
    ),
    "abstract_names_its_results": lambda w: last_article(
        w, abstract=replace(w.articles[-1].abstract, omits=("R99",))
    ),
    "groups_are_plausible": wide_arm,
    "examined_persons_are_told": with_examined_person(untold_person),
    "homozygous_if_related": lambda _: first(
        of_inheritance("AD"), "persons", consanguineous=True
    ),
    "families_inherit": lambda _: de_novo_in_a_family(with_family()),
    "onset_and_sex_fit": lambda w: first(w, "persons", onset_months=1200),
    "new_persons_come_with_evidence": lambda w: replace(
        w, results=tuple(replace(one, subtype=None) for one in w.results)
    ),
    "subtypes_once_an_article": lambda w: replace(
        w,
        results=tuple(replace(one, subtype="gene_expression_a") for one in w.results),
        articles=tuple(
            replace(one, results=tuple(result.id for result in w.results)) for one in w.articles
        ),
    ),
    "class_is_steady": lambda w: one_weak_person(w),
}  # fmt: skip


def of_gene(gene: str) -> Literature:
    return drawn(next(i for i, key in enumerate(PAIRS) if key[0] == gene), "Moderate")


def all_null(world: Literature) -> Literature:
    return replace(world, variants=tuple(replace(one, null=True) for one in world.variants))


def gain_of_function() -> Literature:
    pairs = read_dossiers().pairs
    place = next(
        i for i, key in enumerate(PAIRS) if pairs[key].mechanism.name == "gain of function"
    )
    return drawn(place, "Moderate")


def with_family() -> Literature:
    return next(world for place in range(40) if (world := drawn(place, "Moderate")).families)


def one_weak_person(world):
    """Genetics of half a point: an inherited missense variant."""
    first_person, *others = (
        replace(one, origin="mother", parents_tested=False, other_cause=None)
        for one in world.persons
    )
    return replace(
        world,
        persons=(first_person, *(replace(one, other_cause="another gene") for one in others)),
        variants=tuple(replace(one, null=False, population_alleles=0) for one in world.variants),
        families=(),
        articles=tuple(replace(one, families=(), case_control=None) for one in world.articles),
    )


def de_novo_in_a_family(world):
    family = world.families[0].id
    return replace(
        world,
        persons=tuple(
            replace(one, origin="de novo", parents_tested=True)
            if one.id.startswith(f"{family}-")
            else one
            for one in world.persons
        ),
    )


def positive_world() -> Literature:
    """A world whose first positive result is evidence."""
    worlds = (drawn(place, "Moderate") for place in range(40))
    return next(
        world
        for world in worlds
        if any(one.subtype for one in [one for one in world.results if is_positive(one)][:1])
    )


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_every_rule_can_fail(rule):
    assert MUTATIONS.keys() == {one.__name__ for one in rules.RULES}
    world = positive_world()
    assert not list(rule(world))
    assert list(rule(MUTATIONS[rule.__name__](world)))


def test_a_control_that_shows_the_difference_too_is_read_so():
    worlds = (drawn(place, "Moderate") for place in range(20))
    world, result = next(
        (world, one)
        for world in worlds
        for one in world.results
        if is_positive(one) and one.arms[-1].role == "control"
    )
    test, reference, *_, control = result.arms
    told = replace(control, mean=test.mean, sd=test.sd, n=test.n)
    changed = replace(result, arms=(test, reference, told))
    results = tuple(changed if one is result else one for one in world.results)
    faults = [*rules.readings_follow(replace(world, results=results))]
    assert len(faults) == 1
    assert f"{result.id}: positive, unspecific" in faults[0]


def test_what_decides_a_persons_points_is_in_the_person():
    world = of_inheritance("AR")
    person = next(one for one in world.persons if row_of(one, world))
    assert row_of(replace(person, in_trans=False), world) is None
    assert row_of(replace(person, variants=person.variants[:1]), world) is None
    assert row_of(replace(person, other_cause="a deletion"), world) is None
    common = replace(
        world, variants=tuple(replace(one, population_alleles=9000) for one in world.variants)
    )
    assert row_of(person, common) is None


def test_a_person_told_again_earns_once():
    world = of_inheritance("AD")
    again = last_article(world, persons=tuple(one.id for one in world.persons))
    assert score(again).genetic_points == score(world).genetic_points


def test_a_pair_too_young_for_replication_is_refused():
    dossiers = read_dossiers()
    pair = next(one for one in dossiers.pairs.values() if (one.earliest_year or 0) >= 2024)
    with pytest.raises(TaskError, match="too late for Definitive"):
        draw_literature("rules", pair, dossiers, "Definitive")
    young = draw_literature("rules", pair, dossiers, "Moderate")
    assert young.articles[0].year >= (pair.earliest_year or 0)


def test_the_same_pair_and_seed_give_the_same_records_in_every_process():
    program = (
        "from gym_clinic.domains.clingen.dossiers import read_dossiers as d;"
        "from gym_clinic.domains.clingen.literature.packing import pack;"
        "from gym_clinic.domains.clingen.literature.world import draw_literature as draw;"
        f"print(pack(draw('rules', d().pairs[{PAIRS[3]!r}], d(), 'Strong')))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert told.strip() == str(pack(drawn(3, "Strong")))


def test_contradictory_evidence_withholds_definitive():
    strong = (score(drawn(place, "Strong")) for place in range(200))
    gold = next(one for one in strong if one.contradictory and one.publications > 2)
    assert "contradictory_withholds_definitive" in gold.sop.flags


def test_a_failed_repetition_costs_only_the_points_of_its_experiment():
    worlds = (drawn(place, "Definitive") for place in range(200))
    world = next(
        one for one in worlds if any(result.reading == "contradicted" for result in one.results)
    )
    gold = score(world)
    taken_back = {one.id for one in world.results if one.reading == "contradicted"}
    assert gold.sop.classification == "Definitive"
    assert not gold.contradictory
    assert not taken_back & {key for _, key, _ in gold.evidence}
