"""Patient guidance from free text: symptoms, paths, disciplines, opinions, vote (KACR, appendix G).

A simulation, no advice. Offline, symptoms are linked and diseases ranked by how many of them they
explain, and the members of the panel speak by rules; with a chat model the members and the debater
are that model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gym_clinic.case import Case
from gym_clinic.consult import Consultant, Discussion, Question, Rules
from gym_clinic.domains.kacr.consulting.draw import LETTERS
from gym_clinic.domains.kacr.consulting.findings import name_of
from gym_clinic.domains.kacr.consulting.setup import Setup
from gym_clinic.embedded import graph, linker
from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.names import at_least_one

NOTICE = "A simulation, not advice. In an emergency call the emergency services."

FEWEST_OPTIONS = 2

OWN_BONUS = 1.25
"""How much more a member makes of a disease of its own discipline."""


@dataclass(frozen=True)
class ServiceLog:
    """What a service would note of one guidance (KACR, appendix G); None where nobody said.

    Attributes:
        text: What the person wrote.
        symptoms: Linked symptoms.
        disciplines: Disciplines to which the person was guided.
        answer: The panel's vote.
        adoption: Whether a professional held the result to be right.
        intervention: Whether the person asked for a human.
        satisfaction: What the person answered to the survey.
        conversion: Whether a registration or paid consultation followed.
    """

    text: str
    symptoms: tuple[str, ...]
    disciplines: tuple[str, ...]
    answer: str | None
    adoption: bool | None = None
    intervention: bool | None = None
    satisfaction: bool | None = None
    conversion: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the log as plain JSON."""
        return {**asdict(self), "simulation": True}


@dataclass(frozen=True)
class PatientGuidance:
    """Patient guidance and consultation for one text.

    Attributes:
        text: The text.
        present: Names of the symptoms linked as present.
        absent: Names of those denied.
        options: Letter -> the disease.
        paths: The paths from symptoms over a disease to a discipline, in words.
        disciplines: Ids of the disciplines of the panel.
        discussion: What the panel said; None where no symptom leads anywhere.
    """

    text: str
    present: tuple[str, ...]
    absent: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    disciplines: tuple[str, ...] = ()
    discussion: Discussion[Any] | None = None

    @property
    def log(self) -> ServiceLog:
        """The log of this guidance; what people did about it is not known yet."""
        choice = self.discussion.choice if self.discussion else None
        answer = self.options.get(choice) if choice else None
        return ServiceLog(self.text, self.present, self.disciplines, answer)


def guide(
    text: str, *, members: Consultant | None = None, options: int = 4, rounds: int = 3, k: int = 5
) -> PatientGuidance:
    """Guide a text to disciplines and let them consult.

    Args:
        text: What somebody writes of a patient.
        members: The consultant behind members and debater; rules by default.
        options: Diseases to choose from, 2 to 4.
        rounds: Rounds of discussion at most.
        k: Disciplines at most.

    Raises:
        ConfigError: The text is empty, or there are too many options.
        ServiceError: A chat model failed.
    """
    if not text.strip():
        raise ConfigError("the text is empty; write what the patient complains of")
    if not FEWEST_OPTIONS <= options <= len(LETTERS):
        raise ConfigError(f"options is from {FEWEST_OPTIONS} to {len(LETTERS)}, not {options}")
    links = linker().link(text)
    present = list(dict.fromkeys(link.record.id for link in links if link.status == "present"))
    absent = list(dict.fromkeys(link.record.id for link in links if link.status == "absent"))
    named = tuple(map(name_of, present)), tuple(map(name_of, absent))
    ranked = ranked_diseases(present, absent)[:options]
    if len(ranked) < FEWEST_OPTIONS:
        return PatientGuidance(text, *named)
    facts = load()
    letters = dict(zip(LETTERS, ranked, strict=False))
    disciplines = list(dict.fromkeys(facts.diseases[key].discipline for key in ranked))
    disciplines = disciplines[: at_least_one("k", k)]
    names = {letter: facts.diseases[key].name for letter, key in letters.items()}
    record = {
        "question": text,
        "note": "",
        "options": names,
        "option_ids": letters,
        "panel": disciplines,
        "seat": disciplines[0],
        "examinations": {},
        "linked": present,
        "absent": absent,
        "talk": None,
    }
    who = members if members is not None else Rules(_by_rules)
    setup = Setup("nobody", rounds=rounds, k=k, members=who, debater=who)
    case = Case(record)
    panel = setup.panel(case)
    discussion = panel.discuss(setup.question(case), case, list(letters))
    paths = tuple(
        f"{', '.join(map(name_of, _explained(key, present)))} -> {facts.diseases[key].name} -> "
        f"{facts.disciplines[facts.diseases[key].discipline].name}"
        for key in ranked
    )
    return PatientGuidance(text, *named, names, paths, tuple(disciplines), discussion)


def ranked_diseases(present: list[str], absent: list[str]) -> list[str]:
    """Return the diseases that explain symptoms of the graph, the best first.

    A symptom counts the more, the fewer diseases have it; one that is denied counts against.
    """
    whole, score = graph(), dict[str, float]()
    for keys, sign in ((present, 1.0), (absent, -0.5)):
        for key in keys:
            for neighbour in whole.neighbours(key):
                if neighbour.record.kind == "disease":
                    found = neighbour.record.id
                    score[found] = score.get(found, 0.0) + sign / whole.degree(key) ** 0.5
    able = [key for key in score if _explained(key, present)]
    return sorted(able, key=lambda key: (-score[key], key))


def _explained(disease: str, present: list[str]) -> list[str]:
    whole = graph()
    related = {neighbour.record.id for neighbour in whole.neighbours(disease)}
    return [key for key in present if key in related]


def _by_rules(question: Question[Any], case: Any) -> dict[str, Any]:
    """Answer as a member that counts how many symptoms a disease explains, its own a bit more."""
    facts, present = load(), list(case["linked"])
    support = {}
    for letter, key in case["option_ids"].items():
        explained = _explained(key, present)
        own = facts.diseases[key].discipline == question.role
        denied = len(_explained(key, list(case["absent"])))
        support[letter] = (len(explained) - 0.5 * denied) * (OWN_BONUS if own else 1.0)
    choice = max(support, key=lambda letter: support[letter])
    disease = case["option_ids"][choice]
    findings = [name_of(key) for key in _explained(disease, present)]
    return {
        "choice": choice,
        "confidence": round(len(findings) / max(len(present), 1) * 0.9, 2),
        "findings": findings,
        "explanation": f"{facts.diseases[disease].name} explains {len(findings)} of "
                       f"{len(present)} symptoms.",
    }  # fmt: skip
