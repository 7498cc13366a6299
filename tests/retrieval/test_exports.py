"""The public names of the room and its sub-rooms resolve, and importing the room is cheap."""

from __future__ import annotations

import ast
import graphlib
import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gym_clinic import retrieval
from gym_clinic.retrieval import dense, graph, passages, patients, serving

ROOMS = (dense, graph, passages, patients, serving)


@pytest.mark.parametrize("package", [retrieval, *ROOMS], ids=lambda package: package.__name__)
def test_every_public_name_resolves_and_no_submodule_shadows_it(package):
    assert len(package.__all__) >= 4
    for name in package.__all__:
        assert not isinstance(getattr(package, name), ModuleType)
    with pytest.raises(AttributeError, match=r"module 'gym_clinic.*' has no attribute 'Absent'"):
        _ = package.Absent


def test_the_room_exports_the_names_of_its_sub_rooms():
    for room in ROOMS:
        for name in room.__all__:
            assert getattr(retrieval, name) is getattr(room, name)


def test_every_export_is_declared_for_type_checkers():
    for package in (retrieval, *ROOMS):
        source = importlib.util.find_spec(package.__name__).loader.get_source(package.__name__)
        assert [name for name in package.__all__ if f" {name} as {name}" not in source] == []


def test_importing_the_room_loads_no_heavy_package():
    heavy = ("numpy", "pydantic", "sqlite_utils", "httpx", "faiss", "tantivy", "fastapi")
    code = (
        "import sys, gym_clinic.retrieval.passages\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    before = "import sys, gym_clinic\n" + code.partition("\n")[2]
    loaded = [
        subprocess.run([sys.executable, "-c", one], capture_output=True, text=True, check=True)
        for one in (before, code)
    ]
    assert loaded[0].stdout == loaded[1].stdout


def test_no_modules_of_the_room_import_each_other_in_a_circle():
    folder = Path(retrieval.__file__).parent
    modules = {
        ".".join(["gym_clinic.retrieval", *path.relative_to(folder).with_suffix("").parts]): path
        for path in folder.rglob("*.py")
        if path.name != "__init__.py"
    }
    imports = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                named = {f"{node.module}.{alias.name}" for alias in node.names}
                imports[name] |= {node.module, *named} & modules.keys()
    assert any(imports.values())
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError
