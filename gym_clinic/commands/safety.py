"""``gym-clinic safety``: what a state violates, and the rules in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gym_clinic.safety import SafetyJudgement

app = typer.Typer(help="Check a state against the rules of patient safety, or show the rules.")

NOTICE = "simulation, not for patient care"

VIOLATION, NOT_JUDGED = 1, 3
"""Exit status of a state with a violation, and of one of which something was not judged."""


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="STATE.JSON", help="Patient, events and so on.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Explain each violation of a state, and name what was not judged.

    Exit status: 0 no violation and everything judged; 1 a violation; 2 a file that is no state;
    3 no violation, but something could not be judged, which may hide one.
    """
    from dataclasses import asdict

    from gym_clinic.facts.typed_json import read_object
    from gym_clinic.safety import check_state
    from gym_clinic.safety.state import read_state

    found = check_state(read_state(read_object(file, distinct=True), str(file)))
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False, indent=2))
        return _status(found)
    from gym_clinic.commands.terminal import visible
    from gym_clinic.safety.judge import SEVERITIES

    for one in found.violations:
        print(f"{one.rule} {SEVERITIES[one.severity]}, {one.principle}: {one.title}")
        for evidence in one.evidence:
            print(f"    {visible(evidence.text)}")
    for text in found.unresolved:
        print(f"not judged: {visible(text)}")
    unjudged = f", {len(found.unresolved)} not judged" if found.unresolved else ""
    print(f"{len(found.violations)} violations{unjudged} ({NOTICE})")
    return _status(found)


def _status(found: SafetyJudgement) -> int:
    """The exit status of a judgement."""
    if found.violations:
        return VIOLATION
    return NOT_JUDGED if found.unresolved else 0


@app.command("rules")
def show_rules(
    rule: Annotated[
        str | None, typer.Argument(metavar="ID", help="One rule, with its example.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page of the documentation.")
    ] = False,
) -> None:
    """List the rules, or show one in words."""
    from gym_clinic.errors import ConfigError
    from gym_clinic.names import suggest
    from gym_clinic.safety import safety_rules
    from gym_clinic.safety.page import rule_lines, rules_page

    known = safety_rules()
    if markdown:
        print(rules_page(), end="")
    elif rule is None:
        for key, one in known.items():
            print(f"{key}  {one.declared.title}")
        print(f"{len(known)} rules ({NOTICE})")
    elif rule.upper() not in known:
        raise ConfigError(f"no safety rule {rule!r}; {suggest(rule, known)}")
    else:
        one = known[rule.upper()]
        print("\n".join(rule_lines(one)))
        for name in ("example", "counter_example"):
            print(f"{name}: {json.dumps(getattr(one.declared, name), ensure_ascii=False)}")
