"""The engine with a teacher: exact zeros, and the same gradients however a batch is cut up."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys

import pytest
from named_weights import dot, norm, split
from places import ROOT, SUPPORT

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
tu = importlib.import_module("verl.utils.tensordict_utils")
batches = importlib.import_module("verl_recipes.ttopd.batch")

pytestmark = pytest.mark.slow

TIMEOUT_S = 330.0
ATOL = 2e-6
"""Of gradients whose norm is 5 to 10, and whose largest entries are about 1."""

WAYS = ["full, tied", "full, untied", "lora, tied", "lora, untied"]
ADAPTED = ["lora, tied", "lora, untied"]
ON_EACH = "full, on each"
CUTS = ["all", "micro 1", "dynamic", "packed", "packed in buckets", "diagnosed", "idle rank"]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """What one rank and two ranks computed, by their number."""
    folder = tmp_path_factory.mktemp("ranks")
    paths = [str(ROOT), str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    started = subprocess.Popen(
        [sys.executable, str(SUPPORT / "engine_ranks.py"), str(folder)],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "VERL_PLATFORM": "cpu",
            "VERL_ENGINE_VENDOR": "gym_clinic",
            "VERL_USE_EXTERNAL_MODULES": "verl_recipes.cpu.platform,verl_recipes.ttopd.engine",
            "OMP_NUM_THREADS": "1",
            "GLOO_SOCKET_IFNAME": "lo",
            "HF_HUB_OFFLINE": "1",
        },
        stdout=(folder / "log_main").open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        code = started.wait(TIMEOUT_S)
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    if code:
        logs = "\n".join(
            f"{log.name}:\n{log.read_text()[-2000:]}" for log in sorted(folder.glob("log_*"))
        )
        pytest.fail(f"the ranks ended with {code}\n{logs}")
    return {n: torch.load(folder / f"ranks_{n}.pt", weights_only=True) for n in (1, 2)}


def assert_same(found, wanted, atol=ATOL):
    """Compare two sets of gradients or weights by name."""
    assert found.keys() == wanted.keys()
    assert found
    for name, values in found.items():
        torch.testing.assert_close(
            values, wanted[name], atol=atol, rtol=0, msg=lambda told, name=name: f"{name}: {told}"
        )


def assert_same_update(found, wanted, atol=ATOL):
    """Compare loss, KL and gradients of two updates."""
    assert found["loss"] == pytest.approx(wanted["loss"], abs=atol)
    assert found["metrics"]["ttopd/kl"] == pytest.approx(wanted["metrics"]["ttopd/kl"], abs=atol)
    assert_same(found["gradients"], wanted["gradients"], atol)


def assert_zero(update):
    """Check that the KL and all its gradients are exactly 0, and that there are gradients."""
    assert update["loss"] == 0.0
    assert update["metrics"]["ttopd/kl"] == 0.0
    assert update["gradients"]
    assert all(not values.any() for values in update["gradients"].values())


# --- a teacher equal to the student ---------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", [*WAYS, ON_EACH])
def test_an_equal_teacher_without_hints_has_a_kl_of_exactly_zero(ranks, way, number):
    found = ranks[number][f"equals: {way}"]
    assert found["start distance"] == 0.0
    assert_zero(found["start"])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", [*WAYS, ON_EACH])
def test_a_hint_makes_an_equal_teacher_differ(ranks, way, number):
    hinted = ranks[number][f"equals: {way}"]["hinted"]
    assert hinted["metrics"]["ttopd/kl"] > 0.1
    assert norm(hinted["gradients"]) > 0.1


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", [*WAYS, ON_EACH])
def test_the_teacher_follows_the_student(ranks, way, number):
    found = ranks[number][f"equals: {way}"]
    assert found["distance"] > 0.1
    assert found["followed distance"] == pytest.approx(0.75 * found["distance"], rel=1e-5)
    behind, followed = (found[name]["metrics"]["ttopd/kl"] for name in ("behind", "followed"))
    assert 0.0 < followed < 0.8 * behind


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", [*WAYS, ON_EACH])
def test_a_copied_teacher_is_the_student_again(ranks, way, number):
    found = ranks[number][f"equals: {way}"]
    assert found["copied distance"] == 0.0
    assert_zero(found["copied"])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", [*WAYS, ON_EACH])
def test_the_measured_hint_effect_is_the_kl_of_an_equal_teacher(ranks, way, number):
    found = ranks[number][f"equals: {way}"]["copied, diagnosed"]["metrics"]
    assert found["ttopd/kl_without_hint"] == 0.0
    assert found["ttopd/kl_full"] > 0.0
    assert found["ttopd/hint_effect"] > 0.0


# --- one batch, cut up in many ways ---------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CUTS)
def test_two_ranks_give_the_update_of_one(ranks, way, name):
    one, two = (ranks[number][f"splits: {way}"][name] for number in (1, 2))
    assert_same_update(two, one)
    ours = [metric for metric in one["metrics"] if metric.startswith("ttopd/")]
    assert len(ours) > 20
    for metric in ours:
        assert two["metrics"][metric] == pytest.approx(one["metrics"][metric], abs=1e-5), metric


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_the_gradient_equals_that_of_plain_torch(ranks, way, number):
    found = ranks[number][f"splits: {way}"]
    wanted = found["reference"]
    assert norm(wanted["gradients"]) > 1.0
    assert found["kl"]["metrics"]["ttopd/kl"] == pytest.approx(wanted["kl"], abs=ATOL)
    assert found["kl"]["loss"] == pytest.approx(4.0 * wanted["kl"], abs=4 * ATOL)
    assert_same(found["kl"]["gradients"], wanted["gradients"])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["micro 1", "dynamic", "packed", "packed in buckets"])
def test_micro_batches_and_packing_change_nothing(ranks, way, number, name):
    found = ranks[number][f"splits: {way}"]
    assert_same_update(found[name], found["all"])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_the_policy_term_equals_verls_and_the_terms_add_up(ranks, way, number):
    found = ranks[number][f"splits: {way}"]
    assert found["policy"]["loss"] == found["verl"]["loss"]
    assert_same(found["policy"]["gradients"], found["verl"]["gradients"], atol=0.0)
    added = {
        name: values + found["kl"]["gradients"][name]
        for name, values in found["policy"]["gradients"].items()
    }
    assert_same(found["all"]["gradients"], added)
    total = found["policy"]["loss"] + found["kl"]["loss"]
    assert found["all"]["loss"] == pytest.approx(total, abs=ATOL)


@pytest.mark.parametrize("way", WAYS)
def test_a_rank_with_nothing_to_distil_takes_part(ranks, way):
    found = ranks[2][f"splits: {way}"]
    assert_same(found["idle rank"]["gradients"], found["idle reference"]["gradients"])
    assert_zero(found["nothing"])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_the_kl_is_logged_by_turn(ranks, way, number):
    found = ranks[number][f"splits: {way}"]
    wanted = found["reference"]["per_turn"]
    metrics = found["micro 1"]["metrics"]
    assert sorted(wanted) == [1, 2, 3]
    for turn, values in wanted.items():
        assert metrics[f"ttopd/kl_turn_{turn}/count"] == len(values)
        assert metrics[f"ttopd/kl_turn_{turn}/total"] == pytest.approx(sum(values), abs=1e-5)
    assert metrics["ttopd/kl_turn_4/count"] == 0.0


# --- measuring both terms apart -------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_measuring_leaves_the_update_as_it_is(ranks, way, number):
    found = ranks[number][f"splits: {way}"]
    assert_same_update(found["diagnosed"], found["all"])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_measured_gradients_are_those_of_the_terms(ranks, way, number):
    found = ranks[number][f"splits: {way}"]
    policy, distill = found["policy"]["gradients"], found["kl"]["gradients"]
    metrics = found["diagnosed"]["metrics"]
    assert metrics["ttopd/grad_policy"] == pytest.approx(norm(policy), rel=1e-5)
    assert metrics["ttopd/grad_distill"] == pytest.approx(norm(distill), rel=1e-5)
    assert metrics["ttopd/grad_ratio"] == pytest.approx(norm(distill) / norm(policy), rel=1e-5)
    cosine = dot(policy, distill) / (norm(policy) * norm(distill))
    assert metrics["ttopd/grad_cosine"] == pytest.approx(cosine, abs=1e-5)


def test_copies_of_shards_are_counted_once(ranks):
    wanted = ranks[1]["splits: full, tied"]["diagnosed"]
    for number in (1, 2):
        found = ranks[number][f"splits: {ON_EACH}"]["diagnosed"]
        assert_same_update(found, wanted)
        for name in ("grad_policy", "grad_distill", "grad_cosine"):
            wants = wanted["metrics"][f"ttopd/{name}"]
            assert found["metrics"][f"ttopd/{name}"] == pytest.approx(wants, rel=1e-5), name
    one, two = (ranks[number][f"equals: {ON_EACH}"]["distance"] for number in (1, 2))
    assert two == pytest.approx(one, rel=1e-5)


# --- rows, turns, estimators ----------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", ["micro 1", "micro 4"])
def test_synthetic_rows_change_nothing(ranks, number, name):
    found = ranks[number]["paddings"]
    assert found["unpadded"]["metrics"]["ttopd/kl"] > 0.1
    assert_same_update(found[name], found["unpadded"])


@pytest.mark.parametrize("number", [1, 2])
def test_every_estimator_learns(ranks, number):
    found = ranks[number]["options"]
    kl = {name: found[name]["metrics"]["ttopd/kl"] for name in ("full", "topk_tail", "k2")}
    assert 0.0 < kl["topk_tail"] < kl["full"]
    assert kl["k2"] > 0.0
    policy = found["policy"]["gradients"]
    for name in kl:
        moved = {n: v - policy[n] for n, v in found[name]["gradients"].items()}
        assert 1.0 < norm(moved) < 100.0, name


@pytest.mark.parametrize("number", [1, 2])
def test_options_change_the_loss_as_described(ranks, number):
    found = ranks[number]["options"]
    wanted = ranks[number]["splits: full, untied"]["reference"]
    assert_same_update(found["chunk"], found["full"])
    assert_same_update(found["mean_tokens, micro 1"], found["mean_tokens"])
    for name in ("sum_turns", "mean_tokens", "dropped"):
        kl = found[name]["metrics"]["ttopd/kl"]
        assert kl == pytest.approx(wanted[name], abs=2 * ATOL), name
        assert abs(kl - wanted["kl"]) > 100 * ATOL, name


@pytest.mark.parametrize("number", [1, 2])
def test_a_dropped_turn_changes_nothing_but_the_kl(ranks, number):
    found = ranks[number]["options"]
    assert found["policy, dropped"]["loss"] == found["policy"]["loss"]
    assert_same(found["policy, dropped"]["gradients"], found["policy"]["gradients"], atol=0.0)
    before, after = (found[name]["metrics"] for name in ("full", "dropped"))
    assert before["ttopd/kl_turn_2/count"] > after["ttopd/kl_turn_2/count"] == 0.0
    for turn in (1, 3):
        for part in ("total", "count"):
            name = f"ttopd/kl_turn_{turn}/{part}"
            assert after[name] == pytest.approx(before[name], abs=1e-6), name


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", ADAPTED)
def test_only_the_students_adapter_is_trained(ranks, way, number):
    found = ranks[number][f"adapter: {way}"]
    assert found["checkpointed"]
    student, teacher, base = split(found["before"])
    assert student.keys() == teacher.keys()
    trained = {name.replace(".default.", ".") for name in found["trained"]}
    assert trained == student.keys()
    gradients = ranks[number][f"splits: {way}"]["all"]["gradients"]
    assert gradients.keys() == set(found["trained"])
    assert all(values.any() for values in gradients.values())

    moved, frozen, left = split(found["after step"])
    assert_same(frozen, teacher, atol=0.0)
    assert_same(left, base, atol=0.0)
    assert all(not torch.equal(values, student[name]) for name, values in moved.items())

    _, followed, left = split(found["after update"])
    assert_same(followed, {n: 0.9 * teacher[n] + 0.1 * moved[n] for n in teacher}, atol=1e-7)
    assert_same(left, base, atol=0.0)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", ADAPTED)
def test_the_rollouts_get_only_the_students_weights(ranks, way, number):
    found = ranks[number][f"adapter: {way}"]
    student, teacher, base = split(found["before"])
    sent = found["sent, False, True"]
    assert_same(sent, {name: student[name] for name in sent}, atol=0.0)
    assert sent.keys() == student.keys()

    def plain(name):
        return name.removeprefix("base_model.model.").replace(".base_layer", "")

    bare = {plain(name): values for name, values in base.items()}
    bare.setdefault("lm_head.weight", bare["model.embed_tokens.weight"])  # where it is tied
    sent = {plain(name): values for name, values in found["sent, False, False"].items()}
    assert_same(sent, bare, atol=0.0)

    for adapters_alone in (True, False):
        sent = found[f"sent, True, {adapters_alone}"]
        assert not any("lora" in name or "teacher" in name for name in sent)
        name = "model.layers.1.mlp.up_proj"
        low, high = (student[f"base_model.model.{name}.lora_{x}.weight"] for x in "AB")
        merged = bare[f"{name}.weight"] + 2.0 * high @ low
        gap = (sent[f"{name}.weight"].float() - merged).abs().max()
        assert gap < 0.01 * merged.abs().max()  # verl rounds to bf16
        low, high = (teacher[f"base_model.model.{name}.lora_{x}.weight"] for x in "AB")
        assert (high @ low).abs().max() > 0.1
    assert_same(found["after sync"], found["before"], atol=0.0)


# --- saving ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_a_saved_teacher_comes_back(ranks, way, number):
    found = ranks[number][f"saved: {way}"]
    assert found["files"] == [f"teacher_{rank}_of_{number}.pt" for rank in range(number)]
    assert any(not torch.equal(v, found["before"][n]) for n, v in found["copied"].items())
    assert_same(found["after"], found["before"], atol=0.0)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_another_number_of_ranks_is_reported(ranks, way, number):
    other, nowhere = ranks[number][f"saved: {way}"]["said"]
    assert f"no teacher_0_of_{number + 1}.pt" in other
    assert f"teacher_0_of_{number}.pt" in other
    assert "resume with as many GPUs" in other
    assert "nowhere" in nowhere


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", ADAPTED)
def test_peft_loads_the_adapter_that_was_saved(ranks, way, number):
    found = ranks[number][f"exported: {way}"]
    assert found["files"] == ["adapter_config.json", "adapter_model.safetensors"]
    assert any(value.any() for value in found["student"].values())
    assert_same(found["loaded"], found["student"], atol=0.0)


def test_unsupported_teacher_settings_are_refused(ranks):
    said = ranks[1]["refused"]
    assert "engine of its own" in said["engine"]
    assert "ulysses_sequence_parallel_size=1" in said["sequence parallelism"]
    assert "use_fused_kernels=false" in said["fused kernels"]
    assert "target_modules" in said["adapted head"]


# --- what the teacher reads -----------------------------------------------------------------------


def test_positions_go_on_through_the_hint_on_every_axis(ranks):
    """Rows of 8 and 13 tokens, hints of 6 and 2; two tokens of a picture share a position."""
    shapes = {"student": (8, 13), "teacher": (14, 15)}
    for name, lengths in shapes.items():
        text = [torch.arange(length) for length in lengths]
        seen = [ids - (ids > 1).long() for ids in text]
        rows = [torch.stack([t, s, s, s]) for t, s in zip(text, seen, strict=True)]
        found = ranks[1]["positions"][f"{name}, packed"]
        assert torch.equal(found, torch.cat(rows, dim=-1)[:, None])
        found = ranks[1]["positions"][f"{name}, padded"]
        for index, row in enumerate(rows):
            assert torch.equal(found[:, index, : row.shape[-1]], row)
            assert not found[:, index, row.shape[-1] :].any()
