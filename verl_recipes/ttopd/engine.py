"""verl's FSDP2 engine with a teacher in the same micro-batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from peft.tuners.tuners_utils import BaseTunerLayer
from tensordict import TensorDict
from verl.utils import tensordict_utils as tu
from verl.utils.device import get_device_id, get_device_name
from verl.utils.metric import AggregationType, Metric
from verl.workers.engine.base import EngineRegistry
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead

from gym_clinic import ConfigError
from verl_recipes.settings import TeacherSettings
from verl_recipes.ttopd import probe
from verl_recipes.ttopd.batch import (
    Rows,
    distilled_rows,
    pick,
    teacher_batch,
    within_mask,
)
from verl_recipes.ttopd.head import before_head, lm_head, local, reshard
from verl_recipes.ttopd.loss import TurnKL, turn_kl
from verl_recipes.ttopd.teacher import ema_

VENDOR = "gym_clinic"
"""``VERL_ENGINE_VENDOR`` that chooses this engine; verl's own stays registered beside it."""

TEACHER = "teacher"
"""Name of the adapter that holds the teacher under LoRA."""

SHOWN_TURNS = 10
"""Turns whose KL is logged one by one; the last counts for all further ones."""


class Terms(NamedTuple):
    """Factors of the two terms of the loss; a diagnostic pass sets one to 0."""

    policy: float = 1.0
    distill: float = 1.0


Distilled = tuple[torch.Tensor, dict[str, Metric]]
"""A micro-batch's share of the mean KL over all sequences, with a gradient; and its figures."""


@EngineRegistry.register(
    model_type="language_model", backend="fsdp2", device=["cuda", "cpu"], vendor=VENDOR
)
class ClinicEngine(FSDPEngineWithLMHead):
    """Adds lambda * KL(student || teacher) to the loss of a training micro-batch.

    The teacher runs under ``no_grad`` in the micro-batch of the student, hidden states only:
    nothing is stored between the phases, nothing has to be aligned across workers. Without a
    teacher it is verl's engine. ``teacher_engine`` holds the teacher under full fine-tuning; under
    LoRA it is None, and the teacher is a second adapter of the same module, which is built where
    ``teacher_adapter`` is set before ``initialize``.
    """

    distillation: TeacherSettings | None = None
    teacher_engine: ClinicEngine | None = None
    teacher_adapter: bool = False
    terms: Terms = Terms()

    def initialize(self) -> None:
        """Build the model; the teacher's adapter starts as the student's."""
        super().initialize()
        if self.teacher_adapter:
            teacher, student = self.teacher_parameters(), self.student_parameters()
            ema_([p for _, p in teacher], [p for _, p in student], 0.0)

    def attach_teacher(self, settings: TeacherSettings, engine: ClinicEngine | None) -> None:
        """Distil from now on; without an engine of its own the teacher is the second adapter.

        Raises:
            ConfigError: If parallelism, kernels or an adapter on the output head leave no hidden
                states to compare, or if there is no teacher to attach.
        """
        if self.ulysses_sequence_parallel_size > 1:
            raise ConfigError("a teacher needs ulysses_sequence_parallel_size=1")
        if self.model_config.use_fused_kernels:
            raise ConfigError("a teacher needs model.use_fused_kernels=false")
        if engine is None and not self.teacher_adapter:
            raise ConfigError("without LoRA a teacher needs an engine of its own")
        if isinstance(self.module.get_output_embeddings(), BaseTunerLayer):
            raise ConfigError("a teacher needs an output head without adapter: see target_modules")
        self.distillation, self.teacher_engine = settings, engine

    @property
    def shard_group(self) -> Any:
        """The ranks that hold different shards; ranks of other groups hold copies of these."""
        return self.device_mesh.get_group("fsdp")

    def teacher_parameters(self) -> list[tuple[str, torch.nn.Parameter]]:
        """Return the teacher's parameters, by name."""
        if self.teacher_engine is not None:
            return list(self.teacher_engine.module.named_parameters())
        return [(n, p) for n, p in self.module.named_parameters() if f".{TEACHER}." in n]

    def student_parameters(self) -> list[tuple[str, torch.nn.Parameter]]:
        """Return the student's parameters that the teacher follows, in the teacher's order."""
        mine = dict(self.module.named_parameters())
        names = [n.replace(f".{TEACHER}.", ".default.") for n, _ in self.teacher_parameters()]
        return [(name, mine[name]) for name in names]

    def _build_lora_module(self, module: Any) -> Any:
        module = super()._build_lora_module(module)
        if self.teacher_adapter:
            module.add_adapter(TEACHER, module.peft_config["default"])
            module.set_adapter("default")  # only it is trained
        return module

    def _build_fsdp_module(self, module: Any) -> Any:
        # verl keeps whatever is only run forward in pinned host memory: there is none without an
        # accelerator, and it is slow where the teacher fits beside the student.
        config = self.engine_config
        resident = config.forward_only and (get_device_name() == "cpu" or not config.param_offload)
        if not resident:
            return super()._build_fsdp_module(module)
        object.__setattr__(config, "forward_only", False)
        try:
            return super()._build_fsdp_module(module)
        finally:
            object.__setattr__(config, "forward_only", True)

    def forward_backward_batch(
        self, data: TensorDict, loss_function: Callable[..., Any], forward_only: bool = False
    ) -> Any:
        """Run a mini-batch; its distilled sequences are counted over all ranks first."""
        if forward_only or self.distillation is None:
            return super().forward_backward_batch(data, loss_function, forward_only)
        data["turn_ids"] = within_mask(data["turn_ids"], data["response_mask"])
        count = torch.tensor(
            float(sum(bool((row > 0).any()) for row in data["turn_ids"].unbind())),
            device=get_device_id(),
        )
        torch.distributed.all_reduce(count, group=self.get_data_parallel_group())
        tu.assign_non_tensor(data, batch_num_distilled=max(float(count), 1.0))
        if not self._diagnosed(data):
            return super().forward_backward_batch(data, loss_function, forward_only)
        return self._both_terms_apart(data, loss_function)

    def forward_step(
        self, micro_batch: TensorDict, loss_function: Callable[..., Any], forward_only: bool
    ) -> Any:
        """Run a micro-batch: verl's own step, with the distillation where there is a teacher."""
        if forward_only or self.distillation is None:
            return super().forward_step(micro_batch, loss_function, forward_only)
        micro_batch = micro_batch.to(get_device_id())
        weight = self.terms.distill * self.distillation.lam

        def both_terms(**given: Any) -> tuple[torch.Tensor, dict[str, Any]]:
            policy_loss, metrics = loss_function(**given)
            distill_loss, figures = distilled[0]
            loss = self.terms.policy * policy_loss + weight * distill_loss
            return loss, {**metrics, **figures}

        with self._distilling(micro_batch) as distilled:
            return super().forward_step(micro_batch, both_terms, forward_only)

    @contextmanager
    def _distilling(self, micro_batch: TensorDict) -> Iterator[list[Distilled]]:
        """Distil as soon as the student's hidden states are there.

        By then its logits are not: they and what the distillation holds never share the memory.

        Yields:
            A list that holds the outcome once the student has run.
        """
        rows = distilled_rows(micro_batch)
        measured = self._diagnosed(micro_batch) and self.terms.distill
        judged = self._judge(micro_batch, rows)
        plain = self._judge(micro_batch, rows, hinted=False) if measured else None
        head = lm_head(self.teacher_engine.module).detach() if self.teacher_engine else None
        found: list[Distilled] = []

        def distil(states: torch.Tensor) -> torch.Tensor:
            hidden = pick(states, micro_batch, rows.sequence, rows.student)
            found.append(self._distil(micro_batch, rows, hidden, judged, plain, head))
            if self.teacher_engine is not None:
                reshard(self.teacher_engine.module)
            return states

        with before_head(self.module, distil):
            yield found

    def _distil(
        self,
        micro_batch: TensorDict,
        rows: Rows,
        hidden: torch.Tensor,
        judged: torch.Tensor,
        plain: torch.Tensor | None,
        teacher_head: torch.Tensor | None,
    ) -> Distilled:
        how, temperature = self.distillation, float(micro_batch["temperature"])
        assert how is not None
        head = lm_head(self.module)
        kl = turn_kl(
            hidden,
            judged,
            head,
            rows.turn,
            sequence_ids=rows.sequence,
            tokens=rows.token,
            teacher_lm_head=teacher_head,
            temperature=temperature,
            estimator=how.estimator,
            k=how.k,
            reduce=how.reduce,
            chunk=how.chunk,
        )
        # Gradients are averaged over ranks: the factor makes of the micro-batches' means the
        # mean over all sequences.
        share = micro_batch["dp_size"] / micro_batch["batch_num_distilled"]
        weight = len(kl.sequences.unique()) * share
        metrics = kl_metrics(kl, kl.loss * weight, micro_batch["dp_size"])
        if plain is not None:
            found = probe.distributions(
                hidden.detach(), judged, plain, rows.token, head.detach(), teacher_head, temperature
            )
            metrics |= {
                f"ttopd/{k}": Metric(AggregationType.SUM, v * weight) for k, v in found.items()
            }
        return kl.loss * weight, metrics

    @staticmethod
    def _diagnosed(data: TensorDict) -> bool:
        return bool(tu.get_non_tensor_data(data=data, key="diagnose", default=False))

    def _judge(self, micro_batch: TensorDict, rows: Rows, *, hinted: bool = True) -> torch.Tensor:
        """Return the teacher's hidden states (N, H) at some rows; no logits are made."""
        shown = teacher_batch(micro_batch, hinted=hinted)
        inputs, _ = self.prepare_model_inputs(micro_batch=shown)
        holder = self.teacher_engine or self
        found: list[torch.Tensor] = []

        def catch(states: torch.Tensor) -> torch.Tensor:
            found.append(states)
            # Logits of one position, the least: not every model heeds logits_to_keep.
            return states[:, -1:]

        half = self._autocast_dtype != torch.float32
        precision = torch.autocast(get_device_name(), self._autocast_dtype, enabled=half)
        with torch.no_grad(), precision, self._as_teacher(), before_head(holder.module, catch):
            holder.module(**inputs, use_cache=False)
        where = rows.teacher if hinted else rows.student
        return pick(found[0], shown, rows.sequence, where)

    @contextmanager
    def _as_teacher(self) -> Iterator[None]:
        """Activate the teacher's adapter, if that is where the teacher is."""
        layers: list[Any] = []
        if self.teacher_engine is None:
            layers = [m for m in self.module.modules() if isinstance(m, BaseTunerLayer)]
        # Not set_adapter: it also switches which parameters require gradients.
        for layer in layers:
            layer._active_adapter = [TEACHER]
        try:
            yield
        finally:
            for layer in layers:
                layer._active_adapter = ["default"]

    def _both_terms_apart(self, data: TensorDict, loss_function: Callable[..., Any]) -> Any:
        """Take the gradient of each term alone; their sum is what the optimiser sees."""
        outputs: list[Any] = []
        gradients: list[list[torch.Tensor | None]] = []
        for terms in (Terms(distill=0.0), Terms(policy=0.0)):
            self.terms = terms
            try:
                self.optimizer_zero_grad()
                outputs.append(super().forward_backward_batch(data.clone(), loss_function, False))
            finally:
                self.terms = Terms()
            gradients.append([p.grad for p in self.module.parameters()])
        totals = torch.zeros(3, dtype=torch.float64, device=get_device_id())
        for parameter, one, other in zip(self.module.parameters(), *gradients, strict=True):
            if one is None and other is None:
                continue
            one = torch.zeros_like(parameter) if one is None else one
            other = torch.zeros_like(parameter) if other is None else other
            a, b = (local(g).double().flatten() for g in (one, other))
            totals += torch.stack([a @ a, b @ b, a @ b]).to(totals.device)
            parameter.grad = one + other
        torch.distributed.all_reduce(totals, group=self.shard_group)
        policy, distill, dot = totals.tolist()
        found = {
            "grad_policy": policy**0.5,
            "grad_distill": distill**0.5,
            "grad_ratio": (distill / policy) ** 0.5 if policy else 0.0,
            "grad_cosine": dot / (policy * distill) ** 0.5 if policy * distill else 0.0,
        }
        outputs[1]["metrics"] |= {
            f"ttopd/{name}": Metric(AggregationType.MEAN, value) for name, value in found.items()
        }
        losses = zip(outputs[0]["loss"], outputs[1]["loss"], strict=True)
        outputs[1]["loss"] = [a + b for a, b in losses]
        return outputs[1]


def kl_metrics(kl: TurnKL, distilled: torch.Tensor, ranks: int) -> dict[str, Metric]:
    """Return the KL of a micro-batch for the logs: of all, and by the turn's number.

    verl takes means over ranks and sums over micro-batches.
    """
    metrics = {"ttopd/kl": Metric(AggregationType.SUM, distilled.detach())}
    numbers = kl.turns.clamp(max=SHOWN_TURNS)
    for number in range(1, SHOWN_TURNS + 1):
        chosen = kl.per_turn[numbers == number]
        of = f"ttopd/kl_turn_{number}"
        metrics[f"{of}/total"] = Metric(AggregationType.SUM, float(chosen.sum()) * ranks)
        metrics[f"{of}/count"] = Metric(AggregationType.SUM, float(len(chosen)) * ranks)
    return metrics
