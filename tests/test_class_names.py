"""One name means one class, in all packages."""

from __future__ import annotations

import ast
from collections import defaultdict

from places import ROOT

PACKAGES = ("gym_clinic", "verl_recipes", "kb")


def test_a_name_means_one_class() -> None:
    places = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(str(path.relative_to(ROOT)))
    assert len(places) > 200
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
