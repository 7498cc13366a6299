"""Every command line in documentation, docstrings, messages and the Makefile exists.

A command line is checked against the command that it names: the command path, every option, and
the first argument of commands that take one of a few names. What Markdown and docstrings put
between backticks, and what messages put between quotes, ends there; other lines end as in a shell.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from places import ROOT

from gym_clinic.cli import app
from gym_clinic.domain import builtin_names
from gym_clinic.importers import FACTS, TASKS

PAGES = ["README.md", "CHANGELOG.md", "Makefile"]
PATTERNS = [
    "docs/**/*.md", "tasks/**/*.md", "kb/**/*.md", "bench/**/*.md", "verl_recipes/**/*.md",
    "verl_recipes/**/*.yaml", "gym_clinic/**/*.py", "verl_recipes/**/*.py", "kb/**/*.py",
    "bench/**/*.py",
]  # fmt: skip
NAMED = {
    ("tasks", "import"): set(TASKS),
    ("kb", "import"): set(FACTS),
    ("tasks", "build"): set(builtin_names()),
}
"""Commands whose first argument is one of these names."""

COMMAND = re.compile(
    r"(?P<quote>`|['\"]?)(?:\$\(BIN\)/|(?<![\w./-]))"
    r"(?P<program>gym-clinic|python3? +-m +[\w.]+)(?=\s)"
)
MAKE = re.compile(r"(?:`|^)make +(?P<target>[a-z][a-z-]*)", re.MULTILINE)


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a file; of Python its strings and comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield re.sub(r"\\\n\s*", " ", text)
        return
    if not COMMAND.search(text):  # most files; parsing takes long
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    yield from re.findall(r"^\s*#:? ?(.*)$", text, re.MULTILINE)


def words_after(match: re.Match[str]) -> tuple[str, ...]:
    """Return the words of a command line up to the end of its line, quotation or sentence."""
    rest = match.string[match.end() :]
    rest = rest.partition(match["quote"] or "\n")[0]
    return tuple(re.split(r" +#| && |, then|:\s", rest)[0].split())


def command_lines() -> list[tuple[str, str, tuple[str, ...]]]:
    """Return file, program and words of every command line that is written down."""
    paths = [ROOT / page for page in PAGES]
    paths += sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))
    return [
        (path.relative_to(ROOT).as_posix(), " ".join(match["program"].split()), words_after(match))
        for path in paths
        for text in texts(path)
        for match in COMMAND.finditer(text)
    ]


LINES = command_lines()
OURS = {" ".join((program, *words)): (program, words) for _, program, words in LINES}


@functools.cache
def help_of(module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments, "--help"],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def options_of(words: list[str]) -> list[str]:
    """Return the long options of a command line, without values and punctuation."""
    found = (re.match(r"\[?(--[a-z][a-z-]*)", word) for word in words)
    return [option[1] for option in found if option]


def check_clinic(words: list[str]) -> None:
    """Check a command line of ``gym-clinic``.

    Raises:
        ValueError: It names a command, a source or an option that does not exist.
    """
    command, path, words = typer.main.get_command(app), (), list(words)
    while words and hasattr(command, "commands"):
        names = re.findall(r"[\w-]+", words[0])
        if not names or words[0].isupper() or words[0].startswith("-"):
            break
        for name in names:
            if name not in command.commands:
                raise ValueError(f"no command {name!r}; choose from {sorted(command.commands)}")
        command, path, words = command.commands[names[0]], (*path, names[0]), words[1:]
    commands = [command, *getattr(command, "commands", {}).values()]
    known = {option for one in commands for param in one.params for option in param.opts}
    known.add("--help")
    if path in NAMED and words:
        first = words.pop(0)
        if re.fullmatch(r"[a-z][\w-]*", first) and first not in NAMED[path]:
            raise ValueError(f"{' '.join(path)} takes no {first!r}")
        if path == ("tasks", "build") and first in NAMED[path]:
            known |= set(options_of(help_of(f"gym_clinic.domains.{first}.build").split()))
    for option in options_of(words):
        if option not in known:
            raise ValueError(f"{' '.join(path)} has no option {option}")


def check_module(module: str, words: list[str]) -> None:
    """Check a command line of ``python -m``; of packages that are not ours only the module."""
    if importlib.util.find_spec(module) is None:
        raise ValueError(f"no module {module}")
    if module.partition(".")[0] not in ("gym_clinic", "verl_recipes", "kb"):
        return
    arguments = []
    if module == "verl_recipes":
        if importlib.util.find_spec("verl") is None:
            pytest.skip("verl is not installed")
        arguments = [words[0].partition("|")[0]] if words else []
    options = options_of(words)
    known = options_of(help_of(module, *arguments).replace("[", " ").split()) if options else []
    for option in options:
        if option not in known:
            raise ValueError(f"{module} has no option {option}")


@pytest.mark.parametrize("line", sorted(OURS))
def test_the_command_line_exists(line: str) -> None:
    program, words = OURS[line]
    where = [path for path, *rest in LINES if rest == [program, words]]
    try:
        if program == "gym-clinic":
            check_clinic(list(words))
        else:
            check_module(program.split()[-1], list(words))
    except ValueError as error:
        pytest.fail(f"{', '.join(where)}: {line}: {error}")


def test_command_lines_are_found_everywhere() -> None:
    found = {path.partition("/")[0] for path, *_ in LINES}
    assert {"README.md", "CHANGELOG.md", "Makefile", "docs", "tasks", "gym_clinic", "kb"} <= found
    assert sum(program == "gym-clinic" for _, program, _ in LINES) > 60


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tasks importt medqa", "no command 'importt'"),
        ("tasks import clingen-csv file.csv", "takes no 'clingen-csv'"),
        ("kb validate --mappings DIR", "has no option --mappings"),
        ("eval clinic/ClinGen-v0 --polcy rules", "has no option --polcy"),
        ("tasks build clingen --sed 1", "has no option --sed"),
    ],
)
def test_a_line_that_does_not_exist_is_found(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_clinic(line.split())


@pytest.mark.parametrize(
    "page", ["README.md", *sorted(path.name for path in ROOT.glob("docs/*.md"))]
)
def test_make_targets_exist(page: str) -> None:
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {match["target"] for match in MAKE.finditer(path.read_text())} <= targets
