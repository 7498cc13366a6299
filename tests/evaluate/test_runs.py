"""What a run records for viewers, how it grows, and what is checked before it begins."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import eval_domain
import pytest
import toy_domains
from eval_runs import play

from gym_clinic import ConfigError
from gym_clinic.evaluate import check, episodes, evaluate, mark_calls, sample
from gym_clinic.evaluate.report import failures, markdown


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_more_trials_are_added_to_a_finished_run(tmp_path: Path) -> None:
    play("Guesser", tmp_path / "grown", trials=1)
    first = read(tmp_path / "grown" / "trace.jsonl")
    grown = play("Guesser", tmp_path / "grown", trials=3)
    whole = play("Guesser", tmp_path / "whole", trials=3)
    for name in ("trace.jsonl", "summary.json", "summary.md", "run.json"):
        assert (tmp_path / "grown" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert grown == whole
    assert [row for row in read(tmp_path / "grown" / "trace.jsonl") if row["trial"] == 0] == first
    assert len(read(tmp_path / "grown" / "timing.jsonl")) == 24  # none was played again


def test_the_manifest_holds_the_tools_once(tmp_path: Path) -> None:
    play("Nurse", tmp_path, limit=1)
    tools = json.loads((tmp_path / "run.json").read_text())["tools"]
    assert [tool["function"]["name"] for tool in tools] == ["read_temperature", "note"]
    assert "parameters" not in (tmp_path / "trace.jsonl").read_text()


def test_timing_has_seconds_and_usage_of_each_turn(tmp_path: Path) -> None:
    play("Guesser", tmp_path, limit=2)
    for row in read(tmp_path / "timing.jsonl"):
        assert [turn["usage"] for turn in row["turns"]] == [{"completion_tokens": 3}] * 2
        for turn in row["turns"]:
            assert turn["policy_seconds"] >= 0
            assert turn["env_seconds"] > 0
        assert row["policy_seconds"] <= row["seconds"]


def test_messages_and_calls_share_ids(tmp_path: Path) -> None:
    play("Nurse", tmp_path, limit=1)
    for row in read(tmp_path / "trace.jsonl"):
        answers = [message for message in row["messages"] if message["role"] == "tool"]
        assert [one["tool_call_id"] for one in answers] == [call["id"] for call in row["calls"]]


def test_images_are_kept_as_references(tmp_path: Path) -> None:
    assert "toy/Lesions-v0" in toy_domains.IDS
    evaluate("toy/Lesions-v0", "oracle", out=tmp_path, trials=1, progress=False, limit=1)
    (row,) = read(tmp_path / "trace.jsonl")
    assert b"base64" not in (tmp_path / "trace.jsonl").read_bytes()
    found = [
        part
        for message in row["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image"
    ]
    assert len(found) == 2
    assert found[1] == {"type": "image", **row["calls"][0]["images"][0]}
    for image in found:
        assert Path(image["path"]).is_file()
        assert len(image["sha256"]) == 64


class Caller:
    """Solves a walk by structured calls, one an action."""

    def act(self, observation: str, info: dict[str, Any]) -> list[dict[str, Any]]:
        if "task_id" in info:
            ticket = info["messages"][-1]["content"]
            words = ticket.replace(",", "").replace(".", "").split()
            self.places = [words[2], words[4], words[-1]]
        place = self.places.pop(0)
        return [{"id": f"my-{place}", "name": "go_to", "arguments": {"place": place}}]


def test_a_policy_may_return_calls(tmp_path: Path) -> None:
    name = f"{__name__}:Caller"
    found = evaluate("toy/Walk-v0", name, out=tmp_path, trials=1, progress=False)
    assert found.success.mean == 1.0
    assert found.stops == {"arrived": 8}
    row = read(tmp_path / "trace.jsonl")[0]
    said = [message["content"] for message in row["messages"] if message["role"] == "assistant"]
    assert all(text.startswith("<tool_call>") for text in said)
    assert all(call["id"] == f"my-{call['arguments']['place']}" for call in row["calls"])


def test_means_are_balanced_over_classes(tmp_path: Path) -> None:
    found = evaluate("toy/Walk-v0", "random", out=tmp_path, trials=2, progress=False)
    assert sum(found.classes.values()) == found.tasks == 8
    by_class: dict[str, list[float]] = {}
    tasks = {task.id: task for task in toy_domains.walk_domain.WALK.tasks["test"]}
    for row in read(tmp_path / "trace.jsonl"):
        by_class.setdefault(tasks[row["task_id"]].gold["path"][-1], []).append(row["reward"])
    assert found.classes == {name: len(by_class[name]) // 2 for name in sorted(by_class)}
    means = [sum(values) / len(values) for values in by_class.values()]
    assert found.balanced["reward"].mean == pytest.approx(sum(means) / len(means))
    assert "classes, each of the same weight" in markdown(found)
    assert "success" in found.balanced


def test_failures_name_task_and_reason(tmp_path: Path) -> None:
    options = {"path": str(tmp_path / "mended"), "every": 3}
    found = play("Flaky", tmp_path / "run", policy_options=options, max_failures=None)
    failed = [row for row in episodes(tmp_path / "run" / "trace.jsonl") if row["error"]]
    assert [one["task_id"] for one in found.failures] == [row["task_id"] for row in failed]
    assert {one["error"] for one in found.failures} == {"the line is dead"}
    first = failed[0]
    assert failures(found).rows == (
        (str(len(failed)), "service", "the line is dead", first["task_id"], str(first["trial"])),
    )
    assert "not scored" in (tmp_path / "run" / "summary.md").read_text()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"oracle": {}, "rules": {}}, "has no policy 'rules'"),
        ({"oracle": {}, "orcale": {}}, "did you mean 'oracle'?"),
        ({"random": {"batches": 2}}, "did you mean 'batch'?"),
        ({"eval_domain:Flaky": {}}, "needs the option"),
        ({"chat": {"url": "http://localhost:1"}}, "'model'"),
    ],
)
def test_policies_are_checked_before_the_first_episode(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check(eval_domain.ID, given)
    assert says in str(caught.value)


def test_sound_policies_pass_the_check() -> None:
    check(eval_domain.ID, {"oracle": {}, "random": {"batch": 2}, "eval_domain:Nurse": {}})


def test_an_endless_split_is_sampled_by_its_seeds(tmp_path: Path) -> None:
    run = {"split": "endless", "trials": 1, "progress": False}
    found = evaluate("toy/Doses-v0", "oracle", out=tmp_path / "a", limit=5, **run)
    assert (found.tasks, found.success.mean) == (5, 1.0)
    with pytest.raises(ConfigError, match="an endless split needs a limit"):
        evaluate("toy/Doses-v0", "oracle", out=tmp_path / "b", **run)
    endless = toy_domains.inline_domain.DOSES.split("endless")
    small, large = sample(endless, 4, 0), sample(endless, 9, 0)
    assert len({task.id for task in large}) == 9
    assert {task.id for task in small} < {task.id for task in large}
    assert [task.id for task in large] == sorted(task.id for task in large)
    assert sample(endless, 4, 1) != small


# --- marks


def marked(out: Path) -> list[dict[str, Any]]:
    return list(mark_calls([out]))


def test_calls_are_marked_needed(tmp_path: Path) -> None:
    evaluate("tiny/Interactions-v0", "oracle", out=tmp_path, trials=1, progress=False)
    assert "mark" not in (tmp_path / "trace.jsonl").read_text()
    for row in marked(tmp_path):
        assert [call["mark"] for call in row["calls"]] == ["needed", "needed"]
        assert row["missed"] == []


def test_calls_are_marked_wasted_and_missed(tmp_path: Path) -> None:
    evaluate("tiny/Interactions-v0", "repeater", out=tmp_path, trials=1, progress=False)
    tasks = {t.id: t for t in toy_domains.tiny_domain.INTERACTIONS.tasks["test"]}
    seen = set()
    for row in marked(tmp_path):
        *repeated, answer = row["calls"]
        assert answer["mark"] == "needed"  # it gave the accepted answer
        seen.add(repeated[0]["name"])
        needed = dict(tasks[row["task_id"]].gold["calls"][0])
        if repeated[0]["name"] == needed["name"]:
            assert [call["mark"] for call in repeated] == ["needed"] + ["extra"] * 149
            assert row["missed"] == []
        else:
            assert {call["mark"] for call in repeated} == {"extra"}
            assert row["missed"] == [{**needed, "arguments": dict(needed["arguments"])}]
    assert len(seen) == 2


def test_a_failed_call_is_wasted(tmp_path: Path) -> None:
    evaluate("toy/Walk-v0", "every-tool", out=tmp_path, trials=1, progress=False)
    failed = [call for row in marked(tmp_path) for call in row["calls"] if not call["ok"]]
    assert failed
    assert {call["mark"] for call in failed} == {"extra"}


def test_marks_need_the_recorded_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play("Nurse", tmp_path, limit=1)
    changed = {**eval_domain.DOMAIN.tasks, "test": eval_domain.DOMAIN.tasks["train"]}
    monkeypatch.setattr(eval_domain, "DOMAIN", replace(eval_domain.DOMAIN, tasks=changed))
    with pytest.raises(ConfigError, match="recorded on other tasks"):
        marked(tmp_path)
