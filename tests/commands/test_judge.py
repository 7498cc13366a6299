from __future__ import annotations

import json
from pathlib import Path

from chat_server import ChatServer
from command_runs import ID, Run

MARKS = {"accuracy": 1, "coherence": 1, "safety": 1, "reason": "The same."}


def test_answers_of_a_run_are_marked(run: Run, tmp_path: Path) -> None:
    folder, out = tmp_path / "run", tmp_path / "judged.jsonl"
    argv = ("--trials", 1, "--limit", 2, "--out", folder, "--no-progress")
    assert run("eval", ID, "--policy", "oracle", *argv).status == 0
    with ChatServer() as server:
        server.script = [server.answer(json.dumps(MARKS))]
        flags = ("--url", server.url, "--model", "judge", "--out", out)
        status, said, err = run("judge", folder, *flags, "--option", "temperature=0")
        assert (status, err) == (0, "")
        assert "accuracy: 1.000 [1.000, 1.000]" in said
        assert "the same as success of 100% of the answers" in said
        assert server.requests[0]["temperature"] == 0
        status, _, err = run("judge", folder, *flags, "--option", "temprature=0")
        assert (status, "temperature" in err) == (2, True)


def test_a_server_that_never_marks_is_an_error_of_the_service(run: Run, tmp_path: Path) -> None:
    folder, out = tmp_path / "run", tmp_path / "judged.jsonl"
    argv = ("--trials", 1, "--limit", 1, "--out", folder, "--no-progress")
    assert run("eval", ID, "--policy", "oracle", *argv).status == 0
    with ChatServer() as server:
        server.script = [server.answer("well done")]
        status, _, err = run("judge", folder, "--url", server.url, "--model", "m", "--out", out)
    assert status == 3
    assert "1 requests got no readable marks" in err


def test_reasoning_is_scored_by_several_models_and_runs(run: Run, tmp_path: Path) -> None:
    folder, out = tmp_path / "run", tmp_path / "scored.jsonl"
    argv = ("--trials", 1, "--limit", 1, "--out", folder, "--no-progress")
    assert run("eval", ID, "--policy", "oracle", *argv).status == 0
    names = ("overall_correctness", "clinical_utility", "reasoning_consistency",
             "reference_relevance", "hallucination_severity")  # fmt: skip
    scores = {name: {"score": 3, "justification": "By the criteria."} for name in names}
    with ChatServer() as server:
        server.script = [server.answer(json.dumps(scores))]
        flags = ("--url", server.url, "--model", "a", "b", "--runs", 3, "--form", "reasoning")
        status, said, err = run("judge", folder, *flags, "--out", out)
        text = server.requests[0]["messages"][-1]["content"]
    assert (status, err) == (0, "")
    assert "overall_correctness: 3.000" in said
    rows = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert sorted((row["model"], row["run"]) for row in rows) == [
        (model, number) for model in "ab" for number in range(3)
    ]
    assert rows[0]["justifications"]["clinical_utility"] == "By the criteria."
    assert "<transcript>" in text
    assert "[assistant]" in text
    status, _, err = run("judge", folder, *flags[:-1], "style", "--out", out)
    assert (status, "answer" in err) == (2, True)
