"""verl's own command as docs/training.md shows it."""

from __future__ import annotations

import re
import shlex

from places import ROOT

GUIDE = ROOT / "docs" / "training.md"
CONFIG = ("--config-path", "pkg://verl_recipes.config", "--config-name", "train")


def documented() -> tuple[dict[str, str], dict[str, str]]:
    """Return the variables that the guide exports for the command, and its settings, in order."""
    blocks = re.findall(r"```bash\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if "-m verl.trainer.main_ppo" in block]
    before, line = block.replace("\\\n", " ").split("-m verl.trainer.main_ppo", 1)
    told = shlex.split(line)
    assert tuple(told[: len(CONFIG)]) == CONFIG
    exported = [word for word in shlex.split(before) if "=" in word]
    pairs = [dict(word.split("=", 1) for word in words) for words in (exported, told[4:])]
    return pairs[0], pairs[1]


def arguments(**changes: str) -> list[str]:
    """Return the arguments of the command, with other settings; ``a__b`` stands for ``a.b``."""
    settings = documented()[1] | {name.replace("__", "."): one for name, one in changes.items()}
    return [*CONFIG, *(f"{name}={value}" for name, value in settings.items())]
