"""``gym-clinic safety``: what a state violates, and the rules in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check a state against the rules of patient safety, or show the rules.")

NOTICE = "simulation, not for patient care"


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="STATE.JSON", help="Patient, events and so on.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Explain each violation of a state; exit status 1 if there is one."""
    from dataclasses import asdict

    from gym_clinic.facts.typed_json import read_object
    from gym_clinic.safety import check_state
    from gym_clinic.safety.state import read_state

    found = check_state(read_state(read_object(file, distinct=True), str(file)))
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False, indent=2))
        return int(bool(found.violations))
    from gym_clinic.commands.terminal import visible
    from gym_clinic.safety.judge import SEVERITIES

    for one in found.violations:
        print(f"{one.rule} {SEVERITIES[one.severity]}, {one.principle}: {one.title}")
        for evidence in one.evidence:
            print(f"    {visible(evidence.text)}")
    for text in found.unresolved:
        print(f"not judged: {visible(text)}")
    print(f"{len(found.violations)} violations ({NOTICE})")
    return int(bool(found.violations))


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
