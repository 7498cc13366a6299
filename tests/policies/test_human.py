from __future__ import annotations

from collections.abc import Callable
from typing import Any

import image_domain
import inline_domain
import pytest

from gym_clinic import Tag, Tags
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import load, play
from gym_clinic.policies.human import Human, Quit, describe_image
from gym_clinic.policies.playing import Action, take

INTERACTIONS, TRIAGE = "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE"


class Typist:
    """A person who types the lines given; what was shown and what was not yet typed is kept."""

    def __init__(self, env: ClinicEnv, *lines: str) -> None:
        self.left, self.shown, self.prompts = list(lines), [], []
        self.act: Callable[[str, dict[str, Any]], Action] = Human(
            env, self.read, self.shown.append
        ).act

    def read(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.left:
            raise EOFError
        return self.left.pop(0)

    @property
    def said(self) -> str:
        return "\n".join(self.shown)


def typed(env: ClinicEnv, *lines: str) -> Action:
    """Return the action that a person begins an episode with."""
    return Typist(env, *lines).act(*env.reset(seed=0))


def test_an_empty_line_sends_the_lines_before_it() -> None:
    env = ClinicEnv(TRIAGE)
    observation, info = env.reset(seed=0)
    person = Typist(env, "I think", "URGENCY: red", "", "later")
    assert person.act(observation, info) == "I think\nURGENCY: red"
    assert person.shown[0] == observation
    assert person.left == ["later"]
    assert person.act("next", {}) == "later"  # the end of input sends it
    assert person.shown[-1] == "next"
    with pytest.raises(Quit):
        person.act("next", {})


def test_an_empty_line_alone_uses_no_turn() -> None:
    env = ClinicEnv(TRIAGE, max_turns=3)
    person = Typist(env, "", "   ", "", "Is it red?", "", "", "URGENCY: red", "")
    observation, info = env.reset(seed=0)
    observation, *_, info = take(env, person.act(observation, info))
    assert env.episode.messages_used == 1
    assert take(env, person.act(observation, info))[2]
    assert [prompt for prompt in person.prompts if prompt != "… "] == [
        *["3 turns left > "] * 4,
        *["2 turns left > "] * 2,
    ]


def test_calls_left_are_shown_where_calls_are_limited() -> None:
    env = ClinicEnv(INTERACTIONS, max_calls=3)
    person = Typist(env, "read_allergies", "read_allergies", "", "read_allergies", "")
    observation, info = env.reset(seed=0)
    observation, *_, info = take(env, person.act(observation, info))
    person.act(observation, info)
    assert person.prompts == ["3 calls left > ", "… ", "… ", "1 call left > ", "… "]


@pytest.mark.parametrize("dialect", ["hermes", "json"])
@pytest.mark.parametrize("colon", ["", ":"])
def test_calls_are_structured_in_every_dialect(dialect: str, colon: str) -> None:
    env = ClinicEnv(TRIAGE, dialect=dialect)
    action = typed(env, f"{colon}read_vital_sign sign=pulse minutes_ago=5", "")
    assert action == [{"name": "read_vital_sign", "arguments": {"sign": "pulse", "minutes_ago": 5}}]
    take(env, action)
    assert env.episode.calls[0].ok


def test_a_person_plays_in_a_dialect_of_tags() -> None:
    env = ClinicEnv("inline_domain:DOSES", split="test")
    drug = env.tasks[0].record["asked"]
    person = Typist(env, f"look_up query={drug}", "", env.tasks[0].gold["answer"], "")
    outcome = play(env, env.tasks[0], person)
    assert outcome.info["success"]
    assert outcome.reward == 1
    assert env.tasks[0].gold["answer"] in person.shown[2]
    assert inline_domain.TAGS.parse(outcome.episode.turns[0].action).requests


def test_values_follow_the_schema() -> None:
    env = ClinicEnv(INTERACTIONS)
    action = typed(env, 'check_interaction drug_a=5 drug_b="folic acid"', "read_allergies", "")
    take(env, action)
    first, second = env.episode.calls
    assert first.arguments == {"drug_a": "5", "drug_b": "folic acid"}
    assert second.ok


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (":read_vital sign=pulse", "did you mean 'read_vital_sign'?"),
        ("read_vital_sign sign", "expected name=value, got 'sign'"),
        ("read_vital_sign sign=blood pressure", 'in quotes, name="some words"'),
        ('read_vital_sign "sign=pulse', "not a call: No closing quotation"),
        (":", "no tool ''; choose from"),
        ("read_vital_sign", "read_vital_sign needs ['sign']"),
        ("read_vital_sign sing=pulse", "did you mean 'sign'?"),
        ('{"name": "read_vital", "arguments": {}}', "did you mean 'read_vital_sign'?"),
    ],
)
def test_a_mistyped_call_is_not_sent(line: str, said: str) -> None:
    env = ClinicEnv(TRIAGE)
    person = Typist(env, line, "URGENCY: red", "")
    assert person.act(*env.reset(seed=0)) == "URGENCY: red"
    assert said in person.said


@pytest.mark.parametrize("line", ['{"sign": "pulse"}', "the patient's pulse = 80", "{", "[1"])
def test_other_lines_are_text(line: str) -> None:
    assert typed(ClinicEnv(TRIAGE), line, "") == line


def test_a_word_that_is_also_a_tool_may_begin_a_text() -> None:
    env = ClinicEnv("eval_domain:DOMAIN")
    assert typed(env, "note the rectal route", "") == "note the rectal route"
    assert typed(env, "note text=hot", "") == [{"name": "note", "arguments": {"text": "hot"}}]


def test_a_json_call_is_sent_at_once() -> None:
    env = ClinicEnv(INTERACTIONS)
    person = Typist(env, '{"name": "read_allergies", "arguments": {}}', "rest")
    assert person.act(*env.reset(seed=0)) == [{"name": "read_allergies", "arguments": {}}]
    assert person.left == ["rest"]


def test_calls_beside_text_are_written_in_the_dialect() -> None:
    env = ClinicEnv(INTERACTIONS)
    action = typed(env, "First the allergies.", "read_allergies", "")
    assert isinstance(action, str)
    assert action.startswith("First the allergies.\n<tool_call>")
    tags = ClinicEnv("inline_domain:DOSES")
    tags.dialect = Tags({"answer": Tag()})  # no tag calls the tool
    person = Typist(tags, "So:", "look_up query=gout", "", "10 mg", "")
    assert person.act(*tags.reset(seed=0)) == "10 mg"
    assert "no tag calls 'look_up'" in person.said
    assert "nothing was sent" in person.said


def test_a_call_that_would_be_read_as_text_is_not_sent() -> None:
    env = ClinicEnv(INTERACTIONS, dialect="json")
    person = Typist(env, "First the allergies.", "read_allergies", "", "read_allergies", "")
    assert person.act(*env.reset(seed=0)) == [{"name": "read_allergies", "arguments": {}}]
    assert "dialect 'json' reads no call beside a text; nothing was sent" in person.said


def test_images_are_shown_as_paths() -> None:
    env = ClinicEnv("image_domain:LESIONS")
    person = Typist(env, "view_image side=right", "")
    observation, info = env.reset(seed=0)
    _, *_, info = take(env, person.act(observation, info))
    assert f"(image 1: {env.episode.ticket_images[0]})" in person.shown
    person.left = ["report_same same=true", ""]
    assert person.act("", info) == [{"name": "report_same", "arguments": {"same": True}}]
    assert f"(image 1: {env.episode.turns[0].images[0]})" in person.shown


def test_an_image_in_memory_is_described_by_its_size() -> None:
    image = pytest.importorskip("PIL.Image")
    assert describe_image(image.new("L", (3, 2))) == "L, 3 x 2 pixels, in memory"
    path = image_domain.IMAGES / "round.png"
    assert describe_image(image.open(path)) == describe_image(path) == str(path)


def test_commands_are_no_actions() -> None:
    env = ClinicEnv(INTERACTIONS)
    person = Typist(env, "/help", "/tools", "major", "")
    assert person.act(*env.reset(seed=0)) == "major"
    assert "check_interaction drug_a=… drug_b=…" in person.said
    assert "Generic name of the second drug." in person.said
    assert "/quit" in person.said
    with pytest.raises(KeyboardInterrupt):
        typed(env, "/quit")


def test_the_policy_reads_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    lines = iter(["URGENCY: red", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    env = ClinicEnv(TRIAGE)
    outcome = play(env, env.tasks[0], load("human", env)(0))
    assert outcome.episode.answer == "URGENCY: red"
    assert env.tasks[0].ticket in capsys.readouterr().out
