from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from chat_server import ChatServer
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from gym_clinic.case import Case
from gym_clinic.consult import (
    Ballot,
    Chat,
    ChatClient,
    Consultant,
    Discussion,
    Member,
    Opinion,
    Panel,
    Prompt,
    Question,
    Recorded,
    Rules,
    majority,
    opinions_text,
    weighted_by_confidence,
    weighted_by_first_confidence,
)
from gym_clinic.errors import ConfigError, ServiceError, TaskError

QUESTION = Question("panel", Prompt("You are {name}.", "A, B or C?"), {}, Ballot)
OPTIONS = ("A", "B", "C")

Said = tuple[str | None, float]


def ballot(choice: str | None, confidence: float = 1.0) -> dict[str, Any]:
    return {"choice": choice, "confidence": confidence, "explanation": f"I say {choice}."}


def recorded(name: str, *rounds: Said) -> Member:
    return Member(name, Recorded({name: [ballot(*said) for said in rounds]}), values={"name": name})


class Failing:
    """A consultant whose server is away in some rounds."""

    def __init__(self, rounds: Sequence[int], otherwise: Consultant) -> None:
        self.rounds, self.otherwise = rounds, otherwise

    def ask(self, question: Question[Any], case: Case) -> Any:
        case.charge({"total_tokens": 5})
        if question.round in self.rounds:
            raise ServiceError(f"{question.role}: the server is away")
        return self.otherwise.ask(question, case)


def discuss(members: Sequence[Member], options: Sequence[str] = OPTIONS, **settings: Any) -> Any:
    panel: Panel[Ballot] = Panel(members, **settings)
    return panel.discuss(QUESTION, Case({}), options)


def one_round(*said: Said, **settings: Any) -> Discussion[Ballot]:
    members = [recorded(f"m{number}", each) for number, each in enumerate(said)]
    found: Discussion[Ballot] = discuss(members, **settings)
    return found


# --- votes --------------------------------------------------------------------


def test_the_majority_wins() -> None:
    found = one_round(("B", 0.1), ("A", 1.0), ("B", 0.1))
    assert (found.choice, found.scores, found.tied) == ("B", {"A": 1.0, "B": 2.0}, ())
    assert found.reply is not None
    assert found.reply.choice == "B"


def test_confidence_can_outweigh_the_majority() -> None:
    found = one_round(("B", 0.2), ("A", 0.9), ("B", 0.3), vote=weighted_by_confidence)
    assert found.choice == "A"
    assert found.scores == pytest.approx({"A": 0.9, "B": 0.5})


def test_a_tie_goes_to_the_first_of_the_options() -> None:
    found = one_round(("C", 1.0), ("B", 1.0))
    assert (found.choice, found.tied) == ("B", ("B", "C"))


def test_without_options_a_tie_goes_to_the_first_member() -> None:
    found = one_round(("C", 1.0), ("B", 1.0), options=())
    assert (found.choice, found.tied) == ("C", ("C", "B"))


def test_rounding_makes_no_difference_between_equal_scores() -> None:
    # .1 + .2 is not .3 in binary; the tie must be seen all the same.
    found = one_round(("B", 0.1), ("A", 0.3), ("B", 0.2), vote=weighted_by_confidence)
    assert found.tied == ("A", "B")
    assert found.choice == "A"


def test_a_vote_without_any_confidence_is_a_tie() -> None:
    found = one_round(("B", 0.0), ("A", 0.0), vote=weighted_by_confidence)
    assert (found.choice, found.tied) == ("A", ("A", "B"))


def test_abstentions_and_votes_outside_the_options_do_not_count() -> None:
    found = one_round((None, 1.0), ("D", 1.0), ("D", 1.0), ("C", 0.5))
    assert (found.choice, found.scores) == ("C", {"C": 1.0})
    assert [one.choice for one in found.opinions] == [None, None, None, "C"]
    assert found.opinions[1].reply is not None
    assert found.opinions[1].reply.choice == "D"  # what it said is kept


def test_a_panel_in_which_all_abstain_decides_nothing() -> None:
    found = one_round((None, 1.0), ("D", 1.0))
    assert (found.choice, found.scores, found.tied, found.reply) == (None, {}, (), None)
    panel: Panel[Ballot] = Panel([recorded("m0", (None, 1.0))])
    with pytest.raises(ServiceError, match="panel: every member of the panel abstained"):
        panel.ask(QUESTION, Case({}))


def test_the_reply_is_the_most_confident_for_the_choice() -> None:
    members = [recorded("a", ("A", 0.2)), recorded("b", ("B", 1.0)), recorded("c", ("A", 0.7))]
    panel: Panel[Ballot] = Panel(members)
    reply = panel.ask(QUESTION, Case({}))
    assert (reply.choice, reply.confidence) == ("A", 0.7)


opinions = st.lists(
    st.tuples(st.sampled_from([*OPTIONS, None]), st.floats(0, 1)), min_size=1, max_size=7
)


@given(said=opinions, vote=st.sampled_from([majority, weighted_by_confidence]), seed=st.randoms())
def test_the_decision_does_not_depend_on_the_order_of_the_members(
    said: list[Said], vote: Any, seed: Any
) -> None:
    shuffled = list(said)
    seed.shuffle(shuffled)
    first, second = one_round(*said, vote=vote), one_round(*shuffled, vote=vote)
    assert (first.choice, first.scores, first.tied) == (second.choice, second.scores, second.tied)


@given(said=opinions)
def test_no_score_is_higher_than_that_of_the_choice(said: list[Said]) -> None:
    found = one_round(*said, vote=weighted_by_confidence)
    assert set(found.scores) == {choice for choice, _ in said if choice}
    if found.choice is not None:
        assert max(found.scores.values()) == pytest.approx(found.scores[found.choice])


def test_replies_of_another_form_are_read_by_functions() -> None:
    class Verdict(BaseModel):
        grade: int = Field(description="the grade")

    members = [
        Member(name, Recorded({name: {"grade": grade}}))
        for name, grade in (("a", 3), ("b", 3), ("c", 1))
    ]
    panel: Panel[Verdict] = Panel(
        members,
        choice=lambda reply: str(reply.grade),
        confidence=lambda question, reply: 1 / reply.grade,
        vote=weighted_by_confidence,
    )
    found = panel.discuss(Question("panel", Prompt("", "?"), {}, Verdict), Case({}))
    assert found.choice == "1"


@pytest.mark.parametrize("confidence", [-0.1, float("nan"), float("inf")])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    with pytest.raises(ConfigError, match="m0: confidence must be a number of at least 0"):
        one_round(("A", 1.0), confidence=lambda question, reply: confidence)


# --- rounds -------------------------------------------------------------------


def test_several_rounds_of_recorded_replies() -> None:
    members = [
        recorded("a", ("A", 0.9), ("B", 0.4), ("B", 0.4)),
        recorded("b", ("B", 0.8), ("B", 0.8), ("B", 0.8)),
        recorded("c", ("C", 0.7), ("C", 0.7), ("B", 0.9)),
    ]
    found = discuss(members, rounds=5)
    assert [[one.choice for one in played.opinions] for played in found.rounds] == [
        ["A", "B", "C"],
        ["B", "B", "C"],
        ["B", "B", "B"],  # unanimous: the discussion is over
    ]
    assert [one.round for one in found.opinions] == [3, 3, 3]
    assert len(discuss(members, rounds=5, early_stop=False).rounds) == 5
    assert len(discuss(members, rounds=2).rounds) == 2


def test_an_abstention_is_no_unanimity() -> None:
    members = [recorded("a", ("A", 1.0)), recorded("b", (None, 1.0), ("A", 1.0))]
    assert len(discuss(members, rounds=4).rounds) == 2


def test_the_first_confidence_weighs_the_last_choice() -> None:
    members = [
        recorded("a", ("A", 0.9), ("A", 0.1)),
        recorded("b", ("B", 0.3), ("B", 0.5)),
        recorded("c", ("A", 0.5), ("B", 0.2)),
    ]
    literal = discuss(members, rounds=2, vote=weighted_by_first_confidence)
    assert (literal.choice, literal.scores) == ("A", pytest.approx({"A": 0.9, "B": 0.8}))
    again = discuss(members, rounds=2, vote=weighted_by_confidence)
    assert (again.choice, again.scores) == ("B", pytest.approx({"A": 0.1, "B": 0.7}))


def test_members_see_what_the_others_replied_in_the_round_before() -> None:
    seen: list[tuple[str, int, list[tuple[str, str | None]]]] = []

    def follow(question: Question[Any], case: Any) -> Any:
        heard = [(one.member, one.choice) for one in question.opinions]
        seen.append((question.role, question.round, heard))
        return ballot(heard[-1][1] if heard else "A")

    members = [Member("a", Rules(follow)), recorded("b", ("B", 1.0))]
    found = discuss(members, rounds=3)
    assert found.choice == "B"
    assert seen == [("a", 1, []), ("a", 2, [("a", "A"), ("b", "B")])]


def test_every_member_has_its_own_role_prompt_and_values() -> None:
    prompts: dict[str, list[dict[str, str]]] = {}

    def note(question: Question[Any], case: Any) -> Any:
        prompts[question.role] = question.messages()
        return ballot("A")

    own = Prompt("You are the chair.", "Decide: {case}")
    members = [
        Member("cardiologist", Rules(note), values={"name": "a cardiologist"}),
        Member("chair", Rules(note), prompt=own, values={"case": "chest pain"}),
    ]
    discuss(members)
    assert prompts["cardiologist"][0]["content"] == "You are a cardiologist."
    assert [one["content"] for one in prompts["chair"]] == [
        "You are the chair.",
        "Decide: chest pain",
    ]


# --- failures -----------------------------------------------------------------


def test_a_member_that_fails_abstains() -> None:
    members = [recorded("a", ("A", 1.0)), Member("b", Failing([1], recorded("b").consultant))]
    found = discuss(members)
    assert (found.choice, found.scores) == ("A", {"A": 1.0})
    failed = found.opinions[1]
    assert (failed.reply, failed.choice) == (None, None)
    assert failed.failure == "b: the server is away"


def test_a_failure_is_no_unanimity_and_ends_with_the_round() -> None:
    b = recorded("b", ("A", 0.4), ("A", 0.6))
    members = [recorded("a", ("A", 1.0)), Member("b", Failing([1], b.consultant))]
    found = discuss(members, rounds=3, vote=weighted_by_first_confidence)
    assert len(found.rounds) == 2
    # Its first confidence is that of the first round in which it replied.
    assert found.scores == pytest.approx({"A": 1.6})


def test_too_few_replies_are_a_failed_service() -> None:
    members = [
        recorded("a", ("A", 1.0)),
        Member("b", Failing([2], recorded("b", ("B", 1.0)).consultant)),
    ]
    with pytest.raises(
        ServiceError, match=r"panel: 1 of 2 members replied in round 2, the quorum is 2: .*away"
    ):
        discuss(members, rounds=2, quorum=2)
    away = Member("a", Failing([1], Recorded({})))
    with pytest.raises(ServiceError, match="0 of 1 members replied in round 1, the quorum is 1"):
        discuss([away])


@pytest.mark.parametrize("workers", [1, 3])
def test_other_errors_pass_through(workers: int) -> None:
    members = [recorded("a", ("A", 1.0)), Member("b", Recorded({}))]
    with pytest.raises(TaskError, match="b: no reply is recorded"):
        discuss(members, workers=workers)


@pytest.mark.parametrize(
    ("names", "settings", "words"),
    [
        ("", {}, "a panel needs members with different names"),
        ("aa", {}, "a panel needs members with different names"),
        ("ab", {"rounds": 0}, "rounds"),
        ("ab", {"quorum": 3}, "quorum must be at most 2, the number of members, not 3"),
        ("ab", {"workers": 0}, "workers"),
    ],
)
def test_a_wrong_panel(names: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Panel([recorded(name, ("A", 1.0)) for name in names], **settings)


# --- accounts, threads and chat models ----------------------------------------


def test_tokens_are_charged_to_the_case_and_listed_by_member() -> None:
    members = [
        Member("a", Failing([1], recorded("a", ("A", 1.0)).consultant)),
        Member("b", Failing([], recorded("b", ("B", 1.0), ("A", 1.0)).consultant)),
        recorded("c", ("C", 1.0)),
    ]
    panel: Panel[Ballot] = Panel(members, rounds=2)
    case = Case({})
    case.charge({"total_tokens": 100})
    found = panel.discuss(QUESTION, case)
    assert [[one.tokens for one in played.opinions] for played in found.rounds] == [
        [{"total_tokens": 5}, {"total_tokens": 5}, {}],  # a failure has its price too
        [{"total_tokens": 5}, {"total_tokens": 5}, {}],
    ]
    assert found.tokens == {"total_tokens": 20}
    assert case.usage == {"total_tokens": 120}


def test_workers_ask_at_the_same_time_and_change_no_result() -> None:
    together = threading.Barrier(3)

    def wait(question: Question[Any], case: Any) -> Any:
        together.wait(300)  # raises unless all three are asked at once
        case.charge({"total_tokens": len(question.role)})
        return ballot(question.role)

    members = [Member(name, Rules(wait)) for name in OPTIONS]
    panel: Panel[Ballot] = Panel(members, workers=3)
    case = Case({})
    found = panel.discuss(QUESTION, case, OPTIONS)
    assert [one.member for one in found.opinions] == list(OPTIONS)
    assert (found.choice, found.tied) == ("A", OPTIONS)
    assert case.usage == {"total_tokens": 3}


def test_chat_models_discuss(chat_server: ChatServer) -> None:
    def answer(choice: str) -> Any:
        return chat_server.answer(json.dumps(ballot(choice, 0.5)))

    chat_server.script = [answer("A"), answer("B"), answer("B"), answer("B")]
    chat = Chat(ChatClient(chat_server.url, "tiny"))
    members = [Member(name, chat, values={"name": name}) for name in ("first", "second")]
    panel: Panel[Ballot] = Panel(members, rounds=3)
    case = Case({})
    found = panel.discuss(QUESTION, case, OPTIONS)
    assert (found.choice, len(found.rounds)) == ("B", 2)
    roles = [message["role"] for message in chat_server.requests[2]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    *_, own, news = chat_server.requests[2]["messages"]
    assert json.loads(own["content"])["choice"] == "A"
    assert '- second: {"choice":"B"' in news["content"]
    assert case.usage["replies"] == 4
    assert found.tokens == case.usage


class Department(BaseModel):
    department: str = Field(description="the department")


def test_triage_specialists_and_an_attending() -> None:
    """The consultants of one system after another: who is asked depends on the replies."""
    case = Case({})
    triage = Recorded({"triage": {"department": "cardiology"}})
    asked = Question("triage", Prompt("", "Which department?"), {}, Department)
    department = triage.ask(asked, case).department
    specialists: Panel[Ballot] = Panel(
        [recorded(f"{department} {number}", (said, 0.6)) for number, said in enumerate("ABB")]
    )
    heard = specialists.discuss(QUESTION, case, OPTIONS)

    def attend(question: Question[Any], case: Any) -> Any:
        text = question.messages()[0]["content"]
        assert text.count("- cardiology ") == 3
        return ballot("A" if '"choice":"A"' in text else "B")  # the minority may be right

    prompt = Prompt("", "The specialists replied:\n{opinions}\nDecide.")
    values = {"opinions": opinions_text(heard.opinions)}
    final = Rules(attend).ask(Question("attending", prompt, values, Ballot), case)
    assert (heard.choice, final.choice) == ("B", "A")


def test_an_opinion_says_who_said_what() -> None:
    found = one_round(("A", 0.25))
    assert found.opinions == (Opinion("m0", 1, Ballot(**ballot("A", 0.25)), "A", 0.25, {}, ""),)
