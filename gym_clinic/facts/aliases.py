"""What people type for what the fact tables describe: brands, abbreviations, lay words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from gym_clinic.facts.records.drugs import CLASS, RULES_ONLY
from gym_clinic.facts.records.models import Record, Text, Texts

if TYPE_CHECKING:
    from gym_clinic.facts.tables import Facts

ALIASES = "aliases.json"
"""The file of the aliases; fact tables of one's own may lack it."""

_JOINTS = re.compile(r", | and ")
"""What joins the parts of a topic: "Thyroid storm and myxoedema coma"."""

TAILS = ("syndrome", "disease", "Syndrome", "Disease")
"""Last words of diseases that people leave out: "Guillain-Barré"."""

NO_HEADS = frozenset({
    "anticholinergic", "bladder pain", "christmas", "compartment", "crush", "down", "fifth",
    "hunter", "joint hypermobility", "motor neurone", "pick", "pulseless", "serotonin", "west",
})  # fmt: skip
"""What is left of such names and means something else."""


class Alias(Record):
    """Other names of a term.

    Attributes:
        term: The name of a record, or words that its passages use.
        kind: Of which kind the names are.
        capitals: Whether the names count in capitals only: "ALL" is a leukaemia, "all" is not.
        names: What people type, in the order of the alphabet.
        context: For an abbreviation of several meanings: words of which a query must have one for
            this meaning. The meaning with most of them is searched; a record without context is
            the meaning where no word decides.
    """

    term: Text
    kind: Literal["brand", "abbreviation", "lay"]
    capitals: bool = False
    names: Texts = Field(min_length=1)
    context: Texts = ()

    @property
    def id(self) -> str:
        """The term and the kind."""
        in_context = f" {self.names[0]} in context" if self.context else ""
        return f"{self.term}: {self.kind}{' in capitals' * self.capitals}{in_context}"


class SearchNames(NamedTuple):
    """The names by which records are searched.

    Attributes:
        aliases: Pairs of an alias and a term.
        capitals: The same, of aliases that count in capitals only.
        titles: Names of records, with which the titles of their passages begin.
        pairs: Two drugs or classes, and words that a passage on their interaction has in a row.
        contexts: Abbreviations of several meanings, a term, and words that speak for it.
    """

    aliases: tuple[tuple[str, str], ...]
    capitals: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]
    pairs: tuple[tuple[str, str, str], ...] = ()
    contexts: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


def search_names(facts: Facts) -> SearchNames:
    """Return the aliases of the fact tables, with the synonyms of all records.

    A drug without a passage on its uses is also searched by the classes that it belongs to.
    """
    classes = {
        drug.name: [facts.drug_classes[key] for key in drug.classes]
        for drug in facts.drugs.values()
        if not drug.summary
    }
    synonyms = (
        (synonym, record.name)
        for table in (facts.diseases, facts.drugs, facts.phenotypes)
        for record in table.values()
        for synonym in record.synonyms
    )
    heads = list(_heads(facts))
    capitals = (
        *_pairs(alias for alias in facts.aliases.values() if alias.capitals),
        *(pair for pair in heads if pair[0].isupper()),
    )
    ambiguous = {name for name, _ in capitals}
    names = [*_pairs(alias for alias in facts.aliases.values() if not alias.capitals), *synonyms]
    known = {name.casefold() for name, _ in names}
    parts = [*heads, *_parts(facts)]
    names += [pair for pair in parts if pair[0].casefold() not in known]
    by_class = [
        (name, one.name)
        for name, term in (*names, *((drug, drug) for drug in classes))
        for one in classes.get(term, ())
        if one.sources != RULES_ONLY
    ]
    return SearchNames(
        tuple(pair for pair in (*names, *by_class) if pair[0] not in ambiguous),
        capitals,
        (
            *(one.name for one in facts.diseases.values()),
            *(one.name for one in facts.drugs.values()),
            *(one.name.partition(" (")[0] for one in facts.instruments.values()),
            *(one.topic for one in facts.guidelines.values()),
        ),
        tuple(_drug_pairs(facts)),
        tuple(
            (name, alias.term, alias.context)
            for alias in facts.meanings.values()
            for name in alias.names
        ),
    )


def _heads(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the names of diseases without a last "syndrome" or "disease", and the whole names."""
    for one in facts.diseases.values():
        for name in (one.name, *one.synonyms):
            head, _, tail = name.rpartition(" ")
            if tail in TAILS and len(head) > 2 and head.casefold() not in NO_HEADS:
                yield head, one.name


def _parts(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the parts of several words of the topics of guidelines, and the whole topics."""
    for guideline in facts.guidelines.values():
        parts = _JOINTS.split(guideline.topic)
        yield from ((part, guideline.topic) for part in parts if len(parts) > 1 and " " in part)


def _drug_pairs(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """Yield the drugs or classes of each interaction, and how its passage names it."""
    members: dict[str, list[str]] = {}
    for drug in facts.drugs.values():
        for key in drug.classes:
            members.setdefault(key, []).append(drug.name)
    for one in facts.interactions.values():
        first, *others = one.between
        for other in others or [first]:
            sides = [_side(facts, members, side) for side in (first, other)]
            (name, named), (other_name, other_named) = sides
            if other.startswith(CLASS):
                other_name = f"any {other_name}"
            phrases = [f"{name} with {other_name}"] if one.severity else [f"with {other_name}"]
            if one.severity and one.of_drugs:
                phrases.append(f"{other_name} with {name}")
            for left, right in itertools.product(named, other_named):
                yield from ((left, right, phrase) for phrase in phrases)


def _side(facts: Facts, members: dict[str, list[str]], reference: str) -> tuple[str, list[str]]:
    """Return how a passage names a side of an interaction, and what it stands for."""
    if not reference.startswith(CLASS):
        name = facts.drugs[reference].name
        return name, [name]
    key = reference.removeprefix(CLASS)
    name = facts.drug_classes[key].name
    return name, [name, *members.get(key, ())]


def _pairs(records: Iterable[Alias]) -> Iterator[tuple[str, str]]:
    for one in records:
        for name in one.names:
            yield name, one.term
