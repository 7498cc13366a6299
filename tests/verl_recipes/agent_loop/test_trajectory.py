"""An episode as tokens: nothing is rendered twice, and every token knows who wrote it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trajectories import TRIAGE, begin, check, grade, heard, of_turn, said, solution, take, write

from gym_clinic import ClinicEnv
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets

pytest.importorskip("torch")
pytest.importorskip("verl")


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


def test_the_trajectory_equals_the_chat_templates_text(tokens: Tokens) -> None:
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


def test_token_sequences_that_no_tokenizer_would_produce_are_kept(tokens: Tokens) -> None:
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
    record = one.record()
    assert (record["calls"], record["distinct_tools"], record["turns"]) == (3.0, 3.0, 2.0)


def test_a_malformed_call_is_answered_and_counted(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, '<tool_call>\n{"name": "read_allergies", "arguments"\n</tool_call>')
    check(one)
    assert not one.over
    assert "Unreadable call" in heard(one)
    take(one, grade())
    assert one.record()["malformed"] == 1.0


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


def test_a_stop_token_removed_by_the_next_message_is_not_trained_on(tokenizer: Any) -> None:
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


def test_text_inside_a_thought_opened_by_the_prompt_is_not_an_answer(tokenizer: Any) -> None:
    other = copy.deepcopy(tokenizer)
    speaks = "<|im_start|>assistant\\n"
    before, after = other.chat_template.rsplit(speaks, 1)
    other.chat_template = f"{before}{speaks}<think>\\n{after}"
    tokens = Tokens(other, "qwen3")
    urgency = ClinicEnv(TRIAGE).tasks[0].gold["answer"]
    cut = begin(tokens, TRIAGE)
    assert other.decode(cut.ids).endswith("assistant\n<think>\n")
    take(cut, f"Surely {urgency}")
    assert cut.env.episode.turns[0].action == f"<think>Surely {urgency}"
    assert cut.env.episode.answer is None
    assert of_turn(cut, 1) == said(tokens, f"Surely {urgency}")
    closed = begin(tokens, TRIAGE)
    take(closed, f"Hm.\n</think>\n\n{write(('read_vital_sign', {'sign': 'pulse'}))}")
    check(closed)
    assert [call.ok for call in closed.env.episode.calls] == [True]
    take(closed, f"Red?\n</think>\n\n{urgency}")
    assert closed.record()["success"] == 1.0


# --- any reply ---


@st.composite
def plays(draw: st.DrawFn) -> tuple[Budgets, bool, list[tuple[list[int], bool]]]:
    response = draw(st.integers(1, 400))
    turn = draw(st.none() | st.integers(1, 100))
    budgets = Budgets(1_000, response, turn, least=draw(st.integers(1, 40)))
    replies = st.tuples(st.lists(st.integers(0, 699), max_size=100), st.booleans())
    return budgets, draw(st.booleans()), draw(st.lists(replies, min_size=1, max_size=5))


@given(play=plays(), native=st.booleans())
def test_masks_and_lengths_agree_after_any_reply(
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
    heard = sampled[:-1] if one.unfinished else sampled
    for reply, turn in zip(heard, one.env.episode.turns, strict=True):
        assert turn.action == tokens.text(reply)
    if one.over:
        assert one.record()["policy_tokens"] == sum(map(len, sampled))
    else:
        assert one.room >= min(budgets.least, budgets.turn or budgets.least)
