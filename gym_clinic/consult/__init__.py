"""Consultants behind a tool: recorded replies, rules or a chat model, and panels of them.

A :class:`Question` holds a role prompt, the values of its placeholders and the pydantic model of
the reply. Every :class:`Consultant` replies with an instance of that model.
"""

from __future__ import annotations

from gym_clinic.consult.chat import ChatClient
from gym_clinic.consult.consultant import (
    Answerer,
    Chat,
    Consultant,
    Recorded,
    Rules,
    make_consultant,
)
from gym_clinic.consult.panel import (
    Ballot,
    Discussion,
    Member,
    Panel,
    Vote,
    majority,
    weighted_by_confidence,
    weighted_by_first_confidence,
)
from gym_clinic.consult.question import (
    Opinion,
    Prompt,
    Question,
    json_text,
    opinions_text,
    read_prompt,
)
from gym_clinic.consult.reply import NativeCall, Reply, Usage

__all__ = [
    "Answerer",
    "Ballot",
    "Chat",
    "ChatClient",
    "Consultant",
    "Discussion",
    "Member",
    "NativeCall",
    "Opinion",
    "Panel",
    "Prompt",
    "Question",
    "Recorded",
    "Reply",
    "Rules",
    "Usage",
    "Vote",
    "json_text",
    "majority",
    "make_consultant",
    "opinions_text",
    "read_prompt",
    "weighted_by_confidence",
    "weighted_by_first_confidence",
]
