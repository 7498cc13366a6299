"""``gym-clinic patient talk``: asking a simulated patient."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gym_clinic.commands.options import KeyVariable, Model, Url

if TYPE_CHECKING:
    from gym_clinic.chart.talk import AskedPatient
    from gym_clinic.simulate.clinic import ClinicPatient

LEAVE = ("quit", "exit", "bye")


def talk(
    seed: Annotated[int, typer.Option(metavar="N", help="The patient's seed.")] = 0,
    condition: Annotated[
        str | None, typer.Option(metavar="ID", help="What brings the patient; drawn without it.")
    ] = None,
    split: Annotated[
        Literal["train", "dev", "test"], typer.Option(help="Whose phrases the patient uses.")
    ] = "train",
    url: Url = None,
    model: Model = None,
    api_key_env: KeyVariable = None,
) -> None:
    """Ask a patient, a question a line, until "quit" or the end of the input.

    The patient answers by rules, or through a chat model with --url and --model. Each question
    takes a minute. Not for patient care.
    """
    from gym_clinic.simulate.clinic import draw_patient

    patient = draw_patient(seed, condition)
    answering = _answering(patient, split, url, model, api_key_env)
    who = {"patient": "answers", "parent": "comes with a parent", "crew": "comes with the crew"}
    print(f"{patient.person.name}, {_age(patient.person.age)}, {who[patient.speaker]}.")
    asks = sys.stdin.isatty()
    for minute, question in enumerate(iter(lambda: _read(asks), None)):
        if question.casefold() in LEAVE:
            break
        answer = answering.answer(question, minute)
        if not asks:
            print(f"> {question}")
        print(answer.text)
        for failure in answer.failures:
            print(f"  not in the record: {failure}")
    _print_metrics(answering)


def _answering(
    patient: ClinicPatient,
    split: Literal["train", "dev", "test"],
    url: str | None,
    model: str | None,
    api_key_env: str | None,
) -> AskedPatient:
    from gym_clinic.chart.talk import ChatPatient, RulesPatient
    from gym_clinic.errors import ConfigError

    if (url is None) != (model is None):
        raise ConfigError("a chat patient needs both --url and --model")
    if url is None or model is None:
        return RulesPatient(patient, split)
    from gym_clinic.consult import ChatClient

    return ChatPatient(patient, ChatClient(url, model, api_key_env=api_key_env), split)


def _read(asks: bool) -> str | None:
    """The next question; None at the end."""
    while True:
        try:
            line = input("> " if asks else "").strip()
        except EOFError:
            return None
        if line:
            return line


def _print_metrics(answering: AskedPatient) -> None:
    from gym_clinic.chart.talk import ChatPatient

    if isinstance(answering, ChatPatient):
        for name, value in answering.metrics().items():
            print(f"{name} {value:g}")


def _age(years: float) -> str:
    return f"{int(years * 12 + 0.01)} months" if years < 2 else f"{years:g} years"
