"""What must be true of the records of every literature.

A rule takes a literature and yields what is wrong. `RULES` lists them;
tests/domains/clingen/literature/test_rules.py holds for each the change that breaks it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import cast

from gym_clinic.domains.clingen.dossiers import MechanismClass, read_dossiers
from gym_clinic.domains.clingen.genetic_table import NO_NULL
from gym_clinic.domains.clingen.literature.comparisons import case_control, compare
from gym_clinic.domains.clingen.literature.designs import (
    WorldFacts,
    feasible,
    needs_function,
    read_designs,
)
from gym_clinic.domains.clingen.literature.experiments import (
    contradicts,
    exceeds_whole,
    with_reading,
)
from gym_clinic.domains.clingen.literature.people import (
    LATE_ONSET,
    RARE_ALLELES,
    course_of,
    other_causes,
)
from gym_clinic.domains.clingen.literature.records import Experiment, Literature
from gym_clinic.domains.clingen.literature.scoring import (
    MOST_CONTROLS,
    family_id,
    is_steady,
    lod_of,
    score,
)
from gym_clinic.domains.clingen.literature.signs import defining_signs, excludes

LiteratureRule = Callable[[Literature], Iterator[str]]


def facts_of(literature: Literature) -> WorldFacts:
    """The dossier of a literature, with the mechanism as the literature knows it."""
    dossiers = read_dossiers()
    pair = dossiers.pairs[literature.gene, literature.mondo_id, literature.inheritance]
    return WorldFacts(dossiers.genes[pair.gene], pair, cast(MechanismClass, literature.mechanism))


def ids_are_unique(world: Literature) -> Iterator[str]:
    """Articles, persons, variants, families and results have one id each."""
    ids = [one.pmid for one in world.articles]
    for group in (world.persons, world.variants, world.families, world.results):
        ids += [one.id for one in group]
    yield from (f"duplicate id {one}" for one, number in Counter(ids).items() if number > 1)


def ids_exist(world: Literature) -> Iterator[str]:
    """What an article or a person names is a record of the same world."""
    known = {one.id for group in (world.persons, world.families, world.results) for one in group}
    for article in world.articles:
        for one in (*article.persons, *article.families, *article.results):
            if one not in known:
                yield f"{article.pmid}: no record {one}"
    variants = {one.id for one in world.variants}
    for person in world.persons:
        yield from (
            f"{person.id}: no variant {one}" for one in person.variants if one not in variants
        )


def articles_in_order(world: Literature) -> Iterator[str]:
    """Years do not fall, and an article cites earlier ones of the same world only."""
    seen: list[str] = []
    for place, article in enumerate(world.articles):
        if place and article.year < world.articles[place - 1].year:
            yield f"{article.pmid}: {article.year} after {world.articles[place - 1].year}"
        yield from (f"{article.pmid} cites {one}" for one in article.cites if one not in seen)
        seen.append(article.pmid)


def not_before_the_gene(world: Literature) -> Iterator[str]:
    """No article is older than the earliest plausible year of the pair."""
    earliest = facts_of(world).pair.earliest_year or 0
    yield from (f"{one.pmid}: {one.year}" for one in world.articles if one.year < earliest)


def persons_first_told_where_recorded(world: Literature) -> Iterator[str]:
    """The first article that names a person is the one that the record says."""
    first: dict[str, str] = {}
    for article in world.articles:
        for one in article.persons:
            first.setdefault(one, article.pmid)
    for person in world.persons:
        if first.get(person.id) != person.first_article:
            yield f"{person.id}: first in {first.get(person.id)}"


def overlap_is_cited(world: Literature) -> Iterator[str]:
    """An article that tells of a person again cites the first report."""
    first = {one.id: one.first_article for one in world.persons}
    for article in world.articles:
        for one in article.persons:
            if first.get(one, article.pmid) not in (article.pmid, *article.cites):
                yield f"{article.pmid}: {one} without {first[one]}"


def results_told_once(world: Literature) -> Iterator[str]:
    """A result belongs to one article."""
    told = Counter(one for article in world.articles for one in article.results)
    yield from (
        f"{one.id}: in {told[one.id]} articles" for one in world.results if told[one.id] != 1
    )


def recessive_needs_two(world: Literature) -> Iterator[str]:
    """A person with a recessive disease has two variants, another person one."""
    hits = 2 if world.inheritance == "AR" else 1
    yield from (
        f"{one.id}: {len(one.variants)}" for one in world.persons if len(one.variants) != hits
    )


def trans_needs_parents(world: Literature) -> Iterator[str]:
    """Two variants are proven in trans only where the parents were tested."""
    yield from (one.id for one in world.persons if one.in_trans and not one.parents_tested)


def de_novo_needs_parents(world: Literature) -> Iterator[str]:
    """A variant is de novo only where both parents were tested."""
    for one in world.persons:
        if one.origin == "de novo" and not one.parents_tested:
            yield f"{one.id}: de novo, parents untested"


def sexes_of_x_linked(world: Literature) -> Iterator[str]:
    """The persons have the affected sex; no son has the X chromosome of his father."""
    sexes = facts_of(world).pair.sexes
    for one in world.persons:
        if sexes in ("males", "females") and f"{one.sex}s" != sexes:
            yield f"{one.id}: {one.sex}"
        if world.inheritance == "XL" and one.sex == "male" and one.origin == "father":
            yield f"{one.id}: a son with the X of his father"


def mitochondrial_variants(world: Literature) -> Iterator[str]:
    """A variant of mitochondrial DNA has a load, is no null, and comes from no father."""
    mitochondrial = world.inheritance == "MT"
    for variant in world.variants:
        if (variant.kind == "mtDNA") != mitochondrial or (
            mitochondrial and (variant.null or not 0 < (variant.load or 0) <= 100)
        ):
            yield f"{variant.id}: {variant.kind}, load {variant.load}"
    if mitochondrial:
        yield from (one.id for one in world.persons if one.origin in ("father", "both parents"))


def nulls_fit_the_mechanism(world: Literature) -> Iterator[str]:
    """No variant of a gain-of-function or dominant negative disease removes the product."""
    if {facts_of(world).pair.mechanism.name, world.mechanism} & {*NO_NULL}:
        yield from (one.id for one in world.variants if one.null)


def phenotypes_are_cardinal(world: Literature) -> Iterator[str]:
    """Findings are of the disease, and none is both present and absent."""
    for one in world.persons:
        if {*one.present, *one.absent} - {*world.phenotypes} or {*one.present} & {*one.absent}:
            yield f"{one.id}: {one.present}, {one.absent}"


def persons_have_the_disease(world: Literature) -> Iterator[str]:
    """A person has what defines the disease, and no findings that exclude each other."""
    for one in world.persons:
        if lacking := {*defining_signs(world.disease, world.phenotypes, one.sex)} - {*one.present}:
            yield f"{one.id}: lacks {sorted(lacking)}"
        if any(excludes(sign, one.present) for sign in one.present):
            yield f"{one.id}: {one.present}"


def essential_genes_keep_a_copy(world: Literature) -> Iterator[str]:
    """Nobody has two null variants of a gene without which no human is born."""
    null = {one.id for one in world.variants if one.null}
    if needs_function(world.gene) and world.inheritance in ("AR", "XL"):
        yield from (f"{one.id}: no copy works" for one in world.persons if {*one.variants} <= null)


def late_onset_is_inherited(world: Literature) -> Iterator[str]:
    """A disease that begins after the age of parents has one de novo case at most."""
    new = [one.id for one in world.persons if one.origin == "de novo"]
    if course_of(facts_of(world).pair).low >= LATE_ONSET and len(new) > 1:
        yield f"{new}: de novo"


def second_causes_are_named(world: Literature) -> Iterator[str]:
    """A second diagnosis is a variant of a named gene with the same defining finding."""
    known = (None, *other_causes(facts_of(world).pair))
    yield from (
        f"{one.id}: {one.other_cause}" for one in world.persons if one.other_cause not in known
    )


def rare_variants_are_rare(world: Literature) -> Iterator[str]:
    """Few controls have rare variants, and the cases are at least the persons described."""
    spoiled = {one.id for one in world.variants if one.population_alleles > RARE_ALLELES}
    for article in world.articles:
        if found := article.case_control:
            mine = [one for one in world.persons if one.first_article == article.pmid]
            told = sum(not spoiled & {*one.variants} for one in mine)
            if found.control_carriers > MOST_CONTROLS or found.case_carriers < told:
                yield f"{article.pmid}: {found}, {told} persons"


def homozygous_if_related(world: Literature) -> Iterator[str]:
    """A homozygous variant is found in the child of related parents with a recessive disease."""
    for one in world.persons:
        homozygous = len(set(one.variants)) < len(one.variants)
        if homozygous != one.consanguineous or (homozygous and world.inheritance != "AR"):
            yield f"{one.id}: {one.variants}, consanguineous {one.consanguineous}"


def families_inherit(world: Literature) -> Iterator[str]:
    """The person of a family with segregation has the variant from a parent."""
    families = {one.id for one in world.families}
    for one in world.persons:
        if family_id(one) in families and one.origin == "de novo":
            yield f"{one.id}: de novo in a family with carriers"
    for family in world.families:
        if family.id not in {family_id(one) for one in world.persons}:
            yield f"{family.id}: no person"


def onset_and_sex_fit(world: Literature) -> Iterator[str]:
    """Age at onset and sex are those of the disease."""
    course = course_of(facts_of(world).pair)
    for one in world.persons:
        if not course.low - 6 <= one.onset_months <= course.high + 6:
            yield f"{one.id}: {one.onset_months} months, expected {course.low} to {course.high}"
        if course.sex not in (None, one.sex):
            yield f"{one.id}: {one.sex}, expected {course.sex}"


def new_persons_come_with_evidence(world: Literature) -> Iterator[str]:
    """An article that reports persons first holds evidence, so that it is opened."""
    evidence = {one.id for one in world.results if one.subtype}
    first = {one.first_article for one in world.persons}
    yield from (
        one.pmid for one in world.articles if one.pmid in first and not evidence & {*one.results}
    )


def subtypes_once_an_article(world: Literature) -> Iterator[str]:
    """An article shows a subtype of evidence once."""
    results = {one.id: one for one in world.results}
    for article in world.articles:
        shown = Counter(results[one].subtype for one in article.results if one in results)
        yield from (
            f"{article.pmid}: {one} {number} times"
            for one, number in shown.items()
            if one and number > 1
        )


def class_is_steady(world: Literature) -> Iterator[str]:
    """The class does not hang on a single point."""
    if not is_steady(world):
        yield f"{score(world).sop}"


def lod_follows(world: Literature) -> Iterator[str]:
    """The LOD score follows from the members of the family."""
    yield from (one.id for one in world.families if one.lod != lod_of(one, world.inheritance))


def controls_follow(world: Literature) -> Iterator[str]:
    """Odds ratio, interval and p follow from the counts."""
    for article in world.articles:
        if (one := article.case_control) and one != case_control(
            one.case_carriers, one.cases, one.control_carriers, one.controls
        ):
            yield article.pmid


def comparisons_follow(world: Literature) -> Iterator[str]:
    """Difference, interval and p follow from the groups."""
    yield from (one.id for one in world.results if one.comparison != compare(*one.arms[:2]))


def readings_follow(world: Literature) -> Iterator[str]:
    """A result is read as its groups and its control tell, or as one of another subject."""
    facts = facts_of(world)
    for one in world.results:
        found = with_reading(one, facts, one.gene).reading
        elsewhere = one.reading in ("contradicted", "other gene", "other disease")
        if one.reading != found and (found == "negative" or not elsewhere):
            yield f"{one.id}: {one.reading}, {found} by p {one.comparison.p:.3g} and control"


def contradictions_have_a_source(world: Literature) -> Iterator[str]:
    """A result is contradicted exactly where a later one excludes half of its difference."""
    for place, one in enumerate(world.results):
        excluded = any(contradicts(later, one) for later in world.results[place + 1 :])
        if one.reading == "contradicted" and not excluded:
            yield f"{one.id}: contradicted by nothing"
        if one.reading == "positive" and excluded:
            yield f"{one.id}: positive though contradicted"


def evidence_is_feasible(world: Literature) -> Iterator[str]:
    """A subtype needs a positive reading, a feasible design, this gene and this disease."""
    facts, designs = facts_of(world), read_designs().designs
    for article, one in _told(world):
        right = one.reading == "positive" and feasible(designs[one.design], facts)
        if one.subtype != (designs[one.design].subtype if right else None):
            yield f"{one.id}: {one.subtype} from a {one.reading} {one.design}"
        if one.subtype and (one.gene, article[1]) != (world.gene, world.disease):
            yield f"{one.id}: evidence on {one.gene} in {article[1]}"


def other_subjects_are_read_so(world: Literature) -> Iterator[str]:
    """A difference of another gene or in another disease is read as that."""
    for article, one in _told(world):
        if one.reading != "negative":
            if (one.gene != world.gene) != (one.reading == "other gene"):
                yield f"{one.id}: {one.gene} read as {one.reading}"
            if (article[1] != world.disease) != (one.reading == "other disease"):
                yield f"{one.id}: {article[1]} read as {one.reading}"


def relatives_tell_no_carriers(world: Literature) -> Iterator[str]:
    """An article on another gene or disease tells nothing of persons and variants of this one."""
    results = {one.id: one for one in world.results}
    for one in world.articles:
        examined = [results[key] for key in one.results if key in results]
        if (one.gene, one.disease) != (world.gene, world.disease) and (
            one.persons
            or one.families
            or one.case_control
            or any(result.person or result.variant for result in examined)
        ):
            yield f"{one.pmid}: on {one.gene} in {one.disease}, with carriers"


def texts_without_experiments(world: Literature) -> Iterator[str]:
    """Reviews and case reports hold no experiment."""
    for one in world.articles:
        if one.kind in ("review", "case report") and one.results:
            yield f"{one.pmid}: {one.kind} with {one.results}"


def abstract_names_its_results(world: Literature) -> Iterator[str]:
    """What an abstract omits, hedges or overstates is a result of the article, in one way only."""
    for one in world.articles:
        ids = (*one.abstract.omits, *one.abstract.hedges, *one.abstract.overstates)
        if {*ids} - {*one.results} or len(set(ids)) < len(ids):
            yield f"{one.pmid}: {ids}"


def groups_are_plausible(world: Literature) -> Iterator[str]:
    """A group has three members or more, 0 to 100% of a whole, and a gene has another partner."""
    for one in world.results:
        if exceeds_whole(one.unit, one.arms) or one.partner == one.gene:
            yield f"{one.id}: {one.arms}, partner {one.partner}"
        for arm in one.arms:
            if arm.n < 3 or (arm.mean or 0) < 0 or (arm.sd is not None and arm.sd <= 0):
                yield f"{one.id}: {arm}"


def examined_persons_are_told(world: Literature) -> Iterator[str]:
    """An article names the person whose cells it examines."""
    results = {one.id: one for one in world.results}
    for article in world.articles:
        for key in article.results:
            person = results[key].person if key in results else None
            if person and person not in article.persons:
                yield f"{article.pmid}: {person} is not told"


def _told(world: Literature) -> Iterator[tuple[tuple[str, str], Experiment]]:
    results = {one.id: one for one in world.results}
    for article in world.articles:
        for key in article.results:
            if key in results:
                yield (article.pmid, article.disease), results[key]


RULES: tuple[LiteratureRule, ...] = (
    ids_are_unique, ids_exist, articles_in_order, not_before_the_gene,
    persons_first_told_where_recorded, overlap_is_cited, results_told_once, recessive_needs_two,
    trans_needs_parents, de_novo_needs_parents, sexes_of_x_linked, mitochondrial_variants,
    nulls_fit_the_mechanism, phenotypes_are_cardinal, persons_have_the_disease,
    essential_genes_keep_a_copy, late_onset_is_inherited, second_causes_are_named,
    rare_variants_are_rare, lod_follows, controls_follow, comparisons_follow, readings_follow,
    contradictions_have_a_source, evidence_is_feasible, other_subjects_are_read_so,
    relatives_tell_no_carriers, texts_without_experiments, abstract_names_its_results,
    groups_are_plausible, examined_persons_are_told, homozygous_if_related, families_inherit,
    onset_and_sex_fit, new_persons_come_with_evidence, subtypes_once_an_article, class_is_steady,
)  # fmt: skip
