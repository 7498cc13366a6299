"""verl's agent loop over scripted replies: no Ray, no model, one event loop."""

from __future__ import annotations

import asyncio
import copy
import importlib
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from faulty_domain import FAULTS

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.action import DIALECTS
from gym_clinic.policies.moves import Ground
from verl_recipes import hints
from verl_recipes.trajectory import PromptLengthError
from verl_recipes.ttopd.reward import cosine_reward

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
hydra = pytest.importorskip("hydra")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
composing = importlib.import_module("verl_recipes.compose")
loops = importlib.import_module("verl_recipes.agent_loop")
verl_loops = importlib.import_module("verl.experimental.agent_loop.agent_loop")
tensordicts = importlib.import_module("verl.utils.tensordict_utils")

INTERACTIONS, TRIAGE, FAULTY = (
    "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "faulty_domain:FAULTY",
)  # fmt: skip
HERMES = DIALECTS["hermes"]
Script = Callable[[int], Any]
"""The number of the turn, from 0 -> what the policy says: a text, tokens, or a whole output."""


class Server:
    """Stands in for the rollout servers: says what a script says, and keeps what it was asked."""

    def __init__(self, tokenizer: Any, script: Script) -> None:
        self.tokenizer, self.script = tokenizer, script
        self.asked: list[dict[str, Any]] = []
        self.turns: Counter[str] = Counter()

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> Any:
        self.asked.append({"id": request_id, "prompt": list(prompt_ids), **sampling_params})
        said = self.script(self.turns[request_id])
        self.turns[request_id] += 1
        await asyncio.sleep(0)
        if isinstance(said, str):
            said = ids(self.tokenizer, said)[: sampling_params["max_tokens"]]
        return said if isinstance(said, SimpleNamespace) else output(said)


def ids(tokenizer: Any, text: str, *, end: bool = True) -> list[int]:
    found = list(tokenizer.encode(text, add_special_tokens=False))
    return [*found, tokenizer.eos_token_id] if end else found


def output(tokens: Sequence[int], stop: str = "completed", **fields: Any) -> SimpleNamespace:
    log_probs = [-0.25] * len(tokens)
    return SimpleNamespace(
        token_ids=list(tokens), log_probs=log_probs, stop_reason=stop, extra_fields=fields
    )


_CONFIGS: dict[str, Any] = {}


def configured(method: str = "grpo", **settings: Any) -> Any:
    if method not in _CONFIGS:
        _CONFIGS[method] = composing.compose("cpu", method)
    config = _CONFIGS[method].copy()
    OmegaConf.set_struct(config, False)
    for name, value in {"clinic.env": INTERACTIONS, **settings}.items():
        OmegaConf.update(config, name, value)
    return config


(ENTRY,) = OmegaConf.load(composing.CONFIGS / "agent_loop.yaml")


def loop(tokenizer: Any, server: Any, config: Any) -> Any:
    """Make the loop as verl's worker does, one a trajectory."""
    return hydra.utils.instantiate(
        config=ENTRY,
        trainer_config=verl_loops.DictConfigWrap(config),
        server_manager=server,
        tokenizer=tokenizer,
        processor=None,
        hf_model_type="qwen3",
        dataset_cls=None,
        data_config=verl_loops.DictConfigWrap(config.data),
        tools=verl_loops.ToolListWrap([]),
    )


def row(domain: str = INTERACTIONS, task: str | None = None, **other: Any) -> dict[str, Any]:
    name = task or ClinicEnv(domain).tasks[0].id
    found = {"task_id": name, "split": "train", "draw": 0, "uid": "s000001n00000", "session_id": 0}
    return {
        **found,
        "global_steps": 1,
        "index": 0,
        "raw_prompt": [],
        "agent_name": "clinic",
    } | other


def play(
    tokenizer: Any,
    script: Script | Server,
    method: str = "grpo",
    task: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    server = script if isinstance(script, Server) else Server(tokenizer, script)

    async def run() -> Any:
        one = loop(tokenizer, server, configured(method, **settings))
        return await one.run({"temperature": 1.0, "top_p": 1.0}, **(task or row()))

    return asyncio.run(run())


def write(*calls: tuple[str, dict[str, Any]]) -> str:
    return HERMES.write(calls)


def solution(domain: str = INTERACTIONS, task: str | None = None) -> list[str]:
    env = ClinicEnv(domain)
    wanted = next(one for one in env.tasks if task in (None, one.id))
    ground = Ground(env)
    return [write(call) for move in ground.domain.solve(wanted) for call in move]


def right(turn: int) -> str:
    return solution()[turn]


def wrong(turn: int) -> str:
    gold = ClinicEnv(INTERACTIONS).tasks[0].gold["answer"]["grade"]
    return write(("submit_grade", {"grade": "none" if gold != "none" else "major"}))


def rambling(turn: int) -> str:
    return "word " * 100


def record(out: Any) -> dict[str, float]:
    found: dict[str, float] = out.extra_fields["reward_extra_info"]
    return found


# --- an episode ---


def test_the_oracle_succeeds(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    out = play(tokenizer, server)
    assert out.reward_score == record(out)["score"] == record(out)["total"] == 1.0
    assert (record(out)["success"], record(out)["truncated"], record(out)["fault"]) == (1.0, 0, 0)
    assert out.num_turns == 2
    assert len(out.response_ids) == len(out.response_mask) == len(out.response_logprobs)
    assert out.turn_ids == [
        turn if own else 0 for turn, own in zip(out.turn_ids, out.response_mask, strict=True)
    ]
    assert set(out.turn_ids) == {0, 1, 2}
    assert out.hint_ids == []
    spoken = [token for token, turn in zip(out.response_ids, out.turn_ids, strict=True) if turn]
    assert spoken == ids(tokenizer, right(0)) + ids(tokenizer, right(1))
    assert {value for value, own in zip(out.response_logprobs, out.response_mask, strict=True)
            if own} == {-0.25}  # fmt: skip


def test_all_turns_are_one_request_that_grows(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    out = play(tokenizer, server)
    first, second = server.asked
    assert first["id"] == second["id"]
    assert first["prompt"] == out.prompt_ids
    assert second["prompt"][: len(first["prompt"])] == first["prompt"]
    assert (out.prompt_ids + out.response_ids)[: len(second["prompt"])] == second["prompt"]
    assert first["max_tokens"] == 1_500
    taken = len(second["prompt"]) - len(first["prompt"])
    assert second["max_tokens"] == 1_500 - taken
    assert first["temperature"] == 1.0


def test_a_reply_has_no_more_room_than_a_turn(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    play(tokenizer, server, **{"clinic.turn_tokens": 200})
    assert [one["max_tokens"] for one in server.asked] == [200, 200]


def test_verl_stores_it_as_tensors(tokenizer: Any) -> None:
    solved = play(tokenizer, right, "ttopd")
    failed = play(tokenizer, right, "ttopd", row(FAULTY, "reset"), **{"clinic.env": FAULTY})
    stored = [solved.as_dict(), failed.as_dict()]
    assert stored[0].keys() == stored[1].keys()
    assert {"prompts", "responses", "response_mask", "rollout_log_probs", "rm_scores",
            "turn_ids", "hint_ids", "extra_fields", "num_turns"} <= stored[0].keys()  # fmt: skip
    assert stored[0]["turn_ids"].dtype == stored[0]["hint_ids"].dtype == torch.int64
    assert len(stored[0]["turn_ids"]) == len(stored[0]["responses"])
    assert float(stored[0]["rm_scores"].sum()) == pytest.approx(solved.reward_score)
    assert len(stored[1]["prompts"]) > 0
    assert len(stored[1]["responses"]) > 0
    assert len(tensordicts.list_of_dict_to_tensordict(stored)) == 2


# --- what it is paid ---


@pytest.mark.parametrize("script", [right, wrong, rambling])
@pytest.mark.parametrize("mode", ["env", "cosine", "env_plus_length"])
@pytest.mark.parametrize("wrong_mode", ["paper", "yeo"])
def test_the_score_is_what_the_mode_says(
    tokenizer: Any, script: Script, mode: str, wrong_mode: str
) -> None:
    out = play(
        tokenizer,
        script,
        **{
            "clinic.reward": {"mode": mode, "l_max": 100, "wrong_mode": wrong_mode},
            "data.max_response_length": 350,
        },
    )
    found = record(out)
    assert found["truncated"] == float(script is rambling)
    assert found["policy_tokens"] == sum(out.response_mask)
    length = cosine_reward(
        script is right, sum(out.response_mask), script is rambling, l_max=100,
        wrong_mode=wrong_mode,
    )  # fmt: skip
    parts = {"env": (1, 0), "cosine": (0, 1), "env_plus_length": (1, 1)}[mode]
    assert out.reward_score == parts[0] * found["total"] + parts[1] * length
    assert found["total"] == {right: 1.0, wrong: 0.0, rambling: 0.0}[script]


@pytest.mark.parametrize(
    ("stop", "ends", "fills", "truncated"),
    [
        ("completed", True, True, False),
        ("completed", True, False, False),
        ("completed", False, True, True),  # vLLM's server says so of one that was cut
        ("completed", False, False, False),  # another stop token, which the server left out
        ("stop", False, True, True),
        ("length", False, True, True),
        ("aborted", False, False, True),
        ("abort", True, False, True),
    ],
)
def test_how_a_reply_ended(
    tokenizer: Any, stop: str, ends: bool, fills: bool, truncated: bool
) -> None:
    said = ids(tokenizer, right(1), end=ends)
    room = len(said) + (not fills)
    settings = {"clinic.turn_tokens": room, "clinic.min_reply_tokens": 1}
    found = record(play(tokenizer, lambda turn: output(said, stop), **settings))
    assert found["truncated"] == float(truncated)
    assert (found["turns"], found["success"]) == (1.0, 1.0)


@pytest.mark.parametrize("stop", ["completed", "aborted"])
def test_an_empty_reply_is_a_truncation(tokenizer: Any, stop: str) -> None:
    out = play(tokenizer, lambda turn: output([], stop))
    assert (record(out)["truncated"], record(out)["turns"]) == (1.0, 1.0)
    assert out.response_mask == out.turn_ids == [0]  # verl has no rows without a response
    assert out.response_ids == [tokenizer.eos_token_id]
    assert out.as_dict()["responses"].shape == (1,)


def test_replies_without_log_probs(tokenizer: Any) -> None:
    def script(turn: int) -> Any:
        said = output(ids(tokenizer, right(turn)))
        said.log_probs = None
        return said

    out = play(tokenizer, script)
    assert out.response_logprobs == [0.0] * len(out.response_ids)


def test_versions_of_the_weights_are_kept(tokenizer: Any) -> None:
    def script(turn: int) -> Any:
        versions = dict.fromkeys(("global_steps", "min_global_steps", "max_global_steps"), 4 + turn)
        return output(ids(tokenizer, right(turn)), **versions, num_cached_tokens=3)

    found = dict(play(tokenizer, script).extra_fields)
    del found["reward_extra_info"]
    assert found == {"global_steps": 5, "min_global_steps": 4, "max_global_steps": 5}


# --- what the teacher reads ---

TOLD = hints.load()


@pytest.mark.parametrize(("script", "told"), [(right, TOLD.correct), (wrong, TOLD.incorrect)])
def test_the_hint_tells_the_outcome_to_the_teacher_alone(
    tokenizer: Any, script: Script, told: tuple[str, ...]
) -> None:
    server = Server(tokenizer, script)
    out = play(tokenizer, server, "ttopd")
    text = tokenizer.decode(out.hint_ids)
    assert text in told
    assert out.hint_ids == tokenizer.encode(text, add_special_tokens=False)
    for read in (out.prompt_ids, out.response_ids, *(one["prompt"] for one in server.asked)):
        assert not hints.shares_ngram(read, out.hint_ids, 6)
        assert hints.echo(tokenizer.decode(read), text) == 0.0
    assert record(out)["hint_echo"] == 0.0
    again = play(tokenizer, script, "ttopd")
    assert again.hint_ids == out.hint_ids


def test_shuffled_hints_toss_a_coin(tokenizer: Any) -> None:
    told = [
        tokenizer.decode(
            play(
                tokenizer, right, "ttopd", row(session_id=number),
                **{"clinic.hints.mode": "shuffled"},
            ).hint_ids
        )
        for number in range(12)
    ]  # fmt: skip
    assert set(told) & set(TOLD.correct)
    assert set(told) & set(TOLD.incorrect)


def test_without_hints_there_is_none(tokenizer: Any) -> None:
    assert play(tokenizer, right, "ttopd_ema").hint_ids == []


def test_an_echo_of_the_hint_is_seen(tokenizer: Any) -> None:
    hint = tokenizer.decode(play(tokenizer, right, "ttopd").hint_ids)
    out = play(tokenizer, lambda turn: f"{hint}\n{right(turn)}", "ttopd")
    assert tokenizer.decode(out.hint_ids) == hint
    assert record(out)["hint_echo"] == 1.0


def test_turns_past_the_limit_are_not_distilled(tokenizer: Any) -> None:
    whole = play(tokenizer, right, "ttopd")
    ends = len(whole.prompt_ids) + max(
        place for place, turn in enumerate(whole.turn_ids) if turn == 1
    )
    out = play(tokenizer, right, "ttopd", **{"clinic.teacher.l_max_turn": ends + 1})
    assert set(out.turn_ids) == {0, 1}
    assert record(out)["dropped_turns"] == 1.0
    assert out.response_mask == whole.response_mask  # the policy gradient has them still
    none = play(tokenizer, right, "ttopd", **{"clinic.teacher.l_max_turn": ends})
    assert set(none.turn_ids) == {0}
    assert record(none)["dropped_turns"] == 2.0
    assert record(whole)["dropped_turns"] == 0.0


# --- faults and other failures ---


@pytest.mark.parametrize("task", FAULTS)
def test_a_fault_of_the_environment_is_recorded_and_not_trained_on(
    tokenizer: Any, task: str
) -> None:
    calls = [write(("ask", {})), write(("say", {"word": "yes"}))]
    said = rambling if task == "truncate" else calls.__getitem__
    settings = {"clinic.env": FAULTY, "data.max_response_length": 250}
    out = play(tokenizer, said, "ttopd", row(FAULTY, task), **settings)
    fine = play(tokenizer, calls.__getitem__, "ttopd", row(FAULTY, "none"), **settings)
    found = record(out)
    assert list(found) == list(record(fine))
    assert {name for name, value in found.items() if value} == {"fault"}
    assert record(fine)["success"] == 1.0
    assert not any(out.response_mask)
    assert not any(out.turn_ids)
    assert not any(out.response_logprobs)
    assert out.hint_ids == []
    assert out.reward_score == 0.0
    sizes = {len(one) for one in (out.response_ids, out.response_mask, out.turn_ids)}
    assert sizes == {len(out.response_logprobs)}
    assert out.prompt_ids


def test_a_dead_server_is_no_fault_of_the_environment(tokenizer: Any) -> None:
    def script(turn: int) -> str:
        if turn:
            raise ConnectionError("the server is gone")
        return right(0)

    with pytest.raises(ConnectionError, match="the server is gone"):
        play(tokenizer, script)


def test_a_prompt_that_is_too_long_is_named(tokenizer: Any) -> None:
    task = row()["task_id"]
    with pytest.raises(PromptLengthError, match=f"the prompt of task '{task}' is"):
        play(tokenizer, right, **{"data.max_prompt_length": 50})


def test_an_unknown_task_is_the_callers_mistake(tokenizer: Any) -> None:
    with pytest.raises(ConfigError, match="no task 'nobody'"):
        play(tokenizer, right, task=row(task="nobody"))


# --- sampling ---


def test_every_reply_has_its_own_seed_and_always_the_same(tokenizer: Any) -> None:
    first, second = ClinicEnv(INTERACTIONS).tasks[:2]
    rows = [
        row(**{"global_steps": step, "task": task, "draw": draw, "session_id": session})
        for step in (1, 2)
        for task in (first.id, second.id)
        for draw in (0, 1)
        for session in (0, 1)
    ]
    seeds = []
    for seed in (0, 1):
        for one in rows:
            server = Server(tokenizer, lambda turn: write(("read_allergies", {})))
            play(tokenizer, server, task=one, **{"clinic.seed": seed})
            seeds.append([asked["seed"] for asked in server.asked])
    assert {len(one) for one in seeds} == {4}
    every = [seed for one in seeds for seed in one]
    assert len(set(every)) == len(every) == 2 * 16 * 4
    assert all(0 <= seed < 2**63 for seed in every)
    again = Server(tokenizer, right)
    play(tokenizer, again, task={**rows[5], "uid": "another", "index": 9})
    assert [asked["seed"] for asked in again.asked] == seeds[5][:2]


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
def test_a_call_that_is_only_thought_of_is_none(
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
def test_nor_is_one_in_a_thought_that_the_prompt_opened(
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
def test_what_the_dialect_cannot_write_is_answered_as_it_stands(
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
        clinic = importlib.import_module("verl_recipes.settings").Clinic(env=name)
        stage = loops.open_stage(clinic, "dev")
        assert len(stage.schemas) == len(stage.env.toolbox.schemas())


# --- many at once ---


def test_five_hundred_episodes_in_one_event_loop(tokenizer: Any) -> None:
    tasks = ClinicEnv(INTERACTIONS).tasks
    scripts = {task.id: solution(task=task.id) for task in tasks}
    kinds = (right, wrong, rambling)

    async def run(number: int) -> Any:
        task = tasks[number % len(tasks)].id
        script = scripts[task].__getitem__ if number % 3 == 0 else kinds[number % 3]
        one = loop(tokenizer, Server(tokenizer, script), config)
        return await one.run({}, **row(task=task, session_id=number))

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(run(number) for number in range(512)))

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


def test_the_stage_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make_env = loops.make_env

    def counted(*args: Any) -> ClinicEnv:
        made.append(args[0])
        threading.Event().wait(0.05)  # long enough for the others to ask too
        return make_env(*args)

    monkeypatch.setattr(loops, "make_env", counted)
    clinic = importlib.import_module("verl_recipes.settings").Clinic(
        env=TRIAGE, env_kwargs={"max_turns": 7}
    )
    stages: list[Any] = []
    threads = [
        threading.Thread(target=lambda: stages.append(loops.open_stage(clinic, "train")))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [TRIAGE]
    assert len({id(stage) for stage in stages}) == 1
    assert stages[0].env.max_turns == 7


def test_the_registry_entry_is_the_class() -> None:
    assert hydra.utils.get_class(ENTRY["_target_"]) is loops.ClinicAgentLoop
    assert ENTRY.name == row()["agent_name"]
