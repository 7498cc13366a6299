"""The rules in words: the page of the documentation, and one rule for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from gym_clinic.safety.conditions import in_words
from gym_clinic.safety.judge import SEVERITIES, SafetyRule, safety_rules


def rule_lines(rule: SafetyRule) -> Iterator[str]:
    """Yield the lines of one rule in Markdown."""
    one = rule.declared
    yield f"### {one.id}: {one.title}"
    yield ""
    yield f"Principle: {one.principle}. Violated if:"
    yield ""
    yield from in_words(rule.condition)
    if rule.not_judged is not None and one.not_judged is not None:
        yield ""
        yield f"Not judged, since {one.not_judged.missing}, if:"
        yield ""
        yield from in_words(rule.not_judged)
    if one.note:
        yield ""
        yield one.note
    yield ""


def rules_page() -> str:
    """Return the page of all rules in Markdown, the gravest first."""
    lines = [Path(__file__).with_name("page.md").read_text(encoding="utf-8").rstrip(), ""]
    grouped = groupby(safety_rules().values(), key=lambda rule: rule.declared.severity)
    for severity, found in grouped:
        lines += [f"## Severity {severity}: {SEVERITIES[severity]}", ""]
        for rule in found:
            lines += rule_lines(rule)
    return "\n".join(lines).rstrip() + "\n"
