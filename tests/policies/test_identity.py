"""The code of a policy: which files belong to it, and what changes them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.policies import code_of_policy
from gym_clinic.policies.identity import PolicyCode, code_of

AGENT = '''"""An agent."""

import json

import rater
from tools.words import say


class Agent:
    """Says one thing."""

    def act(self, observation, info):
        """Act."""
        import late_one  # inside a function too

        return say()
'''

FILES = {
    "agent.py": AGENT,
    "rater.py": "import scale_of\n",
    "scale_of.py": "LIMIT = 3\n",
    "late_one.py": "",
    "tools/__init__.py": "",
    "tools/words.py": "from . import deep\n\n\ndef say():\n    return deep.TEXT\n",
    "tools/deep.py": 'TEXT = "x"\n',
    "tools/other.py": "",
    "unrelated.py": "",
}
MODULES = {Path(name).with_suffix("").as_posix().replace("/", ".") for name in FILES}

Coder = Callable[[dict[str, str]], PolicyCode]


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Coder:
    """Write files, and return the code of the agent in them."""
    monkeypatch.syspath_prepend(tmp_path)

    def found(files: dict[str, str]) -> PolicyCode:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        for name in [*MODULES, "tools"]:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        agent = importlib.import_module("agent")
        return code_of(agent.Agent, "agent")

    yield found
    for name in [*MODULES, "tools"]:
        sys.modules.pop(name, None)


def test_helpers_beside_it_belong_to_a_policy(code: Coder) -> None:
    assert set(code(FILES).files) == {
        "agent.py", "rater.py", "scale_of.py", "late_one.py", "tools/__init__.py",
        "tools/words.py", "tools/deep.py",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "changes"),
    [
        ("agent.py", "return say()", "return say() + '!'", True),
        ("agent.py", '"""Act."""', '"""Act at once."""', False),
        ("agent.py", "# inside a function too", "# as late as it can be", False),
        ("scale_of.py", "LIMIT = 3", "LIMIT = 4", True),
        ("scale_of.py", "LIMIT = 3", "LIMIT = 3  # at most", False),
        ("tools/deep.py", '"x"', '"y"', True),
        ("tools/deep.py", '"x"', "'x'", False),
        ("unrelated.py", "", "A = 1\n", False),
    ],
)
def test_code_changes_it_and_comments_do_not(
    code: Coder, name: str, old: str, new: str, changes: bool
) -> None:
    before = code(FILES)
    after = code({**FILES, name: FILES[name].replace(old, new) if old else new})
    changed = [file for file, digest in after.files.items() if before.files[file] != digest]
    assert changed == ([name] if changes else [])


def test_a_declared_version_is_part_of_it(code: Coder) -> None:
    assert code(FILES).version is None
    assert code({**FILES, "agent.py": f"{AGENT}\n    version = 7\n"}).version == "7"


def test_an_installed_package_counts_without_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    for name, text in {
        "agent_kit/__init__.py": "",
        "agent_kit/mine.py": "import a_library\nimport agent_kit.rule\n\n\nclass Mine:\n    pass\n",
        "agent_kit/rule.py": "",
        "a_library.py": "",
    }.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(site)
    mine = importlib.import_module("agent_kit.mine")
    found = set(code_of(mine.Mine, "agent_kit.mine").files)
    assert found == {"agent_kit/__init__.py", "agent_kit/mine.py", "agent_kit/rule.py"}
    for name in ("agent_kit", "agent_kit.mine", "agent_kit.rule", "a_library"):
        sys.modules.pop(name, None)


def test_code_without_a_file_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = type("Typed", (), {"__module__": "typed_at_a_prompt", "version": "1"})
    monkeypatch.setitem(sys.modules, "typed_at_a_prompt", type(sys)("typed_at_a_prompt"))
    assert code_of(typed) == PolicyCode({}, "1")


@pytest.mark.parametrize(
    ("env_id", "policy", "file"),
    [
        ("clinic/ClinGen-v0", "oracle", "gym_clinic/policies/baselines.py"),
        ("clinic/ClinGen-v0", "rules", "gym_clinic/domains/clingen/baselines.py"),
        ("clinic/ClinGen-v0", "chat", "gym_clinic/policies/chat.py"),
        ("clinic/TriageEmergency-v0", "silent", "gym_clinic/policies/adversaries.py"),
    ],
)
def test_built_in_policies_have_code(env_id: str, policy: str, file: str) -> None:
    import gymnasium as gym

    files = code_of_policy(policy, unwrap(gym.make(env_id))).files
    assert file in files
    room = "/".join(file.split("/")[:-1])
    assert all(name.startswith(room) for name in files)
    assert not any(name.endswith("policies/__init__.py") for name in files)
