"""The memory estimate: counts against transformers and peft, sizes against the cost table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes import memory, shape
from verl_recipes.memory import Setting


def qwen3(hidden, inner, layers, heads, *, tied=False):
    return {
        "model_type": "qwen3",
        "vocab_size": 151936,
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "tie_word_embeddings": tied,
    }


QWEN3 = {
    "1.7B": (qwen3(2048, 6144, 28, 16, tied=True), 1_720_574_976),
    "4B": (qwen3(2560, 9728, 36, 32, tied=True), 4_022_468_096),
    "8B": (qwen3(4096, 12288, 36, 32), 8_190_735_360),
}
QWEN2 = {
    "model_type": "qwen2",
    "vocab_size": 152064,
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "tie_word_embeddings": False,
}
TEXT = {
    "model_type": "qwen3_5_text",
    "vocab_size": 248320,
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 32,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
}
VISION = {
    "depth": 27,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_position_embeddings": 2304,
    "out_hidden_size": 4096,
}
QWEN35 = {"model_type": "qwen3_5", "text_config": TEXT, "vision_config": VISION}
NINE = shape.read(QWEN35)


@pytest.mark.parametrize(("config", "count"), QWEN3.values(), ids=QWEN3)
def test_published_counts_of_qwen3(config, count):
    read = shape.read(config)
    assert (read.parameters, read.exact) == (count, True)


def meta_model(config):
    """transformers' own model of a config, without memory for its weights."""
    torch = pytest.importorskip("torch")
    from transformers import AutoConfig
    from transformers.models.auto import modeling_auto

    loaded = AutoConfig.for_model(**json.loads(json.dumps(config)))
    kinds = (
        modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
        if "vision_config" in config
        else modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING
    )
    with torch.device("meta"):
        return kinds[type(loaded)](loaded)


@pytest.mark.parametrize(
    "config",
    [*(config for config, _ in QWEN3.values()), QWEN2, TEXT, QWEN35],
    ids=[*QWEN3, "qwen2", "qwen3.5-text", "qwen3.5-with-vision"],
)
def test_counts_are_those_of_transformers_and_peft(config, tmp_path):
    pytest.importorskip("transformers")
    peft = pytest.importorskip("peft")
    model = meta_model(config)
    read = shape.read(config)
    assert read.parameters == sum(p.numel() for p in model.parameters())
    model.config.save_pretrained(tmp_path)
    saved = json.loads((tmp_path / "config.json").read_text())
    assert shape.read(saved) == read
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=4, target_modules="all-linear"))
    ours = sum(p.numel() for name, p in adapted.named_parameters() if "lora_" in name)
    assert read.adapter(4) == ours


def test_hybrid_layers_are_told_apart():
    kinds = {block.parameters for block in NINE.layers}
    assert len(kinds) == 2
    assert NINE.layers[3] == NINE.layers[31] != NINE.layers[0] == NINE.layers[30]
    listed = ["full_attention"] * 32
    assert len(set(shape.read({**TEXT, "layer_types": listed}).layers)) == 1


def test_another_model_is_counted_as_llama_and_says_so():
    assert not shape.read({**QWEN3["8B"][0], "model_type": "mistral"}).exact


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_experts": 128}, "only dense models"),
        ({"hidden_size": None}, "no hidden_size"),
        ({"vocab_size": True}, "no vocab_size"),
        ({"layer_types": ["full_attention"]}, "names 1 layers"),
    ],
)
def test_what_cannot_be_counted_is_named(change, said):
    with pytest.raises(ConfigError, match=said):
        shape.read({**QWEN3["8B"][0], **change})


def line(arm: memory.Arm, name: str) -> float:
    (found,) = [one.gib for one in arm.lines if one.name == name]
    return found


def test_the_cost_table_at_the_papers_scale():
    # Of the table: 9.4 B parameters over 8 GPUs, 12,288 tokens, 248,320 entries, chunk 512.
    assert NINE.parameters == pytest.approx(9.4e9, rel=0.002)
    both = memory.estimate(NINE, Setting())
    student = sum(
        line(both.ttopd, name) for name in ("trained weights, fp32", "Adam's moments", "gradients")
    )
    assert student == pytest.approx(17.5, abs=0.05)
    assert line(both.ttopd, "teacher, fp32") == pytest.approx(4.4, abs=0.05)
    assert line(both.ttopd, "logits") == pytest.approx(5.7, abs=0.05)
    (chunk,) = [
        one.gib for one in both.ttopd.moments["distillation"] if one.name == "logits of a chunk"
    ]
    assert chunk / memory.WORKING_SET == pytest.approx(0.47, abs=0.005)
    lora = memory.estimate(NINE, Setting(lora=64))
    # The table's 74 MiB leave the image tower out and take every layer for full attention.
    language = 4 * sum(block.adapter(64) for block in NINE.layers) / 8 / 2**20
    assert language == pytest.approx(74, rel=0.15)
    assert line(lora.ttopd, "teacher's adapter, fp32") * 1024 == pytest.approx(97.8, abs=0.1)


@pytest.mark.parametrize(
    ("setting", "over", "meets"),
    [
        (Setting(lora=64), 0.4, True),
        (Setting(lora=64, temperature=0.8), 0.4, True),
        (Setting(), 6.6, False),
        (Setting(temperature=0.8), 6.6, False),
        (Setting(offload=True), 2.2, True),
    ],
    ids=str,
)
def test_whether_the_targets_are_met(setting, over, meets):
    both = memory.estimate(NINE, setting)
    assert both.over == pytest.approx(over, abs=0.05)
    assert both.meets is meets
    assert both.target == (3.0 if setting.lora else 6.0)


SETTINGS = st.builds(
    Setting,
    gpus=st.integers(1, 64),
    tokens=st.integers(1, 40_000),
    lora=st.sampled_from([0, 8, 64]),
    temperature=st.sampled_from([0.8, 1.0]),
    chunk=st.integers(1, 4096),
    offload=st.booleans(),
)


@given(SETTINGS)
def test_rows_add_up_and_the_peak_is_the_dearest(setting):
    both = memory.estimate(NINE, setting)
    for arm, column in ((both.grpo, 1), (both.ttopd, 2)):
        names = [one.name for one in arm.lines]
        assert len(set(names)) == len(names)
        assert sum(row[column] or 0.0 for row in both.rows()) == pytest.approx(arm.total)
        for moment in arm.moments.values():
            held = (*arm.resting, *arm.update, *moment)
            assert sum(one.gib for one in held) <= arm.total + 1e-9
            assert all(one.size > 0 for one in held)
    # A shared moment never costs TT-OPD less.
    assert both.over > 0


@given(SETTINGS)
def test_more_gpus_need_no_more_of_each(setting):
    few = memory.estimate(NINE, setting)
    more = memory.estimate(NINE, Setting(**{**vars(setting), "gpus": 2 * setting.gpus}))
    assert more.grpo.total < few.grpo.total
    assert more.ttopd.total < few.ttopd.total
    assert sum(one.size for one in more.grpo.resting) == pytest.approx(
        sum(one.size for one in few.grpo.resting) / 2
    )


def test_phases_against_a_gpu():
    both = memory.estimate(NINE, Setting())
    asked = both.demands(both.ttopd, 80.0)
    assert asked["sampling"] == pytest.approx(0.4 * 80 + 16 * NINE.parameters / 8 / memory.GIB)
    assert asked["a measuring step"] > both.ttopd.total == asked[both.ttopd.peak]
    assert "a measuring step" not in both.demands(both.grpo, 80.0)


def test_a_checkpoint_is_weights_twice_moments_and_teacher():
    p, a = NINE.parameters, NINE.adapter(8)
    assert memory.checkpoint(NINE, lora=0, teacher=False) == 16 * p
    assert memory.checkpoint(NINE, lora=0, teacher=True) == 20 * p
    assert memory.checkpoint(NINE, lora=8, teacher=True) == 8 * p + 16 * a


@pytest.mark.parametrize(
    "wrong", [{"gpus": 0}, {"tokens": 0}, {"lora": -1}, {"temperature": 0.0}, {"rollout": 1.0}]
)
def test_settings_that_cannot_be(wrong):
    (name,) = wrong
    with pytest.raises(ConfigError, match=f"{name} is"):
        Setting(**wrong)


@pytest.mark.parametrize("learns", [False, True], ids=["lora", "full"])
def test_the_loss_allocates_what_the_estimate_counts(learns):
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile

    from verl_recipes.ttopd.loss import turn_kl

    tokens, hidden, vocab, chunk = 128, 16, 32_768, 64
    random = torch.Generator().manual_seed(0)
    student = torch.randn(tokens, hidden, generator=random, requires_grad=True)
    teacher = torch.randn(tokens, hidden, generator=random)
    head = torch.randn(vocab, hidden, generator=random, requires_grad=learns)
    turns = torch.ones(tokens, dtype=torch.long)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        turn_kl(student, teacher, head, turns, chunk=chunk)
    live = peak = 0
    events = [e for e in seen.profiler.kineto_results.events() if e.name() == "[memory]"]
    for event in sorted(events, key=lambda e: e.start_ns()):
        live += event.nbytes()
        peak = max(peak, live)
    counted = memory.WORKING_SET * 4 * chunk * vocab + (4 * vocab * hidden if learns else 0)
    assert peak == pytest.approx(counted, rel=0.02)
