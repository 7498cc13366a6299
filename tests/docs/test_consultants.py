"""The page on consultants is run, and the names in it are those that there are."""

import re
import subprocess
import sys

import pytest
from places import ROOT

from gym_clinic import consult

PAGE = (ROOT / "docs" / "consultants.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("body", re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S))
def test_python_blocks_run(body):
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_listed_votes_exist():
    listed = re.findall(r"^\| `(\w+)` \| (?:members|sum)", PAGE, re.M)
    assert len(listed) == 3
    assert set(listed) <= set(consult.__all__)
