"""No phrase gives away what a finding is: a pool that does not state the status serves several."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from gym_clinic.domains.clingen.simulator import tellings
from gym_clinic.domains.clingen.simulator.drafts import Draft
from gym_clinic.domains.clingen.simulator.tellings import Teller
from gym_clinic.paths import tasks_dir
from gym_clinic.simulate.writer import Writer
from gym_clinic.taskset import TaskFolder, spread

STATED = ("negative.", "planned.", "technique.", "frame.elsewhere", "frame.aside",
          "frame.negative", "frame.reported", "frame.withdrawn", "dis_main", "ref_b")  # fmt: skip
"""Beginnings of the pools whose words say what the finding is: an agent is to read them."""


def drafts(count: int) -> Iterator[Draft]:
    for task in spread(TaskFolder(tasks_dir("clingen"))["train"], count):
        for article in task.record["articles"]:
            yield Draft.from_json(article["draft"])


def statuses_by_pool(monkeypatch: pytest.MonkeyPatch, count: int) -> dict[str, Counter[str]]:
    """Pool -> how often a finding of each status was told with it."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    status = ""
    pick = Writer.pick

    def recorded(self: Writer, pool: str) -> object:
        seen[pool][status] += 1
        return pick(self, pool)

    monkeypatch.setattr(Writer, "pick", recorded)
    for draft in drafts(count):
        teller = Teller(draft)
        for index, finding in enumerate(draft.findings):
            status = finding.status
            teller.in_abstract(index)
            teller.in_full(index)
    return seen


def exclusive(seen: dict[str, Counter[str]]) -> set[str]:
    """The pools that serve one status, drawn often enough to tell."""
    return {pool for pool, by in seen.items() if len(by) == 1 and by.total() > 15}


def test_every_pool_serves_several_statuses(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = statuses_by_pool(monkeypatch, 300)
    assert {pool for pool in exclusive(seen) if not pool.startswith(STATED)} == set()
    for pool in ("frame.foil", "frame.replicated"):
        assert len(seen[pool]) == 5
        assert seen[pool]["shown"] < 0.6 * seen[pool].total()


def test_a_remark_that_follows_shown_findings_only_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tellings, "_OWN", ("shown",))
    assert "frame.foil" in exclusive(statuses_by_pool(monkeypatch, 60))


def test_the_first_code_name_is_the_own_gene_half_of_the_time() -> None:
    first = {code for code, _ in tellings.CODES}
    coded = [(draft, Teller(draft).codes) for draft in drafts(300)]
    own = [codes[draft.gene] in first for draft, codes in coded if codes]
    assert len(own) > 50
    assert 0.35 < sum(own) / len(own) < 0.65
