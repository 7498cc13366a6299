"""An episode as tokens: nothing is rendered twice, and every token knows who wrote it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import pytest
from faulty_domain import FAULTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.action import DIALECTS
from gym_clinic.policies.moves import Ground
from verl_recipes.trajectory import (
    Budgets,
    EnvironmentFaultError,
    PromptLengthError,
    Tokens,
    Trajectory,
    make_env,
    record_keys,
)

pytest.importorskip("torch")
pytest.importorskip("verl")

INTERACTIONS, TRIAGE, FAULTY = (
    "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "faulty_domain:FAULTY",
)  # fmt: skip
PLENTY = Budgets(prompt=1_000, response=1_000)
HERMES = DIALECTS["hermes"]


@pytest.fixture(scope="module")
def tokens(tokenizer: Any) -> Tokens:
    return Tokens(tokenizer, "qwen3")


def begin(
    tokens: Tokens,
    domain: str = INTERACTIONS,
    budgets: Budgets = PLENTY,
    task: str | None = None,
    **options: Any,
) -> Trajectory:
    env = ClinicEnv(domain, **options)
    one = Trajectory(env, task or env.tasks[0].id, tokens, budgets)
    one.begin()
    return one


def said(tokens: Tokens, text: str, *, end: bool = True) -> list[int]:
    ids = list(tokens.tokenizer.encode(text, add_special_tokens=False))
    return [*ids, tokens.tokenizer.eos_token_id] if end else ids


def take(one: Trajectory, text: str, *, end: bool = True, finished: bool = True) -> None:
    ids = said(one.tokens, text, end=end)
    first = float(len(one.ids))
    one.take(ids, [-(first + place) for place in range(len(ids))], finished=finished)


def write(*calls: tuple[str, dict[str, Any]]) -> str:
    return HERMES.write(calls)


def grade(word: str = "none") -> str:
    return write(("submit_grade", {"grade": word}))


def solution(one: Trajectory) -> list[str]:
    """Return the oracle's actions, a call a turn."""
    ground = Ground(one.env)
    task = one.env.episode.task
    return [HERMES.write([call]) for move in ground.domain.solve(task) for call in move]


def check(one: Trajectory) -> None:
    """What holds of every trajectory at every moment."""
    sizes = {len(one.mask), len(one.turn_ids), len(one.log_probs), len(one.response_ids)}
    assert len(sizes) == 1
    assert one.prompt_ids + one.response_ids == one.ids
    assert len(one.mask) <= one.budgets.response
    assert len(one.prompt_ids) <= one.budgets.prompt
    assert [bool(turn) for turn in one.turn_ids] == [bool(own) for own in one.mask]
    numbers = [turn for turn in one.turn_ids if turn]
    assert numbers == sorted(numbers)
    assert all(1 <= turn <= one.turns for turn in numbers)
    assert all(value == 0.0 for value, own in zip(one.log_probs, one.mask, strict=True) if not own)


def of_turn(one: Trajectory, number: int) -> list[int]:
    ids = zip(one.response_ids, one.turn_ids, strict=True)
    return [token for token, turn in ids if turn == number]


def heard(one: Trajectory) -> str:
    ids = [token for token, own in zip(one.response_ids, one.mask, strict=True) if not own]
    return str(one.tokens.tokenizer.decode(ids))


# --- tokens ---


def test_an_episode_is_appended_turn_by_turn(tokens: Tokens) -> None:
    one = begin(tokens)
    actions = solution(one)
    assert len(actions) == 2
    for number, action in enumerate(actions, 1):
        before, masked = list(one.ids), len(one.mask)
        reply = said(tokens, action)
        log_probs = [-(number + place / 100) for place in range(len(reply))]
        one.take(reply, log_probs, finished=True)
        check(one)
        assert one.ids[: len(before)] == before
        assert one.ids[len(before) :][: len(reply)] == reply
        assert one.mask[masked:][: len(reply)] == [1] * len(reply)
        assert not any(one.mask[masked + len(reply) :])
        assert one.log_probs[masked:][: len(reply)] == log_probs
        assert of_turn(one, number) == reply
        assert tokens.text(of_turn(one, number)) == one.env.episode.turns[-1].action == action
    assert one.over
    assert not one.truncated
    assert one.reward == 1.0
    assert one.env.episode.turns[0].calls[0].response in heard(one)


def test_in_the_end_it_reads_as_the_chat_template_writes_it(tokens: Tokens) -> None:
    one = begin(tokens)
    actions = solution(one)
    opened, info = one.env.reset(options={"task_id": one.task_id})
    messages = list(info["messages"])
    for action in actions[:-1]:
        take(one, action)
        messages.append({"role": "assistant", "content": action})
        messages += one.info["messages"]
    rendered = tokens.tokenizer.apply_chat_template(
        messages, tools=info["tools"], add_generation_prompt=True, tokenize=False
    )
    assert tokens.tokenizer.decode(one.ids) == rendered
    assert one.ids == tokens.tokenizer.encode(rendered, add_special_tokens=False)


def test_tokens_that_no_tokenizer_would_choose_are_kept(tokens: Tokens) -> None:
    one = begin(tokens)
    text = write(("read_allergies", {}))
    letters = [token for letter in text for token in said(tokens, letter, end=False)]
    assert letters != said(tokens, text, end=False)
    reply = [*letters, tokens.tokenizer.eos_token_id]
    one.take(reply, [0.0] * len(reply), finished=True)
    check(one)
    assert of_turn(one, 1) == reply
    assert one.env.episode.turns[0].action == tokens.tokenizer.decode(letters)
    take(one, grade())
    assert of_turn(one, 1) == reply


def test_parallel_calls_are_answered_together(tokens: Tokens) -> None:
    one = begin(tokens)
    first, second = one.env.episode.task.record["drugs"]
    looked = ("check_interaction", {"drug_a": first, "drug_b": second})
    take(one, write(looked, ("read_allergies", {})))
    check(one)
    assert [call.ok for call in one.env.episode.calls] == [True, True]
    answers = [call.response for call in one.env.episode.calls]
    assert heard(one).index(answers[0]) < heard(one).index(answers[1])
    assert heard(one).count("<tool_response>") == 2
    take(one, grade())
    record = one.record(record_keys(one.env))
    assert (record["calls"], record["distinct_tools"], record["turns"]) == (3.0, 3.0, 2.0)


def test_a_malformed_call_is_answered_and_counted(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, '<tool_call>\n{"name": "read_allergies", "arguments"\n</tool_call>')
    check(one)
    assert not one.over
    assert "Unreadable call" in heard(one)
    take(one, grade())
    assert one.record(record_keys(one.env))["malformed"] == 1.0


def test_tools_as_text(tokenizer: Any) -> None:
    tokens = Tokens(tokenizer, "qwen3", native=False)
    one = begin(tokens)
    prompt = tokenizer.decode(one.ids)
    how = one.env.dialect.explain(one.env.toolbox.schemas())
    assert how in prompt
    assert "# Tools\n\nThese functions answer calls" not in prompt  # the chat template's words
    take(one, solution(one)[0])
    check(one)
    assert one.env.episode.turns[0].observation in heard(one)
    assert "<|im_start|>user\n<tool_response>" in heard(one)
    take(one, solution(one)[1])
    assert one.reward == 1.0


def test_tools_as_text_say_what_is_new_whatever_the_observation(tokenizer: Any) -> None:
    one = begin(Tokens(tokenizer, "qwen3", native=False), observation="transcript")
    take(one, write(("read_allergies", {})))
    assert one.env.domain.policy not in heard(one)
    assert "none known" in heard(one)


def test_options_of_the_template_reach_the_prompt(tokenizer: Any) -> None:
    thinking = Tokens(tokenizer, "qwen3")
    silent = Tokens(tokenizer, "qwen3", template_options={"enable_thinking": False})
    text = tokenizer.decode(begin(silent).ids)
    assert text == tokenizer.decode(begin(thinking).ids) + "<think>\n\n</think>\n\n"


def test_a_stop_token_that_the_next_message_takes_back_is_nobodys(tokenizer: Any) -> None:
    other = copy.deepcopy(tokenizer)
    other.add_special_tokens({"additional_special_tokens": ["<|observation|>", "<|user|>"]})
    stop = other.convert_tokens_to_ids("<|observation|>")
    one = begin(Tokens(other, "glm4_moe"))
    reply = [*said(one.tokens, write(("read_allergies", {})), end=False), stop]
    one.take(reply, [-1.0] * len(reply), finished=True)
    check(one)
    assert of_turn(one, 1) == reply[:-1]
    assert stop not in one.response_ids
    assert sum(one.log_probs) == -len(reply[:-1])


def test_a_thought_that_the_prompt_opened_is_no_answer(tokenizer: Any) -> None:
    other = copy.deepcopy(tokenizer)
    speaks = "<|im_start|>assistant\\n"
    before, after = other.chat_template.rsplit(speaks, 1)
    other.chat_template = f"{before}{speaks}<think>\\n{after}"
    tokens = Tokens(other, "qwen3")
    urgency = ClinicEnv(TRIAGE).tasks[0].gold["answer"]
    cut = begin(tokens, TRIAGE)
    assert other.decode(cut.ids).endswith("assistant\n<think>\n")
    take(cut, f"Surely {urgency}", end=False, finished=False)
    assert cut.env.episode.turns[0].action == f"<think>Surely {urgency}"
    assert cut.env.episode.answer is None
    assert of_turn(cut, 1) == said(tokens, f"Surely {urgency}", end=False)
    closed = begin(tokens, TRIAGE)
    take(closed, f"Hm.\n</think>\n\n{write(('read_vital_sign', {'sign': 'pulse'}))}")
    check(closed)
    assert [call.ok for call in closed.env.episode.calls] == [True]
    take(closed, f"Red?\n</think>\n\n{urgency}")
    assert closed.record(record_keys(closed.env))["success"] == 1.0


# --- budgets ---


def test_a_prompt_that_is_too_long_is_named(tokens: Tokens) -> None:
    length = len(begin(tokens).ids)
    begin(tokens, budgets=Budgets(prompt=length, response=10))
    task = ClinicEnv(INTERACTIONS).tasks[0].id
    says = rf"'{task}' is {length} tokens.*max_prompt_length is {length - 1}$"
    with pytest.raises(PromptLengthError, match=says):
        begin(tokens, budgets=Budgets(prompt=length - 1, response=10))


def test_room_is_the_least_of_what_is_left(tokens: Tokens) -> None:
    one = begin(tokens, budgets=Budgets(prompt=1_000, response=300, turn=120))
    assert one.room == 120
    take(one, "x " * 50)
    assert one.room == min(120, 300 - len(one.mask))
    assert begin(tokens, budgets=Budgets(prompt=1_000, response=300)).room == 300


def test_more_than_there_is_room_for_is_refused(tokens: Tokens) -> None:
    one = begin(tokens, budgets=Budgets(prompt=1_000, response=300, turn=5))
    with pytest.raises(ValueError, match="6 tokens; there was room for 5"):
        one.reply([9] * 6, [0.0] * 6, finished=True)
    assert one.mask == []


def test_an_answer_may_use_up_the_last_token(tokens: Tokens) -> None:
    room = len(said(tokens, grade()))
    one = begin(tokens, budgets=Budgets(prompt=1_000, response=room))
    take(one, grade())
    check(one)
    assert (one.over, one.truncated, one.info["stop"]) == (True, False, "answered")
    assert len(one.mask) == room


def test_an_observation_fits_to_the_token_or_ends_the_trajectory(tokens: Tokens) -> None:
    free = begin(tokens)
    take(free, write(("read_allergies", {})))
    needed = len(free.mask) + 16
    fits = begin(tokens, budgets=Budgets(prompt=1_000, response=needed, least=16))
    take(fits, write(("read_allergies", {})))
    assert (fits.over, fits.room) == (False, 16)
    short = begin(tokens, budgets=Budgets(prompt=1_000, response=needed - 1, least=16))
    take(short, write(("read_allergies", {})))
    check(short)
    assert (short.over, short.truncated, short.info["stop"]) == (True, True, "token_budget")
    assert all(short.mask)  # nothing of the observation is there
    assert short.info["rewards"].keys() == short.env.rubric.rewards.keys()
    assert short.record(record_keys(short.env))["truncated"] == 1.0


def test_a_reply_that_was_cut_ends_the_trajectory_once_it_is_read(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, "I think that", end=False, finished=False)
    check(one)
    assert (one.over, one.truncated, one.info["stop"]) == (True, True, "token_budget")
    assert one.env.episode.turns[0].action == "I think that"
    assert all(one.mask)


def test_a_reply_that_was_cut_after_its_answer_is_judged_and_truncated(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, solution(one)[0])
    take(one, f"{solution(one)[1]} and so on", end=False, finished=False)
    assert (one.over, one.truncated, one.info["stop"]) == (True, True, "answered")
    record = one.record(record_keys(one.env))
    assert (record["success"], record["acc"], record["total"]) == (1.0, 1.0, 1.0)


def test_an_empty_reply(tokens: Tokens) -> None:
    one = begin(tokens)
    one.take([], [], finished=False)
    check(one)
    assert (one.over, one.truncated, one.turns) == (True, True, 1)
    record = one.record(record_keys(one.env))
    assert (record["policy_tokens"], record["turns"]) == (0.0, 1.0)


def test_out_of_turns_is_wrong_and_out_of_context_is_truncated(tokens: Tokens) -> None:
    turns = begin(tokens, max_turns=1)
    take(turns, "hello")
    assert (turns.over, turns.truncated, turns.info["stop"]) == (True, False, "max_turns")
    text = begin(tokens, text_budget=10)
    take(text, "hello")
    assert (text.over, text.truncated, text.info["stop"]) == (True, True, "text_budget")


# --- records and faults ---


def endings(tokens: Tokens) -> dict[str, Trajectory]:
    short = Budgets(prompt=1_000, response=70)
    found = {
        "solved": begin(tokens),
        "wrong": begin(tokens),
        "truncated": begin(tokens, budgets=short),
        "cut": begin(tokens),
        "empty": begin(tokens),
        "out of turns": begin(tokens, max_turns=1),
    }
    for action in solution(found["solved"]):
        take(found["solved"], action)
    gold = found["wrong"].env.episode.task.gold["answer"]["grade"]
    take(found["wrong"], grade("none" if gold != "none" else "major"))
    take(found["truncated"], "word " * 20)
    take(found["cut"], "word", end=False, finished=False)
    found["empty"].take([], [], finished=False)
    take(found["out of turns"], "hello")
    return found


def test_every_ending_has_the_same_record(tokens: Tokens) -> None:
    keys = record_keys(ClinicEnv(INTERACTIONS))
    found = endings(tokens)
    assert all(one.over for one in found.values())
    records = {name: one.record(keys) for name, one in found.items()}
    for record in records.values():
        assert tuple(record) == keys
        assert all(type(value) is float for value in record.values())
    assert {"score", "fault", "hint_echo", "reward/accuracy", "reward/process", "metric/calls"} <= {
        *keys
    }
    assert {name for name, record in records.items() if record["truncated"]} == {
        "truncated", "cut", "empty",
    }  # fmt: skip
    assert [name for name, record in records.items() if record["success"]] == ["solved"]
    solved, one = records["solved"], found["solved"]
    assert solved["prompt_tokens"] == len(one.prompt_ids)
    assert solved["response_tokens"] == len(one.response_ids)
    assert solved["policy_tokens"] == sum(one.mask)


def test_the_total_is_all_that_was_paid(tokens: Tokens) -> None:
    one = begin(tokens)
    env = one.env
    env.domain = copy.copy(env.domain)
    object.__setattr__(env.domain, "turn_reward", lambda episode: 0.25)
    for action in solution(one):
        take(one, action)
    assert one.record(record_keys(env))["total"] == 1.5


@pytest.mark.parametrize("task", FAULTS)
def test_a_fault_of_the_environment_is_named(tokens: Tokens, task: str) -> None:
    def play() -> None:
        one = begin(tokens, FAULTY, Budgets(prompt=1_000, response=200), task=task)
        if task == "truncate":
            take(one, "word " * 60)
        take(one, write(("ask", {})))
        take(one, write(("say", {"word": "yes"})))
        one.record(record_keys(ClinicEnv(FAULTY)))

    with pytest.raises(EnvironmentFaultError, match=f"task '{task}': ") as caught:
        play()
    causes = ("reset", "step", "truncate")
    assert (type(caught.value.__cause__).__name__ == "ServiceDownError") == (task in causes)


def test_a_callers_mistake_is_no_fault_of_the_environment(tokens: Tokens) -> None:
    with pytest.raises(ConfigError, match="no task 'nobody'"):
        begin(tokens, task="nobody")


def test_what_is_dropped_is_not_trained_on(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, write(("read_allergies", {})))
    ids = list(one.ids)
    one.drop()
    check(one)
    assert not any(one.mask)
    assert one.ids == ids


# --- any reply ---


@st.composite
def plays(draw: st.DrawFn) -> tuple[Budgets, bool, list[tuple[list[int], bool]]]:
    response = draw(st.integers(1, 400))
    turn = draw(st.none() | st.integers(1, 100))
    budgets = Budgets(1_000, response, turn, least=draw(st.integers(1, 40)))
    replies = st.tuples(st.lists(st.integers(0, 699), max_size=100), st.booleans())
    return budgets, draw(st.booleans()), draw(st.lists(replies, min_size=1, max_size=5))


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(play=plays(), native=st.booleans())
def test_any_reply_keeps_the_books(
    tokenizer: Any, play: tuple[Budgets, bool, list[tuple[list[int], bool]]], native: bool
) -> None:
    budgets, ends, replies = play
    tokens = Tokens(tokenizer, "qwen3", native=native)
    one = begin(tokens, TRIAGE, budgets)
    prompt = list(one.ids)
    sampled: list[list[int]] = []
    for ids, finished in replies:
        if one.over:
            break
        reply = [*ids, *([tokenizer.eos_token_id] if ends else [])][: one.room]
        before = list(one.ids)
        one.take(reply, [-0.5] * len(reply), finished=finished and bool(reply))
        sampled.append(reply)
        check(one)
        assert one.ids[: len(before)] == before
    assert one.prompt_ids == prompt
    assert [of_turn(one, number) for number in range(1, one.turns + 1)] == sampled
    for reply, turn in zip(sampled, one.env.episode.turns, strict=True):
        assert turn.action == tokens.text(reply)
    if one.over:
        assert one.record(record_keys(one.env))["policy_tokens"] == sum(map(len, sampled))
    else:
        assert one.room >= min(budgets.least, budgets.turn or budgets.least)


# --- environments by name ---


def test_environments_are_made_by_id_or_by_domain() -> None:
    env = make_env("tiny/Triage-v0", {"split": "test", "max_turns": 2}, ["tiny_domain"])
    assert (env.domain.name, len(env.tasks), env.max_turns) == ("triage", 9, 2)
    assert make_env(INTERACTIONS, {"split": "train"}).domain.name == "interactions"
    assert make_env("clinic/ClinGen-v0", {"split": "dev"}).tasks


@pytest.mark.parametrize(
    ("name", "modules", "says"),
    [
        ("clinic/ClinGenn-v0", [], "no environment 'clinic/ClinGenn-v0'; did you mean 'clinic/Cl"),
        ("tiny_domain:TRIAG", [], "tiny_domain has no domain 'TRIAG'; did you mean 'TRIAGE'"),
        ("CartPole-v1", [], "'CartPole-v1' is a CartPoleEnv; expected a ClinicEnv"),
        ("x/Y-v0", ["no_such_module"], "no module 'no_such_module' for a module that registers"),
    ],
)
def test_a_name_that_means_nothing(name: str, modules: Sequence[str], says: str) -> None:
    assert "CartPole-v1" in gym.registry
    with pytest.raises(ConfigError) as caught:
        make_env(name, {}, modules)
    assert says in str(caught.value)
