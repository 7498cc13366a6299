from __future__ import annotations

from typing import Any

import pytest
from chat_server import ChatServer

from gym_clinic.case import Case
from gym_clinic.consult import (
    Ballot,
    Chat,
    ChatClient,
    Prompt,
    Question,
    Recorded,
    Rules,
    make_consultant,
)
from gym_clinic.errors import ConfigError, ServiceError, TaskError

PROMPT = Prompt("You are a {specialty} consultant.\n\n{reply}", "{complaint}")
GOOD = {"choice": "A", "confidence": 0.5, "explanation": "Seen."}


def question(round: int = 1) -> Question[Ballot]:
    values = {"specialty": "cardiology", "complaint": "chest pain"}
    return Question("cardiologist", PROMPT, values, Ballot, round)


def chat(server: ChatServer, **options: Any) -> Chat:
    return Chat(ChatClient(server.url, "tiny", backoff=0.002, retries=1), **options)


# --- recorded -----------------------------------------------------------------


def test_a_recorded_reply_holds_for_every_round() -> None:
    recorded = Recorded({"cardiologist": GOOD})
    assert recorded.ask(question(), Case({})) == Ballot(**GOOD)
    assert recorded.ask(question(3), Case({})) == Ballot(**GOOD)


def test_recorded_replies_by_round() -> None:
    recorded = Recorded({"cardiologist": [GOOD, {**GOOD, "choice": "B"}]})
    choices = [recorded.ask(question(number), Case({})).choice for number in (1, 2, 3)]
    assert choices == ["A", "B", "B"]


def test_recorded_replies_are_found_in_the_case() -> None:
    recorded = Recorded(lambda question, case: case["replies"].get(question.role))
    assert recorded.ask(question(), Case({"replies": {"cardiologist": GOOD}})) == Ballot(**GOOD)


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ({}, "cardiologist: no reply is recorded for round 1"),
        ({"cardiologist": []}, "cardiologist: no reply is recorded for round 1"),
        ({"cardiologist": "A"}, "cardiologist: the recorded reply is wrong: the reply: "),
        ({"cardiologist": {**GOOD, "confidence": 2}}, "recorded reply is wrong: confidence: "),
    ],
)
def test_a_wrong_record_is_a_mistake_of_the_data(replies: Any, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        Recorded(replies).ask(question(), Case({}))


# --- rules --------------------------------------------------------------------


def test_rules_read_the_question_and_the_case() -> None:
    def answer(question: Question[Any], case: Any) -> Any:
        return {**GOOD, "choice": case["best"], "explanation": question.values["complaint"]}

    reply = Rules(answer).ask(question(), Case({"best": "C"}))
    assert (reply.choice, reply.explanation) == ("C", "chest pain")


def test_a_wrong_answer_of_rules_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="cardiologist: the rules gave no reply: choice: "):
        Rules(lambda question, case: {"choice": 1}).ask(question(), Case({}))


# --- chat ---------------------------------------------------------------------


def test_a_chat_model_is_asked_with_the_role_prompt(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.answer(Ballot(**GOOD).model_dump_json())]
    case = Case({})
    assert chat(chat_server).ask(question(), case) == Ballot(**GOOD)
    assert chat_server.requests[0]["messages"] == question().messages()
    assert case.usage["total_tokens"] == 18


def test_an_unreadable_reply_is_asked_for_again_with_what_was_wrong(
    chat_server: ChatServer,
) -> None:
    wrong = '{"choice": "A", "confidence": 7, "explanation": "Seen."}'
    chat_server.script = [
        chat_server.answer("A"),
        chat_server.answer(wrong),
        chat_server.answer(Ballot(**GOOD).model_dump_json()),
    ]
    case = Case({})
    assert chat(chat_server, attempts=3).ask(question(), case) == Ballot(**GOOD)
    *_, said, told = chat_server.requests[2]["messages"]
    assert said == {"role": "assistant", "content": wrong}
    assert "confidence: Input should be less than or equal to 1" in told["content"]
    assert [len(request["messages"]) for request in chat_server.requests] == [2, 4, 6]
    assert case.usage["replies"] == 3


def test_a_model_that_never_replies_readably_is_a_failed_service(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.answer("I do not know.")]
    case = Case({})
    with pytest.raises(
        ServiceError, match="cardiologist: no readable reply in 2 attempts: not valid JSON"
    ):
        chat(chat_server).ask(question(), case)
    assert case.usage["replies"] == 2


def test_a_server_that_refuses_is_not_asked_again(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.status(401)]
    with pytest.raises(ServiceError, match="HTTP 401"):
        chat(chat_server).ask(question(), Case({}))
    assert len(chat_server.requests) == 1


def test_attempts_are_at_least_one(chat_server: ChatServer) -> None:
    with pytest.raises(ConfigError, match="attempts"):
        chat(chat_server, attempts=0)


# --- from an option -----------------------------------------------------------


def test_make_consultant(chat_server: ChatServer) -> None:
    offline = {"recorded": Recorded({})}
    assert make_consultant("recorded", offline) is offline["recorded"]
    made = make_consultant({"kind": "chat", "url": chat_server.url, "model": "m"}, offline)
    assert isinstance(made, Chat)
    assert made.client.model == "m"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("rules", r"consultant must be 'recorded' or \{'kind': 'chat'.*, not 'rules'"),
        ({"kind": "human"}, "consultant must be 'recorded' or"),
        ({"kind": "chat", "url": "http://h", "model": "m", "tokens": 1}, "no option 'tokens'"),
        ({"kind": "chat", "url": "http://h", "model": "m", "api_key": "s"}, "api_key_env"),
    ],
)
def test_make_consultant_refuses(option: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make_consultant(option, {"recorded": Recorded({})})
