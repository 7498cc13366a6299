"""Runs a policy over the tasks of a split, and records every episode."""

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
from gym_clinic.catalog import make, unwrap
from gym_clinic.episode import Task
from gym_clinic.errors import ClinicError, ConfigError
from gym_clinic.evaluate.report import markdown
from gym_clinic.evaluate.rollout import EnvPool, EpisodeRecord, EpisodeRunner, Job, episode_seed
from gym_clinic.evaluate.summary import Result, Summary, summarise
from gym_clinic.evaluate.trace import JOURNAL, TRACE, Journal, Key, encode, redact
from gym_clinic.files import replace_file
from gym_clinic.names import at_least_one
from gym_clinic.taskset import Tasks, as_tasks, data_hash


class Interrupted(KeyboardInterrupt):
    """The run was stopped from the keyboard; the message says how to resume."""


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
    """Run a policy over a split and reduce the episodes to figures.

    ``out`` gets ``run.json`` (the settings and the tools' schemas), ``trace.jsonl`` (an episode
    a line, in the order of tasks and trials; a deterministic policy gives the same bytes at any
    concurrency), ``timing.jsonl`` (wall-clock seconds and tokens of each turn, in
    the order episodes finished), ``summary.json`` and ``summary.md``. The same call again
    continues a run that was stopped at any moment, repeats episodes that an outside service
    failed, and otherwise runs nothing; with more ``trials`` it adds the further ones.

    Args:
        env_id: The environment, ``"clinic/ClinGen-v0"`` or ``"module:id"``.
        policy: Name for :func:`gym_clinic.policies.load`.
        out: Folder of the run; made if it is missing.
        split: The split whose tasks are played.
        trials: Episodes of each task; in a folder that holds a run they can be raised, not lowered.
        seed: Seeds the episodes, the sample of ``limit`` and the bootstrap.
        concurrency: Maximum number of open episodes, each with its own thread and environment.
        limit: Number of tasks: a random sample fixed by ``seed``, in the order of the split; a
            larger sample contains the smaller one. An endless split needs it.
        policy_options: Options of the policy, as plain JSON; secrets and ``concurrency`` are
            not written to files.
        env_options: Options of the environment, as plain JSON.
        progress: Show a progress bar on standard error.

    Raises:
        ConfigError: If an argument is wrong, or ``out`` holds a run with other settings.
        ServiceError: If the policy cannot be set up; a failure during an episode is recorded
            there instead, and the episode is not scored.
        RuntimeError: If the environment or the policy raised another exception; it names the
            episode.
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
        raise ConfigError("give the split as the argument split, not in env_options")
    envs = EnvPool(env_id, {**chosen, "split": split})
    clinic = unwrap(envs.take())  # the policy is made for this environment; no episode is run in it
    maker = policies.load(policy, clinic, given)
    tasks = sample(clinic.tasks, limit, seed)
    about = {
        "id": clinic.spec.id if clinic.spec else env_id,
        "env_options": redact(chosen),
        "version": __version__,
        "data": data_hash(clinic.tasks, clinic.domain.scoring()),
        "policy": policy,
        # The number of simultaneous requests changes no result.
        "policy_options": redact({k: v for k, v in given.items() if k != "concurrency"}),
        "split": split,
    }
    folder = Path(out)
    settings = {**about, "trials": trials, "seed": seed, "limit": limit}
    _open_run(folder, {**settings, "tools": clinic.toolbox.schemas()})
    jobs = [
        Job(task.id, trial, episode_seed(seed, task.id, trial))
        for task in tasks
        for trial in range(trials)
    ]
    keys: list[Key] = [(job.task_id, job.trial) for job in jobs]
    with Journal(folder, {(job.task_id, job.trial): job.seed for job in jobs}) as journal:
        todo = [job for job, key in zip(jobs, keys, strict=True) if key not in journal.results]
        stop = threading.Event()
        run = EpisodeRunner(envs, maker, about, stop)
        try:
            _run_all(run, todo, journal, concurrency, len(jobs) if progress else 0)
        except KeyboardInterrupt:
            raise Interrupted(
                f"stopped: {len(journal.results)} of {len(jobs)} episodes are kept in {folder}; "
                "the same command continues from there"
            ) from None
        # The golds are joined only now, by task id: for the classes and the domain's figures.
        by_id = {task.id: task for task in tasks}
        classes = clinic.domain.classes
        summary = summarise(
            [journal.results[key] for key in keys],
            about=about,
            trials=trials,
            seed=seed,
            reward_range=clinic.reward_range,
            classes=classes and {name: classes(task) for name, task in by_id.items()},
            aggregate=lambda results: clinic.domain.aggregate(
                [(by_id[result.task_id], result.metrics) for result in results]
            ),
        )
        journal.finish(keys)
        replace_file(folder / "summary.md", [markdown(summary).encode()])
        text = json.dumps(summary.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        replace_file(folder / "summary.json", [text.encode(), b"\n"])
        journal.discard()
    return summary


def check(
    env_id: str,
    given: Mapping[str, Mapping[str, Any]],
    *,
    split: str = "test",
    env_options: Mapping[str, Any] | None = None,
) -> None:
    """Check names, options and requirements of all policies before the first episode.

    Args:
        env_id: The environment.
        given: Name of each policy -> its options.
        split: The split whose tasks are played.
        env_options: Options of the environment.

    Raises:
        ConfigError: If there is no such policy, it does not take these options, or it does not
            apply to this environment, such as ``rules`` where the domain has none.
        ServiceError: If a policy cannot be set up.
    """
    clinic = unwrap(make(env_id, **{**(env_options or {}), "split": split}))
    for name, options in given.items():
        policies.load(name, clinic, options)


def sample(tasks: Sequence[Task] | Tasks, limit: int | None, seed: int) -> list[Task]:
    """Return a random sample of ``limit`` tasks in their own order; all without a limit.

    With the same seed, a larger sample contains the smaller one.

    Raises:
        ConfigError: If an endless split is given without a limit.
    """
    listed = as_tasks(tasks)
    if listed.endless:
        if limit is None:
            raise ConfigError("an endless split needs a limit: how many tasks to run")
        source = random.Random(f"{seed}:sample")
        drawn: dict[int, None] = {}
        while len(drawn) < limit:
            drawn[source.randrange(len(listed))] = None
        return [listed[position] for position in sorted(drawn)]
    numbers = list(range(len(listed)))
    if limit is not None and limit < len(numbers):
        random.Random(f"{seed}:sample").shuffle(numbers)
        numbers = sorted(numbers[:limit])
    return [listed[number] for number in numbers]


def _run_all(
    run: EpisodeRunner, jobs: Sequence[Job], journal: Journal, concurrency: int, shown: int
) -> None:
    """Run every job, and write each to the journal when it finishes."""
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="gym-clinic")
    running: dict[Future[EpisodeRecord | None], Job] = {}
    waiting = iter(jobs)
    try:
        with _Bar(shown, shown - len(jobs)) as bar:
            while True:
                for job in waiting:
                    running[pool.submit(run, job)] = job
                    if len(running) >= concurrency:
                        break
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    bar.advance(_journal(future, running.pop(future), journal))
    except BaseException as error:
        run.stop.set()
        # After Ctrl-C it does not wait for model servers; finished episodes are kept.
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        for future in running:
            if future.done() and not future.cancelled() and future.exception() is None:
                _journal(future, running[future], journal)
        raise
    finally:
        pool.shutdown(wait=False)


def _journal(future: Future[EpisodeRecord | None], job: Job, journal: Journal) -> Result | None:
    error = future.exception()
    if isinstance(error, KeyboardInterrupt):
        raise error  # a human player has quit
    if error is not None:
        text = f"task {job.task_id!r}, trial {job.trial}: {type(error).__name__}: {error}"
        if isinstance(error, ClinicError):
            raise type(error)(text) from error
        raise RuntimeError(text) from error
    recorded = future.result()
    return None if recorded is None else journal.add(recorded.row, recorded.timing)


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
    """Write the settings of a run, or check them against the run in the folder.

    With more trials than the run in the folder has, the settings are written again.
    """
    manifest = folder / "run.json"
    try:
        wanted = json.loads(encode(settings))
    except TypeError as error:
        raise ConfigError(f"options must be plain JSON: {error}") from None
    if manifest.is_file():
        found = _read_settings(manifest)
        differs = [name for name, value in wanted.items() if found.get(name) != value]
        if differs == ["trials"] and isinstance(found.get("trials"), int):
            if found["trials"] > wanted["trials"]:
                raise ConfigError(
                    f"{folder} holds a run with {found['trials']} trials, not {wanted['trials']}: "
                    "they can be raised, not lowered. Choose another --out"
                )
        elif differs:
            named = [
                "other tools" if name == "tools" else f"{name} {found.get(name)!r}, not {value!r}"
                for name, value in ((name, wanted[name]) for name in differs)
            ]
            raise ConfigError(f"{folder} holds a run with {'; '.join(named)}. Choose another --out")
        else:
            return
    elif any((folder / name).exists() for name in (TRACE, JOURNAL)):
        raise ConfigError(f"{folder} holds a trace but no run.json; choose another --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(manifest, [json.dumps(wanted, indent=2).encode(), b"\n"])
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error}") from None


def _read_settings(manifest: Path) -> dict[str, Any]:
    try:
        found = json.loads(manifest.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ConfigError(f"{manifest} is not the manifest of a run; choose another --out")
    return found


def episodes(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the episodes of a ``trace.jsonl``."""
    with Path(path).open("rb") as lines:
        for line in lines:
            yield json.loads(line)
