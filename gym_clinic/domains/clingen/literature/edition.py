"""A literature in the words of its edition: the texts that a task shows, written when asked for."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import cast

import orjson

from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.literature.prose.people import variants_of
from gym_clinic.domains.clingen.literature.prose.write import WrittenArticle, write
from gym_clinic.domains.clingen.literature.records import Literature
from gym_clinic.simulate.split import Split


class WrittenLiterature:
    """A literature and the texts of its articles.

    Args:
        literature: The records.
        edition: Whose phrases are used: ``train``, ``dev`` or ``test``.
    """

    def __init__(self, literature: Literature, edition: Split) -> None:
        self.literature, self.edition = literature, edition
        self._articles = {one.pmid: one for one in literature.articles}
        self.article = cache(self._written)

    def _written(self, pmid: str) -> WrittenArticle:
        return write(self.literature, self._articles[pmid], self.edition)

    def sections(self, pmid: str) -> tuple[tuple[str, str], ...]:
        """Return heading and text of the sections of an article."""
        sections: tuple[tuple[str, str], ...] = self.article(pmid).sections
        return sections

    def summary(self, pmid: str, category: str) -> str:
        """Return what a curator notes of an article for a category; empty without evidence."""
        told = self.article(pmid).summaries
        return " ".join(text for key, text in told.items() if SUBTYPES[key].category == category)

    def genetics(self, pmid: str) -> str:
        """Return the human genetics that an article reports; empty without any."""
        article = self._articles[pmid]
        told = []
        ways = {
            "de novo": "de novo, both parents tested",
            "both parents": "in trans",
            "untested": "parents not tested",
        }
        for one in self.literature.persons:
            if one.id in article.persons and article.kind != "review":
                text = f"{one.id}: {variants_of(self.literature, one)}, {ways.get(one.origin, 'inherited from the ' + one.origin)}"
                for v in self.literature.variants:
                    if v.id in one.variants and v.population_alleles:
                        text += (
                            f", {v.population_alleles} of {v.population_total} population alleles"
                        )
                text += ", another gene explains the disease." if one.other_cause else "."
                told.append(text)
        told += [
            f"Family {one.id}: LOD score {one.lod:g}."
            for one in self.literature.families
            if one.id in article.families
        ]
        if c := article.case_control:
            told.append(
                f"Carriers: {c.case_carriers}/{c.cases} cases, {c.control_carriers}/{c.controls} controls (odds ratio {c.odds_ratio:g}, p = {c.p:.2g})."
            )
        return " ".join(told)


@lru_cache(maxsize=128)
def read_literature(records: bytes, edition: str) -> WrittenLiterature:
    """Read the records of a task.

    Args:
        records: JSON, as `Literature.to_json` gives it.
        edition: The task's field of this name.

    Raises:
        TaskError: If the records are no literature.
    """
    return WrittenLiterature(Literature.from_json(orjson.loads(records)), cast("Split", edition))
