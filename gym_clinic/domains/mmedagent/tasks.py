"""The tasks: a question about a simulated image, the votes of the specialists, and the gold.

The department is drawn first, so that all are equally frequent, then the question, then how many
specialists are right. All three settings share the tasks.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.domains.mmedagent.curriculum import KL, difficulty
from gym_clinic.domains.mmedagent.departments import department_of, modalities_of, specialties
from gym_clinic.domains.mmedagent.specialists import draw_votes, outside_votes
from gym_clinic.domains.mmedagent.specialists.votes import MEMBERS, ONE_RIGHT, rights_of
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.frozen import thaw
from gym_clinic.names import suggest
from gym_clinic.paths import tasks_dir
from gym_clinic.simulate.split import Split
from gym_clinic.taskset import EndlessTasks, TaskFolder, TaskList

SIZES = {"train": 2000, "dev": 300, "test": 500}
"""Split -> number of tasks."""

ENDLESS = "endless"

TRIAGE_QUESTIONS = (
    "Who should look at this image?",
    "Which of our doctors is the right one for this image?",
    "To whom do we send this image?",
    "Which department reads images like this one?",
    "Where should this patient go with this image?",
    "Who can tell us more about this image?",
)
"""What senders ask the triage doctor; none names the kind of image."""


Dealer = Callable[[str, int], int]
"""Kind of question and number of options -> the place that the right option gets."""


def make_task(
    seed: str, split: Split, level: str, rights: int | None = None, deal: Dealer | None = None
) -> Task:
    """Make the task of a seed.

    Args:
        seed: Any text; the same arguments give the same task.
        split: Whose phrases the texts have.
        level: "easy", "medium" or "hard".
        rights: How many specialists are right; drawn by the level if None.
        deal: Gives the right option its place; None leaves it where it was drawn.
    """
    from gym_clinic.domains.mmedagent.questions import draw_question

    random = Random(f"mmedagent:{split}:{seed}")
    specialty = random.choice(specialties())
    modality = random.choice(modalities_of(specialty))
    asked = draw_question(f"{split}:{seed}", split, modality)
    options, gold = dict(asked.options), asked.gold
    if deal is not None:
        options, gold = _placed(options, gold, deal(asked.kind, len(options)))
    number = rights_of(level, random) if rights is None else rights
    votes = draw_votes(options, gold, number, specialty, random)
    digest = hashlib.sha256(f"mmedagent:{split}:{seed}".encode()).hexdigest()
    return Task(
        id=f"mm-{digest[:10]}",
        record={"image": asked.image, "modality": modality, "kind": asked.kind,
                "question": asked.question, "options": options, "votes": votes,
                "outside": outside_votes(list(options), random), "seed": digest[10:20],
                "split": split},
        gold={"answer": gold, "level": difficulty([vote == gold for vote in votes]).value},
        provenance="synthetic",
    )  # fmt: skip


def _placed(options: dict[str, str], gold: str, place: int) -> tuple[dict[str, str], str]:
    """Return options with the right one at a place, and its label."""
    texts = [text for label, text in options.items() if label != gold]
    texts.insert(place, options[gold])
    labels = list(options)
    return dict(zip(labels, texts, strict=True)), labels[place]


def make_split(split: Split, count: int | None = None) -> Iterator[Task]:
    """Yield the tasks of a split.

    Levels have equal shares, one specialist is right in three of five medium tasks, and the right
    option has each place equally often in every kind of question.
    """
    size = SIZES[split] if count is None else count
    levels = list(KL)
    plan = [levels[number % len(levels)] for number in range(size)]
    ones = round(ONE_RIGHT * plan.count("medium"))
    rights = [1] * ones + [2] * (plan.count("medium") - ones)
    random = Random(f"mmedagent:plan:{split}")
    random.shuffle(rights)
    random.shuffle(plan)
    dealt: Counter[tuple[str, int]] = Counter()

    def deal(kind: str, options: int) -> int:
        dealt[kind, options] += 1
        turn, place = divmod(dealt[kind, options] - 1, options)
        return random_order(f"{split}:{kind}:{turn}", options)[place]

    for number, level in enumerate(plan):
        exact = rights.pop() if level == "medium" else MEMBERS if level == "easy" else 0
        yield make_task(str(number), split, level, exact, deal)


def random_order(seed: str, count: int) -> list[int]:
    """Return the numbers below a count in drawn order."""
    return Random(f"mmedagent:places:{seed}").sample(range(count), count)


def as_row(task: Task) -> dict[str, Any]:
    """Return a task as the line of a task file."""
    return {"id": task.id, "record": task.record, "gold": task.gold, "provenance": task.provenance}


def triage_question(record: Mapping[str, Any]) -> str:
    """Return what the sender asks the triage doctor about an image."""
    return Random(f"sender:{record.get('seed', record['question'])}").choice(TRIAGE_QUESTIONS)


def caption_of(record: Mapping[str, Any]) -> str:
    """Return an image in words: all that is in its record."""
    image = record["image"]
    if isinstance(image, str):
        return str(record.get("modality", "an image"))
    from gym_clinic.simulate.images import describe

    return describe(thaw(image))


class LevelTasks(Mapping[str, Any]):
    """The splits of a task folder, of one level or of all, and endless tasks without a folder.

    Args:
        folder: The folder; None for the embedded one.
        level: "easy", "medium", "hard", or None for all.
        departments: Whether only tasks whose department is known are kept.

    Raises:
        ConfigError: If there is no such level, or no task of it.
    """

    def __init__(
        self, folder: str | None, level: str | None = None, *, departments: bool = False
    ) -> None:
        if level is not None and (not isinstance(level, str) or level not in KL):
            raise ConfigError(f"no difficulty {level!r}; {suggest(str(level), KL)}")
        self._own = folder is None
        self._files = TaskFolder(tasks_dir("mmedagent") if folder is None else Path(folder))
        self._level, self._departments = level, departments
        self._endless = EndlessTasks(
            self._of_seed, "mm-endless" if level is None else f"mm-{level}"
        )

    def __getitem__(self, split: str) -> TaskList | EndlessTasks:
        if split == ENDLESS and self._own:
            return self._endless
        tasks = self._files[split]
        if self._level is None and (self._own or not self._departments):
            return tasks
        return _kept(tasks, self._level, self._departments)

    def size(self, split: str) -> int:
        """Return the number of tasks of a split; whole files need not be read."""
        if self._level is None and self._own and split != ENDLESS:
            return self._files.size(split)
        return len(self[split])

    def __contains__(self, split: object) -> bool:
        return split in self._files or (split == ENDLESS and self._own)

    def __iter__(self) -> Iterator[str]:
        yield from self._files
        if self._own:
            yield ENDLESS

    def __len__(self) -> int:
        return len(self._files) + self._own

    def _of_seed(self, seed: int) -> Task:
        random = Random(f"mmedagent:level:{seed}")
        level = self._level or random.choice(list(KL))
        return make_task(f"endless:{self._level}:{seed}", "train", level)


@lru_cache(maxsize=32)
def _kept(tasks: TaskList, level: str | None, departments: bool) -> TaskList:
    kept = [
        task
        for task in tasks
        if (level is None or task.gold.get("level") == level)
        and (not departments or department_of(task.record) is not None)
    ]
    if not kept:
        wanted = f"of difficulty {level!r}" if level else "of a known department"
        raise ConfigError(
            f"no task {wanted}; tasks of your own get their difficulty from opinions: "
            "gym-clinic tasks consult FOLDER"
        )
    return tasks.only(kept)
