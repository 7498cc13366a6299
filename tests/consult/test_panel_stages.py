"""Debate, judge, pauses for the caller, what members hear, and the presets."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from typing import Any

import pytest

from gym_clinic.case import Case
from gym_clinic.consult import (
    Awaited,
    Ballot,
    DiscussionSummary,
    Member,
    Panel,
    Prompt,
    Question,
    Recorded,
    Rules,
    Visibility,
    presets,
    single_agent,
    weighted_by_confidence,
)
from gym_clinic.errors import ConfigError, ServiceError

QUESTION = Question("panel", Prompt("", "A, B or C?"), {}, Ballot)
OPTIONS = ("A", "B", "C")


def ballot(choice: str | None, confidence: float = 0.5) -> dict[str, Any]:
    return {"choice": choice, "confidence": confidence, "explanation": f"{choice} it is."}


def says(name: str, *choices: str) -> Member:
    return Member(name, Recorded({name: [ballot(choice) for choice in choices]}))


def everyone_to(choice: str) -> Member:
    return Member("debater", Rules(lambda question, case: ballot(choice)))


def discuss(members: Sequence[Member], **settings: Any) -> Any:
    panel: Panel[Ballot] = Panel(members, **settings)
    return panel.discuss(QUESTION, Case({}), OPTIONS)


def test_debater_revises_from_the_first_discussion_on() -> None:
    found = discuss([says("a", "A"), says("b", "B")], rounds=4, debater=everyone_to("C"))
    first, second = found.rounds
    assert [opinion.choice for opinion in first.final] == ["A", "B"]
    assert first.debated == ()
    assert [opinion.choice for opinion in second.opinions] == ["A", "B"]
    assert [opinion.choice for opinion in second.debated] == ["C", "C"]
    assert (found.choice, found.unanimous) == ("C", True)


def test_all_agree_before_any_discussion() -> None:
    found = discuss([says("a", "B"), says("b", "B")], rounds=4, debater=everyone_to("C"))
    assert (len(found.rounds), found.choice) == (1, "B")


def test_members_get_consensus_and_history() -> None:
    seen: list[Any] = []

    def note(question: Question[Any], case: Any) -> Any:
        seen.append((question.values["consensus"], question.values["history"]))
        return ballot("A")

    debater = Member("debater", Rules(lambda question, case: ballot(question.values["answer"])))
    discuss([Member("a", Rules(note)), says("b", "B")], rounds=3, debater=debater)
    assert seen == [("none yet", "(none)"), ("A", "(none)"), ("A", "A it is.")]


def test_a_debater_that_fails_changes_nothing() -> None:
    class Away:
        def ask(self, question: Any, case: Any) -> Any:
            raise ServiceError("away")

    found = discuss([says("a", "A"), says("b", "B")], rounds=2, debater=Member("debater", Away()))
    assert [opinion.choice for opinion in found.opinions] == ["A", "B"]


def test_judge_decides_at_the_end() -> None:
    judge = Member("judge", Rules(lambda question, case: ballot("C")))
    found = discuss([says("a", "A"), says("b", "A")], judge=judge)
    assert (found.choice, found.scores) == ("C", {"A": 2.0})
    assert found.reply.choice == "C"


def test_panel_pauses_for_the_caller() -> None:
    panel: Panel[Ballot] = Panel(
        [says("a", "A", "B"), Member("me", Awaited())], rounds=3, vote=weighted_by_confidence
    )
    talk = panel.advance(panel.open(QUESTION, OPTIONS), Case({}))
    assert list(talk.pending) == ["me"]
    assert talk.pending["me"].opinions == ()
    elsewhere = pickle.loads(pickle.dumps(copy.deepcopy(talk)))
    panel.advance(talk, Case({}), {"me": Ballot(**ballot("B", 0.9))})
    heard = [opinion.choice for opinion in talk.pending["me"].opinions]
    assert (heard, talk.over) == (["A", "B"], False)
    panel.advance(talk, Case({}), {"me": Ballot(**ballot("B", 0.9))})
    assert talk.over
    assert panel.result(talk).choice == "B"
    assert elsewhere.rounds == []  # a copy goes its own way
    with pytest.raises(ConfigError, match="no question to 'a' is open, only \\['me'\\]"):
        panel.advance(elsewhere, Case({}), {"a": Ballot(**ballot("A"))})


def test_panel_pauses_for_debater_and_judge() -> None:
    awaited = Member("debater", Awaited())
    panel: Panel[Ballot] = Panel(
        [says("a", "A"), says("b", "B")], rounds=2, debater=awaited, judge=Member("j", Awaited())
    )
    talk = panel.advance(panel.open(QUESTION, OPTIONS), Case({}))
    assert list(talk.pending) == ["a", "b"]
    assert talk.pending["a"].values["answer"] == "A"
    panel.advance(talk, Case({}), {"a": Ballot(**ballot("C"))})
    assert list(talk.pending) == ["b"]
    panel.advance(talk, Case({}), {"b": Ballot(**ballot("C"))})
    assert list(talk.pending) == ["j"]
    panel.advance(talk, Case({}), {"j": Ballot(**ballot("B"))})
    assert panel.result(talk).choice == "B"
    with pytest.raises(ConfigError, match="are awaited: use open and advance"):
        panel.discuss(QUESTION, Case({}), OPTIONS)


def test_critic_in_place_of_self_report() -> None:
    def critic(question: Question[Any], reply: Any) -> float:
        return 0.9 if question.role == "a" else 0.2

    found = discuss(
        [says("b", "B"), says("a", "A"), says("c", "B")],
        confidence=critic,
        vote=weighted_by_confidence,
    )
    assert (found.choice, found.scores) == ("A", pytest.approx({"A": 0.9, "B": 0.4}))


def test_groups_hear_reasons_inside_and_answers_outside() -> None:
    heard: list[Any] = []

    def note(question: Question[Any], case: Any) -> Any:
        heard.append(
            {opinion.member: type(opinion.reply).__name__ for opinion in question.opinions}
        )
        return ballot("A")

    members = [Member("a", Rules(note)), says("b", "B"), says("c", "C")]
    discuss(members, rounds=2, visibility=Visibility(groups=2))
    assert heard[1] == {"a": "Ballot", "b": "Viewpoint", "c": "Ballot"}


def test_a_summary_stands_for_the_replies() -> None:
    prompts: list[str] = []

    def note(question: Question[Any], case: Any) -> Any:
        prompts.append(question.messages()[-1]["content"])
        return ballot("A")

    summariser = Rules(lambda question, case: DiscussionSummary(summary="One each."))
    members = [Member("a", Rules(note)), says("b", "B")]
    discuss(members, rounds=2, visibility=Visibility(summariser=summariser))
    assert "One each." in prompts[1]
    assert "B it is" not in prompts[1]


def test_two_thirds_end_it_and_the_most_confident_stay() -> None:
    three = [says("a", "A"), says("b", "A"), says("c", "C")]
    assert len(discuss(three, rounds=3, agreement=0.6).rounds) == 1
    assert len(discuss(three, rounds=3, agreement=2 / 3).rounds) == 3  # not more than two thirds
    sure = Member("d", Recorded({"d": ballot("B", 0.9)}))
    last = discuss([*three, sure], rounds=3, keep=2).rounds[-1]
    assert [opinion.member for opinion in last.opinions] == ["a", "d"]


@pytest.mark.parametrize("name", sorted(presets()))
def test_presets_decide(name: str) -> None:
    preset = presets()[name]
    assert preset.about
    assert preset.source
    panel = preset.panel(
        [says("a", "A", "B"), says("b", "B"), says("c", "C")],
        options=OPTIONS,
        debater=everyone_to("B"),
        judge=Member("judge", Rules(lambda question, case: ballot("C"))),
        summariser=Rules(lambda question, case: DiscussionSummary(summary="Three answers.")),
    )
    found = panel.discuss(QUESTION, Case({}), OPTIONS)
    judged = preset.judge == "always" or (preset.judge == "tie" and found.tied)
    assert found.choice == ("C" if judged else {"vote": "A"}.get(name, "B"))
    assert len(found.rounds) <= preset.rounds
    assert bool(found.rounds[-1].debated) == preset.debater


def test_presets_by_complexity_and_missing_roles() -> None:
    low = presets()["mdagents"].at("low")
    assert len(low.panel([says("a", "A"), says("b", "B")]).members) == 1
    with pytest.raises(ConfigError, match="no complexity 'hgh'; did you mean 'high'"):
        presets()["mdagents"].at("hgh")
    with pytest.raises(ConfigError, match="this panel needs judge, options; see Khan"):
        presets()["debating"].panel([says("a", "A")])


def test_single_agent_spends_what_a_panel_spent() -> None:
    def count(question: Question[Any], case: Any) -> Any:
        case.charge({"total_tokens": 40})
        return ballot("AABBB"[question.round - 1])

    case = Case({})
    member = Member("a", Rules(count))
    found = single_agent(member, QUESTION, case, OPTIONS, tokens=100)
    assert (len(found.opinions), found.choice, case.usage) == (3, "A", {"total_tokens": 120})
    assert single_agent(member, QUESTION, Case({}), OPTIONS, replies=5).choice == "B"
    with pytest.raises(ConfigError, match="and not both"):
        single_agent(member, QUESTION, Case({}), OPTIONS)
