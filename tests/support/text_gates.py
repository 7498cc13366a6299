"""The rules of documents, each with a change that must break it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import text_checks as check
import text_mutations as change
import text_record_checks as record
from text_mutations import Mutation, of_fact, of_text

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.texts import Document


@dataclass(frozen=True)
class TextGate:
    """A rule of documents and the mutation that must trip it."""

    name: str
    check: Callable[[ClinicPatient, Sequence[Document]], Iterator[str]]
    mutate: Mutation


def _more(found: re.Match[str]) -> str:
    return f"{found[1]}{int(found[2]) + 57}"


TEXT_GATES = (
    TextGate(
        "words of facts",
        check.words_stand_in_the_text,
        of_fact(lambda one: one.kind == "finding", lambda one: replace(one, says="aliens")),
    ),
    TextGate(
        "vital signs are readings",
        check.vital_signs_are_readings,
        of_text(r"((?:BP|NIBP|pressure) )(\d+)(?=/)", _more),
    ),
    TextGate(
        "units of one country",
        check.units_are_of_one_country,
        of_text(r"$", lambda _: " CBG 90 mg/dL, glucose 5.0 mmol/L."),
    ),
    TextGate(
        "readings are measured",
        check.readings_are_measured,
        of_fact(lambda one: one.kind == "reading", lambda one: replace(one, value=-1.0)),
    ),
    TextGate(
        "tables are measured",
        check.readings_are_measured,
        of_fact(lambda one: one.of == "hb", lambda one: replace(one, says="99.9")),
    ),
    TextGate("no number of its own", check.numbers_are_facts, of_text(r"$", lambda _: " Age 107.")),
    TextGate(
        "what is absent is absent",
        check.absent_is_absent,
        of_fact(lambda one: one.kind == "finding" and one.has, lambda one: replace(one, has=False)),
    ),
    TextGate(
        "no sentence negates what is there", check.negated_words, change.denying_what_is_there
    ),
    TextGate("no diagnosis", check.no_diagnosis, change.naming_the_diagnosis),
    TextGate(
        "times are known",
        check.times_are_right,
        of_fact(lambda one: one.kind == "onset", lambda one: replace(one, minute=-77.7)),
    ),
    TextGate(
        "times are written right",
        check.times_are_right,
        of_fact(lambda one: one.kind == "onset", lambda one: replace(one, says="in 1931")),
    ),
    TextGate(
        "ages",
        check.ages_are_right,
        of_fact(lambda one: one.kind == "age", lambda one: replace(one, says="121")),
    ),
    TextGate(
        "nothing of the future",
        check.nothing_of_the_future,
        of_fact(lambda one: one.kind == "reading", change.later),
    ),
    TextGate(
        "doses",
        check.medicines_are_taken,
        of_fact(
            lambda one: one.kind == "medicine" and one.value is not None,
            lambda one: replace(one, says=re.sub(r"\b\d[\d.]* ", "4321 ", one.says)),
        ),
    ),
    TextGate(
        "medicines",
        check.medicines_are_taken,
        of_fact(lambda one: one.kind == "medicine", lambda one: replace(one, of="heroin")),
    ),
    TextGate(
        "values of tables",
        record.tables_are_read_back,
        change.of_table(r"(Na mmol/L +)(\d+)", lambda one: f"{one[1]}77"),
    ),
    TextGate(
        "flags of tables",
        record.tables_are_read_back,
        change.of_table(
            r"(Na mmol/L +.*\d)( [HL])?$", lambda one: f"{one[1]} {'L' if one[2] == ' H' else 'H'}"
        ),
    ),
    TextGate(
        "past illnesses",
        record.past_is_of_the_record,
        of_fact(lambda one: one.kind == "condition", lambda one: replace(one, of="scurvy")),
    ),
    TextGate(
        "years of past illnesses",
        record.past_is_of_the_record,
        of_fact(
            lambda one: one.kind == "date" and re.fullmatch(r"\d{4}", one.says) is not None,
            lambda one: replace(one, says="1888"),
        ),
    ),
    TextGate(
        "allergies",
        record.past_is_of_the_record,
        of_fact(lambda one: one.kind == "allergy", lambda one: replace(one, of="cats", has=True)),
    ),
    TextGate(
        "habits",
        record.habits_are_of_the_record,
        of_fact(
            lambda one: one.kind == "habit" and not one.denied,
            lambda one: replace(one, has=not one.has),
        ),
    ),
    TextGate("no words of other splits", check.no_held_out_words, change.with_held_out_words),
)
