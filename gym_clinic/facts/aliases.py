"""What people type for what the fact tables describe: brands, abbreviations, lay words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from gym_clinic.facts.drugs import RULES_ONLY
from gym_clinic.facts.models import Record, Text, Texts

if TYPE_CHECKING:
    from gym_clinic.facts.tables import Facts

ALIASES = "aliases.json"
"""The file of the aliases; fact tables of one's own may lack it."""


class Alias(Record):
    """Other names of a term.

    Attributes:
        term: The name of a record, or words that its passages use.
        kind: Of which kind the names are.
        capitals: Whether the names count in capitals only: "ALL" is a leukaemia, "all" is not.
        names: What people type, in the order of the alphabet.
    """

    term: Text
    kind: Literal["brand", "abbreviation", "lay"]
    capitals: bool = False
    names: Texts = Field(min_length=1)

    @property
    def id(self) -> str:
        """The term and the kind."""
        return f"{self.term}: {self.kind}{' in capitals' * self.capitals}"


class SearchNames(NamedTuple):
    """The names by which records are searched.

    Attributes:
        aliases: Pairs of an alias and a term.
        capitals: The same, of aliases that count in capitals only.
        titles: Names of records, with which the titles of their passages begin.
    """

    aliases: tuple[tuple[str, str], ...]
    capitals: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]


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
    capitals = tuple(_pairs(one for one in facts.aliases.values() if one.capitals))
    ambiguous = {name for name, _ in capitals}
    names = [*_pairs(one for one in facts.aliases.values() if not one.capitals), *synonyms]
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
    )


def _pairs(records: Iterable[Alias]) -> Iterator[tuple[str, str]]:
    for one in records:
        for name in one.names:
            yield name, one.term
