"""The tiny model and its tokenizer: they reload, repeat, and carry a conversation of verl's."""

from __future__ import annotations

import importlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ClinicEnv, ConfigError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tiny = importlib.import_module("verl_recipes.cpu.tiny")

SPECIAL = (*tiny.CONTROL, *tiny.MARKUP)
TOOLS = [{"type": "function", "function": {"name": "look", "description": "Look <now> & then."}}]
CALL = {"type": "function", "function": {"name": "look", "arguments": {"side": "left"}}}
WRITTEN = '<tool_call>\n{"name":"look","arguments":{"side":"left"}}\n</tool_call>'
OPENING = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Which side?"},
]


@pytest.fixture(scope="module")
def env():
    return ClinicEnv("tiny_domain:INTERACTIONS")


@pytest.fixture(scope="module")
def folder(env, tmp_path_factory):
    return tiny.build(tmp_path_factory.mktemp("tiny") / "model", tiny.corpus(env), seed=0)


@pytest.fixture(scope="module")
def tokenizer(folder):
    return transformers.AutoTokenizer.from_pretrained(folder)


def render(tokenizer, messages, **options):
    return tokenizer.apply_chat_template(messages, tokenize=False, **options)


def test_a_folder_reloads_as_transformers_reads_any_other(folder):
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert config.model_type == "qwen3"
    assert config.vocab_size == len(tokenizer) == 4096
    assert config.max_position_embeddings == tokenizer.model_max_length == 8192
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert model.lm_head.weight.data_ptr() == model.model.embed_tokens.weight.data_ptr()
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert tokenizer.eos_token_id == config.eos_token_id == end
    assert model.generation_config.eos_token_id == [end]
    with torch.no_grad():
        logits = model(torch.tensor([[1, 2, 3]])).logits
    assert logits.shape == (1, 3, 4096)
    assert logits.isfinite().all()


def test_weights_and_tokenizer_follow_from_seed_and_texts(env, folder, tmp_path):
    torch.manual_seed(5)
    state = torch.get_rng_state()
    again = tiny.build(tmp_path / "again", tiny.corpus(env), seed=0)
    other = tiny.build(tmp_path / "other", tiny.corpus(env), seed=1, tied=False, hidden=64)
    assert torch.equal(state, torch.get_rng_state())
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()
    assert (other / "tokenizer.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
    model = transformers.AutoModelForCausalLM.from_pretrained(other)
    assert model.config.hidden_size == 64
    assert model.lm_head.weight.data_ptr() != model.model.embed_tokens.weight.data_ptr()


def test_tokens_that_mean_something_are_single_and_shown_as_qwen3_shows_them(tokenizer):
    for token in SPECIAL:
        assert tokenizer.encode(token) == [tokenizer.convert_tokens_to_ids(token)]
    assert len(tokenizer.encode("\n")) == 1
    said = tokenizer.encode(f"<think>a</think>{WRITTEN}<|im_end|><|reserved_0|>")
    assert tokenizer.decode(said, skip_special_tokens=True) == f"<think>a</think>{WRITTEN}"
    vocabulary = tokenizer.get_vocab()
    assert sorted(vocabulary.values()) == list(range(4096))
    assert not [piece for piece in vocabulary if "<tool_call>" in piece and len(piece) > 11]


@given(text=st.text(max_size=80))
def test_any_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_the_template_writes_tools_calls_and_answers(tokenizer):
    messages = [
        *OPENING,
        {"role": "assistant", "content": "Hm.", "reasoning_content": "why", "tool_calls": [CALL]},
        {"role": "tool", "name": "look", "content": "A"},
        {"role": "tool", "name": "look", "content": [{"type": "text", "text": "B"}]},
    ]
    text = render(tokenizer, messages, tools=TOOLS, add_generation_prompt=True)
    head, _, rest = text.partition("<|im_end|>\n")
    assert head.startswith("<|im_start|>system\nBe brief.\n\n# Tools")
    shown = head[head.index("<tools>\n") + 8 : head.index("\n</tools>")]
    assert json.loads(shown) == TOOLS[0]
    assert rest == (
        "<|im_start|>user\nWhich side?<|im_end|>\n"
        f"<|im_start|>assistant\n<think>\nwhy\n</think>\n\nHm.\n{WRITTEN}<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nA\n</tool_response>\n"
        "<tool_response>\nB\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert render(tokenizer, OPENING[1:]) == "<|im_start|>user\nWhich side?<|im_end|>\n"
    quick = render(tokenizer, OPENING, add_generation_prompt=True, enable_thinking=False)
    assert quick.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


@pytest.mark.parametrize("tools", [None, TOOLS])
def test_verl_appends_the_very_tokens_of_the_whole_conversation(tokenizer, tools):
    wiring = pytest.importorskip("verl.utils.tokenizer.continuous_token_wiring")
    builder = wiring.create_continuous_token_builder(tokenizer, hf_model_type="qwen3")
    messages = list(OPENING)
    ids = builder.build_initial_tokens(messages, tools=tools)
    for said, heard in (
        (WRITTEN, [{"role": "tool", "name": "look", "content": "A </b>"}]),
        (
            f"{WRITTEN}\n{WRITTEN}",
            [{"role": "tool", "name": "look", "content": one} for one in "AB"],
        ),
        ("I cannot.", [{"role": "user", "content": "Try."}]),
    ):
        reply = [*tokenizer.encode(said), tokenizer.eos_token_id]
        ids = builder.merge_assistant_tokens(ids, reply).token_ids
        before = [*messages, {"role": "assistant", "content": said}]
        messages = [*before, *heard]
        ids = builder.merge_context_tokens(before, messages, ids, tools=tools).token_ids
    whole = render(tokenizer, messages, tools=tools, add_generation_prompt=True)
    assert tokenizer.decode(ids) == whole
    assert ids == tokenizer.encode(whole)


def test_prompts_of_clingen_are_short_in_its_own_tokens():
    env = ClinicEnv("clingen")
    tokenizer = tiny.train_tokenizer(
        tiny.corpus(env, most=300), vocab=4096, positions=8192, standing=tiny.standing_lines(env)
    )
    lengths = []
    for task in env.tasks[::3]:
        _, info = env.reset(options={"task_id": task.id})
        text = render(tokenizer, info["messages"], tools=info["tools"], add_generation_prompt=True)
        lengths.append(len(tokenizer.encode(text)))
    assert sorted(lengths)[int(0.95 * len(lengths))] < 3_500


def test_a_corpus_holds_prompts_and_runs_and_can_be_bounded(env):
    texts = list(tiny.corpus(env))
    starts = [text for text in texts if text.startswith("<|im_start|>system\n")]
    assert len(starts) == len(env.tasks)
    assert all('"name":"check_interaction"' in text for text in starts)
    assert any(text.startswith('<tool_call>\n{"name":"check_interaction"') for text in texts)
    assert any("avoid together" in text for text in texts)
    prompts = [text for text in tiny.corpus(env, most=6) if text in starts]
    assert prompts == starts[::3]
    told = next(tiny.corpus(env, native=False))
    assert env.dialect.explain(env.toolbox.schemas()) in told


def test_an_impossible_model_size_is_reported(tmp_path):
    for sizes, named in (
        ({"hidden": 96}, "multiple of 64"),
        ({"vocab": 200}, "vocab is 200"),
        ({"layers": 0}, "layers"),
        ({"positions": 0}, "positions"),
    ):
        with pytest.raises(ConfigError, match=named):
            tiny.build(tmp_path / "model", ["text"], seed=0, **sizes)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "in" / "model"
    with tiny.replacing(folder) as beside:
        (beside / "a").write_text("1")
        assert not folder.exists()
    assert [one.name for one in folder.iterdir()] == ["a"]
    with pytest.raises(FileNotFoundError), tiny.replacing(folder) as beside:
        (beside / "b" / "missing").write_text("2")
    assert [one.name for one in folder.iterdir()] == ["a"]
    with tiny.replacing(folder) as beside:
        (beside / "c").write_text("3")
    assert [one.name for one in folder.iterdir()] == ["c"]
    assert list(folder.parent.iterdir()) == [folder]


def test_the_lines_of_a_long_prompt_are_one_token_each():
    env = ClinicEnv("drug_interaction", split="dev")
    lines = tiny.standing_lines(env)
    described = [f'"name":"{tool.name}","description"' for tool in env.domain.tools]
    assert all(any(one in line for line in lines) for one in described)
    text = "\n".join([*lines, "the rest"])
    tokenizer = tiny.train_tokenizer([text], vocab=300, positions=64, standing=lines)
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids) == text
    assert len(ids) <= 2 * len(lines) + len("the rest")


@pytest.mark.parametrize("name", ["clinical_diagnosis", "drug_interaction", "triage_emergency"])
def test_no_line_of_a_prompt_takes_the_end_of_a_message_with_it(name):
    # A ticket may close with a line that stands in all; a hint has its place behind it.
    lines = tiny.standing_lines(ClinicEnv(name, split="dev"))
    assert lines
    assert not [line for line in lines if any(mark in line for mark in tiny.CONTROL)]


def test_the_lines_of_a_short_prompt_are_words(env):
    assert tiny.standing_lines(env) == []
