"""What the distillation loss costs beside a plain policy-gradient loss, measured in one run.

Run: ``python bench/ttopd_kl.py`` (prints times, peaks and ratios; asserts nothing). With a GPU the
sizes are those of a 9B model in bf16; without one they are small, in fp32 on one thread, and the
targets are not measured. Times are medians of interleaved repeats of forward and backward; on a
CPU processor time, which other work on the machine does not lengthen. Peak memory is what a case
allocates at most beyond its inputs: on a GPU by torch's own count, on a CPU as the growth of the
resident set of a process started for that case alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib.util
import itertools
import multiprocessing
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import torch
import torch.nn.functional as nn
from decoder import Backbone
from torch import Tensor

from gym_clinic.files import replace_file
from verl_recipes.ttopd.loss import turn_kl

PLAIN = "policy gradient"
ESTIMATORS = ("full", "topk_tail", "k2")
ARMS = (PLAIN, *ESTIMATORS)
TURN = 256
"""Tokens of a turn."""
POLICY = 0.6
"""Share of an update's tokens that the policy wrote; prompts and tool results are the rest. Plain
verl computes logits for all of them, the distillation for the policy's."""
GPUS = 8
"""Over which the target has a fully fine-tuned model sharded."""
MIB, GIB = 2**20, 2**30


@dataclass(frozen=True)
class Sizes:
    """What is measured on a device."""

    device: str
    dtype: torch.dtype
    vocabularies: tuple[int, ...]
    tokens: tuple[int, ...]
    hidden: int
    chunk: int
    layers: int
    update_vocabulary: int
    update_tokens: int
    update_hidden: int


GPU = Sizes(
    device="cuda",
    dtype=torch.bfloat16,
    vocabularies=(32_000, 151_936, 248_320),
    tokens=(1024, 4096, 12_288),
    hidden=4096,
    chunk=512,
    layers=36,
    update_vocabulary=248_320,
    update_tokens=12_288,
    update_hidden=4096,
)

CPU = Sizes(
    device="cpu",
    dtype=torch.float32,
    # An eighth of the GPU's, and an eighth of its chunk.
    vocabularies=(4000, 18_992, 31_040),
    tokens=(128, 512, 1536),
    hidden=128,
    chunk=64,
    # The head is a seventh of the weights, as in a 9B model with 248k tokens.
    layers=9,
    update_vocabulary=4096,
    update_tokens=768,
    update_hidden=256,
)


@dataclass(frozen=True)
class LossCase:
    """One loss at one size."""

    sizes: Sizes
    arm: str
    vocabulary: int
    tokens: int


def normal(*shape: int, sizes: Sizes, seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator(sizes.device).manual_seed(seed)
    made = torch.randn(*shape, generator=generator, device=sizes.device, dtype=sizes.dtype)
    return made.mul_(scale)


def sampled(count: int, vocabulary: int, device: str) -> Tensor:
    generator = torch.Generator(device).manual_seed(0)
    return torch.randint(vocabulary, (count,), generator=generator, device=device)


def log_probs(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the tokens' log-probabilities as verl takes them from whole logits."""
    if logits.dtype == torch.float32:
        chosen = logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
        return chosen - torch.stack([row.logsumexp(-1) for row in logits])
    if importlib.util.find_spec("flash_attn"):
        fused = importlib.import_module("flash_attn.ops.triton.cross_entropy")
        return -torch.as_tensor(fused.cross_entropy_loss(logits, tokens, inplace_backward=True)[0])
    # verl goes row by row here; the fused kernel is the harder one to be compared with.
    return -nn.cross_entropy(logits, tokens, reduction="none")


def policy_loss(hidden: Tensor, head: Tensor, tokens: Tensor) -> Tensor:
    """Return the clipped policy-gradient loss from whole logits."""
    found = log_probs(hidden @ head.t(), tokens).float()
    ratio = (found - found.detach()).exp()
    advantages = torch.where(tokens % 2 == 0, 1.0, -1.0)
    return -torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()


def distillation(
    estimator: str,
    student: Tensor,
    teacher: Tensor,
    head: Tensor,
    tokens: Tensor,
    chunk: int,
    share: float = 1.0,
) -> Tensor:
    turns = torch.arange(len(tokens), device=tokens.device) // TURN + 1
    turns[: round(len(tokens) * (1.0 - share))] = 0
    return turn_kl(
        student, teacher, head, turns, tokens=tokens, estimator=estimator, chunk=chunk
    ).loss


def prepared(case: LossCase) -> Callable[[], None]:
    """Return one forward and backward pass of a loss; its inputs are made now."""
    sizes = case.sizes
    student = normal(case.tokens, sizes.hidden, sizes=sizes, seed=1).requires_grad_()
    teacher = normal(case.tokens, sizes.hidden, sizes=sizes, seed=2)
    head = normal(
        case.vocabulary, sizes.hidden, sizes=sizes, seed=3, scale=2.0 * sizes.hidden**-0.5
    ).requires_grad_()
    tokens = sampled(case.tokens, case.vocabulary, sizes.device)

    def run() -> None:
        if case.arm == PLAIN:
            loss = policy_loss(student, head, tokens)
        else:
            loss = distillation(case.arm, student, teacher, head, tokens, sizes.chunk)
        torch.autograd.backward(loss)
        student.grad = head.grad = None

    return run


def updates(sizes: Sizes, *, frozen: bool) -> dict[str, Callable[[], None]]:
    """Return the update phase of each arm on one sequence.

    Args:
        sizes: Of the model.
        frozen: Whether the weights get no gradient (LoRA, its adapters left out; the teacher is
            then the same weights) or all do (the teacher is a second model).
    """
    width, count = sizes.update_hidden, sizes.update_tokens
    student = Backbone(sizes.layers, width, sizes.device, sizes.dtype)
    teacher = student if frozen else Backbone(sizes.layers, width, sizes.device, sizes.dtype)
    head = normal(sizes.update_vocabulary, width, sizes=sizes, seed=3, scale=2.0 * width**-0.5)
    head.requires_grad_(not frozen)
    student.requires_grad_(not frozen)
    embedded = normal(count, width, sizes=sizes, seed=1).requires_grad_()
    tokens = sampled(count, sizes.update_vocabulary, sizes.device)

    def update(arm: str) -> None:
        judged = None
        if arm != PLAIN:
            with torch.no_grad():
                judged = teacher(embedded)
        hidden = student(embedded)
        added = None
        if judged is not None:  # before the student's logits are there, as in the engine
            added = distillation(arm, hidden, judged, head, tokens, sizes.chunk, POLICY)
        loss = policy_loss(hidden, head, tokens)
        torch.autograd.backward(loss if added is None else loss + 4.0 * added)
        embedded.grad = head.grad = None
        student.zero_grad(set_to_none=True)

    return {arm: partial(update, arm) for arm in ARMS}


def weights(sizes: Sizes) -> int:
    """Return the number of weights of the update phase's model."""
    layer = Backbone(1, sizes.update_hidden, sizes.device, sizes.dtype)
    count = sizes.layers * sum(parameter.numel() for parameter in layer.parameters())
    return count + sizes.update_vocabulary * sizes.update_hidden


def seconds(run: Callable[[], None], device: str) -> float:
    """Return what one run takes."""
    if device == "cpu":
        start = time.process_time()
        run()
        return time.process_time() - start
    torch.cuda.synchronize()
    start = time.perf_counter()
    run()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def interleaved(runs: dict[str, Callable[[], None]], device: str, repeats: int) -> dict[str, float]:
    """Return the median seconds of each, taken in turn after one run to warm up."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for round_, (name, run) in itertools.product(range(repeats + 1), runs.items()):
        found = seconds(run, device)
        if round_:
            taken[name].append(found)
    return {name: statistics.median(found) for name, found in taken.items()}


def allocated(run: Callable[[], None]) -> int:
    """Return the bytes that a run allocates at most on the GPU beyond what is there."""
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run()
    return torch.cuda.max_memory_allocated() - before


def most() -> int:
    """Return the most bytes that this process has had in memory."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def now() -> int:
    """Return the bytes that this process has in memory; where that is not told, the most."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        return most()
    return int(pages.read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def grown(case: LossCase) -> int:
    """Return the bytes by which a case grows a fresh process; runs in that process."""
    torch.set_num_threads(1)
    prepared(dataclasses.replace(case, vocabulary=160, tokens=8))()  # libraries take theirs
    run = prepared(case)
    before = now()
    run()
    return most() - before


def grown_update(sizes: Sizes, frozen: bool, arm: str) -> int:
    """As ``grown``, for the update phase."""
    torch.set_num_threads(1)
    updates(dataclasses.replace(sizes, update_tokens=8, layers=1), frozen=frozen)[arm]()
    run = updates(sizes, frozen=frozen)[arm]
    before = now()
    run()
    return most() - before


def fresh(function: Callable[..., int], calls: list[tuple[Any, ...]]) -> list[int]:
    """Call a function once in a new process each."""
    # Else freed blocks stay with the process, and which ones depends on their order.
    os.environ["MALLOC_MMAP_THRESHOLD_"] = str(MIB)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "verl_recipes.ttopd.loss"])
    found = []
    for call in calls:
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            found.append(pool.submit(function, *call).result())
    return found


def losses(sizes: Sizes, repeats: int) -> Iterator[dict[str, Any]]:
    """Print and yield time and peak of each loss at each size."""
    print(f"\nloss alone, forward and backward, hidden {sizes.hidden}, {sizes.dtype}, "
          f"chunks of {sizes.chunk}, all tokens the policy's")  # fmt: skip
    print(
        f"{'vocabulary':>10} {'tokens':>7}  {'loss':<16}{'ms':>9}{'ratio':>7}{'MiB':>9}{'ratio':>7}"
    )
    for vocabulary, tokens in itertools.product(sizes.vocabularies, sizes.tokens):
        cases = {arm: LossCase(sizes, arm, vocabulary, tokens) for arm in ARMS}
        runs = {arm: prepared(case) for arm, case in cases.items()}
        taken = interleaved(runs, sizes.device, repeats)
        if sizes.device == "cuda":
            peaks = [allocated(run) for run in runs.values()]
        else:
            peaks = fresh(grown, [(case,) for case in cases.values()])
        peak = dict(zip(ARMS, peaks, strict=True))
        for arm in ARMS:
            print(
                f"{vocabulary:>10,} {tokens:>7,}  {arm:<16}{taken[arm] * 1e3:>9.1f}"
                f"{taken[arm] / taken[PLAIN]:>7.2f}{peak[arm] / MIB:>9.0f}"
                f"{peak[arm] / peak[PLAIN]:>7.2f}"
            )
            yield {
                "what": "loss",
                "loss": arm,
                "vocabulary": vocabulary,
                "tokens": tokens,
                "seconds": taken[arm],
                "peak_bytes": peak[arm],
            }


def update_phase(sizes: Sizes, repeats: int) -> Iterator[dict[str, Any]]:
    """Print and yield what the distillation adds to a whole update, the teacher's run included."""
    print(f"\nupdate phase, {sizes.layers} layers of width {sizes.update_hidden}, "
          f"{sizes.update_tokens:,} tokens, {POLICY:.0%} the policy's, "
          f"vocabulary {sizes.update_vocabulary:,}")  # fmt: skip
    for frozen, name in ((False, "full fine-tuning"), (True, "LoRA")):
        runs = updates(sizes, frozen=frozen)
        taken = interleaved(runs, sizes.device, repeats)
        if sizes.device == "cuda":
            peaks = [allocated(run) for run in runs.values()]
        else:
            peaks = fresh(grown_update, [(sizes, frozen, arm) for arm in ARMS])
        peak = dict(zip(ARMS, peaks, strict=True))
        shard = 0 if frozen else 4 * weights(sizes) // GPUS
        for arm in ARMS:
            more = peak[arm] - peak[PLAIN]
            print(
                f"{name:<17} {arm:<16}{taken[arm] * 1e3:>9.1f} ms, ratio "
                f"{taken[arm] / taken[PLAIN]:.2f}, {peak[arm] / MIB:.0f} MiB ({more / MIB:+.0f})"
                + (f", and the teacher's fp32 shard of {GPUS}: {shard / MIB:.0f} MiB"
                   if shard and arm != PLAIN else "")
            )  # fmt: skip
            yield {
                "what": "update",
                "loss": arm,
                "lora": frozen,
                "seconds": taken[arm],
                "peak_bytes": peak[arm],
                "teacher_shard_bytes": shard,
            }
        if sizes.device == "cuda":
            ratio, more = taken["full"] / taken[PLAIN], peak["full"] - peak[PLAIN] + shard
            print(f"  target: ratio {ratio:.2f} of at most 1.30, "
                  f"{more / GIB:.2f} GiB of at most {3 if frozen else 6}")  # fmt: skip


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest sizes, for a check")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    there = torch.cuda.is_available()
    # Else processor time would count threads that wait for one another.
    torch.set_num_threads(1)
    sizes, repeats = (GPU, 7) if there else (CPU, 3)
    if options.quick:
        sizes, repeats = dataclasses.replace(
            sizes,
            vocabularies=sizes.vocabularies[:1],
            tokens=sizes.tokens[:1],
            layers=2,
            update_tokens=sizes.update_tokens // 8,
        ), 1  # fmt: skip
    device = torch.cuda.get_device_name() if there else "CPU, 1 thread"
    print(f"{device}, torch {torch.__version__}")
    rows = [*losses(sizes, repeats), *update_phase(sizes, repeats)]
    if not there:
        print("\nno GPU: the targets (update phase at most 1.30 times GRPO's; at most 3 GiB more "
              "with LoRA, 6 GiB fully fine-tuned) are not measured")  # fmt: skip
    if options.json:
        head = {
            "device": device,
            "torch": torch.__version__,
            "date": datetime.date.today().isoformat(),
            "rows": rows,
        }
        replace_file(options.json, [orjson.dumps(head, option=orjson.OPT_INDENT_2)])


if __name__ == "__main__":
    main()
