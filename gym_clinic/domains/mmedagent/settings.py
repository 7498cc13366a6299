"""The three settings of MMedAgent-RL, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from gym_clinic.case import Case
from gym_clinic.domain import Domain, Menu, Move
from gym_clinic.domains.mmedagent import adversaries, baseline
from gym_clinic.domains.mmedagent.departments import (
    department_of,
    specialties,
    triage_options,
)
from gym_clinic.domains.mmedagent.judge import (
    OPINIONS,
    REFERRED,
    AnswerJudge,
    aggregate,
    triage_figures,
)
from gym_clinic.domains.mmedagent.pictures import copy_of, image_of
from gym_clinic.domains.mmedagent.reading import write_answer
from gym_clinic.domains.mmedagent.rewards import stated_answer
from gym_clinic.domains.mmedagent.specialists import MEMBERS, SpecialistReply
from gym_clinic.domains.mmedagent.specialists.consultants import (
    RECORDED,
    ask,
    checked_count,
    make_specialists,
)
from gym_clinic.domains.mmedagent.specialists.opinions import recorded_opinions
from gym_clinic.domains.mmedagent.tasks import LevelTasks, caption_of, triage_question
from gym_clinic.domains.mmedagent.tools import (
    ConsultCase,
    Hospital,
    consult_department,
    measure_distance,
    opinions_text,
    set_window,
    zoom,
)
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.images import MARK, DeferredIllustrated, Illustrated, plain
from gym_clinic.names import suggest
from gym_clinic.paths import tasks_dir

TURNS = 2
"""Messages to a question: the answer, and another where the first held none. Training as in the
paper, one reply to a prompt, sets ``max_turns=1``."""

CONSULT_TURNS = 8
"""Messages of a consultation: a referral, some looks, the decision, and mistakes between."""

SHOWN = ("pixels", "caption", "nothing")
"""What stands for an image."""


def triage(folder: str | None, images: str | None, shown: str) -> Domain:
    """Make the domain of ``clinic/TriageDoctor-v0``."""
    show = _shower(shown)
    where = _image_folder(folder, images)
    options = triage_options()
    labels = {specialty: label for label, specialty in options.items()}
    judge = AnswerJudge(lambda task: options, lambda task: labels[_specialty(task)])

    def ticket(task: Task) -> str | Illustrated:
        asked = _asked(triage_question(task.record), options)
        return show(task.record, partial(copy_of, task.record, where), asked)

    def metrics(episode: Episode) -> dict[str, float]:
        choice = judge.choice(episode)
        number = -1.0 if choice is None else float(list(options).index(choice))
        return {"accuracy": judge.accuracy(episode), "chosen": number}

    return Domain(
        name="mmedagent",
        policy=_policy("triage"),
        tasks=LevelTasks(folder, None, departments=True),
        rubric=judge.rubric,
        ticket=ticket,
        open_case=lambda task: Case({"question": triage_question(task.record)}),
        read_answer=_read_answer,
        success=judge.solved,
        metrics=metrics,
        aggregate=triage_figures(specialties()),
        solution=lambda task: [write_answer(labels[_specialty(task)], "It shows.")],
        menu=lambda task: Menu((), {name: write_answer(label) for label, name in options.items()}),
        classes=lambda task: _specialty(task),
        baselines={"rules": baseline.triage_rules},
        adversaries=adversaries.thoughtless(),
        explain=judge.explain,
        max_turns=TURNS,
    )


def attending(
    difficulty: str | None,
    specialists: int,
    consultant: str | Mapping[str, Any],
    folder: str | None,
    images: str | None,
    shown: str,
) -> Domain:
    """Make the domain of ``clinic/AttendingPhysician-v0``."""
    if isinstance(consultant, Mapping):
        raise ConfigError(
            "opinions of a model are recorded before training: gym-clinic tasks consult FOLDER "
            "--url … --model …, then folder=…; or consult it in clinic/MultimodalConsult-v0"
        )
    make_specialists(consultant)
    show = _shower(shown)
    where = _image_folder(folder, images)
    count = _count(specialists, consultant)
    panel = lru_cache(maxsize=256)(partial(_panel, consultant, where, count))
    judge = AnswerJudge(_options, _gold)

    def ticket(task: Task) -> str | Illustrated:
        said = opinions_text(task.record["options"], _specialty(task), panel(_Key(task)))
        asked = "\n\n".join(filter(None, (said, _asked(task.record["question"], _options(task)))))
        return show(task.record, partial(image_of, task.record, where), asked)

    def open_case(task: Task) -> Case:
        return Case({**task.record, OPINIONS: [reply.answer for reply in panel(_Key(task))],
                     REFERRED: None})  # fmt: skip

    return Domain(
        name="mmedagent",
        policy=_policy("attending"),
        tasks=LevelTasks(folder, difficulty),
        rubric=judge.rubric,
        ticket=ticket,
        open_case=open_case,
        read_answer=_read_answer,
        success=judge.solved,
        metrics=judge.metrics,
        aggregate=aggregate,
        solution=lambda task: [write_answer(task.gold["answer"], "I looked at the image.")],
        menu=_menu,
        classes=_level,
        baselines={**adversaries.deciders(), "rules": baseline.rules},
        adversaries=adversaries.thoughtless(),
        explain=judge.explain,
        max_turns=TURNS,
    )


def consult(
    difficulty: str | None,
    specialists: int,
    consultant: str | Mapping[str, Any],
    viewer: bool,
    folder: str | None,
    images: str | None,
    shown: str,
) -> Domain:
    """Make the domain of ``clinic/MultimodalConsult-v0``."""
    if not isinstance(viewer, bool):
        raise ConfigError(f"viewer is true or false, not {viewer!r}")
    show = _shower(shown)
    where = _image_folder(folder, images)
    hospital = Hospital(
        make_specialists(consultant),
        _count(specialists, consultant),
        where,
        partial(_show_at_hand, show),
    )
    judge = AnswerJudge(_options, _gold)

    def ticket(task: Task) -> str | Illustrated:
        asked = _asked(task.record["question"], _options(task))
        return show(task.record, partial(copy_of, task.record, where), asked)

    return Domain(
        name="mmedagent",
        policy=_policy("consult"),
        tasks=LevelTasks(folder, difficulty, departments=True),
        rubric=judge.rubric,
        tools=(consult_department, *((zoom, set_window, measure_distance) if viewer else ())),
        ticket=ticket,
        open_case=lambda task: ConsultCase(task.record, hospital),
        read_answer=_read_answer,
        success=judge.solved,
        metrics=judge.metrics,
        aggregate=aggregate,
        solution=_consult_solution,
        menu=_consult_menu,
        classes=_level,
        baselines=baseline.consult_baselines(),
        adversaries=adversaries.thoughtless(),
        explain=judge.explain,
        max_turns=CONSULT_TURNS,
        blocking=isinstance(consultant, Mapping),
    )


class _Key:
    """A task as the key of a cache."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __hash__(self) -> int:
        return hash(self.task.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.task.record is other.task.record


def _panel(consultant: str, where: str, count: int, key: _Key) -> tuple[SpecialistReply, ...]:
    """Return what the specialists of the right department say to a task."""
    record = key.task.record
    specialty = _specialty(key.task)
    if consultant == RECORDED:  # an imported task may have fewer opinions, or none
        return recorded_opinions(record, specialty, inside=True, count=count)
    return ask(make_specialists(consultant), record, Case({}), specialty,
               image_of(record, where), inside=True, count=count)  # fmt: skip


def _count(specialists: int, consultant: str | Mapping[str, Any]) -> int:
    count = checked_count(specialists)
    if not isinstance(consultant, Mapping) and count > MEMBERS:
        raise ConfigError(f"specialists is at most {MEMBERS} where opinions are no model's")
    return count


Shower = Callable[..., str | Illustrated]
"""Record, what makes the image, text, whether the image comes last -> what is shown."""


def _shower(shown: str) -> Shower:
    """Return what puts an image, its caption or nothing before a text."""
    if not isinstance(shown, str) or shown not in SHOWN:
        raise ConfigError(f"no shown {shown!r}; {suggest(str(shown), SHOWN)}")
    return partial(_show, shown)


def _show(
    shown: str, record: Mapping[str, Any], image: Any, text: str, last: bool = False
) -> str | Illustrated:
    if shown == "pixels":
        parts = (plain(text), MARK) if last else (MARK, plain(text))
        return DeferredIllustrated("\n\n".join(parts), image)
    stands = "[no image]"
    if shown == "caption":
        stands = f"[image: {caption_of(record)}]"
    return "\n\n".join((text, stands) if last else (stands, text))


def _show_at_hand(
    show: Shower, record: Mapping[str, Any], image: Any, text: str
) -> str | Illustrated:
    """Show an image that is at hand after a text; cases are pickled, so this is no closure."""
    return show(record, lambda: image, text, last=True)


def _image_folder(folder: str | None, images: str | None) -> str:
    if folder is not None and not isinstance(folder, str):
        raise ConfigError(f"folder is the path of a task folder, not {folder!r}")
    if images is None:
        return str(Path(folder) / "images") if folder else ""
    if not isinstance(images, str) or not Path(images).is_dir():
        raise ConfigError(f"images is the folder of the images; {images!r} is none")
    return images


def _policy(setting: str) -> str:
    return (tasks_dir("mmedagent") / f"policy_{setting}.md").read_text(encoding="utf-8")


def _asked(question: str, options: Mapping[str, str]) -> str:
    listed = "\n".join(f"{label}. {text}" for label, text in options.items())
    return f"Question: {question}\n\nOptions:\n{listed}"


def _read_answer(text: str) -> str:
    answer = stated_answer(text)
    if answer is None:
        raise ToolError("expected one answer: <think> … </think><answer> … </answer>")
    return answer


def _options(task: Task) -> Mapping[str, str]:
    options: Mapping[str, str] = task.record["options"]
    return options


def _gold(task: Task) -> str:
    return str(task.gold["answer"])


def _level(task: Task) -> str:
    return str(task.gold.get("level", "unknown"))


def _specialty(task: Task) -> str:
    return department_of(task.record) or "Specialist"


def _kind(task: Task) -> str:
    return "yes or no" if "yes" in _options(task).values() else "choices"


def _menu(task: Task) -> Menu:
    return Menu((), {label: write_answer(label) for label in _options(task)}, _kind(task))


def _consult_menu(task: Task) -> Menu:
    calls = tuple((consult_department.name, {"department": name}) for name in specialties())
    answers: dict[str, Move] = {label: write_answer(label) for label in _options(task)}
    return Menu(calls, answers, _kind(task))


def _consult_solution(task: Task) -> Sequence[Move]:
    return [((consult_department.name, {"department": _specialty(task)}),),
            write_answer(task.gold["answer"], "I looked at the image.")]  # fmt: skip
