"""The passages of drugs: uses, limits and interactions, rules of classes, allergy and age."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gym_clinic.facts.passages.expressions import without_signs
from gym_clinic.facts.passages.form import FEWEST_WORDS, HandbookPassage, compose, packed
from gym_clinic.facts.passages.sentences import about, inside, listed, phrase
from gym_clinic.facts.records.drugs import (
    CLASS,
    RULES_ONLY,
    Drug,
    EnzymeEffect,
    Interaction,
    OlderAdultRule,
    RenalRule,
)
from gym_clinic.facts.records.models import Record
from gym_clinic.facts.tables import Facts

MOST_MEMBERS, FEW_MEMBERS = 14, 3
"""Members that a passage names of the class it is about, and of the others."""

OTHERS = {True: 1 / 3, False: 0.0}
"""Whether it is a class -> share of partners of its own with which it joins another passage."""

_ROUTES = {"iv": "by vein", "im": "into muscle", "sc": "under the skin", "nasal": "by the nose"}
_LEVELS = {"very_low": "very low", "none": "no"}


def drug_passages(facts: Facts) -> Iterator[HandbookPassage]:
    """Yield the passages of every drug, of the rules of classes, of allergies and of age."""
    effects: dict[str, dict[str, list[str]]] = {}  # drug -> effect -> with what
    graded: dict[str, list[Interaction]] = {}
    for one in facts.interactions.values():
        others = [_name(facts, other) for other in one.between[1:]]
        if one.effect and not one.between[0].startswith(CLASS):
            effects.setdefault(one.between[0], {}).setdefault(one.effect, []).extend(others)
        if one.severity and one.of_drugs:
            for side in one.between:
                graded.setdefault(side, []).append(one)
    for key, drug in facts.drugs.items():
        if drug.summary:
            told = [f"with {listed(who)}, {what}" for what, who in effects.get(key, {}).items()]
            yield _uses(facts, drug, told)
        known = [] if drug.summary else [facts.drug_classes[one] for one in drug.classes]
        classes = [one.name for one in known if one.sources != RULES_ONLY]
        sentences = [
            f"{drug.name}{about(' ({})', drug.synonyms)}: dose, metabolism and interactions.",
            about("It belongs to: {}.", classes),
            *_limits(drug),
            *(_interaction(facts, one, first=key) for one in graded.get(key, ())),
        ]
        title = f"{drug.name}: dose limits, metabolism and graded interactions"
        yield from _parts(f"drug-{key}-limits", title, drug.name, drug, sentences)
    yield from _rules(facts)
    yield from _allergies(facts)
    yield from _older_adults(facts)


def _name(facts: Facts, reference: str) -> str:
    if reference.startswith(CLASS):
        return f"any {facts.drug_classes[reference.removeprefix(CLASS)].name}"
    return inside(facts.drugs[reference].name)


def _parts(
    key: str, title: str, topic: str, record: Record, sentences: Iterable[str]
) -> Iterator[HandbookPassage]:
    """Yield as many passages as the sentences need; none where they say too little."""
    for number, part in enumerate(packed(sentences), 1):
        again = [f"{topic}, continued."] if number > 1 else []
        if len(" ".join([*again, *part]).split()) < FEWEST_WORDS:
            continue
        suffix, of = (f"-{number}", f", part {number}") if number > 1 else ("", "")
        yield compose(key + suffix, title + of, "drug", topic, record, [*again, *part])


def _uses(facts: Facts, one: Drug, effects: list[str]) -> HandbookPassage:
    uses = [inside(facts.diseases[use].name) if use in facts.diseases else use for use in one.uses]
    used = "There is {}." if uses and uses[0].startswith("no ") else "It is used in {}."
    known = [facts.drug_classes[key] for key in one.classes]
    classes = [each.name for each in known if each.sources != RULES_ONLY]
    return compose(
        f"drug-{one.id}",
        f"{one.name}: uses, cautions and interactions",
        "drug",
        one.name,
        one,
        [
            about(
                "{name} is a drug of the {noun} {}.",
                classes,
                name=one.name + about(" ({})", one.synonyms),
                noun="class" if len(classes) == 1 else "classes",
            ),
            f"In short: {inside(one.summary or '')}",
            about(used, uses),
            phrase("cautions", key=f"{one.id} cautions", items=one.cautions),
            f"Interactions: {'; '.join(effects)}." if effects else "",
        ],
    )


def _limits(one: Drug) -> Iterator[str]:
    """Yield the sentences on dose, kidneys, pregnancy, age and metabolism."""
    for limit in one.max_daily_doses:
        amounts = [f"{limit.maximum:g} {limit.unit.replace('/week', '')}"]
        amounts += [
            f"{_ROUTES[route]} {dose:g} {limit.unit}" for route, dose in limit.by_route.items()
        ]
        if limit.intermittent:
            amounts.append(f"three times a week or less {limit.intermittent:g} {limit.unit}")
        period = "weekly" if limit.unit == "mg/week" else "daily"
        form = f" as {limit.form}" if limit.form else ""
        note = f" ({without_signs(limit.note)})" if limit.note else ""
        yield f"Greatest {period} dose of an adult{form}: {', '.join(amounts)}{note}."
    if one.kidney_rules:
        yield f"Kidneys: {'; '.join(map(_renal, one.kidney_rules))}."
    if one.pregnancy:
        but = (*one.pregnancy.except_conditions, *one.pregnancy.except_indications)
        except_for = about(", except for {}", [key.replace("-", " ") for key in but])
        reason = without_signs(one.pregnancy.reason)
        yield f"Pregnancy: {one.pregnancy.level} ({reason}){except_for}."
    for rule in one.older_adults:
        yield f"From 65 years: {_older(rule)}."
    if one.metabolism:
        made = one.metabolism
        role = "activated by" if made.prodrug else "substrate of"
        ways = [f"{role} {_enzymes(made.substrate_of)}"] if made.substrate_of else []
        ways += [_effect(each, "inhibitor") for each in made.inhibits]
        ways += [_effect(each, "inducer") for each in made.induces]
        yield f"Metabolism: {'; '.join(ways) or 'no relevant part of CYP450'}."


def _renal(rule: RenalRule) -> str:
    limits = {
        "below": rule.below,
        "up to": rule.at_most,
        "above": rule.above,
    }
    low = f"{rule.at_least:g} to " if rule.at_least is not None else ""
    texts = [
        f"{low}{value:g}" if low else f"{word} {value:g}"
        for word, value in limits.items()
        if value is not None
    ]
    when = f"{rule.measure} {' '.join(texts)}" if rule.measure else without_signs(rule.when or "")
    only = [
        *(one.replace("-", " ") for one in rule.only_indications),
        _ROUTES.get(rule.route or ""),
    ]
    named = about(" (only for {})", [one for one in only if one])
    return f"{when}: {without_signs(rule.action)}{named}"


def _older(rule: OlderAdultRule) -> str:
    only = about(" (only for {})", [key.replace("-", " ") for key in rule.only_indications])
    form = f", {rule.form}," if rule.form else ""
    return f"{form} {without_signs(rule.rule)}{only}".strip(", ")


def _enzymes(names: Iterable[str]) -> str:
    return listed([name if name.startswith(("P-gp", "OATP")) else f"CYP{name}" for name in names])


def _effect(one: EnzymeEffect, kind: str) -> str:
    strength = "intestinal" if one.strength == "gut" else one.strength
    return f"{strength + ' ' if strength else ''}{kind} of {_enzymes([one.enzyme])}"


def _interaction(facts: Facts, one: Interaction, first: str) -> str:
    """Return the sentence on a graded interaction, from the side of a drug."""
    others = [other for other in one.between if other != first] or [first]
    sides = [facts.drugs[first].name, *(_name(facts, other) for other in others)]
    return f"{' with '.join(sides)}: {_grade(one)}."


def _grade(one: Interaction) -> str:
    grade = str(one.severity)
    if one.applies_if:
        when = one.applies_if
        if when.condition:
            case = f"with {when.condition.replace('-', ' ')}"
        elif when.age_days_max:
            case = f"up to {when.age_days_max} days of age"
        else:
            case = (
                f"with {when.drug} {'by mouth' if when.route == 'po' else _ROUTES[str(when.route)]}"
            )
        grade = f"{grade} {case}, otherwise {one.otherwise}"
    return f"{grade}; {without_signs(f'{one.mechanism}; {one.management}')}"


def _members(facts: Facts, reference: str, most: int) -> str:
    """Return the name of a class with some of its members, or that of a drug."""
    if not reference.startswith(CLASS):
        return inside(facts.drugs[reference].name)
    key = reference.removeprefix(CLASS)
    members = [inside(drug.name) for drug in facts.drugs.values() if key in drug.classes]
    more = ["others"] if len(members) > most else []
    return f"any {facts.drug_classes[key].name} ({', '.join(members[:most] + more)})"


def _rules(facts: Facts) -> Iterator[HandbookPassage]:
    """Yield the passages of graded rules of classes; classes with the same partners share one."""
    by_first: dict[str, list[Interaction]] = {}
    for one in facts.interactions.values():
        if one.severity and not one.of_drugs:
            by_first.setdefault(one.between[0], []).append(one)
    groups: dict[frozenset[str], list[str]] = {}
    for first, rules in by_first.items():
        partners = frozenset(side for one in rules for side in one.between[1:])
        groups.setdefault(partners, []).append(first)
    for firsts in _joined(groups):
        names = [_name(facts, first).removeprefix("any ") for first in firsts]
        members = [_members(facts, first, MOST_MEMBERS) for first in firsts]
        sentences = [f"Interactions of {listed(members)}, by rules of classes."]
        for name, first in zip(names, firsts, strict=True):
            sentences += [_rule(facts, _capital(name), one) for one in by_first[first]]
        topic = _capital(listed(names))
        key = f"drug-{firsts[0].replace(':', '-')}-rules"
        title = f"{topic}: interactions of the class"
        yield from _parts(key, title, topic, by_first[firsts[0]][0], sentences)


def _joined(groups: Mapping[frozenset[str], list[str]]) -> list[list[str]]:
    """Join drugs to drugs, and classes to classes, that have all or most of their partners.

    A passage of their own would repeat that of the others.
    """
    joined: dict[tuple[bool, frozenset[str]], list[str]] = {}
    for partners, firsts in sorted(groups.items(), key=lambda one: -len(one[0])):
        for of_class in (False, True):
            some = [first for first in firsts if first.startswith(CLASS) == of_class]
            alike = (
                key
                for key in joined
                if key[0] == of_class and len(partners - key[1]) <= OTHERS[of_class] * len(partners)
            )
            if some:
                joined.setdefault(next(alike, (of_class, partners)), []).extend(some)
    return list(joined.values())


def _rule(facts: Facts, name: str, one: Interaction) -> str:
    others = listed([_members(facts, other, FEW_MEMBERS) for other in one.between[1:]])
    effect = f" Effect: {one.effect}." if one.effect else ""
    days = f" It lasts {one.washout.days:g} days after stopping." if one.washout else ""
    return f"{name} with {others}: {_grade(one)}.{effect}{days}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _allergies(facts: Facts) -> Iterator[HandbookPassage]:
    records = list(facts.cross_reactions.values())
    sentences = ["Cross-reactions of drugs in allergy, by the substance that a patient reacted to."]
    for one in records:
        known = one.allergen.removeprefix("other:")
        name = _name(facts, known) if known == one.allergen else known.replace("-", " ")
        risk = listed([_name(facts, other) for other in one.risk])
        level = _LEVELS.get(one.level, one.level)
        level = level if one.level == "contraindicated" else f"{level} risk"
        sentences.append(
            f"After {name.removeprefix('any ')}: {risk}: {level} ({without_signs(one.note)})."
        )
    title = "Drug allergy: cross-reactions"
    if records:
        yield from _parts("drug-allergy-cross-reactions", title, title, records[0], sentences)


def _older_adults(facts: Facts) -> Iterator[HandbookPassage]:
    named: list[tuple[str, Drug | Record, tuple[OlderAdultRule, ...]]] = [
        *((one.name, one, one.older_adults) for one in facts.drugs.values()),
        *((one.name, one, one.older_adults) for one in facts.drug_classes.values()),
    ]
    found = [(name, record, rules) for name, record, rules in named if rules]
    title = "Drugs from 65 years: what to avoid"
    sentences = ["Drugs that older adults should not get, in the manner of the Beers criteria."]
    sentences += [f"{_capital(name)}: {'; '.join(map(_older, rules))}." for name, _, rules in found]
    if found:
        yield from _parts("drug-older-adults", title, title, found[0][1], sentences)
