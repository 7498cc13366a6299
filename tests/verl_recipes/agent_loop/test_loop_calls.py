"""verl's agent loop: seeds, calls in other notations, and many episodes at once."""

from __future__ import annotations

import asyncio
import copy
import importlib
import threading
from typing import Any

import pytest
from scripted_rollout import (
    ENTRY,
    HERMES,
    INTERACTIONS,
    TRIAGE,
    Server,
    configured,
    ids,
    loop,
    play,
    rambling,
    record,
    right,
    row,
    solution,
    write,
    wrong,
)

from gym_clinic import ClinicEnv
from gym_clinic.action import DIALECTS

pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
composing = importlib.import_module("verl_recipes.config.compose")
loops = importlib.import_module("verl_recipes.agent_loop.loop")
environment = importlib.import_module("verl_recipes.agent_loop.environment")


# --- sampling ---


def test_every_reply_has_its_own_seed_and_always_the_same(tokenizer: Any) -> None:
    first, second = ClinicEnv(INTERACTIONS).tasks[:2]
    base = {"global_steps": 1, "task": first.id, "draw": 0, "session_id": 0}
    others = ({}, {"global_steps": 2}, {"task": second.id}, {"draw": 1}, {"session_id": 1})
    rows = [row(**{**base, **other}) for other in others]
    seeds = []
    for seed in (0, 1):
        for one in rows:
            server = Server(tokenizer, lambda turn: write(("read_allergies", {})))
            play(tokenizer, server, task=one, **{"clinic.seed": seed})
            seeds.append([asked["seed"] for asked in server.asked])
    assert {len(one) for one in seeds} == {4}
    every = [seed for one in seeds for seed in one]
    assert len(set(every)) == len(every) == 2 * 5 * 4
    assert all(0 <= seed < 2**63 for seed in every)
    again = Server(tokenizer, right)
    play(tokenizer, again, task={**rows[3], "uid": "another", "index": 9})
    assert [asked["seed"] for asked in again.asked] == seeds[3][:2]


def test_a_seed_is_the_same_in_every_process() -> None:
    assert loops.sampling_seed(0, row(task="t"), 0) == 27_323_984_233_396_253


def test_servers_that_take_no_seed_get_none(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    play(tokenizer, server, **{"actor_rollout_ref.rollout.name": "vllm"})
    assert not any("seed" in asked for asked in server.asked)


# --- other notations of calls ---


def xml(name: str, **arguments: Any) -> str:
    given = "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in arguments.items())
    return f"<tool_call>\n<function={name}>\n{given}</function>\n</tool_call>"


@pytest.fixture
def actions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What environments are stepped with."""
    found: list[str] = []
    step = ClinicEnv.step

    def watched(self: ClinicEnv, action: str) -> Any:
        found.append(action)
        return step(self, action)

    monkeypatch.setattr(ClinicEnv, "step", watched)
    return found


def with_parser(tokenizer: Any, parser: str, domain: str, *said: str, **more: Any) -> Any:
    settings = {"clinic.env": domain, "clinic.tool_parser": parser, **more}
    return play(tokenizer, said.__getitem__, task=row(domain), **settings)


def test_without_a_parser_the_environment_reads_the_reply(
    tokenizer: Any, actions: list[str]
) -> None:
    play(tokenizer, right)
    assert actions == solution()


@pytest.mark.parametrize("dialect", ["hermes", "json"])
def test_hermes_calls_reach_any_dialect(tokenizer: Any, actions: list[str], dialect: str) -> None:
    out = with_parser(
        tokenizer, "hermes", INTERACTIONS, f"Let me see. {right(0)}", right(1),
        **{"clinic.env_kwargs": {"dialect": dialect}},
    )  # fmt: skip
    assert record(out)["success"] == 1.0
    parsed = [DIALECTS[dialect].parse(action).requests for action in actions]
    assert [[one.name for one in requests] for requests in parsed] == [
        ["check_interaction"], ["submit_grade"],
    ]  # fmt: skip
    assert out.response_ids[: len(ids(tokenizer, f"Let me see. {right(0)}"))] == ids(
        tokenizer, f"Let me see. {right(0)}"
    )


def test_calls_in_xml_keep_the_types_of_their_arguments(tokenizer: Any, actions: list[str]) -> None:
    both = "\n".join(xml("read_vital_sign", sign=one, minutes_ago=5) for one in ("pulse", "spo2"))
    urgency = ClinicEnv(TRIAGE).tasks[0].gold["answer"]
    out = with_parser(tokenizer, "qwen3_coder", TRIAGE, both, urgency)
    requests = HERMES.parse(actions[0]).requests
    assert [one.arguments for one in requests] == [
        {"sign": "pulse", "minutes_ago": 5}, {"sign": "spo2", "minutes_ago": 5},
    ]  # fmt: skip
    assert actions[1] == urgency
    assert (record(out)["success"], record(out)["calls"], record(out)["malformed"]) == (1, 2, 0)


@pytest.mark.parametrize("thought", ["<think>{}</think>", "or rather {}</think>"])
def test_a_call_inside_a_thought_is_not_a_call(
    tokenizer: Any, actions: list[str], thought: str
) -> None:
    urgency = ClinicEnv(TRIAGE).tasks[0].gold["answer"]
    considered = thought.format(xml("read_vital_sign", sign="pulse"))
    said = f"{considered}\n{xml('read_vital_sign', sign='spo2')}"
    out = with_parser(tokenizer, "qwen3_coder", TRIAGE, said, f"{considered}\n{urgency}")
    assert [one.arguments for one in HERMES.parse(actions[0]).requests] == [{"sign": "spo2"}]
    assert actions[1] == f"{considered}\n{urgency}"
    assert (record(out)["calls"], record(out)["success"]) == (1.0, 1.0)


@pytest.mark.parametrize("closed", [True, False])
def test_a_call_inside_a_thought_opened_by_the_prompt_is_not_a_call(
    tokenizer: Any, actions: list[str], closed: bool
) -> None:
    other = copy.deepcopy(tokenizer)
    speaks = "<|im_start|>assistant\\n"
    before, after = other.chat_template.rsplit(speaks, 1)
    other.chat_template = f"{before}{speaks}<think>\\n{after}"
    said = f"or {xml('read_vital_sign', sign='pulse')}"
    if closed:
        said += f"</think>{xml('read_vital_sign', sign='spo2')}"
    out = with_parser(other, "qwen3_coder", TRIAGE, said, "word", "word")
    calls = [one.arguments for one in HERMES.parse(actions[0]).requests]
    assert calls == ([{"sign": "spo2"}] if closed else [])
    assert record(out)["calls"] == float(closed)


@pytest.mark.parametrize(
    "arguments",
    ['{"sign": NaN}', '["pulse"]', "null", '{"sign": "\\ud800"}', '{"x": 1' + "0" * 40 + "}"],
)
def test_calls_that_the_dialect_cannot_write_are_answered(
    tokenizer: Any, actions: list[str], arguments: str
) -> None:
    said = f'<tool_call>{{"name": "read_vital_sign", "arguments": {arguments}}}</tool_call>'
    urgency = ClinicEnv(TRIAGE).tasks[0].gold["answer"]
    out = with_parser(tokenizer, "hermes", TRIAGE, said, urgency)
    assert len(actions) == 2
    assert (record(out)["fault"], record(out)["success"]) == (0.0, 1.0)


def test_the_parsers_stop_tokens_end_a_reply(tokenizer: Any) -> None:
    stop = tokenizer.convert_tokens_to_ids("<|im_end|>")
    server = Server(tokenizer, right)
    play(tokenizer, server, **{"clinic.tool_parser": "kimi"})
    assert all(asked["stop_token_ids"] == [stop] for asked in server.asked)
    plain = Server(tokenizer, right)
    play(tokenizer, plain, **{"clinic.tool_parser": "hermes"})
    assert not any("stop_token_ids" in asked for asked in plain.asked)


def test_any_schema_of_arguments_is_read() -> None:
    schema = {
        "type": "object",
        "properties": {
            "one": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "x"},
            "two": {"$ref": "#/$defs/Two"},
            "three": {"type": "array", "items": {"type": "string"}},
        },
    }
    function = {"name": "f", "description": "F.", "parameters": schema}
    found = loops.parsed({"type": "function", "function": function}).function.parameters
    assert {name: one.type for name, one in found.properties.items()} == {
        "one": "object", "two": "object", "three": "array",
    }  # fmt: skip
    for name in ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"):
        clinic = importlib.import_module("verl_recipes.settings").ClinicSettings(env=name)
        env = environment.open_env(clinic, clinic.environments[0], "dev")
        assert [loops.parsed(one) for one in env.toolbox.schemas()]


# --- many at once ---


def test_many_episodes_in_one_event_loop(tokenizer: Any) -> None:
    tasks = ClinicEnv(INTERACTIONS).tasks
    scripts = {task.id: solution(task=task.id) for task in tasks}
    kinds = (right, wrong, rambling)

    async def run(number: int) -> Any:
        task = tasks[number % len(tasks)].id
        script = scripts[task].__getitem__ if number % 3 == 0 else kinds[number % 3]
        one = loop(tokenizer, Server(tokenizer, script), config)
        return await one.run({}, **row(task=task, session_id=number))

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(run(number) for number in range(162)))

    config = configured("ttopd", **{"data.max_response_length": 350})
    outs = asyncio.run(all_of_them())
    for number, out in enumerate(outs):
        found = record(out)
        assert found["fault"] == 0.0
        assert found["truncated"] == float(number % 3 == 2)
        if number % 3 == 0:
            assert found["success"] == 1.0
        alone = outs[number % 54 if number >= 54 else number]
        assert out.response_ids == alone.response_ids
        assert out.prompt_ids == alone.prompt_ids


def test_what_trajectories_share_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make_env = environment.make_env

    def counted(*args: Any) -> ClinicEnv:
        made.append(args[0])
        threading.Event().wait(0.05)  # long enough for the others to ask too
        return make_env(*args)

    monkeypatch.setattr(environment, "make_env", counted)
    clinic = importlib.import_module("verl_recipes.settings").ClinicSettings(
        env=TRIAGE, env_kwargs={"max_turns": 7}
    )
    found: list[Any] = []
    (played,) = clinic.environments
    threads = [
        threading.Thread(target=lambda: found.append(environment.open_env(clinic, played, "train")))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [TRIAGE]
    assert len({id(one) for one in found}) == 1
    assert found[0].max_turns == 7


def test_the_registry_names_the_class() -> None:
    registry = importlib.import_module("verl.experimental.agent_loop.agent_loop")
    assert registry._agent_loop_registry[row()["agent_name"]] == {"_target_": ENTRY}
    assert f"{loops.__name__}.{loops.ClinicAgentLoop.__name__}" == ENTRY
