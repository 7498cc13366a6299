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
from gym_clinic.errors import ClinicError, ConfigError, ServiceError, Terminated
from gym_clinic.evaluate.manifest import open_run
from gym_clinic.evaluate.progress import PAUSE, RunProgress
from gym_clinic.evaluate.progress import progress as show_progress
from gym_clinic.evaluate.report import markdown
from gym_clinic.evaluate.rollout import EnvPool, EpisodeRecord, EpisodeRunner, Job, episode_seed
from gym_clinic.evaluate.summary import Result, Summary, summarise
from gym_clinic.evaluate.trace import Journal, Key, redact
from gym_clinic.files import replace_file
from gym_clinic.names import at_least_one
from gym_clinic.taskset import Tasks, as_tasks, data_hash

MAX_FAILURES = 5
"""Failed episodes in a row that end a run, if nothing else is said."""


class Interrupted(KeyboardInterrupt):
    """The run was stopped from the keyboard; the message says how to resume."""


class RepeatedFailuresError(Exception):
    """Too many episodes failed in a row.

    Args:
        results: They, in the order of the run.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        self.results = results
        super().__init__(f"{len(results)} episodes failed in a row")


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
    label: str | None = None,
    max_failures: int | None = MAX_FAILURES,
) -> Summary:
    """Run a policy over a split and reduce the episodes to figures.

    ``out`` gets ``run.json`` (the settings and the tools' schemas), ``trace.jsonl`` (an episode
    a line, in the order of tasks and trials; a deterministic policy gives the same bytes at any
    concurrency), ``timing.jsonl`` (wall-clock seconds and tokens of each turn, in
    the order episodes finished), ``summary.json`` and ``summary.md``. The same call again
    continues a run that was stopped at any moment, repeats episodes that failed, and otherwise
    runs nothing; with more ``trials`` or a larger ``limit`` it adds the further ones. The code of
    the policy is part of the run's identity, see :mod:`gym_clinic.policies.identity`.

    Args:
        env_id: The environment, ``"clinic/ClinGen-v0"`` or ``"module:id"``.
        policy: Name for :func:`gym_clinic.policies.load`.
        out: Folder of the run; made if it is missing.
        split: The split whose tasks are played.
        trials: Episodes of each task; in a folder that holds a run they can be raised, not lowered.
        seed: Seeds the episodes, the sample of ``limit`` and the bootstrap.
        concurrency: Maximum number of open episodes, each with its own thread and environment.
        limit: Number of tasks: a random sample fixed by ``seed``, in the order of the split; a
            larger sample contains the smaller one, so that it can be raised like ``trials``. An
            endless split needs it.
        policy_options: Options of the policy, as plain JSON; secrets and ``concurrency`` are
            not written to files.
        env_options: Options of the environment, as plain JSON.
        progress: Show progress on standard error: a bar, or without a terminal a line now and
            then.
        label: A name for the policy in figures and files, to tell one policy with several
            options apart; by default its own.
        max_failures: Failed episodes in a row that end the run; None for no limit.

    Raises:
        ConfigError: If an argument is wrong, ``out`` holds a run with other settings or another
            policy, or the policy raised exceptions in too many episodes in a row.
        ServiceError: If the policy cannot be set up, or a service failed too many episodes in a
            row. A single failure is recorded in its episode, which is not scored.
        RuntimeError: If the environment raised another exception; it names the episode.
        Interrupted: If stopped from the keyboard; Terminated by SIGTERM, where it is handled.
    """
    for name, number in (
        ("trials", trials),
        ("concurrency", concurrency),
        ("limit", 1 if limit is None else limit),
        ("max_failures", 1 if max_failures is None else max_failures),
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
        "policy": label or policy,
        # The number of simultaneous requests changes no result.
        "policy_options": redact({k: v for k, v in given.items() if k != "concurrency"}),
        "split": split,
    }
    folder = Path(out)
    code = policies.code_of_policy(policy, clinic)
    settings = {
        **about,
        "policy_name": policy,
        "policy_code": code.files,
        "policy_version": code.version,
        "trials": trials,
        "seed": seed,
        "limit": limit,
        "tools": clinic.toolbox.schemas(),
    }
    open_run(folder, settings)
    jobs = [
        Job(task.id, trial, episode_seed(seed, task.id, trial))
        for task in tasks
        for trial in range(trials)
    ]
    keys: list[Key] = [(job.task_id, job.trial) for job in jobs]
    with Journal(folder, {(job.task_id, job.trial): job.seed for job in jobs}) as journal:
        todo = {
            number: job
            for number, (job, key) in enumerate(zip(jobs, keys, strict=True))
            if key not in journal.results
        }
        stop = threading.Event()
        run = EpisodeRunner(envs, maker, about, stop)
        shown = show_progress(about["policy"], len(jobs), len(jobs) - len(todo), shown=progress)
        try:
            _run_all(run, todo, journal, concurrency, shown, max_failures)
        except KeyboardInterrupt as stopped:
            kind = Terminated if isinstance(stopped, Terminated) else Interrupted
            raise kind(
                f"stopped: {_kept(journal, keys, folder)}; the same command continues from there"
            ) from None
        except RepeatedFailuresError as ended:
            raise _ended_early(ended.results, _kept(journal, keys, folder)) from None
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


def _kept(journal: Journal, keys: Sequence[Key], folder: Path) -> str:
    """Say what is kept of a run that ended early."""
    scored = sum(key in journal.results and journal.results[key].error is None for key in keys)
    return f"{scored} of {len(keys)} episodes are kept in {folder}"


def _ended_early(results: Sequence[Result], kept: str) -> ClinicError:
    """Return the error of a run whose last episodes all failed."""
    last = results[-1]
    many = f"{len(results)} episodes in a row" if len(results) > 1 else "an episode"
    text = f"the last: {last.error}. Ended early: {kept}"
    if last.failed_by == "policy":
        return ConfigError(
            f"the policy raised an exception in {many}, {text}, with the tracebacks; a policy "
            "whose code was changed begins anew, with another --out if any are kept"
        )
    return ServiceError(
        f"a service failed {many}, {text}; the same command continues from there "
        "(--max-failures N allows more)"
    )


def check(
    env_id: str,
    given: Mapping[str, Mapping[str, Any]] | Sequence[tuple[str, Mapping[str, Any]]],
    *,
    split: str = "test",
    env_options: Mapping[str, Any] | None = None,
) -> None:
    """Check names, options and requirements of all policies before the first episode.

    Args:
        env_id: The environment.
        given: Name and options of each policy.
        split: The split whose tasks are played.
        env_options: Options of the environment.

    Raises:
        ConfigError: If there is no such policy, it does not take these options, or it does not
            apply to this environment, such as ``rules`` where the domain has none.
        ServiceError: If a policy cannot be set up.
    """
    clinic = unwrap(make(env_id, **{**(env_options or {}), "split": split}))
    for name, options in given.items() if isinstance(given, Mapping) else given:
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
    run: EpisodeRunner,
    jobs: Mapping[int, Job],
    journal: Journal,
    concurrency: int,
    shown: RunProgress,
    max_failures: int | None,
) -> None:
    """Run every job, and write each to the journal when it finishes.

    Args:
        run: Runs one.
        jobs: Number in the whole run -> job.
        journal: Where they are written.
        concurrency: Maximum number at once.
        shown: The progress.
        max_failures: Failed jobs in a row that end the run.

    Raises:
        RepeatedFailuresError: If ``max_failures`` jobs in a row failed.
    """
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="gym-clinic")
    running: dict[Future[EpisodeRecord | None], int] = {}
    waiting = iter(jobs)
    failed: dict[int, Result] = {}
    try:
        with shown:
            while True:
                for number in waiting:
                    running[pool.submit(run, jobs[number])] = number
                    if len(running) >= concurrency:
                        break
                if not running:
                    return
                done, _ = wait(running, timeout=PAUSE, return_when=FIRST_COMPLETED)
                if not done:
                    shown.wait()
                for future in done:
                    number = running.pop(future)
                    result = _journal(future, jobs[number], journal)
                    if result is None:
                        continue
                    shown.advance(result.error is not None)
                    if result.error is not None:
                        failed[number] = result
                        in_a_row = _neighbours(failed, number)
                        if max_failures is not None and len(in_a_row) >= max_failures:
                            raise RepeatedFailuresError(in_a_row)
    except BaseException as error:
        run.stop.set()
        # It does not wait for model servers; finished episodes are kept.
        at_once = isinstance(error, KeyboardInterrupt | RepeatedFailuresError)
        pool.shutdown(wait=not at_once, cancel_futures=True)
        for future in running:
            if future.done() and not future.cancelled() and future.exception() is None:
                _journal(future, jobs[running[future]], journal)
        raise
    finally:
        pool.shutdown(wait=False)


def _neighbours(failed: Mapping[int, Result], number: int) -> list[Result]:
    """Return the failed jobs in a row around one of them.

    The order of the jobs counts, not that of their ends: an episode that fails ends sooner.
    """
    first = last = number
    while first - 1 in failed:
        first -= 1
    while last + 1 in failed:
        last += 1
    return [failed[place] for place in range(first, last + 1)]


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


def episodes(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the episodes of a ``trace.jsonl``."""
    with Path(path).open("rb") as lines:
        for line in lines:
            yield json.loads(line)
