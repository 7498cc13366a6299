"""Consultants behind a tool: recorded replies, rules or a chat model, and panels of them.

A :class:`Question` holds a role prompt, the values of its placeholders and the pydantic model of
the reply. Every :class:`Consultant` replies with an instance of that model.
"""

from __future__ import annotations

from gym_clinic.consult.chat import ChatClient
from gym_clinic.consult.consultant import (
    Answerer,
    Awaited,
    Chat,
    Consultant,
    Recorded,
    Rules,
    make_consultant,
)
from gym_clinic.consult.discussion import Discussion, OpenDiscussion, Round, Rounds
from gym_clinic.consult.panel import Assessor, Ballot, Member, Panel, self_reported
from gym_clinic.consult.presets import Preset, presets, single_agent
from gym_clinic.consult.question import (
    Opinion,
    Prompt,
    Question,
    json_text,
    opinions_text,
    read_prompt,
)
from gym_clinic.consult.reply import NativeCall, Reply, Usage
from gym_clinic.consult.visibility import DiscussionSummary, Viewpoint, Visibility
from gym_clinic.consult.voting import (
    Scoring,
    Vote,
    majority,
    vote,
    weighted_by_confidence,
    weighted_by_first_confidence,
)

__all__ = [
    "Answerer",
    "Assessor",
    "Awaited",
    "Ballot",
    "Chat",
    "ChatClient",
    "Consultant",
    "Discussion",
    "DiscussionSummary",
    "Member",
    "NativeCall",
    "OpenDiscussion",
    "Opinion",
    "Panel",
    "Preset",
    "Prompt",
    "Question",
    "Recorded",
    "Reply",
    "Round",
    "Rounds",
    "Rules",
    "Scoring",
    "Usage",
    "Viewpoint",
    "Visibility",
    "Vote",
    "json_text",
    "majority",
    "make_consultant",
    "opinions_text",
    "presets",
    "read_prompt",
    "self_reported",
    "single_agent",
    "vote",
    "weighted_by_confidence",
    "weighted_by_first_confidence",
]
