from __future__ import annotations

from pathlib import Path

import pytest
from command_runs import Run

from gym_clinic.registration import IDS


def test_doctor(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Other tests register ids whose domains have no oracle.
    monkeypatch.setattr("gym_clinic.catalog.ids", lambda: [*IDS, "evaluation/Fever-v0"])
    status, out, _ = run("doctor")
    assert status == 0
    assert "clinic/ClinGen-v0: the oracle earns 1, the highest reward" in out
    assert "evaluation/Fever-v0: the oracle earns 1.5" in out
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path))
    status, out, _ = run("doctor")
    assert status == 1
    assert "broken data tasks: ConfigError: $GYM_CLINIC_DATA has no folder 'tasks'" in out
