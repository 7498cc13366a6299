"""Benchmarks of multiple-choice questions become tasks of one form."""

from __future__ import annotations

import json
import re

import pytest
from places import DATA

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.frozen import thaw
from gym_clinic.importers.tasks import import_tasks, medmcqa, medqa, mmlu_medical, pubmedqa
from gym_clinic.importers.tasks.multiple_choice import question_task
from gym_clinic.taskset import read_tasks

OPTIONS = {"A": "Amber fever", "B": "Blue cough", "C": "Chalk rash"}
MEDQA = {
    "question": "A man glows.\nWhat has he?",
    "options": OPTIONS,
    "answer": "Blue cough",
    "answer_idx": "B",
    "meta_info": "step1",
    "realidx": 3,
}
MEDMCQA = {
    "id": "x",
    "question": "What glows?",
    "opa": "Amber fever",
    "opb": "Blue cough",
    "opc": "Chalk rash",
    "opd": "None",
    "cop": 2,
    "exp": "Because it glows.",
    "subject_name": "Medicine",
    "topic_name": None,
}
PUBMEDQA = {
    "QUESTION": "Does it glow?",
    "CONTEXTS": ["We looked.", "It glowed."],
    "LABELS": ["METHODS", "RESULTS"],
    "LONG_ANSWER": "It does.",
    "final_decision": "yes",
}


@pytest.fixture
def written(tmp_path):
    def write(*rows, name="data.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return write


def test_medqa(written):
    (task,) = medqa.read(written(MEDQA))
    assert re.fullmatch("medqa-[0-9a-f]{16}", task.id)
    assert thaw(task.record) == {
        "question": MEDQA["question"],
        "options": OPTIONS,
        "subject": "step1",
    }
    assert thaw(task.gold) == {"answer": "B"}
    assert (task.ticket, task.provenance) == ("", "medqa")


def test_medmcqa_needs_the_number_of_the_first_option(written):
    (task,) = medmcqa.read(written(MEDMCQA), first_option=1)
    assert thaw(task.record) == {
        "question": "What glows?",
        "options": {**OPTIONS, "D": "None"},
        "subject": "Medicine",
    }
    assert thaw(task.gold) == {"answer": "B", "explanation": "Because it glows."}
    (other,) = medmcqa.read(written(MEDMCQA), first_option=0)
    assert (other.id, other.gold["answer"]) == (task.id, "C")
    with pytest.raises(ConfigError, match=r"line 1: does cop count from 1.* Give first_option=1"):
        list(medmcqa.read(written(MEDMCQA)))
    with pytest.raises(ConfigError, match="first_option is 2; expected 0 or 1"):
        list(medmcqa.read(written(MEDMCQA), first_option=2))


def test_medmcqa_in_the_layout_of_medqa(written):
    (task,) = medmcqa.read(written(MEDQA))
    assert task.id.startswith("medmcqa-")
    assert (thaw(task.record["options"]), task.gold["answer"]) == (OPTIONS, "B")


def test_pubmedqa(written):
    (first, second) = pubmedqa.read(
        written({"1": PUBMEDQA, "2": {**PUBMEDQA, "QUESTION": "Q?", "final_decision": "maybe"}})
    )
    assert thaw(first.record) == {
        "question": "Does it glow?",
        "options": {"A": "yes", "B": "no", "C": "maybe"},
        "context": ["We looked.", "It glowed."],
    }
    assert thaw(first.gold) == {"answer": "A", "explanation": "It does."}
    assert second.gold["answer"] == "C"


def test_mmlu_with_and_without_a_header_gives_the_same_tasks(tmp_path):
    header = tmp_path / "college_medicine_test.csv"
    header.write_text(
        'question,choice0,choice1,choice2,choice3,answer\n"What, then?",Amber fever,B,C,D,1\n'
    )
    plain = tmp_path / "college_medicine_val.hendrycks.csv"
    plain.write_text('"What, then?",Amber fever,B,C,D,B\n')
    (one,), (two,) = mmlu_medical.read(header), mmlu_medical.read(plain)
    assert one == two
    assert one.record["question"] == "What, then?"
    assert (one.record["subject"], one.gold["answer"]) == ("college medicine", "B")
    assert [task.id for task in mmlu_medical.read(tmp_path)] == [one.id, one.id]
    done = import_tasks("mmlu_medical", tmp_path, tmp_path / "out", "test")
    assert (done.tasks, done.duplicates) == ({"test": 1}, 1)


def test_the_id_depends_on_the_question_and_not_on_the_answer(written):
    changed = {**MEDQA, "answer": "Chalk rash", "answer_idx": "C"}
    shuffled = {**MEDQA, "options": {"A": "Blue cough", "B": "Amber fever", "C": "Chalk rash"},
                "answer_idx": "A"}  # fmt: skip
    one, two, three = medqa.read(written(MEDQA, changed, shuffled))
    assert one.id == two.id != three.id


def test_any_character_of_a_question_comes_back(written, tmp_path):
    text = "Glow\u2028red\x85 \x0b\x1d\u2029 \U0001f321 end"
    import_tasks("medqa", written({**MEDQA, "question": text}), tmp_path, "test")
    (task,) = read_tasks(tmp_path / "test.jsonl")
    assert task.record["question"] == text


def without(row, name):
    return {key: value for key, value in row.items() if key != name}


@pytest.mark.parametrize(
    ("read", "row", "expected"),
    [
        (medqa.read, without(MEDQA, "question"), "line 1, field question: Field required"),
        (medqa.read, {**MEDQA, "question": " "}, "line 1, field question: "),
        (
            medqa.read,
            {**MEDQA, "answer_idx": "D"},
            "line 1, field answer_idx: option 'D' has the text None",
        ),
        (medqa.read, {**MEDQA, "answer": "x"}, "but the answer is 'x'"),
        (medqa.read, {**MEDQA, "options": {"B": "Blue cough"}}, "line 1, field options: "),
        (
            medqa.read,
            {**MEDQA, "options": {"A": "a", "C": "c", "B": "Blue cough"}},
            "options are labelled ['A', 'C', 'B']; expected A, B, C and so on",
        ),
        (medqa.read, {**MEDQA, "options": {"A": 1}}, "line 1, field options.A: "),
        (medqa.read, [], "line 1, field record: "),
        (
            lambda path: medmcqa.read(path, 1),
            {**MEDMCQA, "cop": 0},
            "field cop: 0 is not an option",
        ),
        (
            lambda path: medmcqa.read(path, 1),
            {**MEDMCQA, "cop": 5},
            "5 is not an option, counted from",
        ),
        (medmcqa.read, {**MEDMCQA, "cop": -1}, "field cop: no answer; the published test file"),
        (medmcqa.read, without(MEDMCQA, "cop"), "field cop: no answer"),
        (lambda path: medmcqa.read(path, 1), {**MEDMCQA, "opb": None}, "field options.B: "),
        (
            lambda path: medmcqa.read(path, 1),
            {**MEDMCQA, "opb": " "},
            "the answer is 'B'; expected",
        ),
        (pubmedqa.read, {"1": {**PUBMEDQA, "final_decision": "perhaps"}}, "key '1', field final_"),
        (pubmedqa.read, {"1": without(PUBMEDQA, "final_decision")}, "Field required"),
        (pubmedqa.read, {"1": {**PUBMEDQA, "CONTEXTS": []}}, "key '1', field CONTEXTS: "),
        (pubmedqa.read, {"1": {**PUBMEDQA, "YEAR": 10**30}}, "key '1': Integer exceeds 64-bit"),
        (pubmedqa.read, {}, "no questions; expected a JSON object"),
    ],
)
def test_a_broken_question_is_named(written, read, row, expected):
    path = written(row)
    with pytest.raises(TaskError) as caught:
        list(read(path))
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q,a,b,c,B\n", "line 1: 5 columns; expected 6"),
        ("Q,a,b,c,d,B\nQ,a,b,c,d,E\n", "line 2, column 6: answer 'E'; expected ['A', 'B'"),
        (f"{','.join(mmlu_medical.HEADER)}\nQ,a,b,c,d,B\n", "line 2, column 6: answer 'B'"),
        ('Q,a,b,c,d,B\nQ,a,"b,c,d,B\n', "line 2, column 3: unexpected end of data"),
    ],
)
def test_a_broken_row_of_mmlu_is_named(tmp_path, text, expected):
    path = tmp_path / "anatomy_test.csv"
    path.write_text(text)
    with pytest.raises(TaskError) as caught:
        list(mmlu_medical.read(path))
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)


def test_a_missing_file_is_a_config_error(tmp_path):
    for read in (medqa.read, medmcqa.read, pubmedqa.read, mmlu_medical.read):
        with pytest.raises(ConfigError, match="cannot read"):
            list(read(tmp_path / "none.csv"))
    with pytest.raises(ConfigError, match=r"holds no \.csv file"):
        list(mmlu_medical.read(tmp_path))


def test_a_question_without_a_right_answer_is_refused():
    with pytest.raises(
        TaskError, match="here, field record: the answer is 'D'; expected an option"
    ):
        question_task("x", "here", question="Q", options=OPTIONS, answer="D")


@pytest.mark.parametrize(
    ("source", "name", "number", "answers"),
    [
        ("medqa", "medqa/medqa_5opt_dev50.jsonl", 50, "ABCDE"),
        ("medmcqa", "medmcqa/medmcqa_reformatted_dev50.jsonl", 50, "ABCD"),
        ("pubmedqa", "pubmedqa/ori_pqal.json", 500, "ABC"),
        ("mmlu_medical", "mmlu_medical", 30, "ABCD"),
    ],
)
def test_the_published_files_become_task_files(tmp_path, source, name, number, answers):
    if not (DATA / name).exists():
        pytest.skip(f"the published files are not beside this checkout: {DATA / name}")
    done = import_tasks(source, DATA / name, tmp_path)
    tasks = [task for split in done.tasks for task in read_tasks(tmp_path / f"{split}.jsonl")]
    assert len(tasks) == sum(done.tasks.values()) == number
    assert {task.gold["answer"] for task in tasks} == set(answers)
    assert all(task.record["options"][task.gold["answer"]] for task in tasks)
    assert {task.provenance for task in tasks} == {source}
