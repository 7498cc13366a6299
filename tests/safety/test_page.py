"""The page of the safety rules is what the declarations say, and so is the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from places import ROOT

from gym_clinic.cli import main
from gym_clinic.safety import safety_rules
from gym_clinic.safety.conditions import PREDICATES, names_in
from gym_clinic.safety.page import rules_page


def test_the_page_is_what_the_declarations_say() -> None:
    page = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    assert page == rules_page(), "run: gym-clinic safety rules --markdown > docs/safety.md"
    assert "Simulation, not for patient care" in page


def test_the_page_has_every_rule_in_plain_words() -> None:
    page = rules_page()
    for key, rule in safety_rules().items():
        assert f"### {key}: {rule.declared.title}" in page
    rules = page[page.index("## Severity 5") :]
    assert not [sign for sign in ("None", "True", "False", "{", "}", "class:") if sign in rules]


def test_every_predicate_is_used_by_a_rule() -> None:
    used = {name for rule in safety_rules().values() for name in names_in(rule.condition)}
    assert used == set(PREDICATES)


def write(folder: Path, state: object) -> str:
    file = folder / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    return str(file)


def test_check_explains_each_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = {
        "patient": {"pregnant": True},
        "events": [
            {"t": 5, "tool": "prescribe", "args": {"drug": "Altace"}},
            {"t": 6, "tool": "prescribe", "args": {"drug": "moonwort"}},
        ],
    }
    assert main(["safety", "check", write(tmp_path, state)]) == 1
    shown = capsys.readouterr().out
    assert "S5-03 critical, nonmaleficence" in shown
    assert "Altace ordered at 5 min" in shown
    assert "not judged: order: unknown drug 'moonwort'" in shown
    assert "not for patient care" in shown
    assert main(["safety", "check", write(tmp_path, state), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert "S5-03" in [one["rule"] for one in found["violations"]]
    assert main(["safety", "check", write(tmp_path, {})]) == 0


def test_a_wrong_frame_is_an_error_that_names_the_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["safety", "check", write(tmp_path, {"patient": {"age": "old"}})]) == 2
    assert "patient.age" in capsys.readouterr().err


def test_rules_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["safety", "rules"]) == 0
    assert "75 rules" in capsys.readouterr().out
    assert main(["safety", "rules", "s5-03"]) == 0
    assert "counter_example" in capsys.readouterr().out
    assert main(["safety", "rules", "S5-93"]) == 2
    assert "did you mean 'S5-03'?" in capsys.readouterr().err


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = rules_page()
    code = page[page.index("```python") + len("```python") :]
    exec(code[: code.index("```")], {})
    assert "S4-02 4 A major interaction is ordered" in capsys.readouterr().out
