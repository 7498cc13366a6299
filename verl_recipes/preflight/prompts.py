"""What a model is to read: its chat template, the prompts of the tasks, the hints of a teacher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import orjson

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.taskset import first
from verl_recipes import settings
from verl_recipes.agent_loop.environment import is_training, open_all
from verl_recipes.preflight import model
from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult

SAMPLED_TASKS = 100
"""Tasks whose answers no hint may name, and whose prompts may hold no hint."""


def check(config: Any, tokenizer: Any, processor: Any) -> Iterator[CheckResult]:
    """Yield the results for a model that is there; ``data.model_type`` is its.

    Raises:
        ConfigError: If a prompt is too long, or has no place for a hint; the error names the
            stage, if it is one's.
    """
    clinic, data = settings.from_config(config), config.data
    for name, env in open_all(data, data.train_files).items():
        yield _template(tokenizer, name, env, clinic)
        if clinic.hints.mode != "none":
            yield from _leaks(env, clinic.hints.path)
    splits = {str(data.train_files): data.train_max_samples}
    splits.setdefault(str(data.val_files), data.val_max_samples)
    for split, most in splits.items():
        yield from _prompts(clinic, data, split, most, tokenizer, processor)
    for name, staged in _of_stages(clinic, data).items():
        split, most = str(staged.train_files), staged.get("train_max_samples", -1)
        try:
            yield from _prompts(clinic, staged, split, most, tokenizer, processor)
        except ConfigError as error:
            raise ConfigError(f"clinic.stages: {name}: {error}") from error


def _of_stages(clinic: settings.ClinicSettings, data: Any) -> dict[str, Any]:
    """Return the data of each stage whose rows no earlier one has, by its name."""
    if not clinic.stages:
        return {}
    from verl_recipes.schedule.trainer import staged_data

    seen, found = {_rows_key(clinic)}, {}
    for number, stage in enumerate(clinic.stages, 1):
        if (key := _rows_key(clinic.in_stage(number))) not in seen:
            seen.add(key)
            found[stage.name] = staged_data(data, clinic, number)
    return found


def _rows_key(clinic: settings.ClinicSettings) -> bytes:
    """Return what the rows depend on; weights of rewards are none of it."""
    envs = [asdict(env) for env in clinic.environments]
    for env in envs:
        env["env_kwargs"] = {k: v for k, v in env["env_kwargs"].items() if k != "weights"}
    return orjson.dumps(envs)


def _template(
    tokenizer: Any, name: str, env: ClinicEnv, clinic: settings.ClinicSettings
) -> CheckResult:
    what, schemas = "chat template", env.toolbox.schemas()
    if env.dialect.inline:  # no template is asked to write or to show its calls
        fault = model.template_fault(tokenizer, [])
        if fault:
            return CheckResult(what, MISSING, fault, "choose an instruction-tuned model")
        return CheckResult(what, OK, f"not used for tools: dialect {env.dialect.name!r} is inline")
    if clinic.tools != "native":
        return CheckResult(what, OK, "not used for tools: the prompt explains them")
    if fault := model.template_fault(tokenizer, schemas):
        remedy = "choose an instruction-tuned model that calls tools, or set clinic.tools=text"
        return CheckResult(what, MISSING, fault, remedy)
    fault = model.dialect_fault(tokenizer, schemas, env.dialect)
    if fault and not clinic.tool_parser:
        remedy = "set clinic.tool_parser to verl's parser of this family"
        return CheckResult(what, WARNING, f"{name}: {fault}", remedy)
    return CheckResult(what, OK, f"shows {len(schemas)} tools and their answers")


def _leaks(env: ClinicEnv, path: str | None) -> Iterator[CheckResult]:
    from verl_recipes.ttopd import hints

    for leak in hints.static_checks(hints.load(path), answers(env)):
        yield CheckResult("hints", MISSING, leak)


def _prompts(
    clinic: settings.ClinicSettings,
    data: Any,
    split: str,
    most: int,
    tokenizer: Any,
    processor: Any,
) -> Iterator[CheckResult]:
    from verl_recipes.agent_loop.prompts import prompt
    from verl_recipes.agent_loop.rows import ClinicRows
    from verl_recipes.ttopd import hints
    from verl_recipes.ttopd.placement import HintPlacement

    told = hints.load(clinic.hints.path)
    rows = ClinicRows(split, tokenizer, data, processor, max_samples=most)
    if is_training(data, split) and len(rows) < data.train_batch_size:
        detail = f"{len(rows)} rows to train on; data.train_batch_size is {data.train_batch_size}"
        yield CheckResult("batch", MISSING, detail, "lower it")
    for pool in rows.pools:
        detail = f"{pool.name}: {pool.size:,} tasks; the longest prompt, of task "
        detail += f"{pool.longest[0]!r}, has {pool.longest[1]:,} of {pool.limit:,} tokens"
        if pool.skipped:
            detail += f"; {pool.skipped:,} longer ones are left out of the run"
        status = WARNING if pool.skipped else OK
        yield CheckResult(f"prompts of {pool.split}", status, detail)
        if clinic.hints.mode == "none":
            continue
        placement = HintPlacement(pool.tokens)
        encoded = [pool.tokens.plain(text) for text in (*told.correct, *told.incorrect)]
        for task in pool.sample(SAMPLED_TASKS):
            ids = prompt(pool.env, task, pool.tokens)
            placement.index(ids)
            if any(hints.shares_ngram(ids, hint) for hint in encoded):
                said = f"the prompt of task {task.id!r} holds the words of a hint"
                yield CheckResult("hints", MISSING, said)


def answers(env: ClinicEnv) -> list[str]:
    """Return the labels and texts that may be answers of an environment."""
    found: dict[str, None] = {}
    for task in first(env.tasks, SAMPLED_TASKS):
        labels = env.domain.menu(task).answers if env.domain.menu else {}
        found |= dict.fromkeys(str(label) for label in labels)
        gold = task.gold.get("answer")
        values = gold.values() if isinstance(gold, Mapping) else [gold]
        found |= dict.fromkeys(value for value in values if isinstance(value, str))
    return list(found)
