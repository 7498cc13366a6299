"""What a run takes of a GPU, and the figures of the guide."""

from __future__ import annotations

import importlib
import re

import pytest
from places import ROOT

from verl_recipes.preflight import memory
from verl_recipes.preflight.result import MISSING, OK
from verl_recipes.request import RunRequest

pytest.importorskip("verl")
compose = importlib.import_module("verl_recipes.config.compose").compose

QWEN3 = {"vocab_size": 151_936}
TOKENS = 20_480


def config(*overrides, **changes):
    request = RunRequest(model="m", gpus=8, overrides=overrides, **changes)
    return compose(request)


def test_a_temperature_other_than_one_makes_a_second_copy_of_the_logits():
    one = memory.logits_size(151_936, TOKENS, 1.0)
    assert one == 2 * 151_936 * TOKENS
    assert memory.logits_size(151_936, TOKENS, 0.8) == 2 * one
    assert memory.logits_size(151_936, TOKENS, 1.2) == 2 * one


@pytest.mark.parametrize(("temperature", "status"), [(1.0, OK), (0.8, MISSING)])
def test_the_second_copy_counts(temperature, status):
    warmth = f"actor_rollout_ref.rollout.temperature={temperature}"
    found = memory.check(4_000_000_000, QWEN3, config(warmth, method="grpo"), 8, 16.0)
    assert found.status == status
    copies = {1.0: ", logits 5.8 of 16 GiB", 0.8: ", logits 11.6 (two copies) of 16 GiB"}
    assert f"take 7.5{copies[temperature]} a GPU" in found.detail


def test_the_vocabulary_of_a_model_with_a_tower_is_its_text_models():
    own = {"text_config": {"vocab_size": 248_320}, "vocab_size": 7}
    assert "logits 9.5 of" in memory.check(1, own, config(method="grpo"), 8, 80.0).detail
    assert "logits" not in memory.check(1, {}, config(method="grpo"), 8, 80.0).detail


def test_a_teacher_counts_where_it_lies_on_the_gpus():
    def least(*overrides, **changes):
        found = memory.check(8 * 2**30, {}, config(*overrides, **changes), 8, 80.0)
        return float(re.search(r"take ([\d.]+)", found.detail)[1])

    assert (least(method="grpo"), least(method="ttopd")) == (16.0, 20.0)
    assert least("actor_rollout_ref.ref.fsdp_config.param_offload=true", method="ttopd") == 16.0
    assert least(method="ttopd", lora=8) == 4.0


def test_the_guide_has_the_second_copy_of_every_model():
    """The last column of its table is what another temperature adds."""
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (Qwen3(?:\.5)? [\d.]+B) \|(.*)\|$", text, re.M)
    assert len(rows) == 4
    vocabularies = {"Qwen3": 151_936, "Qwen3.5": 248_320}
    for name, cells in rows:
        size = memory.logits_size(vocabularies[name.split()[0]], TOKENS, 1.0) / memory.GIB
        assert float(cells.split("|")[-1]) == round(size, 1), name
