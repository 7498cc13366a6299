"""Run as a program: engines with a teacher, on one rank and on two, without Ray.

Writes what each group of ranks computed to ``ranks_1.pt`` and ``ranks_2.pt`` in a folder.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from engine_pairs import (
    SETTINGS,
    Seat,
    full_pair,
    lora_pair,
    name_of,
    only,
    reference,
    update,
    whole,
    write_models,
)
from engine_rows import (
    TEMPERATURE,
    batch,
    make_rows,
    without_hints,
    without_turn,
    without_turns,
)
from peft import LoraConfig, PeftModel
from peft.tuners import lora
from transformers import AutoModelForCausalLM
from verl.workers.engine.utils import prepare_micro_batches

from gym_clinic import ConfigError
from verl_recipes.ttopd.batch import teacher_batch
from verl_recipes.ttopd.engine import ClinicEngine, Terms

LIMIT_S = 300.0
"""After this the ranks are taken to hang."""

KL_ALONE, POLICY_ALONE = Terms(policy=0.0), Terms(distill=0.0)


def compare_equals(engine: ClinicEngine) -> dict[str, Any]:
    """A teacher that starts as the student, falls behind, follows and is copied."""
    rows, seat = make_rows(), Seat(engine)
    bare = without_hints(rows)
    found: dict[str, Any] = {}
    with only(engine, terms=KL_ALONE):
        found["start"] = update(engine, bare)
        found["hinted"] = update(engine, rows)
    found["start distance"] = seat.teacher_distance()
    for _ in range(2):
        update(engine, rows, step=True)
    with only(engine, terms=KL_ALONE):
        found["behind"] = update(engine, bare)
    found["distance"] = seat.teacher_distance()
    seat.update_teacher(0.75)
    found["followed distance"] = seat.teacher_distance()
    with only(engine, terms=KL_ALONE):
        found["followed"] = update(engine, bare)
    seat.update_teacher(0.0)
    found["copied distance"] = seat.teacher_distance()
    with only(engine, terms=KL_ALONE):
        # Micro-batches of one first: the first after an update must already see it.
        found["copied"] = update(engine, bare, micro_batch_size_per_gpu=1)
        found["copied, diagnosed"] = update(engine, rows, diagnose=True)
    return found


def compare_splits(folder: Path, tied: bool, engine: ClinicEngine) -> dict[str, Any]:
    """One batch in many ways, with a teacher that differs."""
    rows = make_rows()
    found: dict[str, Any] = {
        "all": update(engine, rows),
        "micro 1": update(engine, rows, micro_batch_size_per_gpu=1),
        "dynamic": update(engine, rows, use_dynamic_bsz=True, max_token_len_per_gpu=30),
        "packed": update(engine, rows, use_remove_padding=True),
        "diagnosed": update(engine, rows, diagnose=True),
    }
    with only(engine, pad_to_length=True, pad_to_length_bucket=50):
        found["packed in buckets"] = update(engine, rows, use_remove_padding=True)
    with only(engine, terms=KL_ALONE):
        found["kl"] = update(engine, rows)
        found["idle rank"] = update(engine, rows[:4] + without_turns(rows[4:]))
        found["nothing"] = update(engine, without_turns(rows))
    with only(engine, terms=POLICY_ALONE):
        found["policy"] = update(engine, rows)
    with only(engine, distillation=None):
        found["verl"] = update(engine, rows)
    found["reference"] = reference(folder, tied, engine, rows)
    found["idle reference"] = reference(folder, tied, engine, rows[:4])
    return found


def compare_paddings(engine: ClinicEngine) -> dict[str, Any]:
    """verl's synthetic rows beside real ones."""
    rows = make_rows()[:4]
    return {
        "unpadded": update(engine, rows, micro_batch_size_per_gpu=2),
        "micro 1": update(engine, rows, padded=4, micro_batch_size_per_gpu=1),
        "micro 4": update(engine, rows, padded=4, micro_batch_size_per_gpu=4),
    }


def compare_options(engine: ClinicEngine) -> dict[str, Any]:
    """The estimators, the reductions, and dropped turns."""
    rows = make_rows()
    found = {}
    for name, changed in {
        "full": {},
        "topk_tail": {"estimator": "topk_tail", "k": 16},
        "k2": {"estimator": "k2"},
        "sum_turns": {"reduce": "sum_turns"},
        "mean_tokens": {"reduce": "mean_tokens"},
        "chunk": {"chunk": 512},
    }.items():
        with only(engine, distillation=dataclasses.replace(SETTINGS, **changed)):
            found[name] = update(engine, rows)
    with only(engine, distillation=dataclasses.replace(SETTINGS, reduce="mean_tokens")):
        found["mean_tokens, micro 1"] = update(engine, rows, micro_batch_size_per_gpu=1)
    found["dropped"] = update(engine, without_turn(rows, 2))
    with only(engine, terms=POLICY_ALONE):
        found["policy"] = update(engine, rows)
        found["policy, dropped"] = update(engine, without_turn(rows, 2))
    return found


def inspect_adapter(engine: ClinicEngine) -> dict[str, Any]:
    """What trains, what is sent to the rollouts, what the optimiser and the average move."""
    named = dict(engine.module.named_parameters())

    def weights() -> dict[str, torch.Tensor]:
        return {name: whole(parameter) for name, parameter in named.items()}

    found: dict[str, Any] = {
        "trained": [name for name, parameter in named.items() if parameter.requires_grad],
        "checkpointed": engine.module.is_gradient_checkpointing,
        "before": weights(),
    }
    for merge in (False, True):
        engine.model_config.lora["merge"] = merge
        for adapters_alone in (True, False):
            sent, _ = engine.get_per_tensor_param(base_sync_done=adapters_alone)
            # What verl sends may still be the weights themselves.
            found[f"sent, {merge}, {adapters_alone}"] = {n: whole(v) for n, v in sent}
    found["after sync"] = weights()
    update(engine, make_rows(), step=True)
    found["after step"] = weights()
    Seat(engine).update_teacher(0.9)
    found["after update"] = weights()
    return found


def save_and_load(folder: Path, engine: ClinicEngine) -> dict[str, Any]:
    """The teacher of this many ranks, and what is said where there is none."""
    seat, teacher = Seat(engine), engine.teacher_parameters()
    place = str(folder / f"saved_{dist.get_world_size()}_{engine.teacher_adapter}")
    seat.save_shards(place, "teacher")
    dist.barrier()
    before = {name: whole(parameter) for name, parameter in teacher}
    files = sorted(one.name for one in Path(place).iterdir())
    seat.update_teacher(0.0)
    copied = {name: whole(parameter) for name, parameter in teacher}
    seat.load_shards(place, "teacher")
    after = {name: whole(parameter) for name, parameter in teacher}
    said = []
    for wrong, where in (
        (Seat(engine, dist.get_world_size() + 1), place),
        (seat, str(folder / "nowhere")),
    ):
        try:
            wrong.load_shards(where, "teacher")
        except ConfigError as error:
            said.append(str(error))
    return {"before": before, "copied": copied, "after": after, "said": said, "files": files}


def export_adapter(folder: Path, tied: bool, engine: ClinicEngine) -> dict[str, Any]:
    """The student's adapter, and what peft loads of what was saved, on the same base."""
    place = folder / f"adapter_{dist.get_world_size()}_{tied}"
    Seat(engine).save_adapter(str(place))
    dist.barrier()
    base = AutoModelForCausalLM.from_pretrained(folder / name_of("student", tied))
    loaded = PeftModel.from_pretrained(base, str(place))
    return {
        "loaded": {n: p.detach() for n, p in loaded.named_parameters() if "lora_" in n},
        "student": {n: whole(p) for n, p in engine.student_parameters()},
        "files": sorted(one.name for one in place.iterdir() if one.suffix != ".md"),
    }


def positions_with_axes(engine: ClinicEngine) -> dict[str, Any]:
    """What the model is given where text and pictures count positions differently."""
    samples = []
    for row in make_rows()[:4]:
        text = row.fields["position_ids"]
        seen = text - (text > 1).long()  # two tokens of a picture at one position
        axes = torch.stack([text, seen, seen, seen])
        behind = torch.tensor([len(row.prompt)])  # the hint stands behind the picture
        samples.append(row.fields | {"position_ids": axes, "hint_at": behind})
    found = {}
    for packed in (False, True):
        data = batch(
            samples,
            use_remove_padding=packed,
            use_dynamic_bsz=False,
            micro_batch_size_per_gpu=2,
            temperature=TEMPERATURE,
        )
        second = prepare_micro_batches(data)[0][1]
        for name, shown in (("student", second), ("teacher", teacher_batch(second))):
            inputs, _ = engine.prepare_model_inputs(shown)
            found[f"{name}, {'packed' if packed else 'padded'}"] = inputs["position_ids"]
    return found


def refusals(engine: ClinicEngine) -> dict[str, str]:
    """What is said where a teacher cannot be."""
    layer = lora.Linear(torch.nn.Linear(4, 4), "default", LoraConfig(r=2), r=2)
    wrong: dict[str, dict[str, Any]] = {
        "engine": {},
        "sequence parallelism": {"ulysses_sequence_parallel_size": 2},
        "fused kernels": {"model_config": SimpleNamespace(use_fused_kernels=True)},
        "adapted head": {
            "module": SimpleNamespace(get_output_embeddings=lambda: layer),
            "teacher_adapter": True,
        },
    }
    said = {}
    for name, changed in wrong.items():
        with only(engine, **changed):
            try:
                engine.attach_teacher(SETTINGS, None)
            except ConfigError as error:
                said[name] = str(error)
    return said


def play(folder: Path) -> dict[str, Any]:
    """Run all comparisons on the ranks of this process's group."""
    found: dict[str, Any] = {}
    for tied in (True, False):
        for way, pair in (("full", full_pair), ("lora", lora_pair)):
            kind = f"{way}, {'tied' if tied else 'untied'}"
            engine = pair(folder, tied)
            found[f"splits: {kind}"] = compare_splits(folder, tied, engine)
            found[f"saved: {kind}"] = save_and_load(folder, engine)
            found[f"equals: {kind}"] = compare_equals(pair(folder, tied, same=True))
            if way == "lora":
                found[f"exported: {kind}"] = export_adapter(folder, tied, engine)
                found[f"adapter: {kind}"] = inspect_adapter(engine)
    engine = full_pair(folder, tied=False)
    found["paddings"] = compare_paddings(engine)
    found["options"] = compare_options(engine)
    found["positions"] = positions_with_axes(engine)
    found["refused"] = refusals(engine)
    # Every rank holds all, and gives nothing back between its passes.
    whole_on_each = {"fsdp_size": 1, "reshard_after_forward": False}
    engine = full_pair(folder, tied=True, **whole_on_each)
    found["splits: full, on each"] = {"diagnosed": update(engine, make_rows(), diagnose=True)}
    engine = full_pair(folder, tied=True, same=True, **whole_on_each)
    found["equals: full, on each"] = compare_equals(engine)
    return found


def sit(rank: int, ranks: int, folder: Path) -> None:
    """Be one rank of a group."""
    log = (folder / f"log_{rank}_of_{ranks}").open("w")
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": "0"}
    meeting = f"file://{folder}/meeting_{ranks}"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=ranks)
    found = play(folder)
    if not rank:
        torch.save(found, folder / f"ranks_{ranks}.pt")
    dist.barrier()
    dist.destroy_process_group()


def main(folder: Path) -> int:
    """Run a group of one and a group of two at once; they share what is imported."""
    write_models(folder)
    context = multiprocessing.get_context("fork")
    started = [
        context.Process(target=sit, args=(rank, ranks, folder))
        for ranks in (1, 2)
        for rank in range(ranks)
    ]
    for process in started:
        process.start()
    end = time.monotonic() + LIMIT_S
    while any(process.exitcode is None for process in started) and time.monotonic() < end:
        if any(process.exitcode for process in started):
            break  # who waits for a rank that failed waits for ever
        time.sleep(0.1)
    for process in started:
        process.kill()
        process.join()
    return int(any(process.exitcode for process in started))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
