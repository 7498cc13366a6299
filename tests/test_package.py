"""What is installed: from the wheel, editable, and as a plain checkout."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from places import ROOT

LOOP = """
import gymnasium as gym
import gym_clinic
env = gym.make("clinic/ClinGen-v0", split="dev")
observation, info = env.reset(seed=0)
print(len(env.unwrapped.tasks), gym_clinic.__file__)
_, _, _, _, info = env.step("CLASSIFICATION: Definitive")
case = env.unwrapped.episode.case
print(len(case.full_text(case["articles"][0]["pmid"])) > 500)
"""

HANDBOOK = """
from gym_clinic import embedded
print(embedded.knowledge().search("paracetamol antidote", 1)[0].title)
"""
FOUND = "Antidotes in poisoning"


def setup():
    read = configparser.ConfigParser()
    read.read(ROOT / "setup.cfg")
    return read


def run(*command, cwd, **environment):
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_folder_of_code_is_a_package():
    # A folder without __init__.py would be left out of the wheel without a word.
    folders = {
        path.parent
        for package in ("gym_clinic", "verl_recipes")
        for path in (ROOT / package).rglob("*.py")
    }
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_metadata_name_python_3_10_to_3_13():
    metadata = setup()
    for minor in (10, 11, 12, 13):
        assert f"Python :: 3.{minor}\n" in metadata["metadata"]["classifiers"] + "\n"
    assert metadata["options"]["python_requires"] == ">=3.10"
    assert "torch" not in metadata["options"]["install_requires"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """The cache of a user: all arrangements compose the same handbook, so one of them builds it."""
    folder = tmp_path_factory.mktemp("cache")
    yield {"GYM_CLINIC_CACHE": str(folder)}
    assert len(list(folder.iterdir())) == 1


@pytest.mark.slow
def test_a_plain_checkout_finds_its_data(tmp_path, cache):
    # Without the finder of an editable install, only the checkout is there.
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.meta_path[:] = [\n"
    code += "    finder for finder in sys.meta_path if '__editable__' not in repr(finder)]\n"
    printed = run(sys.executable, "-c", code + LOOP, cwd=tmp_path)
    assert printed.split()[1] == str(ROOT / "gym_clinic" / "__init__.py")
    assert printed.split()[2] == "True"
    assert run(sys.executable, "-c", code + HANDBOOK, cwd=tmp_path, **cache).strip() == FOUND


# What pip noted of how this interpreter's gym_clinic was installed.
ORIGIN = """
from importlib import metadata
try:
    print(metadata.distribution("gym_clinic").read_text("direct_url.json") or "{}")
except metadata.PackageNotFoundError:
    print("{}")
"""


@pytest.mark.slow
def test_an_editable_install_finds_its_data_from_another_folder(tmp_path, cache):
    # -I leaves the working folder and PYTHONPATH out: only what is installed is found.
    origin = json.loads(run(sys.executable, "-I", "-c", ORIGIN, cwd=tmp_path))
    if not origin.get("dir_info", {}).get("editable"):
        pytest.skip("gym_clinic is not installed editable for this interpreter")
    tasks, home, text = run(sys.executable, "-I", "-c", LOOP, cwd=tmp_path).split()
    assert (tasks, text) == ("224", "True")
    assert home == str(ROOT / "gym_clinic" / "__init__.py")
    code = "from gym_clinic import paths; print(*map(paths.data_dir, ('tasks', 'kb')), sep='\\n')"
    found = run(sys.executable, "-I", "-c", code, cwd=tmp_path).splitlines()
    assert found == [str(ROOT / "tasks"), str(ROOT / "kb")]
    assert run(sys.executable, "-I", "-c", HANDBOOK, cwd=tmp_path, **cache).strip() == FOUND


def test_the_data_folder_can_be_another(tmp_path):
    code = "from gym_clinic.paths import tasks_dir; print(tasks_dir('clingen'))"
    (tmp_path / "tasks").mkdir()
    printed = run(sys.executable, "-c", code, cwd=tmp_path, GYM_CLINIC_DATA=str(tmp_path))
    assert printed.strip() == str(tmp_path / "tasks" / "clingen")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # By way of the source distribution, so that a stale build folder cannot slip in.
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_works_in_a_clean_environment_and_is_small(wheel, tmp_path, cache):
    with zipfile.ZipFile(wheel) as archive:
        tasks = [
            info for info in archive.infolist() if info.filename.startswith("gym_clinic/tasks")
        ]
        assert {"train.jsonl", "dev.jsonl", "test.jsonl", "SOURCE.md", "policy_single.md"} <= {
            Path(info.filename).name for info in tasks
        }
        assert sum(info.compress_size for info in tasks) <= 12e6
        recipes = {str(path.relative_to(ROOT)) for path in (ROOT / "verl_recipes").rglob("*.yaml")}
        assert recipes
        assert recipes <= set(archive.namelist())
        listed = run("git", "ls-files", "gym_clinic", "verl_recipes", cwd=ROOT).split()
        assert sorted(set(listed) - set(archive.namelist())) == []
        assert not any("/tests/" in info.filename for info in archive.infolist())
        kb = {name for name in archive.namelist() if name.startswith("gym_clinic/kb/")}
        tables = run("git", "ls-files", "kb/facts", cwd=ROOT).split()
        assert kb == {"gym_clinic/kb/__init__.py", *(f"gym_clinic/{name}" for name in tables)}
    home = tmp_path / "clean"
    venv.create(home, with_pip=True)
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path)
                .strip())  # fmt: skip
    before = size(site)
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, cwd=tmp_path)
    assert size(site) - before < 200e6
    assert not (site / "torch").exists()
    tasks, home_of, text = run(python, "-c", LOOP, cwd=tmp_path).split()
    assert (tasks, text) == ("224", "True")
    assert Path(home_of).is_relative_to(site)
    assert "clinic/ClinGen-v0" in run(python.parent / "gym-clinic", "list", cwd=tmp_path)
    assert run(python, "-c", HANDBOOK, cwd=tmp_path, **cache).strip() == FOUND


def size(folder):
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_make_demo_sets_everything_up(tmp_path):
    checkout = tmp_path / "checkout"
    run("git", "clone", "-q", ROOT, checkout, cwd=tmp_path)
    changed = run("git", "ls-files", "-m", "-o", "--exclude-standard", cwd=ROOT).split("\n")
    for name in filter(None, changed):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_bytes((ROOT / name).read_bytes())
    printed = run("make", "demo", f"PYTHON={sys.executable}", "LIMIT=8", cwd=checkout)
    for shown in ("submit_answer", "CLASSIFICATION", "oracle", "rules", "every-tool"):
        assert shown in printed
    assert (checkout / "runs" / "demo" / "oracle" / "summary.json").is_file()
