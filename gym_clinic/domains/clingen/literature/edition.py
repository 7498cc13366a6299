"""A literature in the words of its edition: the texts that a task shows, written when asked for."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import cast

import orjson

from gym_clinic.domains.clingen.literature.packing import unpack
from gym_clinic.domains.clingen.literature.prose.summaries import genetics_summary, summary
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
        return summary(self.literature, self._articles[pmid], category, self.edition)

    def genetics(self, pmid: str) -> str:
        """Return the human genetics that an article reports; empty without any."""
        return genetics_summary(self.literature, self._articles[pmid], self.edition)


@lru_cache(maxsize=128)
def read_literature(records: bytes, edition: str) -> WrittenLiterature:
    """Read the records of a task.

    Args:
        records: JSON, as `packing.pack` gives it.
        edition: The task's field of this name.

    Raises:
        TaskError: If the records are no literature.
    """
    return WrittenLiterature(unpack(orjson.loads(records)), cast("Split", edition))
