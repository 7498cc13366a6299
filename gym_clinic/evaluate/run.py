"""Plays a policy over the tasks of a split, and keeps what happened."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from gym_clinic import policies
from gym_clinic._version import __version__
from gym_clinic.catalog import unwrap
from gym_clinic.episode import Task
from gym_clinic.errors import ClinicError, ConfigError
from gym_clinic.evaluate.report import markdown
from gym_clinic.evaluate.rollout import Envs, Job, Played, Player, episode_seed
from gym_clinic.evaluate.summary import Result, Summary, summarise
from gym_clinic.evaluate.trace import Journal, Key, encode, redact
from gym_clinic.files import replace_file
from gym_clinic.names import at_least_one
from gym_clinic.taskset import Tasks, data_hash, first


class Interrupted(KeyboardInterrupt):
    """The run was stopped from the keyboard; its text says how to resume."""


def evaluate(
    env_id: str,
    policy: str,
    *,
    out: str | Path,
    split: str = "test",
    trials: int = 4,
    seed: int = 0,
    concurrency: int = 16,
    limit: int | None = None,
    policy_options: Mapping[str, Any] | None = None,
    env_options: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Summary:
    """Play a policy over a split and reduce what happened to figures.

    ``out`` gets ``run.json`` (the settings), ``trace.jsonl`` (an episode a line, in the order
    of tasks and trials; byte for byte the same from a deterministic policy, whatever the
    concurrency), ``timing.jsonl`` (wall-clock times, in the order episodes finished),
    ``summary.json`` and ``summary.md``. The same call again continues a run that was stopped at
    any moment, plays episodes again that an outside service failed, and else plays nothing.

    Args:
        env_id: The environment, ``"clinic/ClinGen-v0"`` or ``"module:id"``.
        policy: Name for :func:`gym_clinic.policies.load`.
        out: Folder of the run, made if need be.
        split: Which tasks.
        trials: Episodes of each task.
        seed: Seeds the episodes, the sample of ``limit`` and the bootstrap.
        concurrency: Episodes under way at once, each in a thread and an environment of its own.
        limit: Play only so many tasks: a random sample fixed by ``seed``, in the order of the
            split; a larger sample holds the smaller one.
        policy_options: Options of the policy, as plain JSON; secrets among them, and
            ``concurrency``, are not written.
        env_options: Options of the environment, as plain JSON.
        progress: Show a progress bar on standard error.

    Raises:
        ConfigError: If an argument is wrong, or ``out`` holds a run of other settings.
        ServiceError: If the policy cannot be set up; a failure during an episode is recorded
            there instead, and the episode is not scored.
        RuntimeError: If environment or policy raised anything else; it names the episode.
        Interrupted: If stopped from the keyboard.
    """
    for name, number in (
        ("trials", trials),
        ("concurrency", concurrency),
        ("limit", 1 if limit is None else limit),
    ):
        at_least_one(name, number)
    chosen, given = dict(env_options or {}), dict(policy_options or {})
    if "split" in chosen:
        raise ConfigError("give the split as split, not among the options of the environment")
    envs = Envs(env_id, {**chosen, "split": split})
    clinic = unwrap(envs.take())  # for the policy to look at; it never plays
    maker = policies.load(policy, clinic, given)
    about = {
        "id": clinic.spec.id if clinic.spec else env_id,
        "env_options": redact(chosen),
        "version": __version__,
        "data": data_hash(clinic.tasks),
        "policy": policy,
        # How many requests a server is sent at once changes no result.
        "policy_options": redact({k: v for k, v in given.items() if k != "concurrency"}),
        "split": split,
    }
    folder = Path(out)
    _open_run(folder, {**about, "trials": trials, "seed": seed, "limit": limit})
    chosen_tasks = sample(clinic.tasks, limit, seed)
    jobs = [
        Job(task.id, trial, episode_seed(seed, task.id, trial))
        for task in chosen_tasks
        for trial in range(trials)
    ]
    keys: list[Key] = [(job.task_id, job.trial) for job in jobs]
    with Journal(folder, {(job.task_id, job.trial): job.seed for job in jobs}) as journal:
        todo = [job for job, key in zip(jobs, keys, strict=True) if key not in journal.results]
        stop = threading.Event()
        play = Player(envs, maker, about, stop)
        try:
            _play_all(play, todo, journal, concurrency, len(jobs) if progress else 0)
        except KeyboardInterrupt:
            raise Interrupted(
                f"stopped: {len(journal.results)} of {len(jobs)} episodes are kept in {folder}; "
                "the same command goes on from there"
            ) from None
        tasks = {task.id: task for task in chosen_tasks}
        summary = summarise(
            [journal.results[key] for key in keys],
            about=about,
            trials=trials,
            seed=seed,
            reward_range=clinic.reward_range,
            aggregate=lambda results: clinic.domain.aggregate(
                [(tasks[result.task_id], result.metrics) for result in results]
            ),
        )
        journal.finish(keys)
        replace_file(folder / "summary.md", [markdown(summary).encode()])
        text = json.dumps(summary.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        replace_file(folder / "summary.json", [text.encode(), b"\n"])
        journal.discard()
    return summary


def sample(tasks: Tasks, limit: int | None, seed: int) -> list[Task]:
    """Return ``limit`` of the tasks, drawn evenly, in their own order; all without a limit.

    With the same seed, a larger sample holds the smaller one.

    Raises:
        ConfigError: If all tasks of an endless split are asked for.
    """
    if limit is None or limit >= len(tasks):
        return first(tasks)
    draw = random.Random(f"{seed}:sample")
    if tasks.endless:
        return [tasks[draw.randrange(len(tasks))] for _ in range(limit)]
    numbers = list(range(len(tasks)))
    draw.shuffle(numbers)
    return [tasks[number] for number in sorted(numbers[:limit])]


def _play_all(
    play: Player, jobs: Sequence[Job], journal: Journal, concurrency: int, shown: int
) -> None:
    """Play every job and journal each as it finishes."""
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="gym-clinic")
    running: dict[Future[Played | None], Job] = {}
    waiting = iter(jobs)
    try:
        with _Bar(shown, shown - len(jobs)) as bar:
            while True:
                for job in waiting:
                    running[pool.submit(play, job)] = job
                    if len(running) >= concurrency:
                        break
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    bar.advance(_take(future, running.pop(future), journal))
    except BaseException as error:
        play.stop.set()
        # After Ctrl-C nobody waits for a model server; the episodes that ended are kept.
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        for future in running:
            if future.done() and not future.cancelled() and future.exception() is None:
                _take(future, running[future], journal)
        raise
    finally:
        pool.shutdown(wait=False)


def _take(future: Future[Played | None], job: Job, journal: Journal) -> Result | None:
    error = future.exception()
    if isinstance(error, KeyboardInterrupt):
        raise error  # a person who plays has left
    if error is not None:
        text = f"task {job.task_id!r}, trial {job.trial}: {type(error).__name__}: {error}"
        if isinstance(error, ClinicError):
            raise type(error)(text) from error
        raise RuntimeError(text) from error
    played = future.result()
    return None if played is None else journal.add(played.row, played.timing)


class _Bar:
    """A progress bar on standard error, or nothing."""

    def __init__(self, total: int, done: int) -> None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._errors = 0
        self._progress = Progress(
            *Progress.get_default_columns()[:2],
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            disable=not total,
        )
        self._task = self._progress.add_task("episodes", total=total, completed=done, note="")

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def advance(self, result: Result | None) -> None:
        if result is None:
            return
        self._errors += result.error is not None
        note = f"{self._errors} failed by a service" if self._errors else ""
        self._progress.update(self._task, advance=1, note=note)


def _open_run(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings of a run, or check that they are those of the run that is there."""
    manifest = folder / "run.json"
    try:
        wanted = json.loads(encode(settings))
    except TypeError as error:
        raise ConfigError(f"options must be plain JSON: {error}") from None
    if manifest.is_file():
        try:
            found = json.loads(manifest.read_bytes())
            differs = [
                f"{name} {found.get(name)!r}, not {value!r}"
                for name, value in wanted.items()
                if found.get(name) != value
            ]
        except (ValueError, AttributeError):
            raise ConfigError(
                f"{manifest} is not the manifest of a run; choose another --out"
            ) from None
        if differs:
            raise ConfigError(
                f"{folder} holds a run with {'; '.join(differs)}. Choose another --out"
            )
        return
    if any((folder / name).exists() for name in ("trace.jsonl", "journal.jsonl")):
        raise ConfigError(f"{folder} holds a trace but no run.json; choose another --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(manifest, [json.dumps(wanted, indent=2).encode(), b"\n"])
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error}") from None


def episodes(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the episodes of a ``trace.jsonl``."""
    with Path(path).open("rb") as lines:
        for line in lines:
            yield json.loads(line)
