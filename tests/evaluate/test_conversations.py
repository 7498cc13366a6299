"""Conversations out of recorded episodes: which calls become one, and refused records."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import eval_domain
import pytest
from eval_runs import play, play_clingen, rows, with_thermometer_model
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError, TaskError
from gym_clinic.catalog import make, unwrap
from gym_clinic.domains.clingen.curation import Curation
from gym_clinic.domains.clingen.evidence import CATEGORIES
from gym_clinic.domains.clingen.subagents import (
    OFFLINE,
    EvidenceReply,
    make_question,
    make_report,
)
from gym_clinic.episode import Call, Task
from gym_clinic.evaluate import evaluate
from gym_clinic.evaluate.conversations import collect, trace_files, writer

ID = "clinic/ClinGen-v0"
AGENTS = {category.agent: category for category in CATEGORIES.values()}


def rewrite(out: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """Change every line of a trace."""
    found = rows(out)
    for row in found:
        change(row)
    (out / "trace.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    return out


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The calls shown to a domain of someone else, whose thermometer is a model."""
    calls: list[Call] = []
    monkeypatch.setattr(eval_domain, "DOMAIN", with_thermometer_model(calls))
    return calls


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "consultant"),
    [({}, "recorded"), ({"masked_names": True}, "recorded"), ({"consultant": "rules"}, "rules")],
)
def test_a_conversation_is_the_role_prompt_and_the_recorded_call(
    tmp_path: Path, options: dict[str, Any], consultant: str
) -> None:
    found = collect([play_clingen(tmp_path, env_options=options)])
    clinic = unwrap(make(ID, split="dev", **options))
    tasks = {task.id: task for task in clinic.tasks}
    expected = []
    for row in rows(tmp_path):
        case: Any = clinic.domain.open_case(tasks[row["task_id"]])
        for call in row["calls"]:
            pmid, category = call["arguments"]["pmid"], AGENTS[call["name"]]
            question = make_question(category, case, pmid)
            reply = OFFLINE[consultant].ask(question, case)
            assert json.loads(call["response"]) == make_report(category, pmid, reply).model_dump()
            expected.append((question, reply))
    assert len(found.conversations) == len(expected) > 20
    for one, (question, reply) in zip(found.conversations, expected, strict=True):
        assert one[:2] == question.messages()
        assert [message["role"] for message in one] == ["system", "user", "assistant"]
        assert question.read(one[2]["content"]) == reply
    assert {reply.has_evidence for _, reply in expected} == {True, False}
    assert found.kept == {"dev": len(expected)}
    assert found.episodes == {"dev": 4}
    text = json.dumps(found.conversations)
    assert all((tasks[row["task_id"]].record["gene"] in text) for row in rows(tmp_path))


CASE = Curation(
    Task(
        "simulated",
        record={
            "gene": "GENE",
            "disease": "a disease",
            "articles": [
                {"pmid": "SIM1", "title": "A title", "sections": [{"title": "1", "text": "Text."}]}
            ],
        },
        gold={"evidence": []},
    )
)


@given(
    category=st.sampled_from(list(CATEGORIES.values())),
    chosen=st.sets(st.integers(0, 3)),
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300),
)
def test_any_reply_is_read_back_as_it_was(category: Any, chosen: set[int], text: str) -> None:
    terms = [one.term for place, one in enumerate(category.subtypes) if place in chosen]
    question = make_question(category, CASE, "SIM1")
    value = {"has_evidence": bool(terms), "evidence_subtype": terms, "explanation": text}
    reply = question.check(value)
    assert isinstance(reply, EvidenceReply)
    assert reply.model_dump() == value
    assert question.read(reply.model_dump_json()) == reply


def test_duplicates_are_dropped_and_the_order_is_that_of_the_traces(tmp_path: Path) -> None:
    once, thrice = play_clingen(tmp_path / "once"), play_clingen(tmp_path / "thrice", trials=3)
    first, second = collect([once]), collect([thrice, once / "trace.jsonl"])
    assert first.conversations == second.conversations
    assert first.repeated == 0
    assert second.repeated == 3 * len(first.conversations)
    assert second.episodes == {"dev": 16}
    assert second.kept == first.kept
    assert collect([once]).conversations == first.conversations


def test_calls_that_failed_are_left_out(tmp_path: Path) -> None:
    whole = collect([play_clingen(tmp_path)])

    def fail(row: dict[str, Any]) -> None:
        row["calls"][0] |= {"ok": False, "response": "Error: no article"}
        row["calls"].append({"name": "nobody", "arguments": {}, "ok": True, "response": "?"})

    fewer = collect([rewrite(tmp_path, fail)])
    assert len(fewer.conversations) == len(whole.conversations) - len(rows(tmp_path))


def test_episodes_are_chosen_by_split_and_success(tmp_path: Path) -> None:
    dev = play_clingen(tmp_path / "runs" / "dev")
    test = play_clingen(tmp_path / "runs" / "test", split="test")
    both = collect([tmp_path / "runs"])
    assert set(both.kept) == {"dev", "test"}
    assert collect([tmp_path / "runs"], split="test").conversations == (
        collect([test]).conversations
    )

    def lose(row: dict[str, Any]) -> None:
        row["success"] = row["task_id"] == kept

    kept = rows(dev)[1]["task_id"]
    solved = collect([rewrite(dev, lose)], only_success=True)
    assert solved.episodes == {"dev": 1}
    alone = rows(dev)[1]
    assert len(solved.conversations) == len(alone["calls"])
    with pytest.raises(ConfigError, match=r"0 of 4 episodes were looked at \(of split 'test'\)"):
        collect([dev], split="test")
    kept = ""
    with pytest.raises(ConfigError, match=r"0 of 4 episodes were looked at \(solved\)"):
        collect([rewrite(dev, lose)], only_success=True)


def test_a_domain_of_someone_else_can_be_exported(tmp_path: Path, asked: list[Call]) -> None:
    play("Nurse", tmp_path, trials=2)
    found = collect([tmp_path])
    assert [one.name for one in asked] == ["read_temperature"] * 16
    assert found.repeated == 16 - len(found.conversations)
    task = eval_domain.DOMAIN.tasks["test"][0]
    celsius = task.record["celsius"]
    assert found.conversations[0] == [
        {
            "role": "user",
            "content": f"You read {task.record['route']} thermometers: {celsius}",
        },
        {"role": "assistant", "content": f"{celsius} °C"},
    ]


def test_episodes_that_a_service_failed_are_counted(tmp_path: Path, asked: list[Call]) -> None:
    flaky = {"path": str(tmp_path / "never"), "every": 2}
    play("Flaky", tmp_path / "run", trials=1, policy_options=flaky)
    failed = sum(row["error"] is not None for row in rows(tmp_path / "run"))
    found = collect([tmp_path / "run"])
    assert (found.failed, found.episodes["test"]) == (failed, 8 - failed)
    assert 0 < failed < 8


@pytest.mark.parametrize(
    "conversation",
    [
        [],
        [{"role": "user", "content": "Well?"}],
        [{"role": "assistant", "content": None}],
        [{"role": "assistant", "content": "x", "name": "y"}],
        "text",
    ],
)
def test_other_values_than_conversations_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conversation: Any
) -> None:
    broken = replace(eval_domain.DOMAIN, conversation=lambda case, call: conversation)
    monkeypatch.setattr(eval_domain, "DOMAIN", broken)
    play("Nurse", tmp_path, limit=4, trials=1)
    with pytest.raises(TaskError, match=r"trace\.jsonl, line 1: a conversation is a list"):
        collect([tmp_path])


def test_an_error_names_the_domains_with_sub_agents(tmp_path: Path) -> None:
    single = "clinic/ClinGenSingle-v0"
    evaluate(single, "oracle", out=tmp_path, split="dev", trials=1, limit=1, progress=False)
    with pytest.raises(ConfigError) as error:
        collect([tmp_path])
    assert "line 1: clinic/ClinGenSingle-v0 has no sub-agents" in str(error.value)
    assert str(error.value).endswith(f"these do: {ID}")


def without_evidence(calls: list[dict[str, Any]]) -> str:
    """The first report of another sub-agent than the first one's that finds nothing."""
    return next(
        str(one["response"])
        for one in calls
        if one["name"] != calls[0]["name"] and not json.loads(one["response"])["has_evidence"]
    )


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda row: row.pop("calls"), TaskError, r"line 1: not an episode .*\['calls'\]"),
        (lambda row: row.update(success="yes"), TaskError, r"line 1: not an episode"),
        (lambda row: row.update(task_id="x"), TaskError, "line 1: split 'dev' has no task 'x'"),
        (lambda row: row.update(data="0" * 16), ConfigError, "recorded on other tasks: .* 0{16}"),
        (
            lambda row: row.update(id="no/Such-v0"),
            ConfigError,
            "line 1: no id 'no/Such-v0'.*--module",
        ),
        (
            lambda row: row.update(env_options={"consultant": "nobody"}),
            ConfigError,
            "line 1: consultant must be",
        ),
        (lambda row: row["calls"][0].pop("response"), TaskError, "line 1: a call has name"),
        (
            lambda row: row["calls"][0].update(response="{}"),
            TaskError,
            "line 1: ExperimentalEvidence_.*: its response is no report",
        ),
        (
            lambda row: row["calls"][0].update(response=without_evidence(row["calls"])),
            TaskError,
            "line 1: ExperimentalEvidence_.*: its response is no report of that sub-agent",
        ),
    ],
)
def test_traces_that_do_not_fit_are_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], error: type[Exception], said: str
) -> None:
    rewrite(play_clingen(tmp_path, limit=1), change)
    with pytest.raises(error, match=said):
        collect([tmp_path])


def test_recorded_options_can_be_replaced(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    pytest.importorskip("tenacity")
    # A chat model was asked, with a key that is not at hand where the trace is read.
    chat = {"kind": "chat", "url": "http://127.0.0.1:9", "model": "m", "api_key_env": "NO_KEY"}
    expected = collect([play_clingen(tmp_path)]).conversations
    rewrite(tmp_path, lambda row: row["env_options"].update(consultant=chat))
    with pytest.raises(ConfigError, match="NO_KEY holds no key"):
        collect([tmp_path])
    found = collect([tmp_path], env_options={"consultant": "recorded"})
    assert found.conversations == expected


def test_traces_are_found_in_files_and_folders(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "trace.jsonl").touch()
    a, b = (tmp_path / "runs" / name / "trace.jsonl" for name in "ab")
    assert trace_files([tmp_path / "runs"]) == [a, b]
    assert trace_files([b, str(a.parent), tmp_path / "runs"]) == [b, a]
    with pytest.raises(ConfigError, match=r"no trace at .*: expected a trace\.jsonl"):
        trace_files([a, tmp_path])
    (tmp_path / "journal.jsonl").touch()
    with pytest.raises(ConfigError, match="the run is not finished"):
        trace_files([tmp_path])


def test_parquet_holds_the_same_conversations(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = collect([play_clingen(tmp_path / "run")]).conversations
    writer(tmp_path / "sft.parquet")(found)
    table = parquet.read_table(tmp_path / "sft.parquet")
    assert str(table.schema.field("messages").type) == (
        "list<element: struct<role: string, content: string>>"
    )
    assert table.to_pylist() == [{"messages": one} for one in found]


def test_the_hook_gets_only_what_a_trace_holds(tmp_path: Path, asked: list[Call]) -> None:
    play("Nurse", tmp_path, limit=1, trials=1)
    collect([tmp_path])
    (call,) = asked
    assert call == Call("read_temperature", call.arguments, True, call.response, None)
