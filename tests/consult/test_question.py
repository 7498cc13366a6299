from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from gym_clinic.consult import Opinion, Prompt, Question, json_text, opinions_text, read_prompt
from gym_clinic.consult.question import reply_format
from gym_clinic.errors import ConfigError


class Triage(BaseModel):
    department: str = Field(description="where the patient goes")
    urgent: bool = Field(False, description="whether it cannot wait")
    weights: list[float] = Field([], description="one weight a finding")
    level: Literal[1, 2] | None = Field(None, description="the level, if there is one")

    @field_validator("department")
    @classmethod
    def _known(cls, value: str, info: ValidationInfo) -> str:
        context: Any = info.context
        if value not in context["departments"]:
            raise ValueError(f"there is no {value!r}; choose from {context['departments']}")
        return value


PROMPT = Prompt("You send patients to one of {departments}.\n\n{reply}", "Complaint: {complaint}")
VALUES = {"departments": ["cardiology", "neurology"], "complaint": "chest pain"}


def question(**changes: Any) -> Question[Triage]:
    return replace(Question("triage", PROMPT, VALUES, Triage), **changes)


def test_messages_fill_the_placeholders() -> None:
    system, user = question().messages()
    assert system == {
        "role": "system",
        "content": "You send patients to one of ['cardiology', 'neurology'].\n\n"
        "Answer with one JSON object and nothing else. Its fields:\n"
        "- department (a text): where the patient goes\n"
        "- urgent (true or false): whether it cannot wait\n"
        "- weights (a list; each item is a number): one weight a finding\n"
        "- level (one of 1, 2 or null): the level, if there is one",
    }
    assert user == {"role": "user", "content": "Complaint: chest pain"}


def test_a_function_among_the_values_is_called_when_the_prompt_is_written() -> None:
    calls: list[str] = []

    def complaint() -> str:
        calls.append("called")
        return "{braces} stay"

    asked = question(values={**VALUES, "complaint": complaint})
    asked.check({"department": "cardiology"})
    assert calls == []
    assert asked.messages()[1]["content"] == "Complaint: {braces} stay"


def test_a_placeholder_without_a_value_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"the prompt: triage has no value for \['complaint'\]"):
        question(values={"departments": []}).messages()


@pytest.mark.parametrize(
    ("text", "system", "user"),
    [
        ("Only {a} user message.\n", "", "Only {a} user message."),
        ("You are {a}.\n\n---\n\nAsk {{literal}}.\n", "You are {a}.", "Ask {{literal}}."),
    ],
)
def test_read_prompt(tmp_path: Path, text: str, system: str, user: str) -> None:
    path = tmp_path / "role.md"
    path.write_text(text, encoding="utf-8")
    prompt = read_prompt(path)
    assert (prompt.system, prompt.user, prompt.placeholders) == (system, user, {"a"})
    assert str(path) in prompt.source


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n---\nb\n---\nc", "at most one line '---', not 2"),
        ('Answer {"a": 1}', "a literal brace is written twice"),
        ("Answer {", "a literal brace is written twice"),
        ("Answer {}", "a literal brace is written twice"),
        ("{case.gold}", r"\['case.gold'\] are not placeholders"),
    ],
)
def test_read_prompt_refuses(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "role.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        read_prompt(path)


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "```\n{}\n```", " ```{}``` "])
def test_a_reply_is_read_with_or_without_a_fence(fence: str) -> None:
    text = fence.replace("{}", '{"department": "neurology", "urgent": true}')
    assert question().read(text) == Triage.model_construct(department="neurology", urgent=True)
    assert json.loads(json_text(text))["urgent"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cardiology", "not valid JSON"),
        ("[]", "the reply: Input should be"),
        ('{"department": "a", "department": "b"}', "department"),
        ("{}", "department: Field required"),
        ('{"department": "cardiology", "urgent": "perhaps"}', "urgent: Input should be a valid"),
        ('{"department": "cardiology", "weights": [1, "x"]}', r"weights\.1: "),
        ('{"department": "surgery"}', "department: there is no 'surgery'; choose from"),
    ],
)
def test_an_unreadable_reply_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        question().read(text)


def test_a_reply_model_must_describe_its_fields() -> None:
    class Bare(BaseModel):
        choice: str

    with pytest.raises(ConfigError, match="reply model Bare must describe its field 'choice'"):
        reply_format(Bare)


def opinion(member: str, department: str | None) -> Opinion[Triage]:
    reply = None if department is None else Triage.model_construct(department=department)
    return Opinion(member, 1, reply, department, 1.0, failure="" if reply else "away")


def test_a_later_round_shows_the_own_reply_and_those_of_the_others() -> None:
    opinions = (opinion("triage", "cardiology"), opinion("nurse", "neurology"), opinion("x", None))
    system, user, own, news = question(round=2, opinions=opinions).messages()
    assert [system, user] == question().messages()
    assert own["role"] == "assistant"
    assert json.loads(own["content"])["department"] == "cardiology"
    assert news["role"] == "user"
    assert '- nurse: {"department":"neurology"' in news["content"]
    assert "cardiology" not in news["content"]
    assert "- x" not in news["content"]
    assert "- department (a text): where the patient goes" in news["content"]


def test_a_member_that_failed_is_told_in_the_same_message() -> None:
    opinions = (opinion("triage", None), opinion("nurse", "neurology"))
    system, user = question(round=2, opinions=opinions).messages()
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].startswith("Complaint: chest pain\n\nThe other consultants replied:")


def test_a_conversation_ends_with_the_reply() -> None:
    reply = question().check({"department": "cardiology"})
    *asked, said = question().conversation(reply)
    assert asked == question().messages()
    assert said["role"] == "assistant"
    assert question().read(said["content"]) == reply


def test_opinions_without_replies_say_so() -> None:
    assert opinions_text([opinion("x", None)]) == "(none replied)"


def test_a_question_shows_its_images() -> None:
    pillow = pytest.importorskip("PIL.Image")
    shown = Prompt("{reply}", "Look: <image>\nComplaint: {complaint}")
    asked = question(prompt=shown, images=(pillow.new("RGB", (4, 4)),))
    system, user = asked.messages()
    assert isinstance(system["content"], str)
    assert [part["type"] for part in user["content"]] == ["text", "image_url", "text"]
    assert user["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    with pytest.raises(TypeError, match="1 <image> marks for 2 images"):
        replace(asked, images=asked.images * 2).messages()
