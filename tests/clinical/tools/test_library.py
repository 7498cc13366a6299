"""The tools that search the library: what they say of things that no passage is about."""

from __future__ import annotations

from typing import Any

from gym_clinic.case import Case
from gym_clinic.clinical.tools.library import library_tools

TOOLS = {tool.name: tool for tool in library_tools()}


def call(name: str, **arguments: Any) -> Any:
    return TOOLS[name].call(arguments, Case({}))


def test_the_library_says_what_no_passage_is_about_and_shows_no_tags() -> None:
    for name, argument in (
        ("search_pubmed", "query"),
        ("retrieve_evidence", "query"),
        ("search_medical_wiki", "topic"),
    ):
        told = call(name, **{argument: "5-FU side effects"})
        assert told == {"results": "none", "note": "No passage is about 5-FU."}
    shown = call("search_pubmed", query="sepsis lactate")["results"]
    assert shown
    assert not any("<b>" in one["snippet"] for one in shown)
    told = call("retrieve_evidence", query="zonegrimab in pneumonia")
    assert told["note"] == "No passage is about zonegrimab."
    assert told["results"] != "none"
