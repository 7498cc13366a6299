"""The example of docs/clingen.md is imported, validated and played as the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import gymnasium as gym
import pytest
from places import ROOT

from gym_clinic.cli import main
from gym_clinic.policies import load, play

pytest.importorskip("lxml")

PAGE = (ROOT / "docs" / "clingen.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Your own curations")[2]


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", SECTION, flags=re.DOTALL)
    return str(found)


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the commands of the page make, in the working folder."""
    monkeypatch.chdir(tmp_path)
    articles = tmp_path / "articles"
    articles.mkdir()
    (tmp_path / "annotations.jsonl").write_text(block("json"), encoding="utf-8")
    (articles / "PMCSYN1.xml").write_text(block("xml"), encoding="utf-8")
    other = block("xml").replace("SYN1", "SYN2").replace("GENEX", "GENEY")
    (articles / "PMCSYN2.xml").write_text(other, encoding="utf-8")
    commands = block("bash").splitlines()
    assert [main(shlex.split(line)[1:]) for line in commands] == [0] * len(commands)
    return tmp_path / "my-curations"


def test_the_example_plays_as_the_paper_does(imported: Path) -> None:
    env = eval(re.sub(r"^env = ", "", block("python")), {"gym": gym}).unwrapped
    assert "human genetic evidence: add up" not in env.domain.policy.casefold()
    reports = {}
    for task in env.tasks:
        done = play(env, task, load("oracle", env)(0), 0)
        assert done.reward == 1.0
        reports[task.record["gene"]] = [call.response for call in done.episode.calls]
    first, second = reports["GENEX"], reports["GENEY"]
    assert any("restored respiration" in text for text in first)
    assert not any("genetic evidence" in text for text in first)
    assert all("9 points, from 4 publications, first reported in 2009" in text for text in second)


@pytest.mark.parametrize("name", ["clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"])
def test_the_rules_play_it_without_genetics(imported: Path, name: str) -> None:
    env = gym.make(name, folder="my-curations", split="test").unwrapped
    for task in env.tasks:
        assert play(env, task, load("rules", env)(0), 0).info["success"] is not None


def test_the_matrix_asks_for_human_genetics(imported: Path) -> None:
    matrix = gym.make("clinic/ClinGen-v0", folder="my-curations", split="test", policy="matrix")
    assert "Human genetic evidence" in matrix.unwrapped.domain.policy
    embedded = gym.make("clinic/ClinGen-v0", split="test", policy="paper")
    assert "Human genetic evidence: add up" not in embedded.unwrapped.domain.policy


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(Exception, match="policy must be one of"):
        gym.make("clinic/ClinGen-v0", policy="papers")
