from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium as gym
import image_domain
import inline_domain
import pytest
import toy_domains

from gym_clinic import Tag, Tags
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import load, play
from gym_clinic.policies.human import Human, Quit, describe_image
from gym_clinic.policies.playing import Action, take

IDS = sorted(name for name in gym.registry if name.startswith("clinic/"))
INTERACTIONS, TRIAGE = "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE"


class Typist:
    """A person who types the lines given; what was shown and what was not yet typed is kept."""

    def __init__(self, env: ClinicEnv, *lines: str, width: int | None = None) -> None:
        self.left, self.shown, self.prompts = list(lines), [], []
        self.act: Callable[[str, dict[str, Any]], Action] = Human(
            env, self.read, self.shown.append, lambda: width
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
    person = Typist(env, "I think", "URGENCY: red", "", "URGENCY: green")
    assert person.act(observation, info) == "I think\nURGENCY: red"
    assert info["messages"][0]["content"] in person.said
    assert info["messages"][1]["content"] in person.said
    assert person.left == ["URGENCY: green"]
    assert person.act("next", {}) == "URGENCY: green"  # the end of input sends it
    assert person.shown[-1] == "next"
    with pytest.raises(Quit):
        person.act("next", {})


def test_neither_an_empty_line_nor_a_text_that_is_no_answer_uses_a_turn() -> None:
    env = ClinicEnv(TRIAGE, max_turns=3)
    person = Typist(env, "", "   ", "", "Is it red?", "", "read_vital_sign sign=pulse", "", "",
                    "URGENCY: red", "")  # fmt: skip
    observation, info = env.reset(seed=0)
    observation, *_, info = take(env, person.act(observation, info))
    assert "nothing was sent" in person.said
    assert env.episode.messages_used == 1
    assert env.episode.malformed == 0
    assert take(env, person.act(observation, info))[2]
    assert [prompt for prompt in person.prompts if prompt != "… "] == [
        *["3 turns left > "] * 5,
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
    assert env.tasks[0].gold["answer"] in person.said
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
        ('read_vital_sign "sign=pulse', "expected name=value, got '\"sign=pulse'"),
        ('read_vital_sign sign="pulse', "the quote before 'pulse' is not closed"),
        ("read_vital_sign sign=pulse sign=bp", "sign is given twice"),
        ("read_vital_sign sign=pulse minutes_ago=soon", "argument 'minutes_ago': Input should be"),
        ("read_vital_sign sign=pulse minutes_ago=true", "should be a whole number"),
        ("read_vital_sing sign=pulse", "did you mean 'read_vital_sign'?"),
        ("readvitalsign sign=pulse", "did you mean 'read_vital_sign'?"),
        ("read_vitalsign", "did you mean 'read_vital_sign'?"),
        ("order_xray view=ap", "no tool 'order_xray'; /tools shows those that there are"),
        ('{"name": "read_vital_sign", "arguments": {"sing": "pulse"}}', "did you mean 'sign'?"),
        ('{"name": "read_vital_sign", "arguments": [1]}', '"arguments" is an object'),
        ("/tools read_vital", "did you mean 'read_vital_sign'?"),
        (":", "no tool ''; /tools shows"),
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


def any_text(domain: str) -> ClinicEnv:
    """Return an environment that takes every text for an answer."""
    env = ClinicEnv(domain)
    env.domain = replace(env.domain, read_answer=str)
    return env


@pytest.mark.parametrize("line", ['{"sign": "pulse"}', "the patient's pulse = 80", "{", "[1"])
def test_other_lines_are_text(line: str) -> None:
    assert typed(any_text(TRIAGE), line, "") == line


def test_a_line_that_looks_like_a_call_can_be_said() -> None:
    assert typed(any_text(TRIAGE), "/say read_vital_sing sign=pulse", "") == (
        "read_vital_sing sign=pulse"
    )


def test_a_word_that_is_also_a_tool_may_begin_a_text() -> None:
    env = any_text("eval_domain:DOMAIN")
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


SUBMIT = (
    "submit_answer level=2 pathway=none disposition=resuscitation "
    "cited_findings=[{finding: dyspnea, present: true}] follow_up=Vital signs, in 5 minutes."
)


@pytest.mark.parametrize(
    "line",
    [
        SUBMIT,
        SUBMIT.replace(
            "{finding: dyspnea, present: true}", '{"finding": "dyspnea", "present": true}'
        ),
        SUBMIT.replace("dyspnea", "'dyspnea'").replace("2", '"2"'),
    ],
)
def test_findings_are_cited_as_people_type_them(line: str) -> None:
    env = ClinicEnv("triage_emergency", split="test")
    [call] = typed(env, line, "")
    assert call["name"] == "submit_answer"
    assert call["arguments"]["cited_findings"] == [{"finding": "dyspnea", "present": True}]
    assert call["arguments"]["follow_up"] == "Vital signs, in 5 minutes."
    *_, info = take(env, [call])
    assert info["stop"] == "answered"


@pytest.mark.parametrize(
    ("name", "line", "right"),
    [
        ("clingen:single", "get_full_txt pmid=SIM1", "get_full_text"),
        ("clingen:single", "get_full_text pmdi=SIM1", "pmid"),
        ("clingen", "CLASIFICATION: Strong", "CLASSIFICATION: "),
        ("clinical_diagnosis", "order_labs tests=[cbc]", "order_lab"),
        ("clinical_diagnosis", "order_lab test=[cbc]", "tests"),
        ("clinical_diagnosis", "read_history section=habit", "habits"),
        ("triage_emergency", "mesure_vital_signs", "measure_vital_signs"),
        ("drug_interaction", "{'name': 'read_medicines'}", "submit_answer"),
    ],
)
def test_a_mistake_in_typing_uses_no_turn(name: str, line: str, right: str) -> None:
    env = ClinicEnv(name, split="test")
    person = Typist(env, line, "", "", "/quit")
    observation, info = env.reset(seed=0)
    with pytest.raises(Quit):
        person.act(observation, info)
    assert right in person.shown[-1]
    assert len({prompt for prompt in person.prompts if prompt != "… "}) == 1
    assert env.episode.turns == []


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("name", [*IDS, *toy_domains.IDS])
def test_all_that_is_shown_fits_the_width(name: str, width: int) -> None:
    env = gym.make(name, split="test").unwrapped
    assert isinstance(env, ClinicEnv)
    lines = ["/help", "/tools", "no_such_tool x=1", "", "/quit"]
    person = Typist(env, *lines, width=width)
    with pytest.raises(Quit):
        person.act(*env.reset(seed=0))
    names = {tool.name for tool in env.toolbox}
    long = [line for line in person.said.split("\n") if len(line) > width]
    assert [line for line in long if " " in line.strip() and line.strip() not in names] == []
    assert '"properties"' not in person.said
    assert all(tool in person.said for tool in names)


@pytest.mark.parametrize("name", IDS)
def test_the_example_of_an_answer_is_one(name: str) -> None:
    env = gym.make(name, split="test").unwrapped
    assert isinstance(env, ClinicEnv)
    if env.domain.paid_turns:
        pytest.skip("a walk has no answer: each selection is paid")
    observation, info = env.reset(seed=0)
    person = Typist(env, "/help", "/quit")
    with pytest.raises(Quit):
        person.act(observation, info)
    shown = next(text for text in person.shown if "How an answer is written here" in text)
    person.left = [*shown.partition("\n")[2].partition("right one):\n")[2].split("\n"), ""]
    *_, info = take(env, person.act("", {}))
    assert info["stop"] == "answered"


def test_results_are_shown_in_words_and_allowed_values_in_tables() -> None:
    env = ClinicEnv(TRIAGE)
    person = Typist(env, "/tools", "read_vital_sign sign=pulse", "", "URGENCY: red", "")
    observation, info = env.reset(seed=0)
    observation, *_, info = take(env, person.act(observation, info))
    person.act(observation, info)
    assert "pulse | " in person.said
    assert "(optional)" in person.said
    assert "<tool_response>" not in person.said


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
    person = Typist(env, "/help", "/tools", "read_allergies", "")
    assert person.act(*env.reset(seed=0)) == [{"name": "read_allergies", "arguments": {}}]
    assert '{"type"' not in person.said
    assert "check_interaction\n" in person.said
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
