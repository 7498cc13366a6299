"""The commands of docs/dxsearch.md on one's own cases run, on the cases shown there."""

from __future__ import annotations

import re
import shlex

from places import ROOT

from gym_clinic.cli import main
from gym_clinic.importers import CASES

PAGE = (ROOT / "docs" / "dxsearch.md").read_text(encoding="utf-8")
OWN = PAGE[PAGE.index("## Your own cases") : PAGE.index("## Not yet")]


def test_the_cases_shown_are_converted_and_played(tmp_path, monkeypatch, capsys):
    (table,) = re.findall(r"^```csv\n(.*?)^```$", OWN, re.M | re.S)
    (commands,) = re.findall(r"^```bash\n(.*?)^```$", OWN, re.M | re.S)
    (tmp_path / "cases.csv").write_text(table)
    monkeypatch.chdir(tmp_path)
    said = []
    for line in commands.splitlines():
        assert main(shlex.split(line)[1:]) == 0, line
        said.append(capsys.readouterr().out)
    assert "test 3 tasks of 3 diseases (2 common, 1 rare), 1 records" in said[0]
    assert "What was right" in said[0]
    assert (tmp_path / "sheet.csv").read_text().count("own case, ") == 3


def test_the_table_lists_every_format():
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", OWN, re.M)) == sorted(CASES)
