"""A trained critic outside training: its file, and the confidence it gives."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gym_clinic import ConfigError

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")
critic = importlib.import_module("gym_clinic.domains.kacr.critic")

OPTIONS = {"features": 2, "relations": ["rel"], "text": "hashed-ngrams:32", "hidden": 4}
GRAPH = {"nodes": [[0.2, 1.0], [1.0, 0.0]], "edges": {"rel": [[0, 1]]}, "turns_left": 2}


def made() -> Any:
    torch.manual_seed(0)
    return critic.GraphValue(**OPTIONS)


@pytest.mark.parametrize("place", ["", "critic.safetensors"])
def test_a_saved_critic_gives_the_same_confidence(tmp_path: Path, place: str) -> None:
    model = made()
    file = critic.save_critic(model, tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    loaded = critic.load_critic(file)
    given = GRAPH, "Which?", "B", "it fits"
    chance = loaded.confidence(*given)
    assert chance == critic.GraphCritic(model).confidence(*given)
    assert 0.0 < chance < 1.0
    assert loaded.confidence(GRAPH, "Which?", "A", "it fits") != chance
    assert loaded.model.options == model.options


def test_the_confidence_of_a_state_is_the_p_of_its_value(tmp_path: Path) -> None:
    judge = critic.GraphCritic(made())
    state = {**GRAPH, "question": "Which?"}
    assert judge.value(state) == pytest.approx(judge.confidence(GRAPH, "Which?") * 1.9, abs=1e-6)


def test_files_that_are_no_critic_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no critic at .*graph_critic"):
        critic.load_critic(tmp_path)
    (tmp_path / "a").write_bytes(b"nonsense")
    safetensors.save_file({"x": torch.zeros(1)}, tmp_path / "b")
    for name in ("a", "b"):
        with pytest.raises(ConfigError, match="is no graph critic"):
            critic.load_critic(tmp_path / name)
    model = made()
    model.options = {**model.options, "hidden": 8}
    critic.save_critic(model, tmp_path / "c")
    with pytest.raises(ConfigError, match="does not fit its own options"):
        critic.load_critic(tmp_path / "c")
    model.options = {"features": 2, "widht": 3}
    critic.save_critic(model, tmp_path / "d")
    with pytest.raises(ConfigError, match="takes no option 'widht'"):
        critic.load_critic(tmp_path / "d")


@pytest.mark.parametrize("missing", ["torch", "safetensors"])
def test_a_missing_extra_is_named_with_its_install_line(missing: str) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
from gym_clinic.domains.kacr import critic
print(critic.horizon(.9, [0]))
critic.load_critic("x")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1.0"
    said = done.stderr.strip().splitlines()[-1]
    assert said.endswith(f'the graph critic needs {missing}: pip install "gym_clinic[critic]"')
