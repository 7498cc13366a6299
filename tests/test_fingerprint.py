"""What a result depends on changes its fingerprint; how code is written or explained does not."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import toy_domains

from gym_clinic.domain import Domain, load
from gym_clinic.env import ClinicEnv
from gym_clinic.fingerprint import Inputs, digest, find_inputs
from gym_clinic.source_files import SourceReader, find_module, read_source

CLINIC = sorted(name for name in gym.registry if name.startswith("clinic/"))
IDS = [*CLINIC, *toy_domains.IDS]
ROOMS = {"clinical_diagnosis": 0, "triage_emergency": 0, "drug_interaction": 0}


def domain_of(name: str) -> Domain:
    env = gym.make(name).unwrapped
    assert isinstance(env, ClinicEnv)
    return env.domain


def inputs_of(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    """Return what `Domain.scoring` hashes."""
    kept: list[Inputs] = []

    def keep(*args: Any, **keywords: Any) -> str:
        kept.append(find_inputs(*args, **keywords))
        return ""

    with monkeypatch.context() as patch:
        patch.setattr("gym_clinic.fingerprint.fingerprint", keep)
        domain.scoring()
    return kept[0]


class Retold(ast.NodeTransformer):
    """Writes other docstrings, where there are some."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value = ast.Constant("Other words.")
        return node


class OtherLiterals(ast.NodeTransformer):
    """Changes the first number or text that is no docstring."""

    done = False

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if self.done or type(node.value) not in (int, float, str):
            return node
        self.done = True
        return ast.Constant(node.value + ("x" if isinstance(node.value, str) else 1))


@pytest.mark.parametrize("name", IDS)
def test_each_literal_counts_and_no_docstring_does(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    domain = domain_of(name)
    found = inputs_of(domain, monkeypatch)
    before = digest(found)
    home = domain.module
    judged = [label for label in found.code if label == home or label.startswith(f"{home}.")]
    assert home in judged
    copy = tmp_path / "copy.py"
    for label in [*judged, "gym_clinic.env", "gym_clinic.rewards.rubric", "gym_clinic.toolbox"]:
        text = found.code[label].read_text("utf-8")
        tree = read_source(text.encode()).tree
        # Other docstrings, no comments, and the layout of ast.unparse.
        retold = "# A comment.\n" + ast.unparse(Retold().visit(ast.parse(text)))
        assert read_source(retold.encode()).tree == tree, label
        change = OtherLiterals()
        other = ast.unparse(change.visit(ast.parse(text)))
        assert (read_source(other.encode()).tree != tree) is change.done, label
    for written, same in ((retold, True), (other, False)):
        copy.write_text(written, "utf-8")
        assert (digest(found._replace(code={**found.code, label: copy})) == before) is same


@pytest.mark.parametrize("name", IDS)
def test_data_policy_and_tools_count(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    domain = domain_of(name)
    found = inputs_of(domain, monkeypatch)
    before = digest(found)
    assert before == domain.scoring()
    assert domain.policy in found.texts
    for place in range(len(found.texts)):
        texts = [*found.texts]
        texts[place] += "."
        assert digest(found._replace(texts=tuple(texts))) != before
    for label, file in list(found.data.items())[::10]:
        copy = tmp_path / "data"
        copy.write_bytes(file.read_bytes() + b" ")
        assert digest(found._replace(data={**found.data, label: copy})) != before


@pytest.mark.parametrize("name", sorted(ROOMS))
def test_all_that_decides_a_clinical_result_is_covered(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = inputs_of(load(name), monkeypatch)
    own = f"gym_clinic.domains.{name}"
    code = ("gym_clinic.simulate.split", "gym_clinic.facts.named_drugs", f"{own}.gold",
            "gym_clinic.instruments", "gym_clinic.clinical.judging.judge", f"{own}.tasks",
            "gym_clinic.answering", "gym_clinic.rewards.clinical")  # fmt: skip
    data = ("gym_clinic.simulate.clinic.texts phrases/arrival.txt", "table facts/drugs.json",
            "gym_clinic.chart.talk topics.json", "table conditions/emergency.json")  # fmt: skip
    assert [label for label in code if label not in found.code] == []
    assert [label for label in data if label not in found.data] == []
    siblings = [f"gym_clinic.domains.{other}" for other in (*ROOMS, "clingen") if other != name]
    assert not [label for label in found.code if label.startswith(tuple(siblings))]


def test_all_that_decides_a_curation_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    found = inputs_of(load("clingen"), monkeypatch)
    own = "gym_clinic.domains.clingen"
    code = (f"{own}.settings", f"{own}.rewards", f"{own}.literature.prose.write")
    data = (f"{own}.literature.prose phrases/reviews.txt", "tasks dossiers/pairs.jsonl")
    assert [label for label in code if label not in found.code] == []
    assert [label for label in data if label not in found.data] == []
    # A change of the simulated patients ends no run of curations.
    assert not [label for label in found.code if label.startswith("gym_clinic.chart")]


def test_no_two_ids_share_a_fingerprint() -> None:
    hashes = {name: domain_of(name).scoring() for name in IDS}
    assert all(len(text) == 12 for text in hashes.values())
    assert len(set(hashes.values())) == len(IDS)


README_STYLE = '''
import json
from pathlib import Path

from gym_clinic import Domain, Rubric, Task, tool
from warmth import LIMIT

BANDS = json.loads(Path(__file__).with_name("bands.json").read_text())


@tool
def read_temperature(case) -> str:
    """Read the temperature."""
    return "38.9"


def accuracy(episode) -> float:
    """Whether the answer is right."""
    return float(episode.answer == episode.task.gold["answer"])  # a comment


TASKS = [Task("a", {}, {"answer": "yes", "calls": []}, "Fever?")]
DOMAIN = Domain("fever", "Answer yes or no.", {"train": TASKS},
                Rubric({"accuracy": accuracy}, {"accuracy": 1.0}), (read_temperature,),
                read_answer=str.strip)
'''
FILES = {"fever.py": README_STYLE, "warmth.py": "LIMIT = 38.0\n", "bands.json": "[1]",
         "results.json": "{}"}  # fmt: skip


def scoring_of(folder: Path, files: dict[str, str]) -> str:
    """Return the fingerprint that another process gives a domain of these files."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    code = "from gym_clinic.domain import load; print(load('fever:DOMAIN').scoring())"
    path = os.pathsep.join([str(folder), str(Path(load.__code__.co_filename).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_domain_of_a_third_party_is_covered_by_default(tmp_path: Path) -> None:
    before = scoring_of(tmp_path / "before", FILES)
    same = {
        "comment": {"fever.py": README_STYLE.replace("# a comment", "# another")},
        "docstring": {"fever.py": README_STYLE.replace("Whether the answer is", "The answer is")},
        "layout": {"fever.py": README_STYLE.replace("([", "(\n    [")},
        "a file that is not named": {"results.json": "{1}"},
    }
    other = {
        "reward": {"fever.py": README_STYLE.replace("float(episode.answer", "2 * (episode.answer")},
        "weight": {"fever.py": README_STYLE.replace('"accuracy": 1.0', '"accuracy": 0.5')},
        "policy": {"fever.py": README_STYLE.replace("yes or no", "no or yes")},
        "a tool's description": {"fever.py": README_STYLE.replace("Read the", "Tell the")},
        "a module that it imports": {"warmth.py": "LIMIT = 38.5\n"},
        "a data file that it names": {"bands.json": "[2]"},
    }
    for number, (what, files) in enumerate(same.items()):
        assert scoring_of(tmp_path / f"same-{number}", {**FILES, **files}) == before, what
    for number, (what, files) in enumerate(other.items()):
        assert scoring_of(tmp_path / f"other-{number}", {**FILES, **files}) != before, what


def test_functions_without_a_file_count_by_their_code() -> None:
    def typed(text: str) -> Any:
        names: dict[str, Any] = {"__name__": "typed_at_a_prompt"}
        exec(compile(textwrap.dedent(text), "<stdin>", "exec"), names)
        return names["reward"]

    one, other = (typed(f"def reward(episode):\n    return {value}") for value in (0.5, 0.6))
    assert digest(find_inputs([one])) == digest(find_inputs([one]))
    assert digest(find_inputs([one])) != digest(find_inputs([other]))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1", "x = 2", False),
        ("x = 1", "x = 1.0", False),
        ("x = 1", "x = True", False),
        ("x = 'a'", 'x = ("a")  # why', True),
        ("def f():\n    'doc'\n    return 1", "def f():\n\n    return (1)", True),
        ("class A:\n    x: int = 1\n    'Of x.'", "class A:\n    x: int = 1", True),
        ("f(a, b)", "f(b, a)", False),
        ("f(a=b)", "f(b=a)", False),
        ("x = [[], [1]]", "x = [[1], []]", False),
        ("if a:\n    b\nelse:\n    c", "if a:\n    b\n    c", False),
        ("x: int", "x: str", False),
        ("return_ = 'doc'", "return_ = ''", False),
        ("no python", "no python ", False),
    ],
)
def test_source_files_are_compared_by_what_they_do(one: str, other: str, same: bool) -> None:
    trees = [read_source(text.encode()).tree for text in (one, other)]
    assert (trees[0] == trees[1]) is same


def test_deep_source_files_are_read() -> None:
    text = "x = " + " + ".join(["1"] * 900)
    assert read_source(text.encode()).tree != read_source(f"{text} + 1".encode()).tree


def test_imports_are_found_as_absolute_names() -> None:
    text = "import a.b, c\nfrom .d import e\nfrom .. import f\nfrom g import h as i"
    inner = read_source(text.encode()).imports("p.q.r", package=False)
    assert inner == {"a.b", "c", "p.q.d", "p.q.d.e", "p", "p.f", "g", "g.h"}
    assert "p.q.r.d" in read_source(text.encode()).imports("p.q.r", package=True)


def test_what_was_read_is_kept_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GYM_CLINIC_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "module.py"
    file.write_text("x = 1")
    with SourceReader() as reader:
        first = reader.read(file)
    with monkeypatch.context() as patch:  # nothing is parsed a second time
        patch.setattr("gym_clinic.source_files.read_source", None)
        with SourceReader() as reader:
            assert reader.read(file) == first
    file.write_text("x = 2")
    (tmp_path / "cache" / "source-files-1.json").write_text("{broken")
    with SourceReader() as reader:
        assert reader.read(file).tree != first.tree


def test_only_modules_of_ones_own_are_followed() -> None:
    assert find_module("gym_clinic.env") is not None
    assert find_module("gym_clinic.facts") is not None
    assert find_module("json.decoder") is None
    assert find_module("pytest") is None
    assert find_module("pytest", frozenset(["pytest"])) is not None
    assert find_module("gym_clinic.env.ClinicEnv") is None
    assert find_module("no_such_module") is None
