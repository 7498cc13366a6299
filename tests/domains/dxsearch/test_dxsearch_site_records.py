"""The own records of the held-out sites: disjoint, in their style, and every best plan stays."""

from __future__ import annotations

from statistics import fmean

import pytest

from gym_clinic.catalog import open_env
from gym_clinic.domains.dxsearch.site_records import COUNT, site_patients
from gym_clinic.domains.dxsearch.tasks import SITES
from gym_clinic.errors import ConfigError
from gym_clinic.paths import tasks_dir
from gym_clinic.policies import load, play
from gym_clinic.simulate.patients import NEAR
from gym_clinic.taskset import TaskFolder

EVALUATED = [
    task
    for split, tasks in TaskFolder(tasks_dir("dxsearch"), tuple(SITES)).items()
    if split != "train"
    for task in tasks
]


@pytest.mark.parametrize("site", ["vocabulary", "sparse"])
def test_no_record_is_nearly_an_evaluation_case(site: str) -> None:
    cases = site_patients(site).table.cases
    assert COUNT - 20 <= len(cases) <= COUNT
    having = [(case.id, frozenset(case.phenotypes)) for case in cases]
    for task in EVALUATED:
        told = frozenset(task.record["findings"])
        near = [name for name, own in having if len(own & told) >= NEAR * len(own | told)]
        assert near == [], task.id


def test_a_site_that_tells_little_records_little() -> None:
    sizes = {
        site: fmean(len(case.phenotypes) for case in site_patients(site).table.cases)
        for site in ("vocabulary", "sparse")
    }
    assert sizes["sparse"] + 1 < sizes["vocabulary"]


@pytest.mark.parametrize("split", ["test_vocabulary", "test_sparse"])
def test_the_oracle_earns_all_beside_the_records(split: str) -> None:
    env = open_env("clinic/DxSearch-v0", split, own_records="site")
    oracle = load("oracle", env, {})(0)
    for task in env.tasks:
        matched = env.domain.open_case(task)
        shown = matched.matcher().match(task.gold["query"], exclude=task.record["left_out"])
        assert task.gold["names"][0] in {scored.record.diagnosis for scored in shown}, task.id
    played = [play(env, env.tasks[place], oracle, 0).reward for place in range(0, 150, 30)]
    assert played == pytest.approx([env.reward_range[1]] * 5)


def test_records_of_a_site_are_shown_to_its_tasks_alone() -> None:
    own = open_env("clinic/DxSearch-v0", "test_sparse", own_records="site")
    for split, expected in (("test_sparse", True), ("test", False)):
        shown = ""
        env = open_env("clinic/DxSearch-v0", split, own_records="site")
        for task in (env.tasks[place] for place in range(5)):
            matcher = env.domain.open_case(task).matcher()
            scored = matcher.match(task.gold["query"], exclude=task.record["left_out"])
            shown += " ".join(found.record.id for found in scored)
        assert ("sparse-" in shown) is expected
    assert own.domain.open_case(own.tasks[0]).matcher() is not None


def test_without_a_database_the_records_are_all_that_is_matched() -> None:
    env = open_env("clinic/DxSearch-v0", "test_sparse", patients=None, own_records="site")
    matched = env.domain.open_case(env.tasks[0]).matcher().match(["Fatigue"], 20)
    assert {scored.record.id.partition("-")[0] for scored in matched} == {"sparse"}


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="own_records is 'tasks', 'site', the folder"):
        open_env("clinic/DxSearch-v0", "test", own_records="sites")
    with pytest.raises(ConfigError, match="no task folder 'nowhere'; make one with 'gym-clinic"):
        open_env("clinic/DxSearch-v0", "test", folder="nowhere")
