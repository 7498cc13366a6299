"""Run as a program: an engine with a teacher over trajectories with images, on one rank.

Writes what the engine and the same models without verl computed to ``images.pt`` in a folder.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from engine_pairs import SETTINGS, backward, engine_of, only
from engine_rows import TEMPERATURE
from image_rollouts import CALLS, as_stored, micro_batch, played, positions_of
from tiny_vision import FAMILIES, make_model, make_processor
from torch.nn import functional

from gym_clinic import ClinicEnv
from verl_recipes.cpu.tiny import corpus, train_tokenizer
from verl_recipes.ttopd.engine import ClinicEngine, Terms

Row = dict[str, Any]


def rows_of(processor: Any, family: str) -> list[Row]:
    """Return trajectories with two images and more, as the trainer stores them."""
    scripts = (
        CALLS.__getitem__,
        lambda turn: CALLS[1],
        lambda turn: "It is 5 mg.",
        lambda turn: CALLS[0],
    )
    found = []
    for script in scripts:
        out, _ = played(processor, family, script, method="ttopd")
        row = as_stored(out, processor)
        count = len(row["responses"])
        row |= {"loss_mask": row["response_mask"], "advantages": torch.zeros(count)}
        found.append(row | {"old_log_probs": torch.full((count,), -4.85)})
    return found


def without_hint(row: Row) -> Row:
    return row | {"hint_ids": row["hint_ids"][:0]}


def logits(model: Any, row: Row, ids: torch.Tensor, processor: Any) -> torch.Tensor:
    """Return the model's logits of a whole sequence, (tokens, V), without verl."""
    inputs = {k: row["multi_modal_inputs"][k] for k in ("pixel_values", "image_grid_thw")}
    seen = positions_of(ids, inputs, processor)
    positions = torch.cat([torch.arange(len(ids))[None], seen])[:, None]
    ones = torch.ones_like(ids)[None]
    return model(input_ids=ids[None], attention_mask=ones, position_ids=positions, **inputs).logits[
        0
    ]


def reference(student: Any, teacher: Any, rows: list[Row], processor: Any) -> torch.Tensor:
    """Return the KL of the teacher's turns: over tokens, turns and sequences."""
    of_rows = []
    for row in rows:
        at, length = int(row["hint_at"]), len(row["responses"])
        ids = row["input_ids"]
        shown = torch.cat([ids[:at], row["hint_ids"], ids[at:]])
        log_p, log_q = (
            functional.log_softmax(
                logits(model, row, read, processor)[-length - 1 : -1] / TEMPERATURE, -1
            )
            for model, read in ((student, ids), (teacher, shown))
        )
        kl = functional.kl_div(log_q.detach(), log_p, log_target=True, reduction="none").sum(-1)
        turns = row["turn_ids"]
        numbers = [int(number) for number in turns.unique() if number]
        of_rows.append(torch.stack([kl[turns == n].mean() for n in numbers]).mean())
    return torch.stack(of_rows).mean()


def update(engine: ClinicEngine, rows: list[Row], **settings: Any) -> dict[str, Any]:
    chosen = {
        "use_remove_padding": False,
        "use_dynamic_bsz": False,
        "micro_batch_size_per_gpu": 2,
        "max_token_len_per_gpu": 4_096,
        "use_fused_kernels": False,
        "calculate_entropy": False,
        "global_batch_size": len(rows),
        "temperature": TEMPERATURE,
    }
    data = micro_batch(rows, **(chosen | settings))
    out, gradients = backward(engine, data)
    return {"loss": float(sum(out["loss"])), "gradients": gradients}


def compare(folder: Path, family: str, tokenizer: Any) -> dict[str, Any]:
    """Return the losses and gradients of a family's models."""
    processor = make_processor(tokenizer, family)
    models = [make_model(processor, family, seed) for seed in (0, 1)]
    paths = [folder / f"{family}_{role}" for role in ("student", "teacher")]
    for model, path in zip(models, paths, strict=True):
        model.save_pretrained(path)
    rows = rows_of(processor, family)
    found: dict[str, Any] = {}
    for name, teacher in (("hinted", models[0]), ("other", models[1])):
        # Before any engine is there: verl patches the classes of the models.
        kl = reference(models[0], teacher, rows, processor) * SETTINGS.lam
        named = {n: p for n, p in models[0].named_parameters() if p.requires_grad}
        gradients = torch.autograd.grad(kl, list(named.values()), allow_unused=True)
        pairs = zip(named, gradients, strict=True)
        found[f"{name}, reference"] = {
            "loss": kl.item(),
            "gradients": {n: g for n, g in pairs if g is not None},
        }
    made = partial(engine_of, packs=False)  # verl packs images for flash attention alone
    engine = made(paths[0])
    with only(engine, terms=Terms(policy=0.0)):
        engine.attach_teacher(SETTINGS, made(paths[0], forward_only=True))
        found["equal"] = update(engine, [without_hint(row) for row in rows])
        found["hinted"] = update(engine, rows)
        engine.attach_teacher(SETTINGS, made(paths[1], forward_only=True))
        found["other"] = update(engine, rows)
        found["micro 1"] = update(engine, rows, micro_batch_size_per_gpu=1)
    return found


def main(folder: Path) -> int:
    """Run both families."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=0, world_size=1)
    texts = chain.from_iterable(corpus(ClinicEnv(n)) for n in ("tiny_domain:INTERACTIONS",))
    tokenizer = train_tokenizer(texts, vocab=700, positions=4_096)
    found = {family: compare(folder, family, tokenizer) for family in FAMILIES}
    torch.save(found, folder / "images.pt")
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
