"""Classes are read from final answers whatever decorates them, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.answers import read_classification, read_judgement, read_label
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.errors import ToolError

FRAMES = (
    "${}$", "$${}$$", "({})", "[{}]", "{{{}}}", "<{}>", r"\boxed{{{}}}", r"\text{{{}}}",
    r"\textbf{{{}}}", r"\mathrm{{{}}}", r"\({}\)", r"\[ {} \]", "**{}**", "*{}*", "__{}__", "_{}_",
    "***{}***", "`{}`", '"{}"', "'{}'", "“{}”", "‘{}’", "«{}»", "„{}“", "{}.", "- {}", "• {}",
    "# {}", "> {}", "~~{}~~", "<b>{}</b>", "<strong>{}</strong>", "<em>{}</em>", " {}\t",
)  # fmt: skip
"""What models put around a class; each nests in each."""

PREFIXES = (
    "CLASSIFICATION: {}", "**CLASSIFICATION:** {}", "**CLASSIFICATION**: {}", "Classification : {}",
    r"\textbf{{CLASSIFICATION}}: {}", r"\boxed{{CLASSIFICATION: {}}}", '"CLASSIFICATION": "{}"',
    "`CLASSIFICATION: {}`", "### CLASSIFICATION: {}", "> CLASSIFICATION: {}", "CLASSIFICATION：{}",
)  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("label", CLASSES)
def test_a_decorated_class_is_read(frame, label):
    for inner in ("{}", *FRAMES):
        assert read_label(frame.format(inner.format(label))) == label


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("frame", ["{}", "**{}**", r"$\boxed{{\text{{{}}}}}$", "({})."])
def test_a_decorated_statement_is_read(prefix, frame):
    text = f"The evidence is thin.\n{prefix.format(frame.format('Limited'))}\n"
    assert read_classification(text) == "Limited"


def test_spaces_of_latex_stand_between_the_words_of_a_class():
    assert read_label(r"\text{No\ Known~Disease Relationship}") == CLASSES[0]


@pytest.mark.parametrize(
    "text",
    ["", "Not Limited", "Limited or Strong", "Limited?", "Limited (weak)", "Definitive/Strong",
     "limit ed", r"\boxed{}", "$$", "Very Strong", "Strong, then Limited", "1. Limited is wrong"],
)  # fmt: skip
def test_anything_but_one_class_is_refused(text):
    assert read_label(text) is None
    with pytest.raises(ToolError):
        read_classification(f"CLASSIFICATION: {text}")


def test_a_single_agent_may_decorate_its_class():
    answer = {"classification": r"$\boxed{Strong}$", "evidence": []}
    assert read_judgement(json.dumps(answer)).classification == "Strong"


@given(st.sampled_from(CLASSES), st.lists(st.sampled_from(FRAMES), max_size=6))
def test_decorations_nest(label, frames):
    text = label
    for frame in frames:
        text = frame.format(text)
    assert read_label(text) == label


@given(st.text(max_size=60))
def test_any_text_is_read_as_a_class_or_none(text):
    label = read_label(text)
    assert label is None or " ".join(label.casefold().split()) in " ".join(
        text.replace("~", " ").replace("\\", " ").casefold().split()
    )
