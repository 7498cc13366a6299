"""Who may import whom: read from the syntax trees, so that no import escapes by being late."""

from __future__ import annotations

import ast
import functools
import graphlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gym_clinic

ROOT = Path(gym_clinic.__file__).resolve().parent

# From the ground up: a module imports from rows above its own, and from its own room.
ROWS = (
    ("_version",),
    ("errors",),
    ("exports", "strict_json", "paths", "files", "reading", "frozen", "names", "images"),
    ("endpoint",),
    ("facts",),
    ("source_files", "episode", "spaces", "case"),
    ("fingerprint",),
    ("action", "toolbox", "instruments", "retrieval", "consult", "simulate", "taskset"),
    ("embedded", "chart"),
    ("safety",),
    ("rewards",),
    ("domain",),
    ("clinical",),
    ("domains", "answering", "calling", "info"),
    ("env",),
    ("registration",),
    ("catalog",),
    ("policies",),
    ("importers",),
    ("testing",),
    ("evaluate",),
    ("viewer", "integrations"),
    ("commands",),
    ("cli",),
)
ROW = {room: number for number, row in enumerate(ROWS) for room in row}

# Beyond the rows: what is written beside them in words.
NEVER = {
    ("env", "domains"),
    ("importers", "domains"),
    ("registration", "env"),
    ("registration", "domain"),
}
FOR_TYPES_ONLY = {("episode", "case")}
LISTS_ITS_NAMES = {("gym_clinic.domain", "gym_clinic.domains")}

Import = tuple[str, bool]  # the module imported, and whether for type checkers only


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def imports(name: str, tree: ast.AST, typing_only: bool = False) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                yield from imports(name, ast.Module([child], []), typing_only=True)
            for child in node.orelse:
                yield from imports(name, ast.Module([child], []), typing_only)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, typing_only) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative imports hide where they lead"
            for alias in node.names:
                yield named(node.module or "", alias.name), typing_only
        else:
            yield from imports(name, node, typing_only)


def named(module: str, name: str) -> str:
    """Return the module that ``from module import name`` draws on."""
    if f"{module}.{name}" in MODULES:
        return f"{module}.{name}"
    home = gym_clinic._HOMES.get(name)
    return f"gym_clinic.{home}" if module == "gym_clinic" and home else module


# The training plugin: it imports gym_clinic, and nothing of gym_clinic imports it.
RECIPES = {module_name(path): path for path in sorted((ROOT.parent / "verl_recipes").rglob("*.py"))}
TRAINING = {
    "hydra", "jinja2", "omegaconf", "peft", "ray", "safetensors", "tensordict", "tokenizers",
    "torch", "torchdata", "transfer_queue", "transformers", "verl", "vllm",
}  # fmt: skip
THIRD = TRAINING | {
    "PIL", "gymnasium", "huggingface_hub", "numpy", "orjson", "packaging", "pydantic", "rich",
    "yaml",
}  # fmt: skip

# What works before the training extras are installed, and says so where they are not.
BEFORE_SET_UP = ("__main__", "agent_loop.environment", "agent_loop.tokens", "agent_loop.trajectory",
                 "preflight.checks", "preflight.command", "registry", "request", "run.lock",
                 "settings", "stage_settings", "trainer.alarms", "trainer.diagnostics")  # fmt: skip

# What is written in plain torch, an extra: their package names it where it is missing.
NEEDS_TORCH = {f"gym_clinic.domains.kacr.critic.{name}" for name in ("confidence", "network")}

# The mathematics of TT-OPD, in plain torch.
PLAIN_TORCH = ("divergence", "head", "loss", "reward", "teacher", "turns")


@functools.cache
def all_imports() -> dict[str, list[Import]]:
    """Module -> what it imports."""
    return {
        name: list(imports(name, ast.parse(path.read_text(encoding="utf-8"))))
        for name, path in {**MODULES, **RECIPES}.items()
    }


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def verdict(importer: str, imported: str, typing_only: bool) -> str | None:
    """Return what is wrong with an import of ours; None if nothing is."""
    own, other = room(importer), room(imported)
    if not other:
        return "imports the package itself; name the module"
    if (importer, imported) in LISTS_ITS_NAMES:
        return None
    if own == other:
        if own == "domains":
            mine, theirs = importer.split(".")[2:3], imported.split(".")[2:3]
            return "domains never import each other" if mine != theirs else None
        return None
    if (own, other) in NEVER:
        return f"{own} never imports {other}"
    if typing_only and (own, other) in FOR_TYPES_ONLY:
        return None
    if other not in ROW:
        return f"the room {other!r} stands in no row"
    return None if ROW[other] < ROW[own] else f"{other} does not stand above {own}"


def test_modules_import_only_from_allowed_rows() -> None:
    wrong = []
    for name in MODULES.keys() - {"gym_clinic"}:
        assert room(name) in ROW, f"{name}: say in ROWS where this room stands"
        for imported, typing_only in all_imports()[name]:
            ours = imported.split(".")[0] == "gym_clinic"
            if ours and (problem := verdict(name, imported, typing_only)):
                wrong.append(f"{name} imports {imported}: {problem}")
    assert not wrong


def test_modules_import_each_other_in_no_circle() -> None:
    known = all_imports()
    graph = {
        name: {
            imported
            for imported, typing_only in found
            if imported in known
            and imported != name
            and not typing_only
            # A package that resolves its names late is no part of a circle.
            and {**MODULES, **RECIPES}[imported].name != "__init__.py"
        }
        for name, found in known.items()
    }
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize(
    ("importer", "imported", "typing_only", "allowed"),
    [
        ("gym_clinic.env", "gym_clinic.domain", False, True),
        ("gym_clinic.domain", "gym_clinic.env", False, False),
        ("gym_clinic.env", "gym_clinic.domains.clingen", False, False),
        ("gym_clinic.importers.tasks", "gym_clinic.domains.clingen", False, False),
        ("gym_clinic.domains.clingen.build", "gym_clinic.importers.facts", False, False),
        ("gym_clinic.domains.clingen.sop", "gym_clinic.domains.clingen.naming", False, True),
        ("gym_clinic.domains.clingen.sop", "gym_clinic.domains.other", False, False),
        ("gym_clinic.consult.chat", "gym_clinic.toolbox", False, False),
        ("gym_clinic.simulate.patients", "gym_clinic.action", False, False),
        ("gym_clinic.episode", "gym_clinic.case", True, True),
        ("gym_clinic.episode", "gym_clinic.case", False, False),
        ("gym_clinic.case", "gym_clinic.episode", True, False),
        ("gym_clinic.rewards.process", "gym_clinic.domain", True, False),
        ("gym_clinic.policies.registry", "gym_clinic.evaluate", False, False),
        ("gym_clinic.testing", "gym_clinic.policies", False, True),
        ("gym_clinic.viewer.curves", "gym_clinic.files", False, True),
        ("gym_clinic.viewer.curves", "gym_clinic.commands.plot", False, False),
        ("gym_clinic.evaluate.conversations", "gym_clinic.viewer.runs", False, False),
        ("gym_clinic.toolbox", "gym_clinic", False, False),
        ("gym_clinic.toolbox", "gym_clinic.nowhere", False, False),
    ],
)
def test_import_verdicts_by_example(
    importer: str, imported: str, typing_only: bool, allowed: bool
) -> None:
    assert (verdict(importer, imported, typing_only) is None) is allowed


def foreign(name: str) -> set[str]:
    """Return the top-level names that a module imports."""
    return {imported.split(".")[0] for imported, _ in all_imports()[name]}


def test_nothing_here_imports_the_training_plugin() -> None:
    barred = TRAINING | {"verl_recipes"}
    found = {name: found for name in MODULES if (found := foreign(name) & barred)}
    assert found.keys() == NEEDS_TORCH
    assert set().union(*found.values()) == {"torch", "safetensors"}


def test_the_training_plugin_imports_gym_clinic_and_third_parties() -> None:
    known = set(sys.stdlib_module_names) | THIRD | {"gym_clinic", "verl_recipes"}
    assert {name: found for name in RECIPES if (found := foreign(name) - known)} == {}


@pytest.mark.parametrize("name", PLAIN_TORCH)
def test_the_mathematics_of_distillation_needs_no_verl(name: str) -> None:
    module = f"verl_recipes.ttopd.{name}"
    ours = {"gym_clinic", "verl_recipes", "torch"}
    found = {one for one, _ in all_imports()[module] if one.startswith("verl_recipes.")}
    # The settings and the table of names are plain data.
    plain = {"verl_recipes.registry", "verl_recipes.settings"}
    allowed = {f"verl_recipes.ttopd.{other}" for other in PLAIN_TORCH} | plain
    assert found <= allowed
    assert foreign(module) - set(sys.stdlib_module_names) <= ours


def test_the_training_plugin_reports_before_it_is_set_up() -> None:
    names = [f"verl_recipes.{name}" for name in BEFORE_SET_UP]
    code = f"""
import importlib, sys
for extra in {sorted(TRAINING)!r}:
    sys.modules[extra] = None
for name in {names!r}:
    importlib.import_module(name)
"""
    assert set(names) <= set(fresh(code))


def test_late_and_nested_imports_are_seen() -> None:
    source = """
if TYPE_CHECKING:
    from gym_clinic.case import Case
def f():
    try:
        from gym_clinic import strict_json, Domain
    except ImportError:
        import gym_clinic.env
"""
    assert list(imports("x", ast.parse(source))) == [
        ("gym_clinic.case", True),
        ("gym_clinic.strict_json", False),
        ("gym_clinic.domain", False),
        ("gym_clinic.env", False),
    ]


def test_the_package_imports_strings_only() -> None:
    tree = ast.parse(MODULES["gym_clinic"].read_text(encoding="utf-8"))
    at_run_time = {one for one, typing_only in imports("gym_clinic", tree) if not typing_only}
    ours = {one for one in at_run_time if one.startswith("gym_clinic")}
    assert ours == {"gym_clinic._version", "gym_clinic.registration"}


def fresh(code: str) -> list[str]:
    """Run code in a fresh interpreter and return the modules it has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
    )
    loaded: list[str] = json.loads(done.stdout)
    return loaded


def test_import_is_cheap() -> None:
    before, after = fresh("import gymnasium"), fresh("import gym_clinic")
    ours = {one for one in after if one.split(".")[0] == "gym_clinic"}
    assert ours == {"gym_clinic", "gym_clinic._version", "gym_clinic.registration"}
    new = {one.split(".")[0] for one in set(after) - set(before)} - {"gym_clinic"}
    for heavy in ("pydantic", "orjson", "rich", "torch", "httpx", "lxml", "sklearn", "asyncio"):
        assert heavy not in new


def test_public_names_resolve_lazily() -> None:
    for name in gym_clinic.__all__:
        assert getattr(gym_clinic, name) is not None
        assert name in dir(gym_clinic)
    assert set(gym_clinic._HOMES) == set(gym_clinic.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="'gym_clinic' has no attribute 'Nothing'"):
        gym_clinic.__getattr__("Nothing")


def test_every_module_imports_without_the_extras() -> None:
    code = f"""
import importlib, sys
for extra in (
    "httpx", "tenacity", "lxml", "matplotlib", "pyarrow", "torch", "sklearn", "yaml",
    "hypothesis", "pytest", "tantivy",
    "faiss", "fastapi", "uvicorn", "sentence_transformers", "numba",
):
    sys.modules[extra] = None
for name in {sorted(MODULES.keys() - NEEDS_TORCH)!r}:
    importlib.import_module(name)
"""
    assert MODULES.keys() - NEEDS_TORCH <= set(fresh(code))
