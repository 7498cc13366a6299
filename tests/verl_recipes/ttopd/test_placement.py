"""Where a hint stands: one place, whatever the chat template, and never in an opened thought."""

from __future__ import annotations

import copy
import importlib

import pytest

from gym_clinic import ConfigError

pytest.importorskip("verl")
placing = importlib.import_module("verl_recipes.ttopd.placement")
tiny = importlib.import_module("verl_recipes.cpu.tiny")
Tokens = importlib.import_module("verl_recipes.agent_loop.tokens").Tokens

HINT = "The reviewer agrees."
OPENING = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Bay 3."}]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
HEADER = "{% if add_generation_prompt %}<|im_start|>assistant\n%s{% endif %}"
ALTERNATING = (
    "{% for m in messages if m.role != 'system' %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}"
    "{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% else %} {{ m.content }}{% endif %}"
    "{% endfor %}"
)
TEMPLATES = {
    "ours": tiny.TEMPLATE,
    "plain": CHATML + HEADER.replace("%s", ""),
    "opens a thought": CHATML + HEADER.replace("%s", "<think>\n"),
    "closes an empty thought": CHATML + HEADER.replace("%s", "<think>\n\n</think>\n\n"),
    "takes no second user message": ALTERNATING,
}


@pytest.fixture(params=TEMPLATES)
def tokens(request, tokenizer):
    own = copy.deepcopy(tokenizer)
    own.chat_template = TEMPLATES[request.param]
    return Tokens(own, "qwen3")


def test_a_hint_closes_the_message_that_the_model_answers(tokens):
    placement = placing.HintPlacement(tokens)
    for messages, tools in ((OPENING, None), (OPENING[1:], None), (OPENING, TOOLS)):
        prompt = tokens.prompt(messages, tools)
        at, ids = placement.index(prompt), placement.ids(HINT)
        seen = tokens.tokenizer.decode([*prompt[:at], *ids, *prompt[at:]])
        assert seen.count(f"Bay 3.\n\n{HINT}") == 1
        # It is the message that the template itself would write of the two.
        whole = [*messages[:-1], {"role": "user", "content": f"Bay 3.\n\n{HINT}"}]
        assert seen == tokens.tokenizer.decode(tokens.prompt(whole, tools))


def test_a_hint_is_outside_of_any_thought_and_of_the_models_own_message(tokens):
    prompt = tokens.prompt(OPENING)
    before = tokens.tokenizer.decode(prompt[: placing.HintPlacement(tokens).index(prompt)])
    assert "<think>" not in before
    assert "assistant" not in before
    assert before.endswith("Bay 3.")


def test_a_prompt_may_end_with_the_policy(tokens):
    prompt = tokens.prompt(OPENING[:1])
    if "Be brief." not in tokens.tokenizer.decode(prompt):
        pytest.skip("this template leaves the system message out")
    at = placing.HintPlacement(tokens).index(prompt)
    assert tokens.tokenizer.decode(prompt[:at]).endswith("Be brief.")


def test_without_a_text_there_are_no_tokens(tokens):
    assert placing.HintPlacement(tokens).ids("") == []


def test_a_prompt_that_ends_otherwise_is_refused_with_its_end(tokens):
    prompt = tokens.prompt(OPENING)
    placement = placing.HintPlacement(tokens)
    with pytest.raises(ConfigError, match=r"no place for a hint: .* ends with '.*Bay 3"):
        placement.index(prompt[: placement.index(prompt)])
